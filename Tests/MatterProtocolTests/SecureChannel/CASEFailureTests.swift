import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import MatterProtocol

@Suite("CASE that fails (Core §4.14.2)")
struct CASEFailureTests {
    private let fabric: TestFabric
    private var pair = Pair()

    init() throws {
        fabric = try TestFabric(seed: 9)
        pair.device.server.fabrics = [try fabric.member(PairTests.deviceNode.rawValue)]
    }

    private mutating func start(
        _ credentials: FabricCredentials, node: NodeID = PairTests.deviceNode, wallClock: EpochSeconds? = nil
    ) throws -> HandshakeFailure {
        try pair.commissioner.startCASE(
            with: pair.device.address, fabric: credentials, node: node, wallClock: wallClock, now: pair.now)
        pair.run()
        #expect(pair.device.deadline == nil && pair.device.layer.exchanges.isEmpty, pair.trace)
        #expect(pair.commissioner.established.isEmpty && pair.device.established.isEmpty, pair.trace)
        return try #require(pair.commissioner.handshakeFailures.first, pair.trace)
    }

    private mutating func succeed(_ credentials: FabricCredentials) throws {
        try pair.commissioner.startCASE(
            with: pair.device.address, fabric: credentials, node: PairTests.deviceNode, now: pair.now)
        let isDone = pair.run(until: { $0.commissioner.established.count == 1 })
        #expect(isDone, pair.trace)
    }

    @Test mutating func `another fabric finds no shared root`() throws {
        let other = try TestFabric(seed: 10)
        let failure = try start(try other.member(1))
        #expect(failure.code == .noSharedTrustRoots && failure.step == .sigma2)
        #expect(failure.peerStatus == .failure(.noSharedTrustRoots))
        #expect(pair.device.handshakeFailures.map(\.code) == [.noSharedTrustRoots])
    }

    @Test mutating func `another node id finds no shared root`() throws {
        #expect(try start(try fabric.member(1), node: NodeID(rawValue: 0x9999)).code == .noSharedTrustRoots)
    }

    @Test mutating func `another group key finds no shared root`() throws {
        let stranger = try fabric.member(1, epochKeys: [[UInt8](repeating: 9, count: 16)])
        #expect(try start(stranger).code == .noSharedTrustRoots)
    }

    @Test mutating func `each epoch key of the responder serves`() throws {
        let other = [UInt8](repeating: 9, count: 16)
        pair.device.server.fabrics = [
            try fabric.member(PairTests.deviceNode.rawValue, epochKeys: [other, fabric.epochKey])
        ]
        try succeed(try fabric.member(1))
    }

    @Test(arguments: [SecureChannelOpcode.sigma1, .sigma2, .sigma3], 0..<8)
    func `a tampered message makes no session`(opcode: SecureChannelOpcode, place: Int) throws {
        var copy = self
        copy.pair.network.interference = { datagram in
            var datagram = datagram
            if isOpcode(opcode, datagram.bytes) {
                datagram.bytes[36 + (datagram.bytes.count - 40) * place / 8] ^= 0x40
            }
            return datagram
        }
        let failure = try copy.start(try fabric.member(1))
        let expected: Set<HandshakeFailure.Code> = [
            .authenticationFailed, .malformedMessage, .invalidParameter, .refused, .noSharedTrustRoots,
        ]
        #expect(expected.contains(failure.code), "\(failure)")
    }

    @Test mutating func `a tampered Sigma3 is refused by the responder`() throws {
        pair.network.interference = { datagram in
            var datagram = datagram
            if isOpcode(.sigma3, datagram.bytes) { datagram.bytes[datagram.bytes.count - 5] ^= 1 }
            return datagram
        }
        let failure = try start(try fabric.member(1))
        #expect(failure.code == .refused && failure.peerStatus == .failure(.invalidParameter))
        #expect(pair.device.handshakeFailures.map(\.code) == [.authenticationFailed])
    }

    @Test mutating func `another member of the fabric can't answer in the node's place`() throws {
        // The impostor knows the group key, and takes the node's destination id for its own.
        var impostor = try fabric.member(0x6666)
        impostor.nodeID = PairTests.deviceNode
        pair.device.server.fabrics = [impostor]
        let failure = try start(try fabric.member(1))
        #expect(failure.code == .wrongNode && failure.step == .sigma2)
    }

    @Test mutating func `a certificate of another root proves nothing`() throws {
        // It knows the group key and the root, but its certificate has another one.
        let other = try TestFabric(seed: 10)
        let stranger = try other.member(1)
        let real = try fabric.member(2)
        var initiator = CASEInitiator(
            fabric: real, peer: PairTests.deviceNode, localSessionID: SessionID(rawValue: 1),
            sessionParameters: .init(),
            wallClock: nil, secrets: fabric.secrets)
        let sigma1 = try #require(initiator.start(now: at(0)).message)
        var responder = CASEResponder(
            fabrics: pair.device.server.fabrics, localSessionID: SessionID(rawValue: 2), sessionParameters: .init(),
            wallClock: nil, secrets: fabric.secrets, now: at(0))
        let sigma2 = try #require(responder.received(sigma1).message)
        let sigma3 = try #require(initiator.received(sigma2).message)
        #expect(sigma3.secureChannelOpcode == .sigma3)
        // The same proof, checked under the stranger's root.
        let proof = try CASEProof.make(
            fabric: stranger, senderKey: [UInt8](repeating: 4, count: 65),
            receiverKey: [UInt8](repeating: 4, count: 65))
        let key = [UInt8](repeating: 1, count: 16)
        let sealed = try AESCCM(key: key).seal(proof.encoded(), nonce: CASEKeys.sigma3Nonce)
        do {
            _ = try CASEProof.check(
                sealed, key: key, nonce: CASEKeys.sigma3Nonce, senderKey: [UInt8](repeating: 4, count: 65),
                receiverKey: [UInt8](repeating: 4, count: 65), root: real.root, fabricID: real.fabricID,
                wallClock: nil, step: .sigma3)
            Issue.record("accepted")
        } catch {
            #expect(error.failure.code == .untrustedIdentity)
        }
    }

    @Test mutating func `an expired certificate is refused when the time is known`() throws {
        pair.device.server.fabrics = [
            try fabric.member(PairTests.deviceNode.rawValue, notAfter: EpochSeconds(rawValue: 100))
        ]
        let failure = try start(try fabric.member(1), wallClock: EpochSeconds(rawValue: 101))
        #expect(failure.code == .untrustedIdentity && failure.reason.contains("expired"), "\(failure)")
    }

    @Test mutating func `a ninth handshake at one time is told to wait`() throws {
        let admin = try fabric.member(1)
        for _ in 0...HandshakeServer.caseLimit {
            try pair.commissioner.startCASE(
                with: pair.device.address, fabric: admin, node: PairTests.deviceNode, now: pair.now)
        }
        pair.run()
        #expect(pair.commissioner.established.count == HandshakeServer.caseLimit, pair.trace)
        #expect(pair.commissioner.handshakeFailures.map(\.code) == [.busy(wait: .milliseconds(500))], pair.trace)
    }

    @Test mutating func `tags of the certificate reach the session`() throws {
        let tag = CASEAuthenticatedTag(rawValue: 0x0001_0002)
        try succeed(try fabric.member(1, cats: [tag]))
        #expect(pair.device.established.first?.session.cats == [tag])
    }

    @Test mutating func `both sides may begin at the same time`() throws {
        let admin = try fabric.member(1)
        let device = pair.device.server.fabrics[0]
        pair.commissioner.server.fabrics = [admin]
        try pair.commissioner.startCASE(
            with: pair.device.address, fabric: admin, node: PairTests.deviceNode, now: pair.now)
        try pair.device.startCASE(
            with: pair.commissioner.address, fabric: device, node: NodeID(rawValue: 1), now: pair.now)
        pair.run()
        #expect(pair.commissioner.established.count == 2 && pair.device.established.count == 2, pair.trace)
    }

    @Test func `an offered resumption is answered with a full handshake`() throws {
        let admin = try fabric.member(1)
        var initiator = CASEInitiator(
            fabric: admin, peer: PairTests.deviceNode, localSessionID: SessionID(rawValue: 1),
            sessionParameters: .init(),
            wallClock: nil, secrets: fabric.secrets)
        let message = try #require(initiator.start(now: at(0)).message)
        var sigma1 = try Sigma1(decoding: message.payload)
        sigma1.resumption = .init(id: [UInt8](repeating: 1, count: 16), mic: [UInt8](repeating: 2, count: 16))
        var responder = CASEResponder(
            fabrics: pair.device.server.fabrics, localSessionID: SessionID(rawValue: 2), sessionParameters: .init(),
            wallClock: nil, secrets: fabric.secrets, now: at(0))
        let answer = responder.received(InboundMessage(.sigma1, sigma1.encoded()))
        #expect(answer.message?.secureChannelOpcode == .sigma2)
    }

    @Test func `every message out of place ends the handshake`() throws {
        let admin = try fabric.member(1)
        for opcode in [SecureChannelOpcode.sigma1, .sigma3, .pake2, .sigma2Resume] {
            var initiator = CASEInitiator(
                fabric: admin, peer: PairTests.deviceNode, localSessionID: SessionID(rawValue: 1),
                sessionParameters: .init(), wallClock: nil, secrets: fabric.secrets)
            #expect(initiator.received(InboundMessage(.sigma2, [])).isEmpty, "nothing has begun")
            _ = initiator.start(now: at(0))
            #expect(initiator.received(InboundMessage(opcode, [0x15, 0x18])).failure?.code == .unexpectedMessage)
            #expect(initiator.deadline == nil && initiator.cancel().isEmpty)
        }
        for opcode in [SecureChannelOpcode.sigma2, .sigma3, .pake1] {
            var responder = CASEResponder(
                fabrics: [admin], localSessionID: SessionID(rawValue: 2), sessionParameters: .init(), wallClock: nil,
                secrets: fabric.secrets, now: at(0))
            #expect(responder.received(InboundMessage(opcode, [0x15, 0x18])).failure?.code == .unexpectedMessage)
        }
        for opcode in [SecureChannelOpcode.sigma1, .sigma2, .sigma3] {
            var responder = CASEResponder(
                fabrics: [admin], localSessionID: SessionID(rawValue: 2), sessionParameters: .init(), wallClock: nil,
                secrets: fabric.secrets, now: at(0))
            let actions = responder.received(InboundMessage(opcode, [0x15]))
            #expect(actions.failure?.code == (opcode == .sigma1 ? .malformedMessage : .unexpectedMessage))
            #expect(responder.deadline == nil)
        }
    }
}

@Suite("Fabric credentials")
struct FabricCredentialsTests {
    @Test func `take what belongs together only`() throws {
        let fabric = try TestFabric(seed: 3)
        let member = try fabric.member(7, index: 4)
        #expect(member.nodeID == NodeID(rawValue: 7) && member.fabricID == fabric.fabricID)
        #expect(member.ipk != fabric.epochKey && member.ipk.count == 16)
        let otherKey = try P256PrivateKey.generate(using: fabric.secrets)
        #expect(throws: FabricCredentialsError.otherKey) {
            try FabricCredentials(
                fabricIndex: FabricIndex(rawValue: 1), rootCertificate: member.rootCertificate, icac: nil,
                noc: member.noc, operationalKey: otherKey, epochKeys: [fabric.epochKey])
        }
        #expect(throws: FabricCredentialsError.epochKeys) {
            try FabricCredentials(
                fabricIndex: FabricIndex(rawValue: 1), rootCertificate: member.rootCertificate, icac: nil,
                noc: member.noc, operationalKey: member.operationalKey, epochKeys: [])
        }
        let stranger = try TestFabric(seed: 4).member(7)
        #expect(throws: FabricCredentialsError.self) {
            try FabricCredentials(
                fabricIndex: FabricIndex(rawValue: 1), rootCertificate: stranger.rootCertificate, icac: nil,
                noc: member.noc, operationalKey: member.operationalKey, epochKeys: [fabric.epochKey])
        }
    }
}
