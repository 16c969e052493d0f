import MatterWire
import TestSupport
import Testing

@Suite("TLV codec (Core, appendix A)") struct TLVVectorTests {
    @Test(arguments: TLVVectors.all.valid)
    func `decodes what the vector says`(_ vector: TLVVectors.Valid) throws {
        let bytes = [UInt8](hex: vector.hex)
        let expected = vector.element.element
        if case .context = expected.tag {
            // A context tag has no meaning outside a container: the bare element is refused, the member is not.
            #expect(throws: TLVError(code: .contextTagAtTopLevel, offset: 0)) { try TLVElement.decode(bytes) }
            let outer = try TLVElement.decode([0x15] + bytes + [0x18])
            #expect(outer.value.members?.count == 1)
            #expect(outer.encoded() == TLVValue.structure([expected]).encoded())
        } else {
            let decoded = try TLVElement.decode(bytes)
            #expect(decoded.tag == expected.tag)
            // By their bytes: a NaN is not equal to itself.
            #expect(decoded.encoded() == expected.encoded())
        }
    }

    @Test(arguments: TLVVectors.all.valid)
    func `writes the shortest form`(_ vector: TLVVectors.Valid) {
        let written = vector.element.element.encoded().hex
        if vector.canonical {
            #expect(written == vector.hex)
        } else {
            #expect(written.count < vector.hex.count)
        }
    }

    @Test(arguments: TLVVectors.all.malformed)
    func `refuses malformed bytes and says where`(_ vector: TLVVectors.Malformed) {
        let bytes = [UInt8](hex: vector.hex)
        #expect(throws: TLVError(code: vector.errorCode(bytes), offset: vector.offset)) {
            try TLVElement.decode(bytes)
        }
    }

    @Test func `the suite covers every row`() {
        #expect(TLVVectors.all.valid.count == 112)
        #expect(TLVVectors.all.malformed.count == 66)
    }

    @Test func `a container deeper than the limit is refused at the first byte too deep`() throws {
        let limit = TLVElement.maximumDepth
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: 0x16, count: depth) + [UInt8](repeating: 0x18, count: depth)
        }
        _ = try TLVElement.decode(nested(limit))
        #expect(throws: TLVError(code: .tooDeep, offset: limit)) { try TLVElement.decode(nested(limit + 1)) }
        #expect(throws: TLVError(code: .tooDeep, offset: limit)) { try TLVElement.decode(nested(100_000)) }
    }

    @Test func `a structure that repeats a tag is refused at the repeat`() {
        #expect(throws: TLVError(code: .duplicateTag, offset: 4)) {
            try TLVElement.decode([UInt8](hex: "15 240101 240102 18"))
        }
    }
}

/// The rows of `Vectors/tlv.json`.
struct TLVVectors: Decodable, Sendable {
    static let all = Vectors.load(TLVVectors.self, "tlv.json")
    var valid: [Valid]
    var malformed: [Malformed]

    struct Valid: Decodable, Sendable, CustomTestStringConvertible {
        var name: String, hex: String, element: Element, canonical: Bool
        var testDescription: String { name }
    }

    struct Malformed: Decodable, Sendable, CustomTestStringConvertible {
        var name: String, hex: String, code: String, offset: Int
        var testDescription: String { name }

        func errorCode(_ bytes: [UInt8]) -> TLVError.Code {
            switch code {
            case "truncated": .truncated
            case "contextTagAtTopLevel": .contextTagAtTopLevel
            case "lengthTooLarge": .lengthTooLarge
            case "unexpectedEndOfContainer": .unexpectedEndOfContainer
            case "trailingBytes": .trailingBytes
            case "anonymousMember": .anonymousMember
            case "taggedArrayElement": .taggedArrayElement
            case "invalidUTF8": .invalidUTF8
            case "reservedControlByte": .reservedControlByte(bytes[offset])
            default: fatalError("a new code in the vectors: \(code)")
            }
        }
    }

    /// One element as the vectors write it.
    struct Element: Decodable, Sendable {
        let element: TLVElement

        private enum Key: CodingKey { case tag, type, value, bits }
        private struct Tag: Decodable {
            var context: UInt8?, common: UInt32?, implicit: UInt32?
            var vendor: UInt16?, profile: UInt16?, num: UInt32?
        }

        init(from decoder: any Decoder) throws {
            let row = try decoder.container(keyedBy: Key.self)
            element = TLVElement(try Self.tag(row), try Self.value(row))
        }

        private static func tag(_ row: KeyedDecodingContainer<Key>) throws -> TLVTag {
            guard let tag = try row.decodeIfPresent(Tag.self, forKey: .tag) else { return .anonymous }
            if let context = tag.context { return .context(context) }
            if let common = tag.common { return .commonProfile(common) }
            if let implicit = tag.implicit { return .implicitProfile(implicit) }
            guard let vendor = tag.vendor, let profile = tag.profile, let number = tag.num else {
                throw DecodingError.dataCorruptedError(forKey: .tag, in: row, debugDescription: "no tag form")
            }
            return .fullyQualified(vendor: vendor, profile: profile, number: number)
        }

        private static func value(_ row: KeyedDecodingContainer<Key>) throws -> TLVValue {
            func bits() throws -> UInt64 {
                let text = try row.decode(String.self, forKey: .bits)
                return try #require(UInt64(text.dropFirst(2), radix: 16))
            }
            func members() throws -> [TLVElement] { try row.decode([Element].self, forKey: .value).map(\.element) }
            switch try row.decode(String.self, forKey: .type) {
            case "int": return .signed(try row.decode(Int64.self, forKey: .value))
            case "uint": return .unsigned(try row.decode(UInt64.self, forKey: .value))
            case "bool": return .bool(try row.decode(Bool.self, forKey: .value))
            case "float": return .float(Float(bitPattern: UInt32(try bits())))
            case "double": return .double(Double(bitPattern: try bits()))
            case "utf8": return .utf8(try row.decode(String.self, forKey: .value))
            case "bytes": return .octets(try row.decode(HexBytes.self, forKey: .value).bytes)
            case "null": return .null
            case "struct": return .structure(try members())
            case "array": return .array(try members().map(\.value))
            case "list": return .list(try members())
            case let type: fatalError("a new type in the vectors: \(type)")
            }
        }
    }
}
