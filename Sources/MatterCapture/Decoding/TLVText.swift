import MatterWire

/// TLV values as people read them.
struct TLVText {
    /// Names of members by context tag, at the outermost level.
    var names: [UInt8: String] = [:]
    /// Octets are counted and not shown: keys and PINs.
    var hidesOctets = false
    /// Members and elements of one container that are shown.
    var limit = 32

    /// Octets that are shown whole.
    private static let wholeOctets = 16
    private static let depth = 8

    func text(_ value: TLVValue) -> String { text(value, names: names, depth: 0) }

    private func text(_ value: TLVValue, names: [UInt8: String], depth: Int) -> String {
        switch value {
        case .signed(let number): return "\(number)"
        case .unsigned(let number): return "\(number)"
        case .bool(let value): return value ? "true" : "false"
        case .float(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .utf8(let text): return Self.quoted(text)
        case .octets(let bytes): return octets(bytes)
        case .null: return "null"
        case .structure(let members), .list(let members):
            guard depth < Self.depth else { return "{…}" }
            let parts = members.prefix(limit).map { member in
                "\(Self.name(member.tag, names)): \(text(member.value, names: [:], depth: depth + 1))"
            }
            return "{\(parts.joined(separator: ", "))\(members.count > limit ? ", …" : "")}"
        case .array(let values):
            guard depth < Self.depth else { return "[…]" }
            let parts = values.prefix(limit).map { text($0, names: [:], depth: depth + 1) }
            return "[\(parts.joined(separator: ", "))\(values.count > limit ? ", … of \(values.count)" : "")]"
        }
    }

    private func octets(_ bytes: [UInt8]) -> String {
        if hidesOctets { return "\(bytes.count) octets, not shown" }
        let shown = bytes.prefix(bytes.count <= Self.wholeOctets ? bytes.count : 8)
        let hex = shown.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
        return bytes.count <= Self.wholeOctets ? "0x\(hex)" : "0x\(hex)… (\(bytes.count) octets)"
    }

    private static func name(_ tag: TLVTag, _ names: [UInt8: String]) -> String {
        switch tag {
        case .context(let number): names[number] ?? "\(number)"
        case .anonymous: "_"
        case .commonProfile(let number), .implicitProfile(let number): "\(number)"
        case .fullyQualified(let vendor, let profile, let number): "\(vendor)/\(profile)/\(number)"
        }
    }

    /// Without what would move a terminal's cursor or turn its text.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .format: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
