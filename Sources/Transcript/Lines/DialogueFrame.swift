package import HubControl

/// Who sent a frame.
package enum DialogueSender: String, Hashable, Sendable {
    case client
    case hub
}

/// One frame of a dialogue, as a line of a transcript has it (Protocols/transcripts.md).
package struct DialogueFrame: Hashable, Sendable {
    /// Since the recording began, in ms; `nil` where no time was kept.
    package var milliseconds: Double?
    /// The label of the connection.
    package var connection: String
    package var sender: DialogueSender
    /// `hello`, `request` and so on; `kind N` for one that has no name.
    package var kind: String
    /// The JSON object; empty for a kind that has no name.
    package var payload: JSONObject

    package init(
        milliseconds: Double? = nil, connection: String, sender: DialogueSender, kind: String, payload: JSONObject
    ) {
        self.milliseconds = milliseconds
        self.connection = connection
        self.sender = sender
        self.kind = kind
        self.payload = payload
    }

    /// The names of frame kinds, by their numbers.
    package static let kinds: [(kind: ControlFrameKind, name: String)] = [
        (.hello, "hello"), (.welcome, "welcome"), (.request, "request"), (.response, "response"), (.event, "event"),
        (.ping, "ping"), (.pong, "pong"), (.goaway, "goaway"),
    ]

    /// The frame's kind on the wire; `nil` for a name that is none.
    package var frameKind: ControlFrameKind? { Self.kinds.first { $0.name == kind }?.kind }

    /// The name of a kind.
    package static func name(of kind: ControlFrameKind) -> String {
        kinds.first { $0.kind == kind }?.name ?? "kind \(kind.rawValue)"
    }

    /// The number of the request that this is or answers.
    package var requestID: Int64? { kind == "request" || kind == "response" ? payload["id"]?.integer : nil }
    /// The method of a request.
    package var method: String? { kind == "request" ? payload["method"]?.string : nil }
    /// The name of an event.
    package var event: String? { kind == "event" ? payload["event"]?.string : nil }

    /// The line's JSON form.
    package var json: JSONObject {
        [
            "ms": milliseconds.map { .number($0) }, "connection": .string(connection),
            "from": .string(sender.rawValue), "kind": .string(kind), "payload": .object(payload),
        ]
    }
}

/// Something that a recorder says about a connection, beside its frames.
package struct DialogueNote: Hashable, Sendable {
    /// Since the recording began, in ms.
    package var milliseconds: Double?
    package var connection: String
    /// `opened …`, `closed`, or why nothing more of a direction is recorded.
    package var text: String

    /// The line's JSON form.
    package var json: JSONObject {
        ["ms": milliseconds.map { .number($0) }, "connection": .string(connection), "note": .string(text)]
    }
}
