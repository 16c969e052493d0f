/// Makes a publisher anew for each subscriber.
public struct Deferred<Deferred: Publisher>: Publisher {
    /// What the publisher sends.
    public typealias Output = Deferred.Output
    /// How it may fail.
    public typealias Failure = Deferred.Failure

    /// Makes the publisher.
    public let createPublisher: () -> Deferred

    /// Calls `createPublisher` for each subscriber.
    public init(createPublisher: @escaping () -> Deferred) { self.createPublisher = createPublisher }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}
