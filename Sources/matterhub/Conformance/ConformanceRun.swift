import Conformance
import Foundation
import HubControl
import NetIO

/// What the conformance commands have in common: their options, the run, and the reports.
enum ConformanceRun {
    static let options: [CommandOption] = [
        .flag("list", "list the cases and exit"),
        .value(
            "filter", "PATTERN", "only these: a name, a beginning up to a dot, or with *; may be given several times"),
        .value("except", "PATTERN", "not these; may be given several times"),
        .value("time-limit", "SECONDS", "for each case that does not say so itself (default 30)"),
        .value("tap", "FILE", "write TAP 14 there"),
        .value("junit", "FILE", "write JUnit XML there"),
        .value("html", "FILE", "write a page there: failures, cases, what was exercised and what was not"),
        .json,
    ]

    /// The paragraphs of the help that all of these commands have.
    static let help = """
        Prints what was skipped and what failed with the rule, what was seen and what it likely means, then a table. --json prints
        one object a line: case, title, outcome (passed, failed, skipped, interrupted), elapsedMs, behaviours, and reason of a
        skip or expected, seen, rule, meaning of a failure; last suite, subject, passed, failed, skipped, interrupted,
        exercised, notExercised. --list --json: case, title, behaviours, needs.

        Exit status: 0 nothing failed, 1 something failed, 130 interrupted; the reports are written all the same.
        """

    /// `--list`: shows the cases; `false` when it was not asked for.
    static func list<Context>(_ suite: ConformanceSuite<Context>, _ invocation: Invocation) throws -> Bool {
        guard invocation.options.flag("list") else { return false }
        var table = TextTable("CASE", "WHAT", "NEEDS")
        for each in try selection(suite, invocation) {
            if invocation.isJSON {
                invocation.console.print([
                    "case": .string(each.name), "title": .string(each.title),
                    "behaviours": .array(each.behaviours.map { .string($0) }),
                    "needs": .array(each.needs.map { .string($0.name) }),
                ])
            } else {
                table.add(each.name, each.title, each.needs.map(\.name).joined(separator: ", "))
            }
        }
        if !invocation.isJSON { invocation.console.print(table.text) }
        return true
    }

    /// Runs the cases that were asked for, until the end or Ctrl-C, and writes the reports.
    static func perform<Context, Subject: ConformanceSubject<Context>>(
        _ suite: ConformanceSuite<Context>, of subject: Subject, _ invocation: Invocation
    ) async throws -> ExitStatus {
        let cases = try selection(suite, invocation)
        let limit = try invocation.options.integer("time-limit", as: Int.self, in: 1...3600) ?? 30
        let files = try reportFiles(invocation)
        let signals = TerminationSignals()
        let console = invocation.console
        let isJSON = invocation.isJSON
        let running = Task {
            await ConformanceRunner(timeLimit: .seconds(limit)).run(
                suite, cases, of: subject, startedAt: Int64(Date().timeIntervalSince1970)
            ) { event in
                switch event {
                case .began(let name, let index, let total): console.progress("\(index)/\(total) \(name)")
                case .ended(let record, _, _):
                    console.endProgress()
                    if isJSON {
                        console.print(JSONReport.object(record))
                    } else {
                        for line in LineReport.lines(record) { console.print(line) }
                    }
                }
            }
        }
        let watch = Task {
            await signals.wait()
            running.cancel()
        }
        let report = await running.value
        watch.cancel()
        for file in files { try write(file.form(report), to: file.path) }
        if isJSON {
            console.print(JSONReport.summary(report))
        } else {
            console.print(LineReport.summary(report))
        }
        return report.wasInterrupted ? .interrupted : report.hasFailures ? .failed : .ok
    }

    private static func selection<Context>(
        _ suite: ConformanceSuite<Context>, _ invocation: Invocation
    ) throws(UsageError) -> [ConformanceCase<Context>] {
        let (patterns, exceptions) = (invocation.options.strings("filter"), invocation.options.strings("except"))
        for (option, given) in [("filter", patterns), ("except", exceptions)] {
            guard let useless = suite.uselessPattern(given) else { continue }
            throw UsageError(
                "--\(option) \(useless) means no case; --list shows them all, and the groups are "
                    + suite.groups.joined(separator: ", "))
        }
        return suite.selected(patterns, except: exceptions)
    }

    private struct ReportFile {
        let path: String
        let form: (ConformanceReport) -> String
    }

    /// The files are made at once: a path that cannot be written must not show after minutes.
    private static func reportFiles(_ invocation: Invocation) throws -> [ReportFile] {
        let forms: [(String, (ConformanceReport) -> String)] = [
            ("tap", TAPReport.text), ("junit", JUnitReport.text), ("html", HTMLReport.text),
        ]
        return try forms.compactMap { option, form in
            guard let path = try invocation.options.string(option) else { return nil }
            try write("", to: path)
            return ReportFile(path: path, form: form)
        }
    }

    private static func write(_ text: String, to path: String) throws {
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
