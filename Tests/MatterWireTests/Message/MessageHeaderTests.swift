import MatterWire
import TestSupport
import Testing

private struct HeaderVectors: Decodable {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var messageFlags: UInt8
        var sessionId: UInt16
        var securityFlags: UInt8
        var messageCounter: UInt32
        var sourceNodeId: String?
        var destination: String?
        var exchangeFlags: UInt8
        var opcode: UInt8
        var exchangeId: UInt16
        var protocolId: UInt16
        var protocolVendorId: UInt16?
        var ackCounter: UInt32?
        var payload: HexBytes
        var messageHeader: HexBytes
        var protocolHeader: HexBytes
        var full: HexBytes
        var testDescription: String { name }
    }
    struct Malformed: Decodable, Sendable, CustomTestStringConvertible {
        var reason: String
        var hex: HexBytes
        var testDescription: String { reason }
    }
    struct Nonce: Decodable, Sendable {
        var securityFlags: UInt8
        var messageCounter: UInt32
        var sourceNodeId: String
        var nonce: HexBytes
    }
    var headers: [Row]
    var malformedHeaders: [Malformed]
    var nonces: [Nonce]

    static let all = Vectors.load(HeaderVectors.self, "message-headers.json")
}

private func number(_ text: String) -> UInt64 { UInt64(text.dropFirst(2), radix: 16) ?? 0 }

@Suite("Message and protocol header (Core §4.4)")
struct MessageHeaderTests {
    @Test(arguments: HeaderVectors.all.headers)
    fileprivate func `matches vector`(_ vector: HeaderVectors.Row) throws {
        var reader = ByteReader(vector.full.bytes)
        let header = try MessageHeader(decoding: &reader)
        #expect(reader.offset == vector.messageHeader.bytes.count)
        #expect(header.sessionID.rawValue == vector.sessionId)
        #expect(header.securityFlags == vector.securityFlags)
        #expect(header.counter.rawValue == vector.messageCounter)
        #expect(header.source?.rawValue == vector.sourceNodeId.map(number))
        switch header.destination {
        case nil: #expect(vector.destination == nil)
        case .node(let node): #expect(node.rawValue == vector.destination.map(number))
        case .group(let group): #expect(UInt64(group.rawValue) == vector.destination.map(number))
        }
        #expect(header.encoded() == vector.messageHeader.bytes)

        guard vector.protocolVendorId == nil else {
            #expect(throws: MessageError(code: .vendorProtocol, offset: reader.offset)) {
                _ = try ProtocolHeader(decoding: &reader)
            }
            return
        }
        let inner = try ProtocolHeader(decoding: &reader)
        #expect(inner.opcode == vector.opcode)
        #expect(inner.exchangeID.rawValue == vector.exchangeId)
        #expect(inner.protocolID.rawValue == vector.protocolId)
        #expect(inner.acknowledged?.rawValue == vector.ackCounter)
        #expect(inner.isFromInitiator == (vector.exchangeFlags & 1 != 0))
        #expect(inner.isReliable == (vector.exchangeFlags & 4 != 0))
        #expect(inner.encoded() == vector.protocolHeader.bytes)
        #expect(Array(reader.rest()) == vector.payload.bytes)
    }

    @Test(arguments: HeaderVectors.all.malformedHeaders)
    fileprivate func `refuses what a receiver drops`(_ vector: HeaderVectors.Malformed) {
        var reader = ByteReader(vector.hex.bytes)
        #expect(throws: MessageError.self) { _ = try MessageHeader(decoding: &reader) }
    }

    @Test(arguments: [
        ("0200000001000000abcd", MessageError(code: .groupDestinationOnUnicastSession, offset: 0)),
        ("0001000101000000", MessageError(code: .groupSessionWithoutSource, offset: 0)),
        ("0001000201000000", MessageError(code: .reservedSessionType(2), offset: 3)),
        ("00010000010000", MessageError(code: .truncated, offset: 4)),
        ("00010020010000000500aabb", MessageError(code: .truncated, offset: 10)),
    ])
    func `names what is wrong`(hex: String, error: MessageError) {
        var reader = ByteReader([UInt8](hex: hex))
        #expect(throws: error) { _ = try MessageHeader(decoding: &reader) }
    }

    @Test func `skips extensions of both headers`() throws {
        var reader = ByteReader([UInt8](hex: "0001002001000000 0200aabb 0901 0200 0100 0300010203 ff"))
        let header = try MessageHeader(decoding: &reader)
        #expect(header.sessionID == SessionID(rawValue: 1))
        let inner = try ProtocolHeader(decoding: &reader)
        #expect(inner.isFromInitiator)
        #expect(Array(reader.rest()) == [0xFF])
    }

    @Test fileprivate func `makes the nonces of the vectors`() throws {
        #expect(!HeaderVectors.all.nonces.isEmpty)
        for vector in HeaderVectors.all.nonces {
            let type = try #require(MessageHeader.SessionType(rawValue: vector.securityFlags & 3))
            let header = MessageHeader(
                sessionID: SessionID(rawValue: 1), sessionType: type, isControl: vector.securityFlags & 0x40 != 0,
                hasPrivacy: vector.securityFlags & 0x80 != 0,
                counter: MessageCounter(rawValue: vector.messageCounter))
            #expect(header.nonce(sender: NodeID(rawValue: number(vector.sourceNodeId))) == vector.nonce.bytes)
        }
    }

    @Test func `reads what it writes`() throws {
        for seed in UInt64(0)..<200 {
            var random = SeededGenerator(seed: seed)
            let isGroup = Bool.random(using: &random)
            let destinations: [MessageHeader.Destination?] =
                isGroup
                ? [nil, .group(GroupID(rawValue: .random(in: 0...0xFFFF, using: &random)))]
                : [nil, .node(NodeID(rawValue: random.next()))]
            let header = MessageHeader(
                sessionID: SessionID(rawValue: .random(in: 0...0xFFFF, using: &random)),
                sessionType: isGroup ? .group : .unicast, isControl: .random(using: &random),
                hasPrivacy: .random(using: &random),
                counter: MessageCounter(rawValue: .random(in: 0...0xFFFF_FFFF, using: &random)),
                source: isGroup || Bool.random(using: &random) ? NodeID(rawValue: random.next()) : nil,
                destination: destinations.randomElement(using: &random) ?? nil)
            let inner = ProtocolHeader(
                isFromInitiator: .random(using: &random), isReliable: .random(using: &random),
                opcode: .random(in: 0...0xFF, using: &random),
                exchangeID: ExchangeID(rawValue: .random(in: 0...0xFFFF, using: &random)),
                protocolID: ProtocolID(rawValue: .random(in: 0...4, using: &random)),
                acknowledged: Bool.random(using: &random) ? MessageCounter(rawValue: 7) : nil)
            var reader = ByteReader(header.encoded() + inner.encoded())
            #expect(try MessageHeader(decoding: &reader) == header, "seed \(seed)")
            #expect(try ProtocolHeader(decoding: &reader) == inner, "seed \(seed)")
            #expect(reader.isAtEnd)
        }
    }

    @Test fileprivate func `survives damage`() {
        for seed in UInt64(0)..<2000 {
            var random = SeededGenerator(seed: seed)
            let vector = HeaderVectors.all.headers[Int(seed) % HeaderVectors.all.headers.count]
            var reader = ByteReader(random.mutated(vector.full.bytes))
            // Only that nothing traps counts here: damage may leave a header that reads well.
            if (try? MessageHeader(decoding: &reader)) != nil { _ = try? ProtocolHeader(decoding: &reader) }
        }
    }
}
