// Sendable: its subject is.
/// Says that an object is about to change.
public final class ObservableObjectPublisher: Publisher, Sendable {
    /// There is nothing to say but that it happens.
    public typealias Output = Void
    /// It can't fail.
    public typealias Failure = Never

    private let subject = PassthroughSubject<Void, Never>()

    /// Makes one without subscribers.
    public init() {}

    /// Says it.
    public func send() { subject.send() }
    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        subject.receive(subscriber: subscriber)
    }
}
