import NetIO

@testable import Conformance

/// A subject of which the cases of these tests say what it does.
final class SampleSubject: ConformanceSubject {
    /// What a case is given: a number of its own.
    struct Context: Sendable {
        let number: Int
    }

    let description: String
    let secrets: [String]
    private let remark: String?
    private let begun = Locked(0)
    private let ended = Locked<[Int]>([])

    init(description: String = "a sample", secrets: [String] = [], remark: String? = nil) {
        self.description = description
        self.secrets = secrets
        self.remark = remark
    }

    /// The numbers of the contexts that were tidied up behind.
    var tidied: [Int] { ended.withLock { $0 } }

    func absence(of need: ConformanceNeed) -> String? { need.name == "moon" ? "there is no moon" : nil }

    func begin() async throws -> Context {
        Context(
            number: begun.withLock { count in
                count += 1
                return count
            })
    }

    func end(_ context: Context) async -> [String] {
        ended.withLock { $0.append(context.number) }
        return remark.map { [$0] } ?? []
    }
}

typealias SampleCase = ConformanceCase<SampleSubject.Context>

enum Sample {
    static let behaviours = [
        DocumentedBehaviour("first", "page.md §1", "The first thing."),
        DocumentedBehaviour("second", "page.md §2", "The second <thing>."),
        DocumentedBehaviour("third", "page.md §3", "The third thing & more."),
    ]

    static func suite(_ cases: [SampleCase]) -> ConformanceSuite<SampleSubject.Context> {
        ConformanceSuite(name: "sample", behaviours: behaviours, cases: cases)
    }

    static let passing = SampleCase("a.pass", "Passes", ["first"]) { _ in }
    static let failing = SampleCase("a.fail", "Fails", ["second"]) { _ in
        throw ConformanceFailure(expected: "a cat", seen: "a dog")
    }

    /// Text that would break a report that does not escape.
    static let hostile =
        "]]></failure><script>alert('1')</script> &amp; \"q\" \u{0}\u{1B}[2J\u{FFFF}\u{202E} # \\ \n  ...\nBail out!\r\u{2028}ok 9"

    /// One of each outcome, with hostile text wherever a subject may put some.
    static var report: ConformanceReport {
        let hostile = Self.hostile
        return ConformanceReport(
            suite: "sample", subject: hostile, startedAt: 1_796_043_600, behaviours: behaviours,
            records: [
                .init(
                    name: "a.pass", title: "Passes # not", behaviours: ["first"], outcome: .passed,
                    elapsed: .milliseconds(12)),
                .init(
                    name: "a.fail", title: "Fails", behaviours: ["first", "second"],
                    outcome: .failed(.init(expected: "a cat", seen: hostile, rule: "page.md §2", meaning: hostile)),
                    elapsed: .milliseconds(1234), remarks: [hostile]),
                .init(
                    name: "b.skip", title: "Is skipped", behaviours: ["third"], outcome: .skipped(hostile),
                    elapsed: .zero),
                .init(name: "b.stop", title: "Stops", behaviours: ["third"], outcome: .interrupted, elapsed: .zero),
            ], elapsed: .milliseconds(1250))
    }
}
