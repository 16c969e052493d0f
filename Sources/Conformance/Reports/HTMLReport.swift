/// A report as one HTML page that needs nothing beside itself; it is well-formed XML too.
package enum HTMLReport {
    package static func text(_ report: ConformanceReport) -> String {
        let title = "Conformance of \(report.suite): \(report.subject)"
        var parts = [
            "<!DOCTYPE html>",
            "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">",
            "<head>", "<meta charset=\"utf-8\"/>",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>",
            "<title>\(escaped(title))</title>", "<style>\(style)</style>", "</head>", "<body>",
            "<h1>\(escaped(title))</h1>",
            "<p>\(UTCTime(secondsSince1970: report.startedAt).text), \(report.elapsed.secondsText) s. \(escaped(report.summary)).</p>",
        ]
        parts += report.remarks.map { "<p>\(escaped($0))</p>" }
        if report.hasFailures { parts += failures(report) }
        parts += ["<h2 id=\"cases\">Cases</h2>"] + cases(report)
        parts += coverage(report)
        return (parts + ["</body>", "</html>"]).joined(separator: "\n") + "\n"
    }

    private static func failures(_ report: ConformanceReport) -> [String] {
        var parts = ["<h2 id=\"failures\">What failed</h2>"]
        for record in report.records {
            guard case .failed(let failure) = record.outcome else { continue }
            parts.append(
                "<section class=\"failed\"><h3>\(escaped(record.name))</h3><p>\(escaped(record.title))</p><dl>")
            var rows = [("expected", failure.expected), ("seen", failure.seen)]
            if let rule = failure.rule { rows.append(("rule", rule)) }
            if let meaning = failure.meaning { rows.append(("meaning", meaning)) }
            parts += rows.map { "<dt>\($0.0)</dt><dd>\(escaped($0.1))</dd>" }
            parts.append("</dl></section>")
        }
        return parts
    }

    private static func cases(_ report: ConformanceReport) -> [String] {
        var parts = ["<table>", "<tr><th>case</th><th>what</th><th>outcome</th><th>ms</th></tr>"]
        for record in report.records {
            var outcome = record.outcome.word
            if case .skipped(let reason) = record.outcome { outcome += ": \(reason)" }
            for remark in record.remarks { outcome += "; \(remark)" }
            parts.append(
                "<tr class=\"\(record.outcome.word)\"><td>\(escaped(record.name))</td><td>\(escaped(record.title))</td>"
                    + "<td>\(escaped(outcome))</td><td class=\"number\">\(record.elapsed.milliseconds)</td></tr>")
        }
        return parts + ["</table>"]
    }

    private static func coverage(_ report: ConformanceReport) -> [String] {
        let coverage = report.coverage
        let (exercised, rest) = (coverage.filter { !$0.cases.isEmpty }, coverage.filter(\.cases.isEmpty))
        return ["<h2 id=\"exercised\">Documented behaviours exercised (\(exercised.count))</h2>"]
            + table(exercised) { $0.cases.joined(separator: ", ") }
            + ["<h2 id=\"not-exercised\">Documented behaviours not exercised (\(rest.count))</h2>"]
            + table(rest) {
                $0.untried.isEmpty ? "no case of this run" : "not tried: " + $0.untried.joined(separator: ", ")
            }
    }

    private static func table(
        _ rows: [ConformanceReport.Coverage], _ cases: (ConformanceReport.Coverage) -> String
    ) -> [String] {
        ["<table>", "<tr><th>where</th><th>what is documented</th><th>cases</th></tr>"]
            + rows.map { row in
                "<tr><td>\(escaped(row.behaviour.reference))</td><td>\(escaped(row.behaviour.text))</td>"
                    + "<td>\(escaped(cases(row)))</td></tr>"
            } + ["</table>"]
    }

    private static func escaped(_ text: String) -> String { MarkupText.escaped(text) }

    private static let style = """
        body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; color: #222; }
        table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: .2em .8em .2em 0; border-bottom: 1px solid #ddd; }
        .number { text-align: right; } td:first-child { font-family: monospace; white-space: nowrap; }
        tr.failed td:nth-child(3), section.failed h3 { color: #b00020; } tr.skipped { color: #777; } tr.passed td:nth-child(3) { color: #1b6e3c; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .2em 1em; } dd { margin: 0; overflow-wrap: anywhere; }
        """
}
