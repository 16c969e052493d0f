/// The monotonic time of one driver: any clock, read as the time since this value was made.
///
/// A driver turns `now` into the `MonotonicInstant` that machines take. Copies share the same start.
package struct DriverClock: Sendable {
    private let elapsed: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// Starts counting at this moment of the clock: the system's in production, a manual one in tests.
    package init(_ clock: any Clock<Duration> = ContinuousClock()) {
        self.init(opening: clock)
    }

    private init<C: Clock<Duration>>(opening clock: C) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        wait = { deadline in try await clock.sleep(until: start.advanced(by: deadline), tolerance: nil) }
    }

    /// The time since the start; never decreases.
    package var now: Duration { elapsed() }

    /// Suspends until the time since the start has reached the deadline; at once when it has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    package func sleep(until deadline: Duration) async throws { try await wait(deadline) }
}
