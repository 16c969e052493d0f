import HubControl

/// A dialogue for people: a line a frame, with the time, who says it, and what it is in short.
package struct DialogueTimeline: Sendable {
    /// One line.
    package struct Entry: Hashable, Sendable {
        /// The line of the transcript.
        package var line: Int
        /// `nil` where none was kept.
        package var milliseconds: Double?
        package var connection: String
        /// `nil` for a note.
        package var sender: DialogueSender?
        /// The frame's kind; `note` for one.
        package var kind: String
        /// In short.
        package var text: String
        /// From the request to this response, in ms.
        package var elapsed: Double?
    }

    package private(set) var entries: [Entry] = []
    private var open: [String: (method: String, at: Double?)] = [:]

    package init(_ dialogue: Dialogue) {
        for line in dialogue.lines {
            switch line.value {
            case .about: break
            case .note(let note):
                entries.append(
                    Entry(
                        line: line.line, milliseconds: note.milliseconds, connection: note.connection, sender: nil,
                        kind: "note", text: note.text))
            case .frame(let frame): add(frame, line: line.line)
            }
        }
    }

    private mutating func add(_ frame: DialogueFrame, line: Int) {
        var entry = Entry(
            line: line, milliseconds: frame.milliseconds, connection: frame.connection, sender: frame.sender,
            kind: frame.kind, text: Self.text(frame))
        if let id = frame.requestID {
            let key = DialogueMatcher.requestKey(id, on: frame.connection)
            if frame.kind == "request" {
                open[key] = (frame.method ?? "", frame.milliseconds)
            } else if let request = open.removeValue(forKey: key) {
                if let begin = request.at, let end = frame.milliseconds { entry.elapsed = end - begin }
                entry.text = "#\(id) \(request.method) \(Self.outcome(frame.payload))"
            }
        }
        entries.append(entry)
    }

    /// The labels, in the order of their first lines.
    package var connections: [String] {
        var seen: Set<String> = []
        return entries.map(\.connection).filter { seen.insert($0).inserted }
    }

    /// Leaves out every other connection.
    package mutating func keep(connection: String) { entries.removeAll { $0.connection != connection } }

    /// A frame in short.
    package static func text(_ frame: DialogueFrame) -> String {
        let payload = frame.payload
        switch frame.kind {
        case "request":
            let deadline = payload["deadlineMs"]?.integer.map { " within \($0) ms" } ?? ""
            return "#\(frame.requestID ?? 0) \(frame.method ?? "?")\(compact(payload["params"]))\(deadline)"
        case "response": return "#\(frame.requestID ?? 0) \(outcome(payload))"
        case "event":
            let number =
                payload["subscription"]?.integer.map { "of subscription \($0)" }
                ?? payload["number"]?.integer.map { "\($0)" } ?? "?"
            return "event \(number) \(frame.event ?? "?")\(compact(payload["data"]))"
        case "goaway": return "goaway \(payload["name"]?.string ?? "?"): \(payload["message"]?.string ?? "")"
        default: return "\(frame.kind)\(compact(.object(payload)))"
        }
    }

    private static func outcome(_ payload: JSONObject) -> String {
        guard let error = payload["error"]?.object else { return "done\(compact(payload["result"]))" }
        let stage = error["stage"]?.string.map { " at \($0)" } ?? ""
        let reason = error["details"]?.object?["reason"]?.string.map { " (\($0))" } ?? ""
        return "failed\(stage): \(error["name"]?.string ?? "?")\(reason): \(error["message"]?.string ?? "")"
    }

    /// Characters of a payload that are shown.
    private static let limit = 400

    private static func compact(_ value: JSONValue?) -> String {
        guard let value, value.object?.isEmpty != true else { return "" }
        let text = value.text()
        return text.count <= limit ? " \(text)" : " \(text.prefix(limit))…"
    }

    /// The lines as people read them: time, connection, direction, text.
    package var lines: [String] {
        let width = entries.map(\.connection.count).max() ?? 0
        return entries.map { entry in
            let time = entry.milliseconds.map(Self.time) ?? ""
            let arrow =
                switch entry.sender {
                case .client: "→"
                case .hub: "←"
                case nil: "·"
                }
            let elapsed = entry.elapsed.map { " [\(Self.time($0)) ms]" } ?? ""
            return Self.padded(time, 10, right: true) + "  " + Self.padded(entry.connection, width) + " \(arrow) "
                + Self.printable(entry.text) + elapsed
        }
    }

    /// With three digits after the point.
    static func time(_ milliseconds: Double) -> String {
        let micro = Int64((max(0, min(milliseconds, 1e15)) * 1000).rounded())
        let rest = String(micro % 1000)
        return "\(micro / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - text.count))
        return right ? blanks + text : text + blanks
    }

    /// Without what would move a terminal's cursor or turn its text.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    case .format where scalar.value != 0x200D && scalar.value != 0x200C: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
