import HubControl
import Transcript

/// `matterhub transcript`
enum TranscriptCommand: CommandGroup {
    static let name = "transcript"
    static let summary = "Record, show, compare and replay dialogues with hubs; decode captures of Matter."
    static var help: CommandHelp {
        CommandHelp(
            usage: "record | show | diff | replay | decode [OPTION]… FILE…",
            text: """
                A transcript is a file of JSON lines, a frame a line, without secrets (Protocols/transcripts.md). Hubs write one
                with “serve --transcript FILE”, every subcommand that talks to a hub with “--transcript FILE”, apps with
                MATTERHUB_TRANSCRIPT=FILE, and “transcript record” stands between an app and a hub without TLS.

                A capture is a pcapng file of the Matter side, from “serve --capture FILE” and “device --capture FILE”, with
                keys in a file of their own when --capture-keys asks for them (Protocols/captures.md).
                """)
    }
    static var subcommands: [any Command.Type] {
        [
            TranscriptRecordCommand.self, TranscriptShowCommand.self, TranscriptDiffCommand.self,
            TranscriptReplayCommand.self, TranscriptDecodeCommand.self,
        ]
    }
}

/// Differences of dialogues, for people and for programs.
struct DifferenceReport {
    let console: Console
    let isJSON: Bool

    /// Prints one difference.
    func show(_ difference: DialogueDifference) {
        if isJSON {
            console.print(Self.json(difference))
            return
        }
        switch (difference.left, difference.right) {
        case (let left?, let right?):
            console.print("  \(place(left)): \(DialogueTimeline.text(left.value).prefix(100))")
            if right.line > 0 { console.print("  \(place(right)) in the second") }
            for value in difference.values {
                console.print("    \(value.path): \(text(value.left)) ≠ \(text(value.right))")
            }
        case (let left?, nil): console.print("- \(place(left)): \(DialogueTimeline.text(left.value))")
        case (nil, let right?): console.print("+ \(place(right)): \(DialogueTimeline.text(right.value))")
        case (nil, nil): break
        }
    }

    private func place(_ frame: Dialogue.Placed<DialogueFrame>) -> String {
        (frame.line > 0 ? "line \(frame.line), " : "") + "\(frame.value.connection), \(frame.value.sender.rawValue)"
    }

    private func text(_ value: JSONValue?) -> String { value.map { $0.text() } ?? "nothing" }

    static func json(_ difference: DialogueDifference) -> JSONObject {
        [
            "event": "differs", "left": difference.left.map { frame($0) }, "right": difference.right.map { frame($0) },
            "values": difference.values.isEmpty
                ? nil
                : .array(
                    difference.values.map { value in
                        ["path": .string(value.path), "left": value.left, "right": value.right]
                    }),
        ]
    }

    private static func frame(_ frame: Dialogue.Placed<DialogueFrame>) -> JSONValue {
        var json = frame.value.json
        if frame.line > 0 { json["line"] = JSONValue(frame.line) }
        return .object(json)
    }

    /// Options of commands that compare.
    static let options: [CommandOption] = [
        .flag("messages", "texts for people count too"),
        .value("ignore", "PATH", "a member that does not count, such as hub.name; may be given several times"),
    ]

    static func matcher(_ options: ParsedOptions) -> DialogueMatcher {
        var matcher = DialogueMatcher()
        matcher.comparesMessages = options.flag("messages")
        matcher.ignoredPaths = Set(options.strings("ignore"))
        return matcher
    }
}
