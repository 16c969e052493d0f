package import HubControl

/// Takes secrets out of payloads: grants, onboarding codes, passcodes, PINs. Equal secrets get equal placeholders, so that a
/// replay can put others in their place; what is secret is told by the member that holds it, or by its form.
package struct SecretPlaceholders: Sendable {
    /// Different secrets that are told apart; further ones share a placeholder.
    static let limit = 10_000

    private var names: [String: String] = [:]
    private var counts: [String: Int] = [:]
    /// Which recording of its file this is, from 1: placeholders of one do not mean those of another.
    private let run: Int

    package init(run: Int = 1) { self.run = run }

    /// The payload without its secrets.
    package mutating func redact(_ payload: JSONObject, kind: ControlFrameKind) -> JSONObject {
        // A lock's PINs travel as octets of its cluster's commands, and only there.
        let lock: Int64 = 0x0101
        let hidesOctets = kind == .request && payload["params"]?.object?["cluster"]?.integer == lock
        return redact(payload, hidesOctets: hidesOctets)
    }

    /// A text that may have a secret in it, for notes.
    package mutating func redact(text: String) -> String { replaceForms(in: text) }

    private mutating func redact(_ object: JSONObject, hidesOctets: Bool) -> JSONObject {
        var result = JSONObject()
        for member in object.members {
            result[member.name] = redact(member.value, named: member.name, hidesOctets: hidesOctets)
        }
        return result
    }

    private mutating func redact(_ value: JSONValue, named name: String, hidesOctets: Bool) -> JSONValue {
        switch value {
        case .object(let object): return .object(redact(object, hidesOctets: hidesOctets))
        case .array(let values):
            return .array(values.map { redact($0, named: name, hidesOctets: hidesOctets) })
        case .string(let text):
            switch name {
            case "payload", "manualCode", "qrCode": return .string(placeholder(text, "code"))
            case "passcode": return .string(placeholder(text, "passcode"))
            case "octets" where hidesOctets: return .string(placeholder(text, "pin"))
            case _ where Self.isManualCode(text): return .string(placeholder(text, "code"))
            default: return .string(replaceForms(in: text))
            }
        case .integer(let number) where name == "passcode":
            return .string(placeholder(String(number), "passcode"))
        case .null, .bool, .integer, .number: return value
        }
    }

    private mutating func placeholder(_ secret: String, _ word: String) -> String {
        // One that a client took from a transcript already, or none at all.
        if Placeholder.isOne(secret) || secret.isEmpty { return secret }
        if let name = names[secret] { return name }
        guard names.count < Self.limit else { return "<\(word)-more>" }
        counts[word, default: 0] += 1
        let number = run == 1 ? "\(counts[word, default: 0])" : "\(run).\(counts[word, default: 0])"
        let name = "<\(word)-\(number)>"
        names[secret] = name
        return name
    }

    /// Replaces what has the form of a grant or of a QR code's text, wherever it stands.
    private mutating func replaceForms(in text: String) -> String {
        guard text.contains("mh1.") || text.contains("MT:") else { return text }
        var result = ""
        var rest = Substring(text)
        while !rest.isEmpty {
            if rest.hasPrefix("mh1.") {
                let end = rest.firstIndex { !Self.isGrantCharacter($0) } ?? rest.endIndex
                result += placeholder(String(rest[..<end]), "grant-text")
                rest = rest[end...]
            } else if rest.hasPrefix("MT:") {
                let end = rest.dropFirst(3).firstIndex { !Self.isBase38($0) } ?? rest.endIndex
                result += placeholder(String(rest[..<end]), "code")
                rest = rest[end...]
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }

    /// Whether a text is 11 or 21 digits, with or without the dashes and blanks that people put between them.
    private static func isManualCode(_ text: String) -> Bool {
        guard text.utf8.count <= 40 else { return false }
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard digits.count == 11 || digits.count == 21 else { return false }
        return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isGrantCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
    }

    private static func isBase38(_ character: Character) -> Bool {
        character.isASCII && (character.isUppercase || character.isNumber || "-.*".contains(character))
    }
}
