import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

private struct SecuredVector: Decodable, Sendable, CustomTestStringConvertible {
    struct File: Decodable { var secured: [SecuredVector] }
    var name: String
    var key: HexBytes
    var header: HexBytes
    var nonce: HexBytes
    var nonceNodeId: String
    var plaintext: HexBytes
    var packet: HexBytes
    var testDescription: String { name }

    static let all = Vectors.load(File.self, "message.json").secured
}

@Suite("Message layer, secured messages (Core §4.8)")
struct SecuredMessageTests {
    @Test(arguments: SecuredVector.all)
    fileprivate func `takes a real datagram, once`(_ vector: SecuredVector) throws {
        var reader = ByteReader(vector.packet.bytes)
        let header = try MessageHeader(decoding: &reader)
        let sender = NodeID(rawValue: try #require(UInt64(vector.nonceNodeId.dropFirst(2), radix: 16)))
        #expect(header.nonce(sender: sender) == vector.nonce.bytes)
        var inner = ByteReader(vector.plaintext.bytes)
        let message = try ProtocolHeader(decoding: &inner)

        var session = LayerPair.session(sender == .unspecified ? .pase : .case, number: 1).b
        session.localSessionID = header.sessionID
        session.peerNode = sender
        session.initiatorToResponderKey = vector.key.bytes
        var layer = MessageLayer(random: .seeded(1))
        let (handle, _) = try layer.addSession(session, peer: LayerPair.addressA, now: at(0))
        if !message.isFromInitiator {
            let key = ExchangeKey(session: handle, id: message.exchangeID, isInitiator: true)
            _ = layer.insertExchange(key)
        }
        var damaged = vector.packet.bytes
        damaged[damaged.count - 1] ^= 1
        #expect(layer.datagramReceived(damaged, from: LayerPair.addressA, now: at(0)).isEmpty)
        let actions = layer.datagramReceived(vector.packet.bytes, from: LayerPair.addressA, now: at(0))
        let payload = Array(inner.rest())
        switch actions.events.first {
        case .opened(_, on: handle, let inbound)?, .received(_, let inbound)?:
            #expect(inbound.payload == payload && inbound.opcode == message.opcode)
        default: #expect(message.isStandaloneAck && actions.isEmpty)
        }
        let again = layer.datagramReceived(vector.packet.bytes, from: LayerPair.addressA, now: at(0))
        #expect(again.events.isEmpty)
    }

    @Test func `tampering with any byte makes a datagram vanish`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams[0]
        for index in sent.indices {
            var damaged = sent
            damaged[index] ^= 0x10
            #expect(pair.b.datagramReceived(damaged, from: LayerPair.addressA, now: at(1)).isEmpty, "byte \(index)")
        }
        #expect(pair.b.datagramReceived(sent, from: LayerPair.addressA, now: at(2)).opened != nil)
    }

    @Test func `survives any bytes`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let secured = try pair.a.send(readRequest, on: request, now: at(0)).datagrams[0]
        let clear = [UInt8](hex: "040000000a4ff2177ea0c8a7cb6a63520520d36400001518")
        for seed in UInt64(0)..<4000 {
            var random = SeededGenerator(seed: seed)
            let bytes = random.mutated(seed.isMultiple(of: 2) ? secured : clear)
            _ = pair.b.datagramReceived(bytes, from: LayerPair.addressA, now: at(Int64(seed)))
        }
        let limits = pair.b.limits
        #expect(pair.b.exchanges.count <= limits.unsecuredPeers * limits.peerExchangesPerUnsecuredSession + 1)
    }

    @Test func `refuses a payload that does not fit a datagram`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        var message = readRequest
        message.payload = [UInt8](repeating: 0, count: MessageLayer.maximumPayloadCount + 1)
        #expect(throws: MessageLayerError(.payloadTooLarge(1199))) {
            try pair.a.send(message, on: request, now: at(0))
        }
        message.payload.removeLast()
        let sent = try pair.a.send(message, on: request, now: at(0)).datagrams
        #expect(sent[0].count == MessageLayer.maximumDatagramCount - 4, "the acknowledgement has room")
    }

    @Test func `a session whose counters are used up closes`() throws {
        var pair = try LayerPair()
        guard case .secure(var secure)? = pair.a.sessions[pair.onA]?.channel else { return }
        secure.counter = SendCounter(first: SendCounter.last)
        pair.a.sessions[pair.onA]?.channel = .secure(secure)
        let request = try pair.a.openExchange(on: pair.onA)
        #expect(try pair.a.send(readRequest, on: request, now: at(0)).datagrams.count == 1)
        let other = try pair.a.openExchange(on: pair.onA)
        let closed = ExchangeFailure(reason: .sessionClosed(.counterExhausted))
        var first = closed
        first.transmissions = 1
        #expect(
            try pair.a.send(readRequest, on: other, now: at(0)) == [
                .failed(request, first), .failed(other, closed), .sessionClosed(pair.onA, .counterExhausted),
            ])
        #expect(pair.a.deadline == nil)
    }
}

@Suite("Message layer, sessions (Core §4.13)")
struct MessageLayerSessionTests {
    @Test func `tells the peer that a session closes`() throws {
        var pair = try LayerPair()
        let request = try pair.b.openExchange(on: pair.onB)
        _ = try pair.b.send(readRequest, on: request, now: at(0))
        let closing = pair.a.closeSession(pair.onA, notifyPeer: true, now: at(0))
        #expect(closing.events == [.sessionClosed(pair.onA, .closedLocally)])
        #expect(pair.a.session(pair.onA) == nil)
        let closed = pair.b.datagramReceived(closing.datagrams[0], from: LayerPair.addressA, now: at(1))
        #expect(
            closed == [
                .failed(
                    request,
                    ExchangeFailure(
                        reason: .sessionClosed(.closedByPeer), transmissions: 1, elapsed: .milliseconds(1))),
                .sessionClosed(pair.onB, .closedByPeer),
            ])
        #expect(pair.b.deadline == nil && pair.b.exchanges.isEmpty && pair.b.secureByID.isEmpty)
        #expect(throws: MessageLayerError(.unknownSession)) { try pair.b.openExchange(on: pair.onB) }
        #expect(pair.b.closeSession(pair.onB, notifyPeer: true, now: at(2)).isEmpty)
    }

    @Test func `a session that closes when idle delivers its last answer first`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        let exchange = try #require(
            pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(1)).opened)
        let reply = try pair.b.send(reportData, on: exchange, now: at(2)).datagrams
        #expect(pair.b.closeSessionWhenIdle(pair.onB, notifyPeer: false, now: at(2)).isEmpty)
        #expect(pair.b.close(exchange, now: at(2)).isEmpty)
        _ = pair.a.datagramReceived(reply[0], from: LayerPair.addressB, now: at(3))
        let ack = pair.a.close(request, now: at(3)).datagrams
        #expect(
            pair.b.datagramReceived(ack[0], from: LayerPair.addressA, now: at(4))
                == [.delivered(exchange), .sessionClosed(pair.onB, .closedLocally)])
    }

    @Test func `follows an authentic peer to its new address, and nobody else`() throws {
        var pair = try LayerPair()
        let elsewhere = PeerAddress(ip: [UInt8](repeating: 0xC, count: 16), port: 9)
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        _ = pair.b.datagramReceived(sent[0], from: elsewhere, now: at(1))
        #expect(pair.b.session(pair.onB)?.address == elsewhere)
        _ = pair.b.datagramReceived(sent[0], from: LayerPair.addressB, now: at(2))
        #expect(pair.b.session(pair.onB)?.address == elsewhere, "a replay moves nothing")
    }

    @Test func `binds a PASE session to the new fabric`() throws {
        var pair = try LayerPair(kind: .pase)
        #expect(pair.b.session(pair.onB)?.fabricIndex == FabricIndex.none)
        pair.b.bindPASESession(pair.onB, to: FabricIndex(rawValue: 3))
        #expect(pair.b.session(pair.onB)?.fabricIndex == FabricIndex(rawValue: 3))
        #expect(pair.b.sessions(on: FabricIndex(rawValue: 3)) == [pair.onB])
        var other = try LayerPair(kind: .case)
        other.b.bindPASESession(other.onB, to: FabricIndex(rawValue: 3))
        #expect(other.b.session(other.onB)?.fabricIndex == FabricIndex(rawValue: 1))
    }

    @Test func `finds the newest session that answers`() throws {
        var layer = MessageLayer(random: .seeded(1))
        let node = NodeID(rawValue: 0xB)
        let fabric = FabricIndex(rawValue: 1)
        #expect(layer.operationalSession(with: node, on: fabric) == nil)
        let (old, _) = try layer.addSession(LayerPair.session(number: 1).a, peer: LayerPair.addressB, now: at(0))
        let (new, _) = try layer.addSession(LayerPair.session(number: 2).a, peer: LayerPair.addressB, now: at(1))
        #expect(layer.operationalSession(with: node, on: fabric) == new)
        let request = try layer.openExchange(on: new)
        _ = try layer.send(readRequest, on: request, now: at(2))
        while let deadline = layer.deadline { _ = layer.timerFired(now: deadline) }
        #expect(layer.operationalSession(with: node, on: fabric) == old)
        _ = layer.closeSession(old, notifyPeer: false, now: at(9))
        #expect(layer.operationalSession(with: node, on: fabric) == new)
    }

    @Test func `a full table gives up the oldest session of the fabric that has most`() throws {
        var layer = MessageLayer(random: .seeded(1), limits: .init(secureSessions: 4))
        var handles: [SessionHandle] = []
        for (number, fabric) in [(1, 2), (2, 1), (3, 1), (4, 1)] as [(UInt16, UInt8)] {
            let session = LayerPair.session(number: number, fabric: fabric).a
            handles.append(
                try layer.addSession(session, peer: LayerPair.addressB, now: at(Int64(number))).session)
        }
        let fifth = LayerPair.session(number: 5, fabric: 2).a
        let (_, actions) = try layer.addSession(fifth, peer: LayerPair.addressB, now: at(5))
        #expect(actions.events == [.sessionClosed(handles[1], .evicted)])
        #expect(actions.datagrams.count == 1, "the evicted peer is told")
        #expect(layer.secureSessions.count == 4)
    }

    @Test func `session numbers are never 0 and never in use`() throws {
        var layer = MessageLayer(random: .seeded(7))
        var session = LayerPair.session(number: 1).a
        let first = layer.allocateSessionID()
        session.localSessionID = SessionID(rawValue: first.rawValue &+ 1)
        _ = try layer.addSession(session, peer: LayerPair.addressB, now: at(0))
        var seen: Set<SessionID> = [first]
        for _ in 0..<65533 { seen.insert(layer.allocateSessionID()) }
        #expect(seen.count == 65534)
        #expect(!seen.contains(.unsecured) && !seen.contains(session.localSessionID))
    }

    @Test func `an answer may take the peer's whole patience and its work`() throws {
        let pair = try LayerPair(timing: MRPParameters(idleInterval: .milliseconds(500)))
        let active = try #require(pair.a.responseTimeout(on: pair.onA, processing: .seconds(2), now: at(0)))
        #expect(abs(active / .milliseconds(1) - 6230.6) < 0.1)
        let idle = try #require(pair.a.responseTimeout(on: pair.onA, processing: .seconds(2), now: at(5000)))
        #expect(abs(idle / .milliseconds(1) - 9051) < 0.1)
        #expect(pair.a.responseTimeout(on: SessionHandle(rawValue: 99), processing: .zero, now: at(0)) == nil)
    }

    @Test func `a key of the wrong length is refused`() {
        var layer = MessageLayer(random: .seeded(1))
        var session = LayerPair.session(number: 1).a
        session.initiatorToResponderKey.removeLast()
        #expect(throws: MessageLayerError(.cryptography)) {
            try layer.addSession(session, peer: LayerPair.addressB, now: at(0))
        }
    }
}

@Suite("Message layer, limits")
struct MessageLayerLimitTests {
    /// A first handshake message of a peer that nobody knows.
    private func sigma1(from number: UInt64) -> (bytes: [UInt8], address: PeerAddress) {
        let header = MessageHeader(
            sessionID: .unsecured, counter: MessageCounter(rawValue: 1), source: NodeID(rawValue: number + 1))
        let inner = ProtocolHeader(
            isFromInitiator: true, isReliable: true, opcode: SecureChannelOpcode.sigma1.rawValue,
            exchangeID: ExchangeID(rawValue: 1), protocolID: .secureChannel)
        let address = PeerAddress(
            ip: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16), port: 1)
        return (header.encoded() + inner.encoded(), address)
    }

    @Test func `a flood of first messages keeps nothing once they are refused`() throws {
        var layer = MessageLayer(random: .seeded(1))
        for number in UInt64(0)..<2000 {
            let (bytes, address) = sigma1(from: number)
            let opened = try #require(layer.datagramReceived(bytes, from: address, now: at(Int64(number))).opened)
            let busy = OutboundMessage(.busy(wait: .seconds(1)))
            #expect(try layer.send(busy, on: opened, now: at(Int64(number))).datagrams.count == 1)
            #expect(layer.close(opened, now: at(Int64(number))).isEmpty)
        }
        #expect(layer.exchanges.isEmpty && layer.deadline == nil)
        #expect(layer.sessions.count <= layer.limits.unsecuredPeers)
        #expect(layer.unsecuredByPeer.count == layer.sessions.count)
        #expect(layer.timers.count == 0)
    }

    @Test func `handshakes that run are not pushed out by others`() throws {
        var layer = MessageLayer(random: .seeded(1))
        var opened: [ExchangeHandle] = []
        for number in UInt64(0)..<100 {
            let (bytes, address) = sigma1(from: number)
            if let handle = layer.datagramReceived(bytes, from: address, now: at(0)).opened { opened.append(handle) }
        }
        #expect(opened.count == layer.limits.unsecuredPeers)
        // When one ends, the next that tries again gets in.
        _ = layer.close(opened[0], now: at(1))
        let (bytes, address) = sigma1(from: 99)
        #expect(layer.datagramReceived(bytes, from: address, now: at(2)).opened != nil)
    }

    @Test func `a refusal that nobody acknowledges gives up its place`() throws {
        var layer = MessageLayer(random: .seeded(1))
        var failed = 0
        for number in UInt64(0)..<200 {
            let (bytes, address) = sigma1(from: number)
            let actions = layer.datagramReceived(bytes, from: address, now: at(0))
            failed += actions.events.count { if case .failed = $0 { true } else { false } }
            let opened = try #require(actions.opened)
            _ = try layer.send(OutboundMessage(.failure(.noSharedTrustRoots)), on: opened, now: at(0))
            _ = layer.close(opened, now: at(0))
        }
        #expect(layer.sessions.count == layer.limits.unsecuredPeers)
        #expect(layer.exchanges.count == layer.limits.unsecuredPeers && failed == 200 - layer.limits.unsecuredPeers)
        while let deadline = layer.deadline { _ = layer.timerFired(now: deadline) }
        #expect(layer.exchanges.isEmpty && layer.timers.count == 0)
    }

    @Test func `one peer can't open exchanges without end`() throws {
        var pair = try LayerPair(limits: .init(peerExchangesPerSession: 8))
        var opened = 0
        var dropped: [UInt8] = []
        for _ in 0..<12 {
            let exchange = try pair.a.openExchange(on: pair.onA)
            let sent = try pair.a.send(readRequest, on: exchange, now: at(0)).datagrams
            let arrived = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(1))
            if arrived.opened != nil { opened += 1 } else { dropped = sent[0] }
            if arrived.opened == nil { #expect(arrived.isEmpty, "not acknowledged: it comes again") }
        }
        #expect(opened == pair.b.limits.peerExchangesPerSession)
        let first = try #require(pair.b.exchanges.keys.min { $0.rawValue < $1.rawValue })
        _ = pair.b.close(first, now: at(2))
        #expect(pair.b.datagramReceived(dropped, from: LayerPair.addressA, now: at(3)).opened != nil)
    }

    @Test func `own exchanges have a limit`() throws {
        var pair = try LayerPair(limits: .init(exchanges: 2))
        _ = try pair.a.openExchange(on: pair.onA)
        _ = try pair.a.openExchange(on: pair.onA)
        #expect(throws: MessageLayerError(.tooManyExchanges)) { try pair.a.openExchange(on: pair.onA) }
    }

    @Test func `timers of acknowledged messages don't pile up`() throws {
        var pair = try LayerPair()
        for round in 0..<500 {
            let now = at(Int64(round))
            let request = try pair.a.openExchange(on: pair.onA)
            let sent = try pair.a.send(readRequest, on: request, now: now).datagrams
            let exchange = try #require(pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: now).opened)
            let reply = try pair.b.send(reportData, on: exchange, now: now).datagrams
            _ = pair.b.close(exchange, now: now)
            _ = pair.a.datagramReceived(reply[0], from: LayerPair.addressB, now: now)
            let ack = pair.a.close(request, now: now).datagrams
            _ = pair.b.datagramReceived(ack[0], from: LayerPair.addressA, now: now)
        }
        #expect(pair.a.timers.count == 0 && pair.b.timers.count == 0)
        #expect(pair.a.exchanges.isEmpty && pair.b.exchanges.isEmpty && pair.a.exchangeByKey.isEmpty)
    }

    @Test func `idle unsecured sessions of this node are few`() throws {
        var layer = MessageLayer(random: .seeded(1))
        for number in 0..<200 {
            let session = layer.openUnsecuredSession(to: LayerPair.addressB, now: at(Int64(number)))
            let exchange = try layer.openExchange(on: session)
            _ = layer.close(exchange, now: at(Int64(number)))
        }
        #expect(layer.sessions.count <= layer.limits.idleUnsecuredSessions)
        #expect(layer.unsecuredByPeer.count == layer.sessions.count)
    }
}
