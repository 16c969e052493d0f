/// A 64-bit id that the control protocol writes as 16 lower-case hexadecimal digits.
public protocol HexIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == UInt64 {
    /// Wraps the number.
    init(rawValue: UInt64)
}

extension HexIdentifier {
    /// 16 lower-case hexadecimal digits.
    public var text: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
    /// The same as ``text``.
    public var description: String { text }
    /// Reads 16 hexadecimal digits of either case.
    ///
    /// - Returns: `nil` for anything else.
    public init?(text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ Self.isHexDigit($0) }), let value = UInt64(text, radix: 16)
        else { return nil }
        self.init(rawValue: value)
    }
    /// The id as a JSON string.
    public var json: JSONValue { .string(text) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

/// A hub process's lasting identity.
public struct HubID: HexIdentifier {
    /// The id as a number.
    public let rawValue: UInt64
    /// Wraps the number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A home.
public struct StructureID: HexIdentifier {
    /// The id as a number.
    public let rawValue: UInt64
    /// Wraps the number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A room of a structure.
public struct RoomID: HexIdentifier {
    /// The id as a number.
    public let rawValue: UInt64
    /// Wraps the number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A device that `complete` gave out, or a provisional one; never used again after its removal.
public struct DeviceID: HexIdentifier {
    /// The id as a number.
    public let rawValue: UInt64
    /// Wraps the number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A grant; its secret is not part of it.
public struct GrantID: HexIdentifier {
    /// The id as a number.
    public let rawValue: UInt64
    /// Wraps the number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One commissioning session; never used again.
public struct CommissioningSessionID: HexIdentifier {
    /// The id as a number.
    public let rawValue: UInt64
    /// Wraps the number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}
