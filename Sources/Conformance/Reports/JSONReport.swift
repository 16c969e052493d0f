package import HubControl

/// A report as JSON: one object a case, then one of the whole.
package enum JSONReport {
    /// `{"case", "title", "outcome", "elapsedMs", "behaviours", …}`; a failure has `expected`, `seen`, `rule`, `meaning`.
    package static func object(_ record: ConformanceRecord) -> JSONObject {
        var object: JSONObject = [
            "case": .string(record.name), "title": .string(record.title), "outcome": .string(record.outcome.word),
            "elapsedMs": .integer(record.elapsed.milliseconds), "behaviours": strings(record.behaviours),
        ]
        switch record.outcome {
        case .passed, .interrupted: break
        case .skipped(let reason): object["reason"] = .string(reason)
        case .failed(let failure):
            object["expected"] = .string(failure.expected)
            object["seen"] = .string(failure.seen)
            object["rule"] = failure.rule.map { .string($0) }
            object["meaning"] = failure.meaning.map { .string($0) }
        }
        if !record.remarks.isEmpty { object["remarks"] = strings(record.remarks) }
        return object
    }

    /// `{"suite", "subject", "passed", "failed", "skipped", "interrupted", "elapsedMs", "exercised", "notExercised"}`.
    package static func summary(_ report: ConformanceReport) -> JSONObject {
        let coverage = report.coverage
        var object: JSONObject = [
            "suite": .string(report.suite), "subject": .string(report.subject),
            "passed": JSONValue(report.count("passed")), "failed": JSONValue(report.count("failed")),
            "skipped": JSONValue(report.count("skipped")), "interrupted": JSONValue(report.count("interrupted")),
            "elapsedMs": .integer(report.elapsed.milliseconds),
            "exercised": strings(coverage.filter { !$0.cases.isEmpty }.map(\.behaviour.id)),
            "notExercised": strings(coverage.filter { $0.cases.isEmpty }.map(\.behaviour.id)),
        ]
        if !report.remarks.isEmpty { object["remarks"] = strings(report.remarks) }
        return object
    }

    private static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
