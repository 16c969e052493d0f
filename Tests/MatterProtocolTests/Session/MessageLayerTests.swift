import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

/// Two layers with one session between them, and the moments of a test.
struct LayerPair {
    var a: MessageLayer
    var b: MessageLayer
    /// The session, as each side names it.
    var onA: SessionHandle
    var onB: SessionHandle
    static let addressA = PeerAddress(ip: [UInt8](repeating: 0xA, count: 16), port: 1)
    static let addressB = PeerAddress(ip: [UInt8](repeating: 0xB, count: 16), port: 2)

    init(
        kind: EstablishedSession.Kind = .case, limits: MessageLayer.Limits = .init(), timing: MRPParameters = .init()
    ) throws {
        a = MessageLayer(random: .seeded(1), limits: limits)
        b = MessageLayer(random: .seeded(2), limits: limits)
        let established = Self.session(kind, number: 1, timing: timing)
        (onA, _) = try a.addSession(established.a, peer: Self.addressB, now: at(0))
        (onB, _) = try b.addSession(established.b, peer: Self.addressA, now: at(0))
    }

    static func session(
        _ kind: EstablishedSession.Kind = .case, number: UInt16, fabric: UInt8 = 1, timing: MRPParameters = .init()
    ) -> (a: EstablishedSession, b: EstablishedSession) {
        let isCASE = kind == .case
        let a = EstablishedSession(
            kind: kind, localSessionID: SessionID(rawValue: number),
            peerSessionID: SessionID(rawValue: number + 1000),
            initiatorToResponderKey: [UInt8](repeating: 1, count: 16),
            responderToInitiatorKey: [UInt8](repeating: 2, count: 16),
            attestationChallenge: [UInt8](repeating: 3, count: 16), isInitiator: true,
            localNode: isCASE ? NodeID(rawValue: 0xA) : .unspecified,
            peerNode: isCASE ? NodeID(rawValue: 0xB) : .unspecified,
            fabricIndex: isCASE ? FabricIndex(rawValue: fabric) : .none, peerTiming: timing)
        var b = a
        b.isInitiator = false
        (b.localSessionID, b.peerSessionID) = (a.peerSessionID, a.localSessionID)
        (b.localNode, b.peerNode) = (a.peerNode, a.localNode)
        return (a, b)
    }
}

func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(sinceStart: .milliseconds(milliseconds)) }

let readRequest = OutboundMessage(protocolID: .interactionModel, opcode: 2, payload: [0x15, 0x18])
let reportData = OutboundMessage(protocolID: .interactionModel, opcode: 5, payload: [0x15, 0x18])

extension [MessageLayer.Action] {
    /// The datagrams to transmit.
    var datagrams: [[UInt8]] { compactMap { if case .transmit(let bytes, to: _) = $0 { bytes } else { nil } } }
    /// The exchange that opened.
    var opened: ExchangeHandle? {
        for case .opened(let handle, on: _, _) in self { return handle }
        return nil
    }
    /// Everything but datagrams.
    var events: [MessageLayer.Action] { filter { if case .transmit = $0 { false } else { true } } }
}

@Suite("Message layer, acknowledgements (Core §4.12)")
struct MessageLayerAcknowledgementTests {
    @Test func `a reply carries the acknowledgement, and closing sends the last one`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        let arrived = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(10))
        let exchange = try #require(arrived.opened)
        #expect(
            arrived.events == [
                .opened(
                    exchange, on: pair.onB,
                    InboundMessage(protocolID: .interactionModel, opcode: 2, payload: [0x15, 0x18]))
            ])
        let reply = try pair.b.send(reportData, on: exchange, now: at(20)).datagrams
        #expect(pair.b.close(exchange, now: at(20)).isEmpty)
        let answered = pair.a.datagramReceived(reply[0], from: LayerPair.addressB, now: at(30))
        #expect(
            answered == [
                .delivered(request),
                .received(
                    request, InboundMessage(protocolID: .interactionModel, opcode: 5, payload: [0x15, 0x18])),
            ])
        let last = pair.a.close(request, now: at(30))
        #expect(last.datagrams.count == 1 && pair.a.exchanges.isEmpty)
        #expect(
            pair.b.datagramReceived(last.datagrams[0], from: LayerPair.addressA, now: at(40))
                == [.delivered(exchange)])
        #expect(pair.b.exchanges.isEmpty && pair.a.deadline == nil && pair.b.deadline == nil)
    }

    @Test func `an acknowledgement goes alone after 200 ms, and the reply repeats it`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        let exchange = try #require(
            pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(10)).opened)
        #expect(pair.b.deadline == at(210))
        #expect(pair.b.timerFired(now: at(209)).isEmpty)
        let alone = pair.b.timerFired(now: at(210))
        #expect(alone.count == 1 && pair.b.deadline == nil)
        // The acknowledgement alone is lost; the reply's must serve.
        let reply = try pair.b.send(reportData, on: exchange, now: at(300)).datagrams
        let answered = pair.a.datagramReceived(reply[0], from: LayerPair.addressB, now: at(310))
        #expect(answered.events.first == .delivered(request))
    }

    @Test func `a standalone acknowledgement is never acknowledged`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        _ = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(10))
        let alone = pair.b.timerFired(now: at(210)).datagrams
        #expect(
            pair.a.datagramReceived(alone[0], from: LayerPair.addressB, now: at(220)) == [.delivered(request)])
        #expect(pair.a.deadline == nil)
        #expect(pair.a.datagramReceived(alone[0], from: LayerPair.addressB, now: at(230)).isEmpty)
    }

    @Test func `a duplicate is acknowledged again and not delivered`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        let exchange = try #require(
            pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(10)).opened)
        let again = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(20))
        #expect(again.datagrams.count == 1 && again.events.isEmpty)
        #expect(pair.b.deadline == nil, "the acknowledgement has gone")
        #expect(
            pair.a.datagramReceived(again.datagrams[0], from: LayerPair.addressB, now: at(30))
                == [.delivered(request)])
        // After the exchange is over too.
        _ = pair.b.close(exchange, now: at(40))
        let late = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(50))
        #expect(late.datagrams.count == 1 && late.events.isEmpty && pair.b.exchanges.isEmpty)
    }

    @Test func `an acknowledgement of another message does not stop retransmission`() throws {
        var pair = try LayerPair()
        let first = try pair.a.openExchange(on: pair.onA)
        let second = try pair.a.openExchange(on: pair.onA)
        let one = try pair.a.send(readRequest, on: first, now: at(0)).datagrams
        _ = try pair.a.send(readRequest, on: second, now: at(0))
        _ = pair.b.datagramReceived(one[0], from: LayerPair.addressA, now: at(1))
        let ack = pair.b.timerFired(now: at(201)).datagrams
        #expect(pair.a.datagramReceived(ack[0], from: LayerPair.addressB, now: at(202)) == [.delivered(first)])
        #expect(pair.a.exchanges[second]?.inFlight != nil)
        let deadline = try #require(pair.a.deadline)
        #expect(pair.a.timerFired(now: deadline).datagrams.count == 1)
    }

    @Test func `a second message flushes the acknowledgement that is owed`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let one = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        #expect(pair.b.datagramReceived(one[0], from: LayerPair.addressA, now: at(1)).datagrams.isEmpty)
        // A peer that does not wait for the first acknowledgement.
        let id = try #require(pair.a.exchanges[request]?.id)
        var header = ProtocolHeader(
            isFromInitiator: true, isReliable: true, opcode: 1, exchangeID: id, protocolID: .interactionModel)
        let two = pair.a.seal(header, [], on: pair.onA)?.datagram ?? []
        let flushed = pair.b.datagramReceived(two, from: LayerPair.addressA, now: at(2))
        #expect(flushed.datagrams.count == 1 && pair.b.deadline == at(202))
        #expect(
            pair.a.datagramReceived(flushed.datagrams[0], from: LayerPair.addressB, now: at(3))
                == [.delivered(request)])
        // A message that wants no acknowledgement changes nothing.
        header.isReliable = false
        let three = pair.a.seal(header, [], on: pair.onA)?.datagram ?? []
        #expect(pair.b.datagramReceived(three, from: LayerPair.addressA, now: at(4)).datagrams.isEmpty)
        #expect(pair.b.deadline == at(202))
    }

    @Test func `stray messages are acknowledged and open nothing`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let status = OutboundMessage(protocolID: .interactionModel, opcode: 1, payload: [0x15, 0x18])
        let sent = try pair.a.send(status, on: request, now: at(0)).datagrams
        let arrived = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(10))
        #expect(arrived.count == 1 && arrived.datagrams.count == 1 && pair.b.exchanges.isEmpty)
        #expect(
            pair.a.datagramReceived(arrived.datagrams[0], from: LayerPair.addressB, now: at(20))
                == [.delivered(request)])
    }
}

@Suite("Message layer, retransmission (Core §4.12.2)")
struct MessageLayerRetransmissionTests {
    @Test func `repeats the same bytes with the peer's timing, then reports a silent peer once`() throws {
        var pair = try LayerPair(timing: MRPParameters(activeInterval: .milliseconds(100)))
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        var actions: [MessageLayer.Action] = []
        var now = at(0)
        while let deadline = pair.a.deadline {
            now = deadline
            actions += pair.a.timerFired(now: now)
        }
        #expect(actions.datagrams == [[UInt8]](repeating: sent[0], count: 4))
        guard case .failed(request, let failure)? = actions.events.first else {
            Issue.record("no failure: \(actions.events)")
            return
        }
        #expect(actions.events.count == 1)
        #expect(failure.isPeerSilent && failure.transmissions == 5 && failure.elapsed == now.sinceStart)
        // 100 ms × 1.1 × (1 + 1 + 1.6 + 2.56 + 4.096), with up to a quarter of jitter.
        #expect((1128.0...1411.0).contains(now.sinceStart / .milliseconds(1)))
        #expect(pair.a.session(pair.onA)?.isSuspect == true)
        #expect(throws: MessageLayerError(.unknownExchange)) {
            try pair.a.send(readRequest, on: request, now: now)
        }
    }

    @Test func `a peer that was silent for long is asked at its idle interval`() throws {
        var pair = try LayerPair(
            timing: MRPParameters(idleInterval: .seconds(5), activeInterval: .milliseconds(100)))
        let request = try pair.a.openExchange(on: pair.onA)
        _ = try pair.a.send(readRequest, on: request, now: at(4001))
        let deadline = try #require(pair.a.deadline)
        #expect((5500.0...6875.0).contains(at(4001).duration(to: deadline) / .milliseconds(1)))
    }

    @Test func `hearing the peer clears the suspicion`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        _ = try pair.a.send(readRequest, on: request, now: at(0))
        while let deadline = pair.a.deadline { _ = pair.a.timerFired(now: deadline) }
        let other = try pair.b.openExchange(on: pair.onB)
        let sent = try pair.b.send(readRequest, on: other, now: at(9000)).datagrams
        _ = pair.a.datagramReceived(sent[0], from: LayerPair.addressB, now: at(9001))
        #expect(pair.a.session(pair.onA)?.isSuspect == false)
    }

    @Test func `a closed exchange goes on until its message is delivered`() throws {
        var pair = try LayerPair()
        let request = try pair.a.openExchange(on: pair.onA)
        let sent = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        #expect(pair.a.close(request, now: at(1)).isEmpty)
        let deadline = try #require(pair.a.deadline)
        #expect(pair.a.timerFired(now: deadline).datagrams == sent)
        let exchange = try #require(
            pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(500)).opened)
        let reply = try pair.b.send(reportData, on: exchange, now: at(501)).datagrams
        // The reply is acknowledged, but nobody is there to take it.
        let end = pair.a.datagramReceived(reply[0], from: LayerPair.addressB, now: at(502))
        #expect(end.events == [.delivered(request)] && end.datagrams.count == 1 && pair.a.exchanges.isEmpty)
    }

    @Test func `a session does not run ahead of a message that may be lost`() throws {
        var pair = try LayerPair()
        var requests: [ExchangeHandle] = []
        var sent: [[UInt8]] = []
        for _ in 0..<40 {
            let request = try pair.a.openExchange(on: pair.onA)
            requests.append(request)
            sent += try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        }
        #expect(sent.count == Int(MRP.maximumRunAhead))
        // All but the first arrive and are answered; the first still holds the session back.
        for datagram in sent.dropFirst() {
            let exchange = try #require(
                pair.b.datagramReceived(datagram, from: LayerPair.addressA, now: at(1)).opened)
            let reply = try pair.b.send(reportData, on: exchange, now: at(1)).datagrams
            #expect(pair.a.datagramReceived(reply[0], from: LayerPair.addressB, now: at(2)).datagrams.isEmpty)
        }
        let ack = pair.b.datagramReceived(sent[0], from: LayerPair.addressA, now: at(3)).opened
        #expect(ack != nil, "it is still within the window")
        let late = pair.b.timerFired(now: at(203)).datagrams
        let released = pair.a.datagramReceived(late[0], from: LayerPair.addressB, now: at(204))
        #expect(released.datagrams.count == Int(MRP.maximumRunAhead))
        // Giving up releases the rest, and closing one that waits loses nothing of the others.
        #expect(pair.a.close(requests[39], now: at(205)).datagrams.isEmpty)
        var failed = 0
        while let deadline = pair.a.deadline {
            failed += pair.a.timerFired(now: deadline).events.count { if case .failed = $0 { true } else { false } }
        }
        #expect(failed == 24)
        #expect(pair.a.sessions[pair.onA]?.unacknowledged.isEmpty == true)
        #expect(pair.a.sessions[pair.onA]?.waiting.isEmpty == true)
    }

    @Test func `the next message waits for the acknowledgement`() throws {
        var pair = try LayerPair(limits: .init(queuedMessages: 1))
        let request = try pair.a.openExchange(on: pair.onA)
        let first = try pair.a.send(readRequest, on: request, now: at(0)).datagrams
        #expect(try pair.a.send(reportData, on: request, now: at(1)).isEmpty)
        #expect(throws: MessageLayerError(.queueFull)) { try pair.a.send(reportData, on: request, now: at(1)) }
        _ = pair.b.datagramReceived(first[0], from: LayerPair.addressA, now: at(2))
        let ack = pair.b.timerFired(now: at(202)).datagrams
        let next = pair.a.datagramReceived(ack[0], from: LayerPair.addressB, now: at(203))
        #expect(next.events == [.delivered(request)] && next.datagrams.count == 1)
        let arrived = pair.b.datagramReceived(next.datagrams[0], from: LayerPair.addressA, now: at(204))
        guard case .received(_, let message)? = arrived.events.first else {
            Issue.record("\(arrived)")
            return
        }
        #expect(message.opcode == 5)
    }
}
