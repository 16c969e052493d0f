import Foundation
import MatterProtocol
import TestSupport
import Testing
import VirtualHome

/// The fault matrix: stage × fault × ending. `MATTERHUB_FAULTS` says how much of it runs: `full`, a count, or a part of the
/// names; else a sample. `MATTERHUB_FAULTS_SHARD=1/2` runs every second one; `MATTERHUB_FAULTS_TABLE` names a file for the
/// outcomes.
extension FaultSuites {
    @Suite("Fault matrix") struct MatrixTests {
        @Test(.timeLimit(.minutes(30))) func `every combination leaves a whole device or none, and no session`()
            async throws
        {
            let environment = ProcessInfo.processInfo.environment
            let chosen = Self.chosen(environment["MATTERHUB_FAULTS"] ?? "96")
            try #require(!chosen.isEmpty)
            let shard = (environment["MATTERHUB_FAULTS_SHARD"] ?? "1/1").split(separator: "/").compactMap { Int($0) }
            var table = OutcomeTable()
            var failures = 0
            for (index, combination) in chosen.enumerated() where index % shard[1] == shard[0] - 1 {
                let start = ContinuousClock.now
                let verdict = await MatrixRun.verdict(on: combination)
                table.add(combination, verdict)
                if environment["MATTERHUB_FAULTS_TRACE"] != nil {
                    let line =
                        "\(combination) → \(verdict.outcome) \(verdict.time) \(ContinuousClock.now - start) \(verdict.problems)\n"
                    FileHandle.standardError.write(Data(line.utf8))
                }
                guard !verdict.problems.isEmpty else { continue }
                failures += 1
                if failures <= 40 {
                    Issue.record("\(combination) → \(verdict.outcome): \(verdict.problems.joined(separator: "; "))")
                }
            }
            if let path = environment["MATTERHUB_FAULTS_TABLE"] {
                try Data(table.json.utf8).write(to: URL(fileURLWithPath: path))
            }
            print("fault matrix: \(table.count) of \(Combination.all.count) combinations, \(failures) failed")
        }

        private static func chosen(_ text: String) -> [Combination] {
            if text == "full" { return Combination.all }
            if let count = Int(text) { return Combination.sample(count, seed: 1) }
            return Combination.all.filter { $0.description.contains(text) }
        }
    }
}

/// Everything here drives a clock whenever the process is idle: one at a time.
@Suite("Faults", .serialized) enum FaultSuites {}

/// Outcomes by stage, fault and ending.
struct OutcomeTable {
    private var rows: [(Combination, MatrixRun.Verdict)] = []

    mutating func add(_ combination: Combination, _ verdict: MatrixRun.Verdict) { rows.append((combination, verdict)) }

    var count: Int { rows.count }

    /// One object a line: stage, fault, ending, outcome, ms, problems.
    var json: String {
        rows.map { combination, verdict in
            let problems = verdict.problems.map { Self.quoted($0) }.joined(separator: ", ")
            let (seconds, attoseconds) = verdict.time.components
            return """
                {"stage": "\(combination.stage)", "fault": \(Self.quoted(combination.fault.row)), \
                "ending": "\(combination.ending)", "outcome": \(Self.quoted(verdict.outcome)), \
                "ms": \(seconds * 1_000 + attoseconds / 1_000_000_000_000_000), "problems": [\(problems)]}
                """
        }.joined(separator: "\n") + "\n"
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : $0 == "\n" ? " " : String($0) }.joined() + "\""
    }
}
