// Sendable: its core keeps everything that changes behind a lock; subscribers run on the thread that sends, as in the
// system's Combine.
/// A subject that keeps nothing: a subscriber gets what is sent while it has asked for values.
public final class PassthroughSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    private let core = SubjectCore<Output, Failure>(newest: nil)

    /// Makes one without subscribers.
    public init() {}

    /// Sends a value to all subscribers.
    public func send(_ value: Output) { core.send(value) }
    /// Ends, for all subscribers; what is sent later is lost.
    public func send(completion: Subscribers.Completion<Failure>) { core.send(completion: completion) }
    /// Takes a subscription on and asks it for all values.
    public func send(subscription: any Subscription) { core.send(subscription: subscription) }
    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        core.receive(subscriber)
    }
}
