import HubControl
import TestSupport
import Testing

@Suite("Attribute values in JSON (hub-control.md §4)") struct AttributeValueTests {
    @Test(arguments: AttributeValueVectors.all.same) func `a form in requests is read and written`(
        _ row: AttributeValueVectors.Good
    ) throws {
        let value = try AttributeValue(json: JSONValue(parsing: Array(row.json.utf8)))
        #expect(value.text == row.value)
        #expect(value.parameterJSON.text() == row.json)
    }

    @Test(arguments: AttributeValueVectors.all.accepted) func `another form is read`(
        _ row: AttributeValueVectors.Good
    ) throws {
        let value = try AttributeValue(json: JSONValue(parsing: Array(row.json.utf8)))
        #expect(value.text == row.value)
        #expect(try AttributeValue(json: value.parameterJSON) == value)
    }

    @Test(arguments: AttributeValueVectors.all.refused) func `a wrong form is refused with its place`(
        _ row: AttributeValueVectors.Bad
    ) throws {
        let json = try JSONValue(parsing: Array(row.json.utf8))
        let error = try #require(throws: ControlProtocolError.self) { try AttributeValue(json: json) }
        #expect(error.code == .wrongType)
        #expect(error.path == row.path)
        #expect(error.reason != nil)
    }

    @Test func `answers don't mark signed integers`() {
        let value = AttributeValue.structure([3: .signed(5), 1: .array([.signed(-1), .unsigned(5)])])
        #expect(value.json.text() == #"{"1":[-1,5],"3":5}"#)
        #expect(value.parameterJSON.text() == #"{"1":[-1,5],"3":{"i":5}}"#)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `what is written is read back`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let value = AttributeValue.random(depth: 4, using: &generator)
        let bytes = value.parameterJSON.encoded()
        #expect(try AttributeValue(json: JSONValue(parsing: bytes)) == value)
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `damaged text is a value or an error`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = AttributeValue.random(depth: 3, using: &generator).parameterJSON.encoded()
        for _ in 0..<20 {
            var damaged = bytes
            damaged[Int.random(in: 0..<damaged.count, using: &generator)] = .random(in: 0...255, using: &generator)
            do throws(ControlProtocolError) {
                _ = try AttributeValue(json: JSONValue(parsing: damaged))
            } catch {
                #expect(!error.message.isEmpty)
            }
        }
    }
}

struct AttributeValueVectors: Decodable, Sendable {
    struct Good: Decodable, Sendable, CustomTestStringConvertible {
        var name: String, json: String, value: String
        var testDescription: String { name }
    }
    struct Bad: Decodable, Sendable, CustomTestStringConvertible {
        var name: String, json: String, path: String
        var testDescription: String { name }
    }
    var same: [Good], accepted: [Good], refused: [Bad]
    static let all: Self = Vectors.load(Self.self, "attribute-values.json")
}

extension AttributeValue {
    /// The value in the words of the vector file.
    fileprivate var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): "bool \(value)"
        case .signed(let value): "signed \(value)"
        case .unsigned(let value): "unsigned \(value)"
        case .float(let value): "float \(value)"
        case .double(let value): "double \(value)"
        case .string(let value): "string \(value)"
        case .octets(let bytes): "octets \(bytes.map { "\($0)" }.joined(separator: ","))"
        case .array(let values): "array [\(values.map(\.text).joined(separator: ", "))]"
        case .structure(let members):
            "structure {\(members.sorted { $0.key < $1.key }.map { "\($0): \($1.text)" }.joined(separator: ", "))}"
        }
    }

    fileprivate static func random(depth: Int, using generator: inout SeededGenerator) -> AttributeValue {
        switch Int.random(in: 0..<(depth > 0 ? 10 : 8), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .signed(Int64(bitPattern: generator.next()) >> Int64.random(in: 0..<64, using: &generator))
        case 3: return .unsigned(generator.next() >> UInt64.random(in: 0..<64, using: &generator))
        case 4: return .float(.random(in: -1e9...1e9, using: &generator))
        case 5: return .double(.random(in: -1e9...1e9, using: &generator))
        case 6: return .string(String(generator.next(), radix: 36))
        case 7:
            return .octets(
                (0..<Int.random(in: 0..<9, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            )
        case 8:
            return .array(
                (0..<Int.random(in: 0..<4, using: &generator)).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            var members: [UInt8: AttributeValue] = [:]
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                members[.random(in: 0...255, using: &generator)] = random(depth: depth - 1, using: &generator)
            }
            return .structure(members)
        }
    }
}
