import NetIO
import TestSupport
import Testing

@Suite("DeadlineTimer", .timeLimit(.minutes(1))) struct DeadlineTimerTests {
    private let manual = ManualClock()
    private let clock: DriverClock
    private let timer: DeadlineTimer

    init() {
        clock = DriverClock(manual)
        timer = DeadlineTimer(clock: clock)
    }

    /// Waits for one firing; `nil` after `finish()`.
    private func firing() async -> Duration? {
        var iterator = timer.firings.makeAsyncIterator()
        return await iterator.next() == nil ? nil : clock.now
    }

    @Test func `the clock counts from when it was made`() async {
        await manual.advance(by: .seconds(5))
        let later = DriverClock(manual)
        await manual.advance(by: .seconds(2))
        #expect(clock.now == .seconds(7))
        #expect(later.now == .seconds(2))
    }

    @Test func `fires once at its deadline and is disarmed then`() async {
        timer.arm(.seconds(3))
        #expect(await manual.advanceToNextDeadline().sinceStart == .seconds(3))
        #expect(await firing() == .seconds(3))
        #expect(timer.deadline == nil)
    }

    @Test func `a deadline in the past fires at once`() async {
        await manual.advance(by: .seconds(9))
        timer.arm(.seconds(3))
        #expect(await firing() == .seconds(9))
    }

    @Test func `an earlier deadline replaces the sleep`() async {
        timer.arm(.seconds(10))
        await manual.sleepers(atLeast: 1)
        timer.arm(.seconds(4))
        // The replaced sleeper may still be on the list, with the later deadline.
        while await manual.nextDeadline?.sinceStart != .seconds(4) { await Task.yield() }
        await manual.advance(by: .seconds(4))
        #expect(await firing() == .seconds(4))
    }

    @Test func `a later deadline sleeps on after the first`() async {
        timer.arm(.seconds(4))
        timer.arm(.seconds(10))
        #expect(await manual.advanceToNextDeadline().sinceStart == .seconds(4))
        #expect(timer.deadline == .seconds(10))
        #expect(await manual.advanceToNextDeadline().sinceStart == .seconds(10))
        #expect(await firing() == .seconds(10))
    }

    @Test func `clearing and setting again keeps the one sleeper`() async {
        timer.arm(.seconds(4))
        await manual.sleepers(atLeast: 1)
        for step in 0..<1000 {
            timer.arm(nil)
            timer.arm(.seconds(5) + .milliseconds(step))
        }
        #expect(await manual.nextDeadline?.sinceStart == .seconds(4))
        await manual.advance(by: .seconds(6))
        #expect(await firing() == .seconds(6))
    }

    @Test func `a cleared deadline doesn't fire`() async {
        timer.arm(.seconds(4))
        await manual.sleepers(atLeast: 1)
        timer.arm(nil)
        await manual.advance(by: .seconds(4))
        timer.arm(.seconds(20))
        await manual.advanceToNextDeadline()
        #expect(await firing() == .seconds(20))
    }

    @Test func `finishing ends the firings and refuses new deadlines`() async {
        timer.arm(.seconds(4))
        timer.finish()
        #expect(await firing() == nil)
        timer.arm(.seconds(5))
        #expect(timer.deadline == nil)
    }

    @Test func `dropping the timer ends its sleep`() async {
        var owned: DeadlineTimer? = DeadlineTimer(clock: clock)
        owned?.arm(.seconds(4))
        await manual.sleepers(atLeast: 1)
        owned = nil
        while await manual.nextDeadline != nil { await Task.yield() }
    }

    @Test func `an actor's run loop is called on each firing and may arm again`() async {
        actor Driver {
            let timer: DeadlineTimer
            let clock: DriverClock
            var seen: [Duration] = []
            init(_ timer: DeadlineTimer, _ clock: DriverClock) { (self.timer, self.clock) = (timer, clock) }
            func run() async {
                timer.arm(.seconds(1))
                await timer.run {
                    seen.append(clock.now)
                    if seen.count == 3 { timer.finish() } else { timer.arm(clock.now + .seconds(1)) }
                }
            }
        }
        let driver = Driver(timer, clock)
        let running = Task { await driver.run() }
        for _ in 0..<3 { await manual.advanceToNextDeadline() }
        await running.value
        #expect(await driver.seen == [.seconds(1), .seconds(2), .seconds(3)])
    }
}

@Suite("withTimeout", .timeLimit(.minutes(1))) struct TimeoutTests {
    @Test func `an operation past its limit is cancelled and reported`() async {
        let manual = ManualClock()
        let clock = DriverClock(manual)
        async let outcome: Void = expectNetError(.timedOut) {
            try await withTimeout(.seconds(3), clock: clock, "test") { () async throws(NetError) in
                do { try await clock.sleep(until: .seconds(60)) } catch { throw NetError(.cancelled, "test") }
            }
        }
        await manual.sleepers(atLeast: 2)
        await manual.advance(by: .seconds(3))
        await outcome
    }

    @Test func `an operation in time gives its result or its own failure`() async throws {
        let clock = DriverClock(ManualClock())
        let value = try await withTimeout(.seconds(3), clock: clock, "test") { () async throws(NetError) in 7 }
        #expect(value == 7)
        await expectNetError(.refused) {
            try await withTimeout(.seconds(3), clock: clock, "test") { () async throws(NetError) in
                throw NetError(.refused, "test")
            }
        }
    }
}
