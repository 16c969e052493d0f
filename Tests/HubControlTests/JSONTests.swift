import HubControl
import TestSupport
import Testing

@Suite("JSON of the control protocol (RFC 8259; hub-control.md §1)") struct JSONTests {
    @Test(arguments: JSONVectors.all.good) func `good text is read, and written in order`(_ row: JSONVectors.Good)
        throws
    {
        let object = try JSONObject(parsing: Array(row.text.utf8))
        #expect(JSONValue.object(object).text(.sorted) == row.sorted)
        #expect(try JSONObject(parsing: object.encoded()) == object)
        #expect(try JSONObject(parsing: object.encoded(.indented)) == object)
    }

    @Test(arguments: JSONVectors.all.bad) func `bad text is refused with its place`(_ row: JSONVectors.Bad) throws {
        let error = try #require(throws: ControlProtocolError.self) { try JSONObject(parsing: row.bytes) }
        #expect(error.name == row.code)
        #expect(error.offset == row.offset)
        #expect(error.goaway.code == .invalidArgument)
    }

    @Test func `the depth limit counts the payload's own object`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(#"{"a":"#.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: depth - 1)
                + [UInt8](repeating: UInt8(ascii: "]"), count: depth - 1) + [UInt8(ascii: "}")]
        }
        _ = try JSONObject(parsing: nested(32))
        #expect(throws: ControlProtocolError(.tooDeep, offset: 5 + 31)) { try JSONObject(parsing: nested(33)) }
        #expect(throws: ControlProtocolError(.tooDeep, offset: 5 + 31)) { try JSONObject(parsing: nested(500_000)) }
    }

    @Test func `a string longer than the limit is refused where it passes it`() throws {
        let limits = ControlLimits(stringLength: 4)
        _ = try JSONObject(parsing: Array(#"{"abcd":"\u00fc\u00fc"}"#.utf8), limits: limits)
        #expect(throws: ControlProtocolError(.stringTooLong, offset: 7)) {
            try JSONObject(parsing: Array(#"{"abcde":1}"#.utf8), limits: limits)
        }
        #expect(throws: ControlProtocolError(.stringTooLong, offset: 12)) {
            try JSONObject(parsing: Array(#"{"a":"üüü"}"#.utf8), limits: limits)
        }
    }

    @Test func `a container with more entries than the limit is refused at the first too many`() throws {
        let limits = ControlLimits(entries: 2)
        _ = try JSONObject(parsing: Array(#"{"a":[1,2],"b":{}}"#.utf8), limits: limits)
        #expect(throws: ControlProtocolError(.tooManyEntries, offset: 10)) {
            try JSONObject(parsing: Array(#"{"a":[1,2,3]}"#.utf8), limits: limits)
        }
        #expect(throws: ControlProtocolError(.tooManyEntries, offset: 13)) {
            try JSONObject(parsing: Array(#"{"a":1,"b":2,"c":3}"#.utf8), limits: limits)
        }
    }

    @Test func `any value can be read on its own`() throws {
        #expect(try JSONValue(parsing: Array(" [1, 2.0] ".utf8)) == [1, .number(2)])
        #expect(try JSONValue(parsing: Array("null".utf8)).isNull)
        #expect(throws: ControlProtocolError(.trailingBytes, offset: 2)) { try JSONValue(parsing: Array("1 2".utf8)) }
    }

    @Test func `objects keep their order and compare without it`() {
        var object: JSONObject = ["b": 1, "a": 2, "none": nil]
        #expect(object.encoded() == Array(#"{"b":1,"a":2}"#.utf8))
        #expect(object == ["a": 2, "b": 1])
        #expect(object.hashValue == (["a": 2, "b": 1] as JSONObject).hashValue)
        #expect(object != ["a": 2])
        object["b"] = nil
        object["c"] = true
        object["a"] = .array([])
        #expect(object.encoded() == Array(#"{"a":[],"c":true}"#.utf8))
        #expect(JSONValue.object(object).text(.indented) == "{\n  \"a\": [],\n  \"c\": true\n}")
    }

    @Test func `numbers that are whole count as integers within what a float holds`() {
        #expect(JSONValue.number(3).integer == 3)
        #expect(JSONValue.number(3.5).integer == nil)
        #expect(JSONValue.number(1e300).integer == nil)
        #expect(JSONValue(UInt64.max) == .number(0x1p64))
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `what is written is read back`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let object = random.jsonObject(depth: 4)
        for layout in [JSONValue.Layout.compact, .sorted, .indented] {
            #expect(try JSONObject(parsing: object.encoded(layout)) == object)
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `garbage is refused with a place, never a trap`(seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let bytes = random.jsonObject(depth: 4).encoded()
        for _ in 0..<50 {
            let mutated = random.mutated(bytes)
            do throws(ControlProtocolError) {
                let object = try JSONObject(parsing: mutated)
                #expect(try JSONObject(parsing: object.encoded()) == object)
            } catch {
                #expect((0...mutated.count).contains(try #require(error.offset)))
            }
        }
    }
}

@Suite("Members of JSON objects") struct JSONMemberTests {
    let object: JSONObject = [
        "s": "text", "i": 300, "b": true, "o": ["x": 1], "a": ["u", "v"], "id": "00000000000000ff", "e": "AQI",
        "n": .null,
        "rows": [["x": 1], ["y": 2]],
    ]

    @Test func `members that are there are given back`() throws {
        #expect(try object.string("s", length: 1...4) == "text")
        #expect(try object.integer("i", as: UInt16.self) == 300)
        #expect(try object.bool("b"))
        #expect(try object.object("o") == ["x": 1])
        #expect(try object.strings("a") == ["u", "v"])
        #expect(try object.identifier("id", as: DeviceID.self) == DeviceID(rawValue: 255))
        #expect(try object.octets("e", count: 2) == [1, 2])
        #expect(try object.optionalString("z") == nil)
        #expect(try object.optionalIdentifier("z", as: RoomID.self) == nil)
    }

    @Test func `what is missing or wrong is named in words`() throws {
        func message(_ read: () throws -> Void) throws -> String {
            try #require(throws: ControlProtocolError.self) { try read() }.message
        }
        #expect(try message { _ = try object.string("z") } == "z is missing")
        #expect(try message { _ = try object.string("i") } == "i must be a string")
        #expect(try message { _ = try object.string("s", length: 1...3) } == "s must be a string of 1 to 3 characters")
        #expect(try message { _ = try object.integer("i", as: UInt8.self) } == "i must be an integer from 0 to 255")
        #expect(try message { _ = try object.integer("n", in: 1...5) } == "n must be an integer from 1 to 5")
        #expect(try message { _ = try object.bool("s") } == "s must be true or false")
        #expect(try message { _ = try object.object("a") } == "a must be an object")
        #expect(try message { _ = try object.array("o") } == "o must be an array")
        #expect(try message { _ = try object.strings("rows") } == "rows must be an array of strings")
        #expect(try message { _ = try object.identifier("s", as: HubID.self) } == "s must be 16 hexadecimal digits")
        #expect(try message { _ = try object.octets("e", count: 3) } == "e must be 3 octets in base64url")
        #expect(try message { _ = try object.octets("i") } == "i must be octets in base64url")
        let rows = try #require(throws: ControlProtocolError.self) {
            try object.objects("rows") { row throws(ControlProtocolError) in try row.integer("x", as: Int.self) }
        }
        #expect(rows.path == "rows.1.x")
        #expect(ControlError(rows) == ControlError(.invalidArgument, "rows.1.x is missing"))
    }
}

struct JSONVectors: Decodable, Sendable {
    static let all = Vectors.load(JSONVectors.self, "json.json")
    var good: [Good]
    var bad: [Bad]

    struct Good: Decodable, Sendable, CustomTestStringConvertible {
        var name: String, text: String, sorted: String
        var testDescription: String { name }
    }

    struct Bad: Decodable, Sendable, CustomTestStringConvertible {
        var name: String, text: String?, hex: HexBytes?, code: String, offset: Int
        var bytes: [UInt8] { hex?.bytes ?? Array((text ?? "").utf8) }
        var testDescription: String { name }
    }
}

extension ControlProtocolError {
    /// The code's name without its particulars.
    var name: String { String("\(code)".prefix { $0 != "(" }) }
}

extension SeededGenerator {
    mutating func jsonObject(depth: Int) -> JSONObject {
        var object = JSONObject()
        for _ in 0..<Int.random(in: 0..<6, using: &self) { object[text()] = jsonValue(depth: depth - 1) }
        return object
    }

    private mutating func jsonValue(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &self) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self))
        case 2: .integer(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
        case 3: .number(Double.random(in: -1e20...1e20, using: &self))
        case 4: .string(text())
        case 5: .array((0..<Int.random(in: 0..<6, using: &self)).map { _ in jsonValue(depth: depth - 1) })
        default: .object(jsonObject(depth: depth))
        }
    }

    private mutating func text() -> String {
        let pieces = ["a", "Z", "\"", "\\", "\n", "\u{0}", "\u{2028}", "ü", "語", "😀", "\u{85}", " "]
        return (0..<Int.random(in: 0..<8, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
    }
}
