import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

@Suite("PASE that fails (Core §4.14.1)")
struct PASEFailureTests {
    private var pair = Pair()

    init() throws { try pair.device.openWindow(passcode: PairTests.passcode) }

    private mutating func start(passcode: UInt32 = PairTests.passcode) throws {
        try pair.commissioner.startPASE(with: pair.device.address, passcode: passcode, now: pair.now)
        pair.run()
        #expect(pair.device.deadline == nil && pair.device.layer.exchanges.isEmpty, pair.trace)
        #expect(pair.commissioner.deadline == nil && pair.commissioner.layer.exchanges.isEmpty, pair.trace)
    }

    @Test mutating func `a wrong passcode is named on both sides`() throws {
        try start(passcode: 11_223_344)
        #expect(pair.commissioner.handshakeFailures.map(\.code) == [.wrongPasscode], pair.trace)
        #expect(pair.device.handshakeFailures.map(\.code) == [.wrongPasscode], pair.trace)
        // The next try with the right one gets in.
        try start()
        #expect(pair.commissioner.established.count == 1, pair.trace)
    }

    @Test mutating func `a wrong confirmation is answered with invalidParameter`() throws {
        pair.network.interference = { datagram in
            var datagram = datagram
            if isOpcode(.pake3, datagram.bytes) { datagram.bytes[datagram.bytes.count - 3] ^= 1 }
            return datagram
        }
        try start()
        let failure = try #require(pair.commissioner.handshakeFailures.first)
        #expect(failure.code == .wrongPasscode && failure.step == .statusReport)
        #expect(failure.peerStatus == .failure(.invalidParameter))
        #expect(pair.device.handshakeFailures.map(\.code) == [.wrongPasscode])
        #expect(pair.device.established.isEmpty)
    }

    @Test mutating func `no window, no handshake`() throws {
        pair.device.server.commissioning = .closed
        try start()
        let failure = try #require(pair.commissioner.handshakeFailures.first)
        #expect(failure.code == .refused && failure.step == .pbkdfParamResponse)
        #expect(failure.peerStatus == .failure(.invalidParameter))
    }

    @Test mutating func `a device with a commissioner says how long to wait`() throws {
        pair.device.server.commissioning = .occupied
        try start()
        #expect(pair.commissioner.handshakeFailures.map(\.code) == [.busy(wait: .milliseconds(500))], pair.trace)
    }

    @Test mutating func `a second handshake at the same time is told to wait`() throws {
        try pair.commissioner.startPASE(with: pair.device.address, passcode: PairTests.passcode, now: pair.now)
        try start()
        #expect(pair.commissioner.handshakeFailures.map(\.code) == [.busy(wait: .milliseconds(500))], pair.trace)
        #expect(pair.commissioner.established.count == 1 && pair.device.established.count == 1)
    }

    @Test mutating func `a device that is not there is told apart from one that refuses`() throws {
        pair.network.interference = { _ in nil }
        try start()
        let failure = try #require(pair.commissioner.handshakeFailures.first)
        #expect(failure.code == .noAnswer && failure.step == .pbkdfParamResponse)
        #expect(failure.reason.contains("5 transmissions"))
    }

    @Test(arguments: [SecureChannelOpcode.pake1, .pake2, .pake3, .statusReport])
    func `a peer that vanishes midway leaves nothing behind`(opcode: SecureChannelOpcode) throws {
        var copy = self
        copy.pair.network.interference = { datagram in
            isOpcode(opcode, datagram.bytes) || isOpcode(.standaloneAck, datagram.bytes) ? nil : datagram
        }
        try copy.start()
        #expect(copy.pair.commissioner.handshakeFailures.map(\.code) == [.noAnswer], copy.pair.trace)
    }

    @Test mutating func `a peer that acknowledges and does not go on runs out of time`() throws {
        let exchange = try pair.commissioner.startPASE(
            with: pair.device.address, passcode: PairTests.passcode, now: pair.now)
        // The commissioner's machine stands still, but its layer goes on acknowledging.
        guard case .pase(var machine)? = pair.commissioner.initiators[exchange] else { return }
        pair.commissioner.initiators[exchange] = nil
        pair.run(limit: .seconds(70))
        #expect(pair.device.handshakeFailures.map(\.code) == [.timedOut], pair.trace)
        #expect(pair.device.layer.exchanges.isEmpty && pair.now.sinceStart >= PASEInitiator.timeLimit)
        // The standing machine gives up at its own time, once.
        #expect(machine.timerFired(now: MonotonicInstant(sinceStart: .seconds(59))).isEmpty)
        let end = machine.timerFired(now: MonotonicInstant(sinceStart: .seconds(60)))
        guard case .failed(let failure)? = end.last else {
            Issue.record("\(end)")
            return
        }
        #expect(failure.code == .timedOut && machine.deadline == nil)
        #expect(machine.timerFired(now: MonotonicInstant(sinceStart: .seconds(61))).isEmpty)
    }
}

@Suite("PASE machines, one event at a time (Core §4.14.1)")
struct PASEMachineTests {
    private let secrets = SeededSecretSource(seed: 5)
    private let stretching = PBKDFParameters(iterations: 1000, salt: [UInt8](repeating: 7, count: 16))

    private func initiator() -> PASEInitiator {
        PASEInitiator(
            passcode: PairTests.passcode, localSessionID: SessionID(rawValue: 11), sessionParameters: .init(),
            secrets: secrets)
    }

    private func responder() throws -> PASEResponder {
        let verifier = try PAKEVerifier.compute(
            passcode: PairTests.passcode, salt: stretching.salt, iterations: 1000)
        return PASEResponder(
            verifier: verifier, stretching: stretching, localSessionID: SessionID(rawValue: 22),
            sessionParameters: .init(), secrets: secrets, now: at(0))
    }

    /// Runs both machines until `count` messages were exchanged; gives the next message on its way.
    private func run(
        _ initiator: inout PASEInitiator, _ responder: inout PASEResponder, messages count: Int
    ) throws -> InboundMessage {
        var next = try #require(initiator.start(now: at(0)).message)
        for index in 0..<count {
            let actions = index.isMultiple(of: 2) ? responder.received(next) : initiator.received(next)
            next = try #require(actions.message)
        }
        return next
    }

    @Test func `every message out of place ends the handshake with a report`() throws {
        let opcodes: [SecureChannelOpcode] = [.pbkdfParamResponse, .pake2, .statusReport]
        for (place, expected) in opcodes.enumerated() {
            for opcode in [SecureChannelOpcode.pbkdfParamRequest, .pake1, .pake3, .sigma2, .standaloneAck]
            where opcode != expected {
                var a = initiator()
                var b = try responder()
                _ = try run(&a, &b, messages: place * 2)
                let actions = a.received(InboundMessage(opcode, [0x15, 0x18]))
                #expect(actions.failure?.code == .unexpectedMessage, "\(opcode) for \(expected)")
                #expect(actions.message?.secureChannelOpcode == .statusReport)
                #expect(a.deadline == nil && a.received(InboundMessage(expected, [])).isEmpty)
            }
        }
    }

    @Test func `the responder refuses messages out of place`() throws {
        let opcodes: [SecureChannelOpcode] = [.pbkdfParamRequest, .pake1, .pake3]
        for (place, expected) in opcodes.enumerated() {
            for opcode in [SecureChannelOpcode.pbkdfParamResponse, .pake2, .sigma1] {
                var a = initiator()
                var b = try responder()
                _ = try run(&a, &b, messages: place * 2)
                let actions = b.received(InboundMessage(opcode, [0x15, 0x18]))
                #expect(actions.failure?.code == .unexpectedMessage, "\(opcode) for \(expected)")
                #expect(actions.failure?.step.rawValue.lowercased() == "\(expected)".lowercased())
                #expect(b.deadline == nil && b.received(InboundMessage(expected, [])).isEmpty)
            }
        }
    }

    @Test func `garbage in any place is a malformed message`() throws {
        for place in 0..<3 {
            var a = initiator()
            var b = try responder()
            let next = try run(&a, &b, messages: place * 2)
            let opcode = try #require(next.secureChannelOpcode)
            #expect(b.received(InboundMessage(opcode, [0x15])).failure?.code == .malformedMessage)
            guard place < 2 else { continue }
            var c = initiator()
            var d = try responder()
            let answer = try run(&c, &d, messages: place * 2 + 1)
            let answerOpcode = try #require(answer.secureChannelOpcode)
            #expect(c.received(InboundMessage(answerOpcode, [0x15])).failure?.code == .malformedMessage)
        }
    }

    @Test func `parameters outside the limits are refused`() throws {
        for (iterations, salt) in [(999, 16), (100_001, 16), (1000, 15), (1000, 33)] {
            var a = initiator()
            let request = try #require(a.start(now: at(0)).message)
            let sent = try PBKDFParamRequest(decoding: request.payload)
            let response = PBKDFParamResponse(
                initiatorRandom: sent.initiatorRandom, responderRandom: [UInt8](repeating: 1, count: 32),
                responderSessionID: SessionID(rawValue: 5),
                pbkdfParameters: .init(iterations: UInt32(iterations), salt: [UInt8](repeating: 1, count: salt)))
            let actions = a.received(InboundMessage(.pbkdfParamResponse, response.encoded()))
            #expect(actions.failure?.code == .invalidParameter)
        }
    }

    @Test func `an answer to another request is refused`() throws {
        var a = initiator()
        _ = a.start(now: at(0))
        let response = PBKDFParamResponse(
            initiatorRandom: [UInt8](repeating: 9, count: 32), responderRandom: [UInt8](repeating: 1, count: 32),
            responderSessionID: SessionID(rawValue: 5), pbkdfParameters: stretching)
        #expect(
            a.received(InboundMessage(.pbkdfParamResponse, response.encoded())).failure?.code == .invalidParameter)
    }

    @Test func `another passcode than the device's own is refused`() throws {
        var b = try responder()
        let request = PBKDFParamRequest(
            initiatorRandom: [UInt8](repeating: 9, count: 32), initiatorSessionID: SessionID(rawValue: 1),
            passcodeID: 1)
        #expect(
            b.received(InboundMessage(.pbkdfParamRequest, request.encoded())).failure?.code == .invalidParameter)
    }

    @Test func `parameters that are known already are left out`() throws {
        var b = try responder()
        let request = PBKDFParamRequest(
            initiatorRandom: [UInt8](repeating: 9, count: 32), initiatorSessionID: SessionID(rawValue: 1),
            hasPBKDFParameters: true)
        let answer = try #require(b.received(InboundMessage(.pbkdfParamRequest, request.encoded())).message)
        #expect(try PBKDFParamResponse(decoding: answer.payload).pbkdfParameters == nil)
    }

    @Test func `a share that is no point ends the handshake`() throws {
        var a = initiator()
        var b = try responder()
        _ = try run(&a, &b, messages: 2)
        let pake1 = Pake1(share: [4] + [UInt8](repeating: 1, count: 64))
        #expect(b.received(InboundMessage(.pake1, pake1.encoded())).failure?.code == .invalidParameter)
    }

    @Test func `cancelling tells the peer once`() throws {
        var a = initiator()
        #expect(a.cancel().isEmpty, "nothing has begun")
        _ = a.start(now: at(0))
        #expect(a.start(now: at(0)).isEmpty)
        let actions = a.cancel()
        #expect(actions.failure?.code == .cancelled && actions.message != nil)
        #expect(a.cancel().isEmpty && a.exchangeFailed(.init(reason: .noAnswer)).isEmpty)
    }

    @Test func `success too early is no success`() throws {
        var a = initiator()
        _ = a.start(now: at(0))
        let early = InboundMessage(.statusReport, StatusReport.sessionEstablished.encoded())
        #expect(a.received(early).failure?.code == .unexpectedMessage)
    }
}

extension InboundMessage {
    init(_ opcode: SecureChannelOpcode, _ payload: [UInt8]) {
        self.init(protocolID: .secureChannel, opcode: opcode.rawValue, payload: payload)
    }
}

extension [HandshakeAction] {
    /// The message to send, as the peer gets it.
    var message: InboundMessage? {
        for case .send(let message) in self {
            return InboundMessage(protocolID: message.protocolID, opcode: message.opcode, payload: message.payload)
        }
        return nil
    }
    var failure: HandshakeFailure? {
        for case .failed(let failure) in self { return failure }
        return nil
    }
}
