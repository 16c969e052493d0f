/// A one-shot timer for the driver of a machine whose deadline changes with nearly every datagram.
///
///               arm(d)                     d reached: yields one firing
///     disarmed ────────▶ armed(d) ───────────────────────────▶ disarmed
///                          │ arm(d') replaces d; arm(nil) disarms
///
/// Cheap by laziness: a deadline that moves later, or away and back, only writes a number under a lock; the sleeping task
/// finds it when it wakes and sleeps on. Only a deadline earlier than the running sleep starts a new task.
///
/// A firing may arrive after the deadline has been changed (it was already on its way): the machine's `timerFired(now:)`
/// compares with its own deadline and does nothing when early. Then arm again.
package final class DeadlineTimer: Sendable {
    private struct State {
        var deadline: Duration?
        /// What the running sleeper sleeps for; `nil` when there is none.
        var sleepingUntil: Duration?
        var sleeper: Task<Void, Never>?
        /// Tells a sleeper that it has been replaced.
        var generation: UInt64 = 0
        var isFinished = false
    }

    /// One element a firing; at most one is buffered, since a second says nothing new. For a single consumer; ends after
    /// ``finish()``.
    package let firings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let clock: DriverClock
    private let state = Locked(State())

    /// A disarmed timer on the given clock.
    package init(clock: DriverClock) {
        self.clock = clock
        (firings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    deinit { Self.finish(state, continuation) }

    /// The deadline that is armed, as time since the clock's start.
    package var deadline: Duration? { state.withLock { $0.deadline } }

    /// Sets, moves or (with `nil`) clears the deadline, given as time since the clock's start.
    ///
    /// Callable from anywhere and without suspension. Does nothing after ``finish()``.
    package func arm(_ deadline: Duration?) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.deadline = deadline
            guard let deadline else { return }
            if let sleepingUntil = state.sleepingUntil, sleepingUntil <= deadline { return }
            state.sleeper?.cancel()
            state.generation += 1
            state.sleepingUntil = deadline
            state.sleeper = Self.startSleeper(state.generation, deadline, self.state, clock, continuation)
        }
    }

    /// Disarms for good and ends ``firings``.
    package func finish() { Self.finish(state, continuation) }

    /// Calls the body, on the caller's actor, at each firing, until the task is cancelled or the timer finished.
    package func run(isolation: isolated (any Actor)? = #isolation, _ fired: () async -> Void) async {
        for await _ in firings { await fired() }
    }

    // MARK: Sleeping

    private static func finish(_ state: Locked<State>, _ continuation: AsyncStream<Void>.Continuation) {
        state.withLock { state in
            state.isFinished = true
            state.deadline = nil
            state.sleepingUntil = nil
            state.generation += 1
            state.sleeper?.cancel()
            state.sleeper = nil
        }
        continuation.finish()
    }

    /// The task owns no timer, so that dropping the timer ends the task.
    private static func startSleeper(
        _ generation: UInt64, _ first: Duration, _ state: Locked<State>, _ clock: DriverClock,
        _ continuation: AsyncStream<Void>.Continuation
    ) -> Task<Void, Never> {
        Task {
            var target = first
            while true {
                do { try await clock.sleep(until: target) } catch { return }  // cancelled: replaced or finished
                switch state.withLock({ woke(&$0, generation, now: clock.now) }) {
                case .stop: return
                case .sleepOn(let later): target = later
                case .fire:
                    continuation.yield()
                    return
                }
            }
        }
    }

    private enum Wake { case stop, fire, sleepOn(Duration) }

    private static func woke(_ state: inout State, _ generation: UInt64, now: Duration) -> Wake {
        guard state.generation == generation else { return .stop }
        if let deadline = state.deadline, deadline > now {
            state.sleepingUntil = deadline
            return .sleepOn(deadline)
        }
        let fires = state.deadline != nil
        state.deadline = nil
        state.sleepingUntil = nil
        state.sleeper = nil
        return fires ? .fire : .stop
    }
}
