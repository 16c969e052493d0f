import NetIO
import TestSupport
import Testing

@testable import Conformance

@Suite("ConformanceRunner", .timeLimit(.minutes(1)))
struct ConformanceRunnerTests {
    private func run(
        _ cases: [SampleCase], _ subject: SampleSubject = SampleSubject(), clock: DriverClock = DriverClock()
    ) async -> ConformanceReport {
        await ConformanceRunner(timeLimit: .seconds(30), clock: clock).run(Sample.suite(cases), cases, of: subject)
    }

    @Test func `a case passes, fails with its behaviour's rule, or is skipped for a reason`() async {
        let subject = SampleSubject(remark: "a room stayed")
        let report = await run(
            [
                Sample.passing, Sample.failing,
                SampleCase("b.need", "Needs the moon", ["third"], needs: [.init("sun"), .init("moon")]) { _ in },
                SampleCase("b.skip", "Finds out", ["third"]) { _ in throw ConformanceSkip("no sun today") },
                SampleCase("b.error", "Trips", ["third"]) { _ in throw NetError(.timedOut, "read") },
            ], subject)
        #expect(report.records.map(\.outcome.word) == ["passed", "failed", "skipped", "skipped", "failed"])
        #expect(
            report.records[1].outcome
                == .failed(.init(expected: "a cat", seen: "a dog", rule: "page.md §2", meaning: nil)))
        #expect(report.records[2].outcome == .skipped("there is no moon"))
        #expect(report.records[3].outcome == .skipped("no sun today"))
        // Each context was tidied up behind; the case without the moon had none.
        #expect(subject.tidied == [1, 2, 3, 4])
        #expect(report.records.map(\.remarks.count) == [1, 1, 0, 1, 1])
        #expect(report.summary == "1 passed, 2 failed, 2 skipped; 3 of 3 documented behaviours exercised")
        #expect(report.hasFailures && !report.wasInterrupted)
    }

    @Test func `what was not tried exercises nothing`() async {
        let report = await run([
            Sample.passing, SampleCase("b.need", "Needs the moon", ["third"], needs: [.init("moon")]) { _ in },
        ])
        #expect(report.coverage.map(\.cases) == [["a.pass"], [], []])
        #expect(report.coverage.map(\.untried) == [[], [], ["b.need"]])
    }

    @Test func `a case that hangs fails at its limit, and the next one runs`() async {
        let clock = ManualClock()
        let subject = SampleSubject()
        let (hangs, began) = AsyncStream<Void>.makeStream()
        let cases = [
            SampleCase("a.hang", "Hangs", ["first"], timeLimit: .seconds(7)) { _ in
                began.finish()
                for await _ in AsyncStream<Void>.makeStream().stream {}
                // What a case says once it was cancelled does not count.
                throw ConformanceSkip("cancelled")
            }, Sample.passing,
        ]
        async let report = run(cases, subject, clock: DriverClock(clock))
        for await _ in hangs {}
        let time = Task {
            while !Task.isCancelled {
                await clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        let records = await report.records
        time.cancel()
        #expect(records.map(\.outcome.word) == ["failed", "passed"])
        guard case .failed(let failure) = records[0].outcome else { return }
        #expect(failure.expected == "the case to end within 7.000 s")
        #expect(subject.tidied == [1, 2])
    }

    @Test func `an interruption is reported, and the running case is tidied up behind`() async {
        let subject = SampleSubject()
        let (hangs, began) = AsyncStream<Void>.makeStream()
        let cases = [
            Sample.passing,
            SampleCase("b.hang", "Hangs", ["second"]) { _ in
                began.finish()
                for await _ in AsyncStream<Void>.makeStream().stream {}
            }, SampleCase("b.never", "Does not begin", ["third"]) { _ in },
        ]
        let events = Locked<[String]>([])
        let running = Task {
            await ConformanceRunner().run(Sample.suite(cases), cases, of: subject) { event in
                events.withLock { list in
                    switch event {
                    case .began(let name, let index, let total): list.append("\(name) \(index)/\(total)")
                    case .ended(let record, _, _): list.append(record.outcome.word)
                    }
                }
            }
        }
        for await _ in hangs {}
        running.cancel()
        let report = await running.value
        #expect(report.records.map(\.outcome.word) == ["passed", "interrupted", "interrupted"])
        #expect(report.wasInterrupted)
        #expect(subject.tidied == [1, 2])
        #expect(
            events.withLock { $0 } == [
                "a.pass 1/3", "passed", "b.hang 2/3", "interrupted", "interrupted",
            ])
    }

    @Test func `no secret comes into a report`() async {
        let secret = "U2VjcmV0IG9mIDMyIG9jdGV0cyBpbiBiYXNlNjR1cmw"
        let subject = SampleSubject(
            description: "hub 20202021", secrets: ["20202021", ""], remark: "grant mh1.cGlu.aWQ.\(secret) stayed")
        let report = await run(
            [
                SampleCase("a.leak", "Leaks", ["first"]) { _ in
                    throw ConformanceFailure(
                        expected: "mh1.pin.id.\(secret)\u{301}!", seen: "code 20202021\u{301}",
                        meaning: "mh1. is no grant")
                }
            ], subject)
        #expect(report.subject == "hub (secret)")
        #expect(
            report.records[0].outcome
                == .failed(
                    .init(
                        expected: "mh1.pin.id.(secret)\u{301}!", seen: "code (secret)\u{301}", rule: "page.md §1",
                        meaning: "mh1. is no grant")))
        #expect(report.records[0].remarks == ["grant mh1.cGlu.aWQ.(secret) stayed"])
    }
}
