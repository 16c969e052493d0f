/// The text form of a QR payload's bytes: groups of 3, 2 or 1 bytes as 5, 4 or 2 characters (Core §5.1.3.1).
///
/// Each group is a little-endian number whose least significant base-38 digit comes first.
public enum Base38 {
    /// The 38 characters in the order of their values; all are in QR's alphanumeric set.
    public static let alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-."

    private static let characters = Array(alphabet.unicodeScalars)
    private static let widths: [(bytes: Int, characters: Int)] = [(3, 5), (2, 4), (1, 2)]

    /// Why text is not base-38.
    public struct Failure: Error, Hashable, Sendable {
        /// What is wrong at the place.
        public enum Code: Hashable, Sendable {
            /// A character outside ``Base38/alphabet``.
            case badCharacter(Unicode.Scalar)
            /// The last group has 1 or 3 characters, which no number of bytes gives.
            case incompleteGroup
            /// A group's number needs more bytes than the group has.
            case overflow
        }
        /// What is wrong.
        public let code: Code
        /// Index of the character, or of the first character of the group.
        public let offset: Int
    }

    /// The text for `bytes`; empty for no bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value = group.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            for _ in 0..<characterCount(ofBytes: group.count) {
                text.append(characters[Int(value % 38)])
                value /= 38
            }
        }
        return String(text)
    }

    /// The bytes that `text` stands for.
    ///
    /// - Throws: ``Failure``; bad characters anywhere are reported before groups that do not fit.
    public static func decode(_ text: some Collection<Unicode.Scalar>) throws(Failure) -> [UInt8] {
        var digits: [UInt32] = []
        digits.reserveCapacity(text.count)
        for scalar in text {
            guard let digit = value(of: scalar) else {
                throw Failure(code: .badCharacter(scalar), offset: digits.count)
            }
            digits.append(digit)
        }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 5) {
            let group = digits[start..<min(start + 5, digits.count)]
            guard let byteCount = byteCount(ofCharacters: group.count) else {
                throw Failure(code: .incompleteGroup, offset: start)
            }
            var value = group.reversed().reduce(UInt32(0)) { $0 * 38 + $1 }
            guard value >> (8 * UInt32(byteCount)) == 0 else { throw Failure(code: .overflow, offset: start) }
            for _ in 0..<byteCount {
                bytes.append(UInt8(truncatingIfNeeded: value))
                value >>= 8
            }
        }
        return bytes
    }

    /// How many characters `count` bytes become.
    public static func encodedLength(ofBytes count: Int) -> Int {
        count / 3 * 5 + (count.isMultiple(of: 3) ? 0 : characterCount(ofBytes: count % 3))
    }

    private static func value(of scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "0"..."9": scalar.value - 0x30
        case "A"..."Z": scalar.value - 0x41 + 10
        case "-": 36
        case ".": 37
        default: nil
        }
    }

    private static func characterCount(ofBytes count: Int) -> Int { count == 3 ? 5 : count == 2 ? 4 : 2 }
    private static func byteCount(ofCharacters count: Int) -> Int? {
        widths.first { $0.characters == count }?.bytes
    }
}
