import MatterCrypto
import MatterProtocol
import MatterWire
import TestSupport

extension FuzzTarget {
    /// Machines that are fed by other Matter nodes: whole dialogues, not single messages.
    static let machines: [FuzzTarget] = [
        FuzzTarget(
            "message-layer", "datagrams to a node with sessions, from strangers and from peers",
            made: { MessageLayerBench.seeds }
        ) { input in
            var bench = try MessageLayerBench()
            return try bench.run(input)
        },
        FuzzTarget(
            "handshake-responder", "PASE and CASE dialogues with a device", maximumLength: 8_192,
            made: { try HandshakeBench.initiatorDialogues() }
        ) { input in
            var bench = HandshakeBench()
            return try bench.run(input)
        },
        FuzzTarget(
            "handshake-initiator", "PASE and CASE dialogues with a commissioner", maximumLength: 8_192,
            made: { try HandshakeBench.responderDialogues() }, check: { try HandshakeBench.runInitiators($0) }),
        FuzzTarget(
            "virtual-node", "interactions with a virtual node of every device type", maximumLength: 8_192,
            made: { VirtualNodeBench.seeds }
        ) { input in
            var bench = VirtualNodeBench()
            return try bench.run(input)
        },
        FuzzTarget(
            "node-snapshot", "the stored state of a virtual node", maximumLength: 8_192,
            made: { VirtualNodeBench.snapshots }, check: { try VirtualNodeBench.restore($0) }),
        FuzzTarget(
            "interaction-client", "what a device answers to reads, invokes and subscriptions", maximumLength: 8_192,
            made: { InteractionClientBench.seeds }, check: { try InteractionClientBench.run($0) }),
    ]
}

/// A message layer with a PASE and a CASE session whose peer the input plays.
private struct MessageLayerBench {
    /// What the low bits of a control byte make of a message.
    private enum Treatment: UInt8 {
        /// The bytes are a datagram.
        case raw = 0
        /// They are what a session encrypts; its counter goes up.
        case secured = 1
        /// They follow the header of an unsecured session.
        case unsecured = 2
        /// Time passes.
        case wait = 3
    }

    private static let keys = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
    private static let limits = MessageLayer.Limits(
        secureSessions: 4, unsecuredPeers: 3, idleUnsecuredSessions: 2, exchanges: 12, peerExchangesPerSession: 4)

    private var layer = MessageLayer(random: .seeded(1), limits: limits)
    private var now = FuzzHome.start
    private var counter: UInt32 = 1
    private var wasOpened = false

    init() throws {
        for (number, kind) in [(UInt16(1), EstablishedSession.Kind.pase), (2, .case)] {
            _ = try layer.addSession(
                EstablishedSession(
                    kind: kind, localSessionID: SessionID(rawValue: number), peerSessionID: SessionID(rawValue: 9),
                    initiatorToResponderKey: Self.keys.0, responderToInitiatorKey: Self.keys.1,
                    attestationChallenge: FuzzHome.challenge, isInitiator: false,
                    localNode: kind == .case ? FuzzHome.deviceID : .unspecified,
                    peerNode: kind == .case ? FuzzHome.controllerID : .unspecified,
                    fabricIndex: kind == .case ? FabricIndex(rawValue: 1) : .none),
                peer: FuzzHome.peer, now: now)
        }
    }

    mutating func run(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        for message in FuzzMessages(input) {
            switch Treatment(rawValue: message.control & 3) ?? .raw {
            case .raw:
                try perform(layer.datagramReceived(message.bytes, from: FuzzHome.peer, now: now), message.control)
            case .secured: try perform(receive(secured(message)), message.control)
            case .unsecured:
                let header = MessageHeader(
                    sessionID: .unsecured, counter: nextCounter(message.control),
                    source: NodeID(rawValue: UInt64(message.control >> 5) + 1))
                try perform(receive(header.encoded() + message.bytes), message.control)
            case .wait:
                now = now.advanced(by: .milliseconds(1 << Int64(message.control >> 4)))
                try perform(layer.timerFired(now: now), message.control)
            }
            let load = layer.load
            try hold(load.exchanges <= Self.limits.exchanges, "\(load.exchanges) exchanges")
            try hold(load.secureSessions <= Self.limits.secureSessions, "\(load.secureSessions) sessions")
            try hold(load.unsecuredSessions <= 3 + 2, "\(load.unsecuredSessions) unsecured sessions")
        }
        // A layer that is left alone comes to rest.
        var rounds = 0
        while let deadline = layer.deadline {
            now = max(now, deadline)
            try perform(layer.timerFired(now: now), 0)
            rounds += 1
            try hold(rounds < 10_000, "the layer does not come to rest")
        }
        return wasOpened ? .accepted : .rejected
    }

    private mutating func receive(_ datagram: [UInt8]) -> [MessageLayer.Action] {
        layer.datagramReceived(datagram, from: FuzzHome.peer, now: now)
    }

    private mutating func nextCounter(_ control: UInt8) -> MessageCounter {
        if control & 4 == 0 { counter &+= 1 }
        return MessageCounter(rawValue: counter)
    }

    private mutating func secured(_ message: FuzzMessages.Message) throws -> [UInt8] {
        let isCASE = message.control & 8 != 0
        let header = MessageHeader(
            sessionID: SessionID(rawValue: isCASE ? 2 : 1), counter: nextCounter(message.control))
        let head = header.encoded()
        let nonce = header.nonce(sender: isCASE ? FuzzHome.controllerID : .unspecified)
        return head + (try AESCCM(key: Self.keys.0).seal(message.bytes, nonce: nonce, aad: head))
    }

    /// Answers what opens, sometimes twice, and closes it, as the control byte says.
    private mutating func perform(_ actions: [MessageLayer.Action], _ control: UInt8) throws {
        for action in actions {
            switch action {
            case .transmit(let datagram, _):
                try hold(datagram.count <= MessageLayer.maximumDatagramCount, "a datagram of \(datagram.count) bytes")
            case .opened(let exchange, _, _), .received(let exchange, _):
                wasOpened = true
                let answer = OutboundMessage(protocolID: .interactionModel, opcode: 1, payload: [0x15, 0x18])
                for _ in 0..<control >> 6 {
                    // A queue that is full says so; that is its limit at work.
                    if let sent = try? layer.send(answer, on: exchange, now: now) { try perform(sent, 0) }
                }
                if control & 16 != 0 { try perform(layer.close(exchange, now: now), 0) }
            case .delivered, .failed, .sessionClosed: break
            }
        }
    }

    static var seeds: [[UInt8]] {
        func inner(_ opcode: UInt8, _ id: UInt16, _ protocolID: ProtocolID) -> [UInt8] {
            ProtocolHeader(
                isFromInitiator: true, isReliable: true, opcode: opcode, exchangeID: ExchangeID(rawValue: id),
                protocolID: protocolID, acknowledged: id == 3 ? MessageCounter(rawValue: 5) : nil
            ).encoded() + [0x15, 0x18]
        }
        let read = InteractionOpcode.readRequest.rawValue
        return [
            FuzzMessages.encode([
                (1, inner(read, 1, .interactionModel)), (9, inner(read, 2, .interactionModel)), (0x83, []),
                (0x51, inner(read, 3, .interactionModel)), (5, inner(read, 3, .interactionModel)),
            ]),
            FuzzMessages.encode([
                (2, inner(SecureChannelOpcode.pbkdfParamRequest.rawValue, 1, .secureChannel)),
                (0x22, inner(SecureChannelOpcode.sigma1.rawValue, 1, .secureChannel)), (0xF3, []),
            ]),
            FuzzMessages.encode([(1, inner(0x40, 1, .secureChannel) + StatusReport.closeSession.encoded())]),
        ]
    }
}
