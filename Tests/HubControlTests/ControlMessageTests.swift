import HubControl
import TestSupport
import Testing

@Suite("Messages (hub-control.md §3 … §6)") struct ControlMessageTests {
    @Test(arguments: MessageVectors.all.good) func `a good message is read and written as it came`(
        _ row: MessageVectors.Row
    ) throws {
        let message = try ControlMessage(decoding: row.frame)
        #expect(message.frame == row.frame)
        if case .request(let request) = message { #expect(request.fault == nil) }
        if case .unknown = message { Issue.record("the kind is known") }
    }

    @Test(arguments: MessageVectors.all.bad) func `a bad message names its member`(_ row: MessageVectors.Row) throws {
        let error = try #require(throws: ControlProtocolError.self) { try ControlMessage(decoding: row.frame) }
        #expect(error.name == row.code)
        #expect(error.path == row.path)
    }

    @Test func `unknown kinds and members are skipped`() throws {
        let frame = ControlFrame(kind: .init(rawValue: 99), payload: Array("{}".utf8))
        #expect(try ControlMessage(decoding: frame) == .unknown(.init(rawValue: 99)))
        // What a newer version sends need not be JSON.
        for payload: [UInt8] in [[], [0xFF, 0x00], Array("{\"a\":1,\"a\":2}".utf8), Array("[".utf8)] {
            for kind: UInt8 in [0, 9, 255] {
                let strange = ControlFrame(kind: .init(rawValue: kind), payload: payload)
                #expect(try ControlMessage(decoding: strange) == .unknown(.init(rawValue: kind)))
            }
        }
        let hello = ControlFrame(kind: .hello, flags: 0x80, payload: Array(#"{"client":"x","new":[1]}"#.utf8))
        #expect(try ControlMessage(decoding: hello) == .hello(Hello(client: "x")))
        let scopes =
            #"{"protocol":"1.1","hub":{"id":"0000000000000001","name":"","version":""},"structures":[],"#
            + #""limits":{"maxPayload":9},"grant":{"id":"0000000000000002","appId":"","appGroup":"","scopes":["admin","x"]}}"#
        guard
            case .welcome(let welcome) = try ControlMessage(
                decoding: .init(kind: .welcome, payload: Array(scopes.utf8)))
        else { throw TestFailure() }
        #expect(welcome.grant?.scopes == .admin)
    }

    @Test(arguments: [
        (#"{"id":3}"#, "method is missing"), (#"{"id":3,"method":7}"#, "method must be a string"),
        (#"{"id":3,"method":"hub.info","params":[]}"#, "params must be an object"),
        (#"{"id":3,"method":"hub.info","deadlineMs":0}"#, "deadlineMs must be an integer from 1 to 86400000"),
    ])
    func `a request whose id can be read is answered`(text: String, message: String) throws {
        let frame = ControlFrame(kind: .request, payload: Array(text.utf8))
        guard case .request(let request) = try ControlMessage(decoding: frame) else { throw TestFailure() }
        #expect(request.id.rawValue == 3)
        #expect(request.fault.map { ControlError($0) } == ControlError(.invalidArgument, message))
    }

    @Test func `a code that is not known is read as unknown`() throws {
        let error = try ControlError(json: ["code": 99, "message": "later"])
        #expect(error.code == .unknown)
        #expect(try Goaway(json: ["code": 99]).code == .unknown)
    }

    @Test func `codes have gRPC's numbers and names`() {
        #expect(ControlErrorCode.allCases.map(\.rawValue) == Array(1...16))
        #expect(ControlErrorCode.failedPrecondition.name == "failedPrecondition")
        #expect(ControlErrorCode.internal.name == "internal")
    }

    @Test func `an error says its code, stage and message`() {
        let error = ControlError(
            .notFound, "no device answered", stage: "discover", details: ["reason": "noDeviceFound"])
        #expect(error.description == "notFound at discover: no device answered")
        #expect(error.reason == "noDeviceFound")
    }

    @Test func `request ids stay within what every language holds`() throws {
        #expect(RequestID(rawValue: 0) == nil)
        #expect(RequestID(rawValue: 1 << 53) == nil)
        #expect(RequestID.first.next.rawValue == 2)
        #expect(try #require(RequestID(rawValue: 1 << 53 - 1)).next == .first)
    }

    @Test func `every method has a requirement and no other has one`() {
        #expect(ControlMethod.all.count == 36)
        #expect(ControlMethod.hubInfo.requirement == .nothing)
        #expect(ControlMethod.sessionPrepare.requirement == .scope(.commissioning))
        #expect(ControlMethod(rawValue: "hub.shutdown").requirement == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `mutated messages are read or refused`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for row in MessageVectors.all.good {
            let frame = ControlFrame(kind: row.frame.kind, payload: random.mutated(row.frame.payload))
            do throws(ControlProtocolError) {
                let message = try ControlMessage(decoding: frame)
                if case .request(let request) = message, request.fault != nil { continue }
                #expect(try ControlMessage(decoding: message.frame) == message)
            } catch {
                #expect(error.offset != nil || !error.path.isEmpty)
                #expect(!error.goaway.message.isEmpty)
            }
        }
    }
}

@Suite("Grants, ids and scopes (hub-control.md §2)") struct IdentityTests {
    let token = GrantToken(
        authorityHash: Array(0..<32), id: GrantID(rawValue: 0x0102_0304_0506_0708), secret: Array(32..<64))
    let text =
        "mh1.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.AQIDBAUGBwg.ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8"

    @Test func `a grant is written and read back`() throws {
        #expect(token.text == text)
        #expect(try GrantToken(parsing: text) == token)
        #expect(try GrantToken(parsing: " \(text)\r\n") == token)
    }

    @Test func `a grant's description hides the secret`() {
        #expect("\(token)" == "grant 0102030405060708")
    }

    @Test func `a wrong grant is refused by its part`() {
        let parts = text.split(separator: ".").map(String.init)
        func refusal(_ parts: [String]) -> GrantToken.Failure? {
            do throws(GrantToken.Failure) {
                _ = try GrantToken(parsing: parts.joined(separator: "."))
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal([]) == .form)
        #expect(refusal(["mh2"] + parts[1...]) == .form)
        #expect(refusal(parts + [""]) == .form)
        #expect(refusal([parts[0], "AAA", parts[2], parts[3]]) == .authorityHash)
        #expect(refusal([parts[0], parts[1], "AQIDBAUGBw", parts[3]]) == .id)
        #expect(refusal([parts[0], parts[1], parts[2], parts[3] + "A"]) == .secret)
        #expect(refusal([parts[0], parts[1], parts[2], parts[3].dropLast() + "9"]) == .secret)
    }

    @Test(arguments: [("", ""), ("00", "AA"), ("0001", "AAE"), ("000102", "AAEC"), ("fbff", "-_8")])
    func `base64url both ways`(hex: String, text: String) {
        #expect(Base64URL.encode([UInt8](hex: hex)) == text)
        #expect(Base64URL.decode(text) == [UInt8](hex: hex))
    }

    @Test(arguments: ["A", "AAA=", "AB", "AAF", "+/8", "A A", "ä", "AAAAA"])
    func `base64url has one text for each octet string`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `base64url round trip`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(Int(seed % 70))
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }

    @Test func `ids are sixteen hexadecimal digits`() {
        #expect(DeviceID(rawValue: 0xAB).text == "00000000000000ab")
        #expect(DeviceID(text: "00000000000000AB") == DeviceID(rawValue: 0xAB))
        for text in ["ab", "0x000000000000ab", "00000000000000ag", "+0000000000000ab", "00000000000000ab0", ""] {
            #expect(DeviceID(text: text) == nil)
        }
    }

    @Test func `scopes have names, and admin covers all`() {
        #expect(GrantScopes(names: ["commissioning", "structure.read"])?.names == ["structure.read", "commissioning"])
        #expect(GrantScopes(names: ["everything"]) == nil)
        #expect(GrantScopes.admin.allows(.deviceControl))
        #expect(!GrantScopes.structureRead.allows(.deviceControl))
    }
}

struct TestFailure: Error {}

struct MessageVectors: Decodable, Sendable {
    static let all = Vectors.load(MessageVectors.self, "messages.json")
    var good: [Row]
    var bad: [Row]

    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var kind: UInt8, text: String, code: String?, path: String?
        var frame: ControlFrame { ControlFrame(kind: .init(rawValue: kind), payload: Array(text.utf8)) }
        var testDescription: String { "\(kind) \(text)" }
    }
}
