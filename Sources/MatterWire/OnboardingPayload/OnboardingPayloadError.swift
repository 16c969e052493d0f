/// Why a text is no onboarding payload, or why a payload must not be used.
public struct OnboardingPayloadError: Error, Hashable, Sendable {
    /// What is wrong; the raw value is the stable name that machine output carries.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// Nothing to read, or nothing after `MT:`.
        case empty
        /// Neither `MT:` nor digits at the start.
        case badPrefix
        /// A character that this form does not have.
        case badCharacter
        /// Too few or too many characters or digits.
        case badLength
        /// Several payloads, joined by `*`, where one was asked for.
        case severalPayloads
        /// A group of base-38 characters whose number is too large.
        case groupOverflow
        /// Padding bits that are not zero.
        case reservedBits
        /// The optional data after the fixed fields are no TLV structure of the known form.
        case malformedData
        /// The first digit and the number of digits disagree about vendor and product id.
        case lengthMismatch
        /// The check digit does not fit the others.
        case checkDigit
        /// A group of digits that stands for a number out of its range.
        case outOfRange
        /// A version other than 0.
        case unsupportedVersion
        /// The reserved commissioning flow 3.
        case reservedFlow
        /// A passcode that no device may have.
        case invalidPasscode
    }

    /// What is wrong.
    public let code: Code
    /// One sentence in plain words that names the character, digit or field.
    public let message: String
    /// Index of the Unicode scalar in the text where the fault, or the field at fault, begins;
    /// `nil` for a payload that was not read from text.
    public let offset: Int?

    /// Makes an error.
    public init(_ code: Code, _ message: String, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
    }

    func at(_ offset: Int) -> Self { Self(code, message, offset: offset) }
}

extension Unicode.Scalar {
    /// The character as a message shows it: in quotes, or by its code point when it can't be seen.
    var shown: String {
        switch self {
        case " ": "a space"
        case "!"..."~": "‘\(self)’"
        case _ where !isASCII && (properties.isAlphabetic || properties.numericType != nil): "‘\(self)’"
        default: "the character U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        }
    }
    private var hex: String { String(value, radix: 16, uppercase: true) }
}
