import MatterWire
import TestSupport
import Testing

@Suite("TLV codec: properties over seeds") struct TLVPropertyTests {
    @Test(arguments: 0..<300 as Range<UInt64>) func `what is written is read back`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let element = random.element(
            tag: [.anonymous, .commonProfile(7), .fullyQualified(vendor: 1, profile: 2, number: 1 << 20)], depth: 4)
        let bytes = element.encoded()
        #expect(try TLVElement.decode(bytes) == element)
        // Every proper prefix of one element is an incomplete element.
        for count in 0..<bytes.count {
            #expect(throws: TLVError.self) { try TLVElement.decode(Array(bytes[..<count])) }
        }
        #expect(throws: TLVError(code: .trailingBytes, offset: bytes.count)) { try TLVElement.decode(bytes + [0x14]) }
    }

    @Test(arguments: 0..<300 as Range<UInt64>) func `garbage is refused or understood, never a trap`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let bytes = random.element(tag: [.anonymous], depth: 4).encoded()
        for _ in 0..<50 {
            let mutated = random.mutated(bytes)
            do throws(TLVError) {
                let element = try TLVElement.decode(mutated)
                let again = try TLVElement.decode(element.encoded())
                #expect(again.encoded() == element.encoded())
            } catch {
                let offset = try #require(error.offset)
                #expect((0...mutated.count).contains(offset))
            }
        }
        for _ in 0..<50 {
            let noise = random.bytes(Int.random(in: 0..<64, using: &random))
            do throws(TLVError) {
                _ = try TLVElement.decode(noise)
            } catch {
                #expect((0...noise.count).contains(try #require(error.offset)))
            }
        }
    }
}

@Suite("TLV values: access by tag") struct TLVAccessTests {
    let value = TLVValue.members(
        (0, .uint(300 as UInt16)), (1, .octets([1, 2])), (2, .bool(true)), (3, .utf8("x")), (4, nil), (5, .null))

    @Test func `members that are there are given back`() throws {
        #expect(try value.integer(0, as: UInt16.self) == 300)
        #expect(try value.octets(1, count: 2) == [1, 2])
        #expect(try value.bool(2))
        #expect(try value.string(3) == "x")
        #expect(try value.optionalInteger(4, as: UInt8.self) == nil)
        #expect(try value.optionalOctets(4) == nil)
        #expect(try value.optionalBool(4) == nil)
        #expect(value[5]?.isNull == true)
    }

    @Test func `a missing member is named`() {
        #expect(throws: TLVError(code: .missing, path: [4])) { try value.require(4) }
        #expect(throws: TLVError(code: .missing, path: [9])) { try value.bool(9) }
    }

    @Test func `a member of another type or range is named`() {
        #expect(throws: TLVError(code: .wrongType, path: [0])) { try value.integer(0, as: UInt8.self) }
        #expect(throws: TLVError(code: .wrongType, path: [1])) { try value.octets(1, count: 3) }
        #expect(throws: TLVError(code: .wrongType, path: [3])) { try value.optionalBool(3) }
        #expect(throws: TLVError(code: .wrongType, path: [2])) { try value.string(2) }
    }
}

extension SeededGenerator {
    /// A random element whose tag is one of `tags`.
    fileprivate mutating func element(tag tags: [TLVTag], depth: Int) -> TLVElement {
        TLVElement(tags.randomElement(using: &self) ?? .anonymous, value(depth: depth))
    }

    private mutating func value(depth: Int) -> TLVValue {
        switch Int.random(in: 0..<(depth > 0 ? 11 : 8), using: &self) {
        case 0: return .signed(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
        case 1: return .unsigned(next() >> UInt64.random(in: 0..<64, using: &self))
        case 2: return .bool(Bool.random(using: &self))
        case 3: return .float(Float(Int32(truncatingIfNeeded: next())))
        case 4: return .double(Double(Int64(bitPattern: next())))
        case 5:
            let scalars: [Character] = ["a", "ü", "語", "😀", "\u{1F}", "\u{0}"]
            return .utf8(String((0..<count()).map { _ in scalars.randomElement(using: &self) ?? "a" }))
        case 6: return .octets(bytes(count()))
        case 7: return .null
        case 8: return .structure(members(distinct: true, depth: depth))
        case 9: return .array((0..<count() % 6).map { _ in value(depth: depth - 1) })
        default: return .list(members(distinct: false, depth: depth))
        }
    }

    private mutating func count() -> Int {
        Int.random(in: 0..<20, using: &self) == 0 ? 300 : Int.random(in: 0..<12, using: &self)
    }

    private mutating func members(distinct: Bool, depth: Int) -> [TLVElement] {
        (0..<count() % 6).map { index in
            let number = UInt32(truncatingIfNeeded: index) + (Bool.random(using: &self) ? 0x1_0000 : 0)
            var tags: [TLVTag] = [
                .context(UInt8(index)), .commonProfile(number), .implicitProfile(number),
                .fullyQualified(vendor: 0xFFF1, profile: 6, number: number),
            ]
            if !distinct { tags += [.anonymous, .context(0)] }
            return element(tag: tags, depth: depth - 1)
        }
    }
}
