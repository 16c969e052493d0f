extension TLVElement {
    /// Containers inside containers that a decoder follows; the specification names no limit.
    public static let maximumDepth = 32

    /// Decodes exactly one element from all of `bytes`.
    ///
    /// - Throws: ``TLVError`` with the offset where decoding stopped; `trailingBytes` when the element ends early.
    public static func decode(_ bytes: [UInt8]) throws(TLVError) -> TLVElement {
        var decoder = TLVDecoder(bytes[...])
        let element = try decoder.element(in: .top, depth: 0)
        guard decoder.reader.isAtEnd else { throw TLVError(code: .trailingBytes, offset: decoder.reader.offset) }
        return element
    }
}

extension TLVValue {
    /// Decodes one anonymous top-level element, the form of every message payload.
    public static func decode(_ bytes: [UInt8]) throws(TLVError) -> TLVValue { try TLVElement.decode(bytes).value }
}

private struct TLVDecoder {
    enum Container { case top, structure, array, list }

    var reader: ByteReader

    init(_ bytes: ArraySlice<UInt8>) { reader = ByteReader(bytes) }

    mutating func element(in container: Container, depth: Int) throws(TLVError) -> TLVElement {
        let start = reader.offset
        let control: UInt8 = try integer()
        guard control != 0x18 else { throw TLVError(code: .unexpectedEndOfContainer, offset: start) }
        return try element(control: control, start: start, in: container, depth: depth)
    }

    private mutating func element(
        control: UInt8, start: Int, in container: Container, depth: Int
    ) throws(TLVError) -> TLVElement {
        guard control & 0x1F < 0x18 else { throw TLVError(code: .reservedControlByte(control), offset: start) }
        let tag = try tag(control: control)
        switch (container, tag) {
        case (.top, .context): throw TLVError(code: .contextTagAtTopLevel, offset: start)
        case (.structure, .anonymous): throw TLVError(code: .anonymousMember, offset: start)
        case (.array, .anonymous), (.top, _), (.structure, _), (.list, _): break
        case (.array, _): throw TLVError(code: .taggedArrayElement, offset: start)
        }
        return TLVElement(tag, try value(type: control & 0x1F, start: start, depth: depth))
    }

    private mutating func tag(control: UInt8) throws(TLVError) -> TLVTag {
        switch control >> 5 {
        case 0: return .anonymous
        case 1: return .context(try integer())
        case 2: return .commonProfile(UInt32(try integer(UInt16.self)))
        case 3: return .commonProfile(try integer())
        case 4: return .implicitProfile(UInt32(try integer(UInt16.self)))
        case 5: return .implicitProfile(try integer())
        default:
            let vendor = try integer(UInt16.self)
            let profile = try integer(UInt16.self)
            let number = control >> 5 == 6 ? UInt32(try integer(UInt16.self)) : try integer(UInt32.self)
            return .fullyQualified(vendor: vendor, profile: profile, number: number)
        }
    }

    private mutating func value(type: UInt8, start: Int, depth: Int) throws(TLVError) -> TLVValue {
        switch type {
        case 0x00: return .signed(Int64(Int8(bitPattern: try integer())))
        case 0x01: return .signed(Int64(Int16(bitPattern: try integer())))
        case 0x02: return .signed(Int64(Int32(bitPattern: try integer())))
        case 0x03: return .signed(Int64(bitPattern: try integer()))
        case 0x04...0x07: return .unsigned(try sized(type - 0x04))
        case 0x08: return .bool(false)
        case 0x09: return .bool(true)
        case 0x0A: return .float(Float(bitPattern: try integer()))
        case 0x0B: return .double(Double(bitPattern: try integer()))
        case 0x0C...0x0F:
            let content = try string(type - 0x0C)
            guard let text = String(validating: content, as: UTF8.self) else {
                throw TLVError(code: .invalidUTF8, offset: start)
            }
            return .utf8(text)
        case 0x10...0x13: return .octets(Array(try string(type - 0x10)))
        case 0x14: return .null
        case 0x15: return .structure(try members(.structure, start: start, depth: depth))
        case 0x16: return .array(try members(.array, start: start, depth: depth).map(\.value))
        default: return .list(try members(.list, start: start, depth: depth))
        }
    }

    private mutating func members(
        _ container: Container, start: Int, depth: Int
    ) throws(TLVError) -> [TLVElement] {
        guard depth < TLVElement.maximumDepth else { throw TLVError(code: .tooDeep, offset: start) }
        var members: [TLVElement] = []
        var seen: Set<TLVTag> = []
        while true {
            let memberStart = reader.offset
            let control: UInt8 = try integer()
            if control == 0x18 { return members }
            let member = try element(control: control, start: memberStart, in: container, depth: depth + 1)
            if container == .structure, !seen.insert(member.tag).inserted {
                throw TLVError(code: .duplicateTag, offset: memberStart)
            }
            members.append(member)
        }
    }

    private mutating func sized(_ width: UInt8) throws(TLVError) -> UInt64 {
        switch width {
        case 0: UInt64(try integer(UInt8.self))
        case 1: UInt64(try integer(UInt16.self))
        case 2: UInt64(try integer(UInt32.self))
        default: try integer(UInt64.self)
        }
    }

    private mutating func string(_ width: UInt8) throws(TLVError) -> ArraySlice<UInt8> {
        let start = reader.offset
        guard let length = Int(exactly: try sized(width)) else { throw TLVError(code: .lengthTooLarge, offset: start) }
        guard let content = reader.take(length) else { throw TLVError(code: .truncated, offset: reader.offset) }
        return content
    }

    private mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_: T.Type = T.self) throws(TLVError) -> T {
        guard let value: T = reader.integer() else { throw TLVError(code: .truncated, offset: reader.offset) }
        return value
    }
}
