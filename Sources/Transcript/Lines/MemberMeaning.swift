package import HubControl

/// What members of control messages mean for whoever compares or replays a dialogue (Protocols/transcripts.md).
package enum MemberMeaning: Hashable, Sendable {
    /// A length of time in ms that no two runs share.
    case duration
    /// A time of day.
    case time
    /// A version of a program or of the protocol.
    case version
    /// Text for people.
    case message
    /// An id, a code, an address, a key that a client drew: equal where it is equal in the other dialogue.
    case symbol
    /// The number of an event: counted on from where the connection's welcome stands.
    case eventNumber
    /// Where the connection's welcome stands.
    case newestEvent
    /// How far back events go.
    case oldestEvent
    /// Counts as it is.
    case value

    private static let byName: [String: MemberMeaning] = [
        "elapsedMs": .duration, "expiresInMs": .duration, "retryAfterMs": .duration, "deadlineMs": .duration,
        "startedAt": .time, "since": .time, "createdAt": .time, "commissionedAt": .time,
        "version": .version, "protocol": .version, "client": .version,
        "message": .message, "detail": .message,
        "address": .symbol, "serialNumber": .symbol, "clientKey": .symbol, "epoch": .symbol, "cursor": .symbol,
        "payload": .symbol, "manualCode": .symbol, "qrCode": .symbol, "passcode": .symbol, "grant": .symbol,
        "newest": .newestEvent, "oldest": .oldestEvent, "number": .eventNumber, "from": .eventNumber,
        "next": .eventNumber,
    ]

    /// What a value means, by the name of its member and what it is.
    package init(_ name: String, _ value: JSONValue) {
        switch (Self.byName[name], value) {
        case (.eventNumber?, .integer), (.newestEvent?, .integer), (.oldestEvent?, .integer), (.duration?, _),
            (.time?, _), (.version?, _), (.message?, .string):
            self = Self.byName[name] ?? .value
        case (.symbol?, .string): self = .symbol
        case (.symbol?, .integer) where name == "passcode": self = .symbol
        // A list's next page.
        case (.eventNumber?, .string): self = .symbol
        case (_, .string(let text)) where Placeholder.isOne(text) || Placeholder.isIdentifier(text): self = .symbol
        default: self = .value
        }
    }
}

/// Words that stand for what differs from run to run, or is secret: `<session-1>`, `<ms>`.
package enum Placeholder {
    /// Whether a text is one.
    package static func isOne(_ text: String) -> Bool {
        guard text.hasPrefix("<"), text.hasSuffix(">"), (3...60).contains(text.utf8.count) else { return false }
        return text.utf8.dropFirst().dropLast().allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
    }

    /// Whether a text is an id of the protocol: 16 lower-case hexadecimal digits.
    package static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }
    }

    /// The word of `<word-1>`; `nil` for another text.
    package static func word(of text: String) -> String? {
        guard isOne(text) else { return nil }
        let inner = text.dropFirst().dropLast()
        guard let dash = inner.lastIndex(of: "-"),
            inner[inner.index(after: dash)...].allSatisfy({ $0.isNumber || $0 == "." })
        else { return String(inner) }
        return String(inner[..<dash])
    }
}
