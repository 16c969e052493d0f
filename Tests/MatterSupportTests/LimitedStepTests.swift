import NetIO
import TestSupport
import Testing

@testable import MatterSupport

@Suite("LimitedStep", .timeLimit(.minutes(1))) struct LimitedStepTests {
    private let time = ManualClock()
    private func step(limit: Duration? = nil, cancelAfter: Duration? = nil) -> LimitedStep {
        LimitedStep(clock: DriverClock(time), limit: limit, grace: .seconds(5), cancelAfter: cancelAfter)
    }

    /// Ends when cancelled.
    @Sendable private static func wait() async throws {
        let (never, source) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        withExtendedLifetime(source) {}
        throw CancellationError()
    }

    @Test func `ends by itself`() async throws {
        let (result, interruption) = await step(limit: .seconds(1)).run { 7 }
        #expect(try result.get() == 7 && interruption == nil)
        #expect(await time.nextDeadline == nil)
    }

    @Test func `ends at its limit`() async {
        async let outcome = step(limit: .seconds(60)).run(Self.wait)
        await time.sleepers(atLeast: 1)
        await time.advance(by: .seconds(60))
        #expect(await outcome.interruption == .timedOut)
    }

    @Test func `ends when the person cancels`() async {
        async let outcome = step(cancelAfter: .milliseconds(50)).run(Self.wait)
        await time.sleepers(atLeast: 1)
        await time.advance(by: .milliseconds(50))
        #expect(await outcome.interruption == .cancelled)
        #expect(await step(cancelAfter: .zero).run(Self.wait).interruption == .cancelled)
    }

    @Test func `a cancel at the beginning comes before an end at once`() async throws {
        for _ in 0..<200 {
            let (result, interruption) = await step(cancelAfter: .zero).run { 7 }
            #expect(try result.get() == 7 && interruption == .cancelled)
        }
    }

    @Test func `ends when the task is cancelled, before or while it runs`() async {
        let step = step()
        let (started, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await step.run {
                begin.yield()
                try await Self.wait()
            }.interruption
        }
        for await _ in started { break }
        task.cancel()
        #expect(await task.value == .cancelled)
        let early = Task { () -> LimitedStep.Interruption? in
            withUnsafeCurrentTask { $0?.cancel() }
            return await step.run(Self.wait).interruption
        }
        #expect(await early.value == .cancelled)
    }

    @Test func `a late success is told with the interruption`() async throws {
        let (result, interruption) = await step(cancelAfter: .zero).run {
            do { try await Self.wait() } catch {}
            return 3
        }
        #expect(try result.get() == 3 && interruption == .cancelled)
    }

    @Test func `what does not end within the grace is abandoned`() async {
        let (freed, free) = AsyncStream.makeStream(of: Void.self)
        let step = step(cancelAfter: .zero)
        async let outcome = step.run {
            // Deaf to cancellation: the wait is in a task of its own.
            await Task { for await _ in freed { break } }.value
        } abandon: {
            free.yield()
        }
        await time.sleepers(atLeast: 1)
        await time.advance(by: .seconds(5))
        #expect(await outcome.interruption == .cancelled)
    }
}
