/// Something that sends values, then perhaps ends.
public protocol Publisher<Output, Failure> {
    /// What is sent.
    associatedtype Output
    /// How it may fail; `Never` when it can't.
    associatedtype Failure: Error

    /// Takes a subscriber on; called by ``subscribe(_:)``.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Sends to a subscriber what it asks for.
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        receive(subscriber: subscriber)
    }

    /// Sends on through a subject, without limit.
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let sink = Subscribers.Sink<Output, Failure>(
            receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
        subscribe(sink)
        return AnyCancellable(sink)
    }

    /// The same publisher, with its type hidden.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// The types of the operators.
public enum Publishers {}
