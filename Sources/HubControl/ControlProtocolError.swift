/// Why bytes of the control protocol are not what Protocols/hub-control.md asks for.
public struct ControlProtocolError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// The connection does not begin with `MHUB`.
        case badPreface
        /// A major version that is not spoken here.
        case unsupportedVersion(UInt8)
        /// A frame announces a payload longer than the limit, both in bytes.
        case payloadTooLong(length: Int, limit: Int)
        /// A byte that no JSON text has at this place.
        case unexpectedByte(UInt8)
        /// The JSON text ends too early.
        case unexpectedEnd
        /// Bytes follow the value.
        case trailingBytes
        /// A payload that is JSON but no object.
        case notAnObject
        /// Containers nest deeper than ``ControlLimits/depth``.
        case tooDeep
        /// A string longer than ``ControlLimits/stringLength``.
        case stringTooLong
        /// A container with more entries than ``ControlLimits/entries``.
        case tooManyEntries
        /// An object that names a member twice.
        case duplicateName
        /// Bytes in a string that are not UTF-8.
        case invalidUTF8
        /// A control character, bad escape or lone surrogate in a string.
        case badString
        /// A number that JSON does not have, or none that a 64-bit float or integer holds.
        case badNumber
        /// A member that must be there is not; ``ControlProtocolError/path`` names it.
        case missing
        /// A member of another type or outside its range; ``ControlProtocolError/path`` names it.
        case wrongType
    }

    /// What is wrong.
    public let code: Code
    /// Byte offset of the fault: within the stream for the preface and the frame header, within the payload for JSON;
    /// `nil` where ``path`` names a member.
    public let offset: Int?
    /// The member at fault, for example `params.payload`; empty where ``offset`` says the place.
    public let path: String
    /// What was expected, for `wrongType`.
    public let reason: String?

    /// Makes an error.
    public init(_ code: Code, offset: Int? = nil, path: String = "", reason: String? = nil) {
        self.code = code
        self.offset = offset
        self.path = path
        self.reason = reason
    }

    /// The error with `name` put before its path.
    public func within(_ name: String) -> Self {
        Self(code, offset: offset, path: path.isEmpty ? name : "\(name).\(path)", reason: reason)
    }

    /// One sentence in plain words, with the place.
    public var message: String {
        let text =
            switch code {
            case .badPreface: "the connection does not begin with MHUB and a version"
            case .unsupportedVersion(let major):
                "protocol version \(major) is not spoken here; version \(ControlPreface.majorVersion) is"
            case .payloadTooLong(let length, let limit):
                "a payload of \(length) bytes is longer than the limit of \(limit)"
            case .unexpectedByte(let byte): "the byte 0x\(String(byte, radix: 16)) does not belong here"
            case .unexpectedEnd: "the JSON text ends too early"
            case .trailingBytes: "bytes follow the JSON object"
            case .notAnObject: "the payload is no JSON object"
            case .tooDeep: "arrays and objects nest too deeply"
            case .stringTooLong: "a string is too long"
            case .tooManyEntries: "an array or object has too many entries"
            case .duplicateName: "an object names a member twice"
            case .invalidUTF8: "a string is not UTF-8"
            case .badString: "a string has a control character, a bad escape or half a surrogate pair"
            case .badNumber: "a number is malformed or too large"
            case .missing: "\(path) is missing"
            case .wrongType: "\(path) must be \(reason ?? "of another type")"
            }
        return offset.map { "\(text) (byte \($0))" } ?? text
    }

    /// How the peer is told when the connection ends for this error.
    public var goaway: Goaway {
        switch code {
        case .payloadTooLong: Goaway(code: .resourceExhausted, message: message)
        case .unsupportedVersion: Goaway(code: .unimplemented, message: message)
        case .badPreface, .unexpectedByte, .unexpectedEnd, .trailingBytes, .notAnObject, .tooDeep, .stringTooLong,
            .tooManyEntries, .duplicateName, .invalidUTF8, .badString, .badNumber, .missing, .wrongType:
            Goaway(code: .invalidArgument, message: message)
        }
    }
}
