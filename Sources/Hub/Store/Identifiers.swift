/// A 64-bit id that the control protocol writes as 16 lower-case hexadecimal digits.
package protocol HexIdentifier: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == UInt64 {
    init(rawValue: UInt64)
}

extension HexIdentifier {
    /// 16 lower-case hexadecimal digits.
    package var text: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
    package var description: String { text }
    /// - Returns: `nil` unless `text` is exactly 16 hexadecimal digits.
    package init?(text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ Self.isHexDigit($0) }), let value = UInt64(text, radix: 16)
        else { return nil }
        self.init(rawValue: value)
    }
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
package struct HubID: HexIdentifier {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A home.
package struct StructureID: HexIdentifier {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A room of a structure.
package struct RoomID: HexIdentifier {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A device that `complete` gave out; never used again after its removal.
package struct DeviceID: HexIdentifier {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A grant; its secret is not part of it.
package struct GrantID: HexIdentifier {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One commissioning session, never used again.
package struct CommissioningSessionID: HexIdentifier {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}
