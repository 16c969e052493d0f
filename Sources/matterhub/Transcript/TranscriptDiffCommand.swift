import HubControl
import Transcript

/// `matterhub transcript diff`
enum TranscriptDiffCommand: Command {
    static let name = "diff"
    static let summary = "Compare two dialogues."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]… FILE FILE",
            text: """
                Ids, codes and addresses count only as equal or not; times, versions and texts for people do not count; events are
                numbered from where the connection begins. The order counts among what the client sends, among events, and
                between connections by their first frames; a response belongs to its request (Protocols/transcripts.md).

                “-” is a frame that only the first file has, “+” one that only the second has. Exit status 1 when there is a
                difference. --json prints one object a line: event differs with left, right and values, then event
                finished with differences.
                """,
            options: DifferenceReport.options + [.json])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let paths = try invocation.arguments(["a transcript", "the transcript to compare it with"])
        let (left, right) = (try TranscriptFile.read(paths[0]), try TranscriptFile.read(paths[1]))
        let comparison = DialogueComparison(matcher: DifferenceReport.matcher(invocation.options))
        let differences = comparison.differences(left, right)
        let report = DifferenceReport(console: invocation.console, isJSON: invocation.isJSON)
        if !invocation.isJSON, let first = differences.first {
            invocation.console.print("The first of \(differences.count) differences:")
            report.show(first)
            if differences.count > 1 { invocation.console.print("All of them:") }
        }
        if invocation.isJSON || differences.count > 1 { for difference in differences { report.show(difference) } }
        if invocation.isJSON {
            invocation.console.print(["event": "finished", "differences": JSONValue(differences.count)])
        } else if differences.isEmpty {
            invocation.console.print(
                "The dialogues are the same: \(left.frames.count) and \(right.frames.count) frames.")
        }
        return differences.isEmpty ? .ok : .failed
    }
}
