/// Why bytes are not a well-formed TLV element, or not the element that was wanted (Core, appendix A).
public struct TLVError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        case truncated
        case reservedControlByte(UInt8)
        case lengthTooLarge
        case tooDeep
        case unexpectedEndOfContainer
        case trailingBytes
        case anonymousMember
        case taggedArrayElement
        case duplicateTag
        case contextTagAtTopLevel
        case invalidUTF8
        /// A member is missing; `path` names it.
        case missing
        /// A member has another type or is out of range; `path` names it.
        case wrongType
    }
    public let code: Code
    /// Byte offset, from the start of the outermost element, where decoding stopped; `nil` for a decoded element.
    public let offset: Int?
    /// Context tags from the outermost structure to the member concerned, for `missing` and `wrongType`.
    public let path: [UInt8]
    public init(code: Code, offset: Int? = nil, path: [UInt8] = []) {
        self.code = code
        self.offset = offset
        self.path = path
    }
}
