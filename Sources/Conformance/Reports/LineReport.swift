/// A report for people at a terminal: plain lines.
package enum LineReport {
    /// What is said of a case when it has ended: nothing when it passed and nothing is remarkable.
    package static func lines(_ record: ConformanceRecord) -> [String] {
        var lines: [String] = []
        switch record.outcome {
        case .passed, .interrupted: break
        case .skipped(let reason): lines = ["skip  \(record.name): \(reason)"]
        case .failed(let failure):
            lines = [
                "FAIL  \(record.name): \(record.title)", "      expected  \(failure.expected)",
                "      seen      \(failure.seen)",
            ]
            if let rule = failure.rule { lines.append("      rule      \(rule)") }
            if let meaning = failure.meaning { lines.append("      meaning   \(meaning)") }
        }
        for remark in record.remarks {
            lines.append((lines.isEmpty ? "note  \(record.name): " : "      note      ") + remark)
        }
        return lines.map(printable)
    }

    /// A table of the groups, what was not exercised, and the sum.
    package static func summary(_ report: ConformanceReport) -> String {
        var groups: [String] = []
        for record in report.records where !groups.contains(record.group) { groups.append(record.group) }
        let width = max(5, groups.map(\.count).max() ?? 0)
        func row(_ name: String, _ columns: [String]) -> String {
            ([padded(name, width)] + columns.map { String(repeating: " ", count: max(0, 7 - $0.count)) + $0 })
                .joined(separator: " ")
        }
        var lines = [row("GROUP", ["PASSED", "FAILED", "SKIPPED", "MS"])]
        for group in groups {
            let records = report.records.filter { $0.group == group }
            let counts = ["passed", "failed", "skipped"].map { word in
                String(records.count { $0.outcome.word == word })
            }
            let elapsed = records.reduce(Duration.zero) { $0 + $1.elapsed }
            lines.append(row(group, counts + ["\(elapsed.milliseconds)"]))
        }
        let rest = report.coverage.filter(\.cases.isEmpty)
        if !rest.isEmpty {
            lines += ["", "Documented, but not exercised in this run:"]
            lines += rest.map { "  \($0.behaviour.reference): \($0.behaviour.text)" }
        }
        lines += report.remarks.map { "note  \($0)" }
        return (lines + ["", report.summary]).map(printable).joined(separator: "\n")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// A subject's words must not move the cursor or turn the line.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    case .format where "\u{202A}"..."\u{202E}" ~= scalar || "\u{2066}"..."\u{2069}" ~= scalar:
                        "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
