import HubControl

/// A report as TAP, version 14 (https://testanything.org/tap-version-14-specification.html).
package enum TAPReport {
    package static func text(_ report: ConformanceReport) -> String {
        var lines = ["TAP version 14", "1..\(report.records.count)"]
        lines.append("# \(oneLine(report.suite)): \(oneLine(report.subject))")
        for (index, record) in report.records.enumerated() {
            let title = "\(index + 1) - \(escaped(record.name)): \(escaped(record.title))"
            switch record.outcome {
            case .passed: lines.append("ok \(title)")
            case .skipped(let reason): lines.append("ok \(title) # SKIP \(oneLine(reason))")
            case .failed, .interrupted: lines.append("not ok \(title)")
            }
            lines += diagnostics(record)
        }
        for each in report.coverage where each.cases.isEmpty {
            lines.append(
                "# not exercised: \(oneLine(each.behaviour.id)) (\(oneLine(each.behaviour.reference)))")
        }
        lines += report.remarks.map { "# \(oneLine($0))" }
        lines.append("# \(report.summary)")
        if report.wasInterrupted { lines.append("Bail out! interrupted") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A block of YAML whose strings are JSON's.
    private static func diagnostics(_ record: ConformanceRecord) -> [String] {
        var fields = [("duration_ms", "\(record.elapsed.milliseconds)")]
        switch record.outcome {
        case .failed(let failure):
            fields.append(("message", quoted(failure.summary)))
            fields.append(("expected", quoted(failure.expected)))
            fields.append(("seen", quoted(failure.seen)))
            if let rule = failure.rule { fields.append(("rule", quoted(rule))) }
            if let meaning = failure.meaning { fields.append(("meaning", quoted(meaning))) }
        case .interrupted: fields.append(("message", quoted("the run was interrupted")))
        case .passed, .skipped: break
        }
        if !record.remarks.isEmpty {
            fields.append(("remarks", "[" + record.remarks.map(quoted).joined(separator: ", ") + "]"))
        }
        return ["  ---"] + fields.map { "  \($0.0): \($0.1)" } + ["  ..."]
    }

    private static func quoted(_ text: String) -> String { JSONValue.string(text).text() }

    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map {
                    $0.properties.generalCategory == .control || "\u{2028}\u{2029}".unicodeScalars.contains($0)
                        ? " " : $0
                }))
    }

    /// In a description `#` begins a directive.
    private static func escaped(_ text: String) -> String {
        oneLine(text).replacing("\\", with: "\\\\").replacing("#", with: "\\#")
    }
}
