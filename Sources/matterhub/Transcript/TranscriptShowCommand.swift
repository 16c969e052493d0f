import HubControl
import Transcript

/// `matterhub transcript show`
enum TranscriptShowCommand: Command {
    static let name = "show"
    static let summary = "Print a dialogue as a timeline."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]… FILE",
            text: """
                Each line has the time in ms, the connection, → for the client, ← for the hub, · for a note of the recorder, and
                what was said; a response has the time since its request. “-” is standard input.

                --json prints one object a line: line, ms, connection, from, kind, text, elapsedMs.
                """,
            options: [.value("connection", "LABEL", "only this connection"), .json])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let path = try invocation.argument("a transcript")
        let dialogue = try TranscriptFile.read(path)
        var timeline = DialogueTimeline(dialogue)
        if let label = try invocation.options.string("connection") {
            let known = timeline.connections
            guard known.contains(label) else {
                throw UsageError("there is no connection “\(label)” in it; there are \(known.joined(separator: ", "))")
            }
            timeline.keep(connection: label)
        }
        guard invocation.isJSON else {
            if let about = dialogue.about { invocation.console.print(about) }
            invocation.console.print(timeline.lines.joined(separator: "\n"))
            return .ok
        }
        for entry in timeline.entries {
            invocation.console.print([
                "line": JSONValue(entry.line), "ms": entry.milliseconds.map { .number($0) },
                "connection": .string(entry.connection), "from": entry.sender.map { .string($0.rawValue) },
                "kind": .string(entry.kind), "text": .string(entry.text),
                "elapsedMs": entry.elapsed.map { .number($0) },
            ])
        }
        return .ok
    }
}
