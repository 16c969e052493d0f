/// Something that takes what a publisher sends.
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    /// What it takes.
    associatedtype Input
    /// How the publisher may fail.
    associatedtype Failure: Error

    /// Takes the means to ask for values; called once, before anything else.
    func receive(subscription: any Subscription)
    /// Takes one value.
    ///
    /// - Returns: how many more it wants, on top of what it asked for before.
    func receive(_ input: Input) -> Subscribers.Demand
    /// Learns that nothing more comes.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// Takes one event without a value.
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// The types of the subscribers.
public enum Subscribers {
    /// How a publisher ended.
    public enum Completion<Failure: Error> {
        /// As it should.
        case finished
        /// With an error.
        case failure(Failure)

        func mapError<NewFailure: Error>(_ transform: (Failure) -> NewFailure) -> Completion<NewFailure> {
            switch self {
            case .finished: .finished
            case .failure(let error): .failure(transform(error))
            }
        }
    }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}
extension Subscribers.Completion: Sendable {}
