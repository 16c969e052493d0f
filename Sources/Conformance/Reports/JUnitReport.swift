/// A report as JUnit XML, as continuous integration servers read it.
package enum JUnitReport {
    package static func text(_ report: ConformanceReport) -> String {
        let escaped = MarkupText.escaped
        let counts =
            "tests=\"\(report.records.count)\" failures=\"\(report.count("failed"))\""
            + " errors=\"\(report.count("interrupted"))\" skipped=\"\(report.count("skipped"))\""
            + " time=\"\(report.elapsed.secondsText)\""
        let name = "conformance \(report.suite)"
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"\(escaped(name))\" \(counts)>",
            "  <testsuite name=\"\(escaped(name))\" hostname=\"\(escaped(report.subject))\""
                + " timestamp=\"\(UTCTime(secondsSince1970: report.startedAt).text)\" \(counts)>",
            "    <properties>",
        ]
        for each in report.coverage {
            let cases = each.cases.isEmpty ? "not exercised" : each.cases.joined(separator: " ")
            lines.append(
                "      <property name=\"behaviour \(escaped(each.behaviour.id))\" value=\"\(escaped(cases))\"/>")
        }
        lines.append("    </properties>")
        for record in report.records { lines += element(record, report.suite) }
        lines += report.remarks.map { "    <system-err>\(escaped($0))</system-err>" }
        lines += ["  </testsuite>", "</testsuites>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func element(_ record: ConformanceRecord, _ suite: String) -> [String] {
        let escaped = MarkupText.escaped
        var content: [String] = []
        switch record.outcome {
        case .passed: break
        case .skipped(let reason): content.append("<skipped message=\"\(escaped(reason))\"/>")
        case .interrupted: content.append("<error type=\"interrupted\" message=\"the run was interrupted\"/>")
        case .failed(let failure):
            let text = """
                \(record.title)
                expected: \(failure.expected)
                seen: \(failure.seen)
                rule: \(failure.rule ?? "-")
                meaning: \(failure.meaning ?? "-")
                """
            content.append(
                "<failure type=\"\(escaped(failure.rule ?? "conformance"))\" message=\"\(escaped(failure.summary))\">"
                    + escaped(text) + "</failure>")
        }
        for remark in record.remarks { content.append("<system-err>\(escaped(remark))</system-err>") }
        let start =
            "    <testcase classname=\"\(escaped(suite)).\(escaped(record.group))\" name=\"\(escaped(record.name))\""
            + " time=\"\(record.elapsed.secondsText)\""
        if content.isEmpty { return [start + "/>"] }
        return [start + ">"] + content.map { "      " + $0 } + ["    </testcase>"]
    }
}
