// Sendable: its core keeps everything that changes behind a lock; subscribers run on the thread that sends, as in the
// system's Combine.
/// A subject that keeps its newest value and gives it to every new subscriber.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    private let core: SubjectCore<Output, Failure>

    /// Makes one with its first value.
    public init(_ value: Output) { core = SubjectCore(newest: value) }

    /// The newest value; setting it sends it.
    public var value: Output {
        get {
            guard let current = core.current else { preconditionFailure("it was made with a value") }
            return current
        }
        set { core.send(newValue) }
    }

    /// Sends a value to all subscribers, and keeps it.
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
