extension [UInt8] {
    /// The bytes that `hex` spells, two digits a byte in either case; blanks between digits are ignored.
    ///
    /// Traps on anything else: a typing error in a test must not become an empty array.
    public init(hex: String) {
        guard let bytes = [UInt8](validatingHex: hex) else { fatalError("not hexadecimal: \(hex)") }
        self = bytes
    }

    /// The bytes that `hex` spells; `nil` when it has an odd number of digits or a character that is no digit.
    public init?(validatingHex hex: String) {
        var digits: [UInt8] = []
        for character in hex where !character.isWhitespace {
            guard character.isASCII, let digit = character.hexDigitValue else { return nil }
            digits.append(UInt8(digit))
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Lower-case hexadecimal, two digits a byte, no blanks.
    public var hex: String {
        reduce(into: "") { text, byte in
            text += byte < 0x10 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }
}

/// Bytes written as one hexadecimal string in a vector file.
public struct HexBytes: Hashable, Sendable, Decodable, CustomStringConvertible {
    /// The bytes themselves.
    public var bytes: [UInt8]
    /// Wraps bytes made in a test.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
    /// Reads one JSON string of hexadecimal digits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let bytes = [UInt8](validatingHex: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal: \(text)")
        }
        self.bytes = bytes
    }
    /// Lower-case hexadecimal.
    public var description: String { bytes.hex }
}
