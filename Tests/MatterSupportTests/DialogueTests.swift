import HubControl
import SetupDoubles
import TestSupport
import Testing

@testable import MatterSupport

@Suite("Dialogue with an extension's process", .timeLimit(.minutes(1))) struct DialogueTests {
    static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    static let messages: [DialogueMessage] = [
        .hello(version: 1), .cancel, .call(id: 1, .validate(FakePhone.credential)),
        .call(id: 2, .selectWiFi(SetupFlowTests.scan)), .call(id: 3, .selectThread(SetupFlowTests.threadScan)),
        .call(id: 4, .rooms(nil)), .call(id: 5, .rooms(.init(displayName: "Hütte 🛖"))),
        .call(id: 6, .commission(nil, payload: "MT:X", id: id)),
        .call(id: 7, .commission(.init(displayName: "H"), payload: "MT:X", id: id)),
        .call(id: 8, .configure(name: "L", room: nil)),
        .call(id: 9, .configure(name: "", room: .init(displayName: ""))),
        .answer(id: 1, .success(.done)), .answer(id: 2, .success(.wifi(.defaultSystemNetwork))),
        .answer(id: 3, .success(.wifi(.network(ssid: Data([0xFF]), credentials: Data())))),
        .answer(id: 4, .success(.thread(.defaultSystemNetwork))),
        .answer(id: 5, .success(.thread(.network(extendedPANID: .max)))), .answer(id: 6, .success(.rooms([]))),
        .answer(id: 7, .success(.rooms([.init(displayName: "A"), .init(displayName: "A")]))),
        .answer(id: 8, .failure(PortableError(FakeHandler.failure))),
    ]

    @Test func `every message comes back the same, however the bytes are cut`() throws {
        let bytes = try Self.messages.flatMap { try $0.encoded() }
        for size in [1, 3, 4, 5, 64, bytes.count] {
            var decoder = DialogueDecoder()
            var seen: [DialogueMessage] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                decoder.append(bytes[start..<min(start + size, bytes.count)])
                while let message = try decoder.next() { seen.append(message) }
            }
            #expect(seen == Self.messages)
            #expect(!decoder.isInsideMessage)
        }
    }

    @Test func `a longer message than the limit is refused before it is read, for good`() throws {
        var decoder = DialogueDecoder()
        decoder.append([0x00, 0x10, 0x00, 0x01])
        let expected = ControlProtocolError(.payloadTooLong(length: 1 << 20 | 1, limit: 1 << 20), offset: 0)
        #expect(throws: expected) { try decoder.next() }
        decoder.append(try DialogueMessage.cancel.encoded())
        #expect(throws: expected) { try decoder.next() }
        #expect(!decoder.isInsideMessage)
        let long = DialogueMessage.answer(
            id: 1, .success(.rooms([.init(displayName: String(repeating: "x", count: 1 << 20))])))
        #expect(throws: ControlProtocolError.self) { try long.encoded() }
    }

    @Test(arguments: [
        #"{}"#, #"[]"#, #"{"kind":"bye"}"#, #"{"kind":"hello"}"#, #"{"kind":"hello","version":"1"}"#,
        #"{"kind":"call","id":1,"method":"dance","params":{}}"#, #"{"kind":"call","id":1,"method":"rooms"}"#,
        #"{"kind":"call","id":1,"method":"validate","params":{}}"#, #"{"kind":"answer","id":1}"#,
        #"{"kind":"call","id":1,"method":"commission","params":{"payload":"","commissioningID":"1"}}"#,
        #"{"kind":"call","id":1,"method":"selectWiFi","params":{"networks":[{"ssid":"","rssi":0,"security":0,"band":9}]}}"#,
        #"{"kind":"answer","id":1,"result":{"rooms":[1]}}"#,
        #"{"kind":"answer","id":1,"result":{"wifi":{"ssid":"YQ"}}}"#,
        #"{"kind":"answer","id":1,"result":{"thread":{"extendedPANID":"x"}}}"#,
        #"{"kind":"answer","id":1,"error":{"domain":"d","code":1,"info":{"k":1}}}"#,
        #"{"kind":"answer","id":1,"error":{"domain":"d","code":1,"info":{},"underlying":{"domain":"d"}}}"#,
    ]) func `what is no message is refused`(_ json: String) {
        var decoder = DialogueDecoder()
        decoder.append([0, 0, 0, UInt8(json.utf8.count)] + Array(json.utf8))
        #expect(throws: ControlProtocolError.self) { try decoder.next() }
    }

    @Test func `damaged bytes are refused or read, never worse`() throws {
        let bytes = try Self.messages.flatMap { try $0.encoded() }
        for seed in 0..<3000 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var decoder = DialogueDecoder()
            decoder.append(generator.mutated(bytes))
            var count = 0
            do throws(ControlProtocolError) {
                while try decoder.next() != nil { count += 1 }
            } catch {
                #expect(throws: error) { try decoder.next() }
            }
            #expect(count <= 2 * Self.messages.count, "seed \(seed)")
        }
    }

    @Test func `the ends of a socket`() async throws {
        let (ours, descriptor) = try DialogueSocket.pair()
        let theirs = DialogueSocket(takingOwnership: descriptor)
        for message in Self.messages {
            try await ours.send(message)
            #expect(try await theirs.receive() == message)
        }
        theirs.sendNow(.cancel)
        #expect(try await ours.receive() == .cancel)
        theirs.shutDown()
        #expect(try await ours.receive() == nil)
        try await ours.send(.cancel)
        ours.sendNow(.cancel)
        #expect(try await ours.receive() == nil)
    }
}
