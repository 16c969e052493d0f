import MatterCrypto
import MatterModel
import MatterProtocol
import MatterWire
import TestSupport

/// Handshakes whose other side the input plays. With the same draws on both sides, a dialogue that was recorded once is
/// right again: so the seeds reach the last message.
struct HandshakeBench {
    private static let parameters = SessionParameters(idleInterval: 500, activeInterval: 300, maxPathsPerInvoke: 1)
    private var server = HandshakeServer(
        fabrics: [FuzzHome.device],
        commissioning: .open(
            FuzzHome.pake.verifier, PBKDFParameters(iterations: 1_000, salt: FuzzHome.salt)),
        sessionParameters: parameters, secrets: SeededSecretSource(seed: 2))
    private var now = FuzzHome.start
    private var answers: [OutboundMessage] = []
    private var wasAnswered = false

    /// A message begins with its opcode; the low bits of the control byte are the exchange, the highest lets time pass.
    mutating func run(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        for message in FuzzMessages(input) {
            let exchange = ExchangeHandle(rawValue: UInt64(message.control & 0x0F) + 1)
            if message.control & 0x80 != 0 {
                now = now.advanced(by: .seconds(30))
                try take(server.timerFired(now: now))
            }
            guard let opcode = message.bytes.first else {
                try take(server.exchangeFailed(exchange, ExchangeFailure(reason: .noAnswer)))
                continue
            }
            let inbound = InboundMessage(
                protocolID: .secureChannel, opcode: opcode, payload: Array(message.bytes.dropFirst()))
            try take(
                server.contains(exchange)
                    ? server.received(exchange, inbound)
                    : server.opened(
                        exchange, inbound, localSessionID: SessionID(rawValue: 7), wallClock: FuzzHome.wallClock,
                        now: now))
            try hold(server.count <= HandshakeServer.caseLimit + 1, "\(server.count) handshakes")
        }
        try take(server.timerFired(now: now.advanced(by: .seconds(3_600))))
        try hold(server.count == 0, "a handshake without an end")
        return wasAnswered ? .accepted : .rejected
    }

    private mutating func take(_ actions: [HandshakeServer.Action]) throws {
        for action in actions {
            switch action {
            case .send(let message, _):
                try hold(message.payload.count <= MessageLayer.maximumPayloadCount, "too long a message")
                if message.opcode != SecureChannelOpcode.statusReport.rawValue { wasAnswered = true }
                answers.append(message)
            case .established, .failed, .peerTiming: break
            case .close(let exchange): try hold(!server.contains(exchange), "closed, and goes on")
            }
        }
    }

    // MARK: - The other side

    /// Feeds both initiators, each with every message. The first byte of a message is its opcode.
    static func runInitiators(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        var pase = initiator
        var exchanges = caseInitiator
        _ = pase.start(now: FuzzHome.start)
        _ = exchanges.start(now: FuzzHome.start)
        var wentOn = false
        for message in FuzzMessages(input) {
            guard let opcode = message.bytes.first else { continue }
            let inbound = InboundMessage(
                protocolID: .secureChannel, opcode: opcode, payload: Array(message.bytes.dropFirst()))
            for case .send(let answer) in pase.received(inbound) + exchanges.received(inbound)
            where answer.opcode != SecureChannelOpcode.statusReport.rawValue {
                wentOn = true
            }
        }
        for actions in [pase.timerFired(now: FuzzHome.start.advanced(by: .seconds(3_600))), pase.cancel()] {
            for case .established in actions { throw FuzzFailure("a session out of a deadline") }
        }
        try hold(pase.deadline == nil, "a PASE handshake without an end")
        return wentOn ? .accepted : .rejected
    }

    private static var initiator: PASEInitiator {
        PASEInitiator(
            passcode: 20_202_021, localSessionID: SessionID(rawValue: 8), sessionParameters: parameters,
            secrets: SeededSecretSource(seed: 3))
    }

    private static var caseInitiator: CASEInitiator {
        CASEInitiator(
            fabric: FuzzHome.controller, peer: FuzzHome.deviceID, localSessionID: SessionID(rawValue: 8),
            sessionParameters: parameters, wallClock: FuzzHome.wallClock, secrets: SeededSecretSource(seed: 3))
    }

    // MARK: - Recorded dialogues

    private typealias Step = (InboundMessage) -> [HandshakeAction]

    /// Lets an initiator speak with a fresh server.
    ///
    /// - Returns: what the initiator said, and what it heard.
    private static func record(_ first: [HandshakeAction], _ step: Step) throws -> (said: [[UInt8]], heard: [[UInt8]]) {
        var bench = HandshakeBench()
        var said: [[UInt8]] = []
        var heard: [[UInt8]] = []
        var pending = first
        while !pending.isEmpty {
            let action = pending.removeFirst()
            guard case .send(let message) = action else { continue }
            said.append([message.opcode] + message.payload)
            bench.answers = []
            _ = try bench.runOne([message.opcode] + message.payload)
            for answer in bench.answers {
                heard.append([answer.opcode] + answer.payload)
                pending += step(
                    InboundMessage(protocolID: .secureChannel, opcode: answer.opcode, payload: answer.payload))
            }
        }
        return (said, heard)
    }

    private mutating func runOne(_ bytes: [UInt8]) throws {
        let exchange = ExchangeHandle(rawValue: 1)
        let inbound = InboundMessage(
            protocolID: .secureChannel, opcode: bytes[0], payload: Array(bytes.dropFirst()))
        try take(
            server.contains(exchange)
                ? server.received(exchange, inbound)
                : server.opened(
                    exchange, inbound, localSessionID: SessionID(rawValue: 7), wallClock: FuzzHome.wallClock, now: now))
    }

    private static func dialogues() throws -> [(said: [[UInt8]], heard: [[UInt8]])] {
        var pase = initiator
        var exchanges = caseInitiator
        return [
            try record(pase.start(now: FuzzHome.start)) { pase.received($0) },
            try record(exchanges.start(now: FuzzHome.start)) { exchanges.received($0) },
        ]
    }

    static func initiatorDialogues() throws -> [[UInt8]] {
        try dialogues().map { FuzzMessages.encode($0.said.map { (0, $0) }) }
    }

    static func responderDialogues() throws -> [[UInt8]] {
        try dialogues().map { FuzzMessages.encode($0.heard.map { (0, $0) }) }
    }
}
