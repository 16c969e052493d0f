/// A publisher whose type is hidden.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let hidden: any Publisher<Output, Failure>

    /// Hides the type of a publisher.
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        hidden = (publisher as? AnyPublisher<Output, Failure>)?.hidden ?? publisher
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        hidden.receive(subscriber: subscriber)
    }
}
