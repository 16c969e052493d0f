import HubControl
import NetIO
import Testing

@testable import Conformance

/// Broken hubs: the suite must see each defect, and nothing else.
@Suite("Conformance: broken hubs", .timeLimit(.minutes(10)))
struct HubDefectTests {
    static let names = HubDefect.all.map(\.name)

    @Test func `defects have names, and cases that must see them`() {
        #expect(HubDefect.all.count >= 30)
        #expect(Set(Self.names).count == Self.names.count)
        let suite = ConformanceSuite.hub
        for defect in HubDefect.all {
            let run = Set(suite.selected(defect.cases).map(\.name))
            #expect(!defect.failing.isEmpty && defect.failing.isSubset(of: run), "\(defect.name)")
            #expect(run.count > defect.failing.count, "\(defect.name) has no case that must pass")
            #expect(suite.uselessPattern(defect.cases) == nil, "\(defect.name)")
        }
    }

    @Test(arguments: names) func `exactly the expected cases fail`(name: String) async throws {
        let defect = try #require(HubDefect.named(name))
        let report = try await examine(defect)
        let failed = Set(report.records.filter { $0.outcome.word == "failed" }.map(\.name))
        let unseen = defect.failing.subtracting(failed).sorted()
        #expect(unseen.isEmpty, "not seen by \(unseen)")
        for record in report.records where !defect.failing.contains(record.name) {
            guard case .failed(let failure) = record.outcome else { continue }
            Issue.record("\(record.name) failed too: \(failure.summary)")
        }
        let patient = Set(ConformanceSuite.hub.cases.filter { $0.needs.contains(.patience) }.map(\.name))
        let skipped = report.records.filter { $0.outcome.word == "skipped" }.map(\.name)
        #expect(patient.isSuperset(of: skipped), "\(skipped)")
    }

    @Test func `what does nothing wrong is no broken hub`() async throws {
        let nothing = HubDefect(
            "nothing", "does nothing wrong", failing: [],
            of: [
                "transport", "preface", "frame.*utf8", "frame.unknown-*", "hello", "ping", "order", "grants", "cancel",
            ]
        ) { _ in }
        let report = try await examine(nothing)
        for record in report.records {
            guard case .failed(let failure) = record.outcome else { continue }
            Issue.record("\(record.name): \(failure.summary)")
        }
        #expect(report.count("passed") > 40)
    }

    /// Most of a run is waiting for what a broken hub leaves out; but too many at once would keep right answers waiting.
    private static let turns = Turns(8)

    private func examine(_ defect: HubDefect) async throws -> ConformanceReport {
        await Self.turns.take()
        defer { Self.turns.give() }
        return try await LiveHub.run { hub in
            let broken = try DefectiveHub(
                defect, before: hub.address, grant: hub.grant, now: SystemTime.unixMilliseconds / 1000)
            let serving = Task { await broken.run() }
            let report = await LiveHub.examine(
                HostAndPort(host: "127.0.0.1", port: broken.port), broken.grant,
                ConformanceSuite.hub.selected(defect.cases),
                times: HubSetup.Times(answer: .seconds(8), silence: .seconds(2)))
            serving.cancel()
            await serving.value
            return report
        }
    }
}

/// Lets so many through at a time.
final class Turns: Sendable {
    private let state: Locked<(free: Int, queue: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) {
        state = Locked((count, []))
    }

    func take() async {
        await withCheckedContinuation { waiter in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.queue.append(waiter)
                return false
            }
            if isFree { waiter.resume() }
        }
    }

    func give() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            if state.queue.isEmpty {
                state.free += 1
                return nil
            }
            return state.queue.removeFirst()
        }
        next?.resume()
    }
}
