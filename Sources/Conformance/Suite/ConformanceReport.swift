/// How one case ended.
package enum ConformanceOutcome: Hashable, Sendable {
    case passed
    case failed(ConformanceFailure)
    case skipped(String)
    /// The run was interrupted while the case ran, or before.
    case interrupted

    /// One word: `passed`, `failed`, `skipped`, `interrupted`.
    package var word: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        case .interrupted: "interrupted"
        }
    }
}

/// One case in a report.
package struct ConformanceRecord: Hashable, Sendable {
    package var name: String
    package var title: String
    /// Ids of the behaviours that the case exercises.
    package var behaviours: [String]
    package var outcome: ConformanceOutcome
    package var elapsed: Duration
    /// What else is to be known: what could not be tidied up.
    package var remarks: [String] = []

    /// What stands before the first dot of the name.
    package var group: String { String(name.prefix { $0 != "." }) }

    /// Whether the case ran to an end, so that its behaviours were exercised.
    package var wasTried: Bool {
        switch outcome {
        case .passed, .failed: true
        case .skipped, .interrupted: false
        }
    }
}

/// What a run found: plain data, which the forms of report only lay out.
package struct ConformanceReport: Hashable, Sendable {
    /// The suite's name.
    package var suite: String
    /// What was examined.
    package var subject: String
    /// Seconds since 1970 at the start; 0 where nobody said.
    package var startedAt: Int64 = 0
    package var behaviours: [DocumentedBehaviour]
    /// In the order in which they ran.
    package var records: [ConformanceRecord]
    package var elapsed: Duration
    /// What could not be tidied up at the end.
    package var remarks: [String] = []

    package func count(_ word: String) -> Int { records.count { $0.outcome.word == word } }

    package var hasFailures: Bool { count("failed") > 0 }
    package var wasInterrupted: Bool { count("interrupted") > 0 }

    /// One line: how many passed, failed and were skipped.
    package var summary: String {
        let counts = ["passed", "failed", "skipped", "interrupted"].map { (word: $0, count: count($0)) }
        let parts = counts.filter { $0.count > 0 || $0.word == "passed" }.map { "\($0.count) \($0.word)" }
        let exercised = coverage.count { !$0.cases.isEmpty }
        return "\(parts.joined(separator: ", ")); \(exercised) of \(behaviours.count) documented behaviours exercised"
    }

    /// A behaviour with the cases that exercised it.
    package struct Coverage: Hashable, Sendable {
        package let behaviour: DocumentedBehaviour
        /// Names of the cases that were tried; empty when it was not exercised.
        package let cases: [String]
        /// Names of the cases that would exercise it, but were skipped or interrupted.
        package let untried: [String]
    }

    /// What was exercised and what was not, in the order of the contract.
    package var coverage: [Coverage] {
        behaviours.map { behaviour in
            let all = records.filter { $0.behaviours.contains(behaviour.id) }
            return Coverage(
                behaviour: behaviour, cases: all.filter(\.wasTried).map(\.name),
                untried: all.filter { !$0.wasTried }.map(\.name))
        }
    }
}

extension Duration {
    /// Whole milliseconds.
    package var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Seconds with three digits behind the point.
    var secondsText: String {
        let (seconds, rest) = (milliseconds / 1000, String(milliseconds % 1000))
        return "\(seconds).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}
