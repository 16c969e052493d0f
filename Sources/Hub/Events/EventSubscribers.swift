import HubControl
import NetIO

/// Who is told of a structure's events; a subscriber whose stream ends is forgotten at once, by whichever side ended it.
final class EventSubscribers: Sendable {
    /// Events beyond a replay that a subscriber may leave unread.
    static let bufferedEvents = 1_024

    private struct State {
        var continuations: [Int: AsyncStream<ControlEvent>.Continuation] = [:]
        var last = 0
    }
    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

    /// Adds a subscriber, whose stream begins with `replay`.
    func add(after replay: [ControlEvent]) -> AsyncStream<ControlEvent> {
        let (stream, continuation) = AsyncStream<ControlEvent>.makeStream(
            bufferingPolicy: .bufferingOldest(replay.count + Self.bufferedEvents))
        for event in replay { continuation.yield(event) }
        let number = state.withLock { state in
            state.last += 1
            state.continuations[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    /// Hands an event to every subscriber. One that cannot keep up loses the stream, and may replay later.
    func tell(_ event: ControlEvent) {
        // Outside of the lock, which the end of a stream takes too.
        for (number, continuation) in state.withLock({ $0.continuations }) {
            guard case .dropped = continuation.yield(event) else { continue }
            remove(number)
            continuation.finish()
        }
    }

    private func remove(_ number: Int) {
        // The continuation is let go outside of the lock.
        _ = state.withLock { $0.continuations.removeValue(forKey: number) }
    }
}
