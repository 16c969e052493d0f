/// Why bytes are not a well-formed TLV element, or not the element that was wanted (Core, appendix A).
public struct TLVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// The bytes end inside an element.
        case truncated
        /// A control octet with a reserved type, or an end of container that carries a tag.
        case reservedControlByte(UInt8)
        /// A string length beyond any memory.
        case lengthTooLarge
        /// Containers nest deeper than ``TLVElement/maximumDepth``.
        case tooDeep
        /// An end of container where none is open.
        case unexpectedEndOfContainer
        /// Bytes follow the one element that was wanted.
        case trailingBytes
        /// A member of a structure without a tag.
        case anonymousMember
        /// An element of an array with a tag.
        case taggedArrayElement
        /// Two members of a structure with one tag.
        case duplicateTag
        /// A context tag outside every container.
        case contextTagAtTopLevel
        /// A string that is not UTF-8.
        case invalidUTF8
        /// A member is missing; `path` names it.
        case missing
        /// A member has another type or is out of range; `path` names it.
        case wrongType
    }
    /// What is wrong.
    public let code: Code
    /// Byte offset, from the start of the outermost element, where decoding stopped; `nil` for a decoded element.
    public let offset: Int?
    /// Context tags from the outermost structure to the member concerned, for `missing` and `wrongType`.
    public let path: [UInt8]
    /// Makes an error; decoders set `offset`, readers of a decoded element set `path`.
    public init(code: Code, offset: Int? = nil, path: [UInt8] = []) {
        self.code = code
        self.offset = offset
        self.path = path
    }

    /// What is wrong and where, for people: “truncated at byte 7”, “missing, member 3.1”.
    public var description: String {
        if let offset { return "\(code) at byte \(offset)" }
        return path.isEmpty ? "\(code)" : "\(code), member " + path.map { String($0) }.joined(separator: ".")
    }
}
