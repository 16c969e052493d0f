package import HubControl

/// One line of a transcript: what it is about, a frame, or a note (Protocols/transcripts.md).
package enum DialogueLine: Hashable, Sendable {
    /// The head: a sentence, and more for programs.
    case about(JSONObject)
    case frame(DialogueFrame)
    case note(DialogueNote)

    /// A line's payload stands one level deeper than on the wire, and its strings may have grown by placeholders.
    static let limits = ControlLimits(payloadLength: 4 << 20, depth: 34, stringLength: 512 << 10, entries: 10_000)

    /// Reads one line.
    ///
    /// - Throws: ``TranscriptError`` with `number` as its line.
    package init(parsing bytes: [UInt8], number: Int) throws(TranscriptError) {
        let json: JSONObject
        do throws(ControlProtocolError) {
            json = try JSONObject(parsing: bytes, limits: Self.limits)
        } catch {
            throw TranscriptError(code: .json(error), line: number)
        }
        do throws(ControlProtocolError) {
            self = try Self.line(json)
        } catch {
            throw TranscriptError(code: .member(error), line: number)
        }
    }

    private static func line(_ json: JSONObject) throws(ControlProtocolError) -> DialogueLine {
        if json["about"] != nil {
            _ = try json.string("about")
            return .about(json)
        }
        let time = try milliseconds(json)
        let connection = try json.string("connection", length: 1...200)
        if let note = try json.optionalString("note") {
            return .note(DialogueNote(milliseconds: time, connection: connection, text: note))
        }
        guard let sender = DialogueSender(rawValue: try json.string("from")) else {
            throw ControlProtocolError(.wrongType, path: "from", reason: "“client” or “hub”")
        }
        return .frame(
            DialogueFrame(
                milliseconds: time, connection: connection, sender: sender,
                kind: try json.string("kind", length: 1...40), payload: try json.object("payload")))
    }

    private static func milliseconds(_ json: JSONObject) throws(ControlProtocolError) -> Double? {
        switch json["ms"] {
        case nil: nil
        case .integer(let value)? where value >= 0: Double(value)
        case .number(let value)? where value >= 0: value
        default: throw ControlProtocolError(.wrongType, path: "ms", reason: "a number of milliseconds")
        }
    }

    /// The line's JSON form.
    package var json: JSONObject {
        switch self {
        case .about(let json): json
        case .frame(let frame): frame.json
        case .note(let note): note.json
        }
    }

    /// The line's bytes, with its end.
    package var encoded: [UInt8] { json.encoded() + [0x0A] }
}
