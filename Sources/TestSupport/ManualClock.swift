import Synchronization

/// A clock that stands still until a test moves it, for drivers that take `any Clock<Duration>`.
///
/// A test waits with ``sleepers(atLeast:)`` until the driver has armed its timer, then moves the clock:
/// no test sleeps.
public final class ManualClock: Clock, Sendable {
    /// A point on a ``ManualClock``, counted from its start.
    public struct Instant: InstantProtocol {
        /// Time since the clock's start; whole nanoseconds.
        public var sinceStart: Swift.Duration
        /// Makes an instant from the time since the clock's start.
        public init(sinceStart: Swift.Duration) { self.sinceStart = sinceStart }
        /// A later (or, with a negative duration, earlier) instant.
        public func advanced(by duration: Swift.Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }
        /// The time from this instant to `other`.
        public func duration(to other: Instant) -> Swift.Duration { other.sinceStart - sinceStart }
        /// Whether the left instant comes first.
        public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
    }

    private let nanoseconds = Atomic<Int64>(0)
    private let queue = SleeperQueue()

    /// Makes a clock that shows zero.
    public init() {}

    /// What the clock shows.
    public var now: Instant { Instant(sinceStart: .nanoseconds(nanoseconds.load(ordering: .sequentiallyConsistent))) }
    /// One nanosecond.
    public var minimumResolution: Swift.Duration { .nanoseconds(1) }

    /// Suspends until the clock shows `deadline` or later.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        try Task.checkCancellation()
        let (ended, continuation) = AsyncStream<Never>.makeStream()
        guard let id = await queue.add(deadline, continuation, clock: self) else { return }
        for await _ in ended {}
        await queue.remove(id)
        try Task.checkCancellation()
    }

    /// Moves the clock forward and wakes every sleeper whose deadline has come, earliest first.
    public func advance(by duration: Swift.Duration) async { await advance(to: now.advanced(by: duration)) }

    /// Moves the clock to `instant` (never backwards) and wakes every sleeper whose deadline has come.
    public func advance(to instant: Instant) async {
        await queue.advance(to: instant, clock: self)
    }

    /// Waits until a task sleeps on this clock, then moves the clock to the earliest deadline.
    ///
    /// - Returns: what the clock shows then.
    @discardableResult
    public func advanceToNextDeadline() async -> Instant {
        await queue.wait(forSleepers: 1)
        await queue.advance(to: nil, clock: self)
        return now
    }

    /// Waits until at least `count` tasks sleep on this clock.
    public func sleepers(atLeast count: Int) async { await queue.wait(forSleepers: count) }

    /// The earliest deadline that a task sleeps for; `nil` when none does.
    public var nextDeadline: Instant? { get async { await queue.next } }

    fileprivate func set(_ instant: Instant) {
        let (seconds, attoseconds) = instant.sinceStart.components
        // Rounded up: a deadline between two nanoseconds must have come when the clock was moved to it.
        let part = (attoseconds + 999_999_999) / 1_000_000_000
        nanoseconds.store(seconds * 1_000_000_000 + part, ordering: .sequentiallyConsistent)
    }
}

private actor SleeperQueue {
    private struct Sleeper {
        let id: UInt64
        let deadline: ManualClock.Instant
        let continuation: AsyncStream<Never>.Continuation
    }

    private var sleepers: [Sleeper] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    private var lastID: UInt64 = 0

    var next: ManualClock.Instant? { sleepers.map(\.deadline).min() }

    func add(
        _ deadline: ManualClock.Instant, _ continuation: AsyncStream<Never>.Continuation, clock: ManualClock
    ) -> UInt64? {
        guard deadline > clock.now else { return nil }
        lastID += 1
        sleepers.append(Sleeper(id: lastID, deadline: deadline, continuation: continuation))
        let served = waiting.filter { $0.count <= sleepers.count }
        waiting.removeAll { $0.count <= sleepers.count }
        for waiter in served { waiter.continuation.resume() }
        return lastID
    }

    func remove(_ id: UInt64) { sleepers.removeAll { $0.id == id } }

    func advance(to instant: ManualClock.Instant?, clock: ManualClock) {
        guard let target = instant ?? next else { return }
        if target > clock.now { clock.set(target) }
        let due = sleepers.filter { $0.deadline <= clock.now }.sorted { $0.deadline < $1.deadline }
        sleepers.removeAll { $0.deadline <= clock.now }
        for sleeper in due { sleeper.continuation.finish() }
    }

    func wait(forSleepers count: Int) async {
        guard sleepers.count < count else { return }
        await withCheckedContinuation { waiting.append((count, $0)) }
    }
}
