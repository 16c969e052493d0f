public import MatterCrypto
public import MatterWire

/// The side of CASE that wants a session with a node of its fabric (Core §4.14.2). Does not offer resumption yet.
///
/// ```
///         start          Sigma2, identity right        success
///  idle ────────▶ awaitingSigma2 ─────────▶ awaitingStatus ───────▶ done, established
///                      └─── failure report, bad message, ──┴──────▶ done, failed
///                           end of exchange, deadline, cancel
/// ```
public struct CASEInitiator: Sendable {
    private enum State: Sendable {
        case idle
        case awaitingSigma2(sigma1: [UInt8], ephemeralKey: P256PrivateKey)
        case awaitingStatus(SessionKeys, responder: OperationalIdentity, Peer)
        case done
    }

    private struct Peer: Sendable {
        let sessionID: SessionID
        let parameters: SessionParameters?
    }

    /// How long a handshake may take as a whole.
    public static let timeLimit: Duration = .seconds(60)

    private let fabric: FabricCredentials
    private let peerNode: NodeID
    private let localSessionID: SessionID
    private let parameters: SessionParameters
    private let wallClock: EpochSeconds?
    private let secrets: any SecretSource
    private var state = State.idle
    /// When ``timerFired(now:)`` is next due; `nil` before the start and after the end.
    public private(set) var deadline: MonotonicInstant?

    /// - Parameters:
    ///   - peer: the node that must answer.
    ///   - localSessionID: from ``MessageLayer/allocateSessionID()``.
    ///   - sessionParameters: what to tell the peer of this node.
    ///   - wallClock: judges the validity of the peer's certificates; `nil` when the time is not known.
    public init(
        fabric: FabricCredentials, peer: NodeID, localSessionID: SessionID, sessionParameters: SessionParameters,
        wallClock: EpochSeconds?, secrets: any SecretSource
    ) {
        self.fabric = fabric
        peerNode = peer
        self.localSessionID = localSessionID
        parameters = sessionParameters
        self.wallClock = wallClock
        self.secrets = secrets
    }

    /// Sends the first message. Does nothing the second time.
    public mutating func start(now: MonotonicInstant) -> [HandshakeAction] {
        guard case .idle = state else { return [] }
        do {
            let random = try secrets.bytes(32)
            let ephemeralKey = try P256PrivateKey.generate(using: secrets)
            return try start(random: random, ephemeralKey: ephemeralKey, now: now)
        } catch {
            return end(HandshakeError(.cryptography, at: .sigma1, error.reason, tell: nil))
        }
    }

    /// The same with what would be drawn, for test vectors.
    mutating func start(
        random: [UInt8], ephemeralKey: P256PrivateKey, now: MonotonicInstant
    ) throws(CryptoError) -> [HandshakeAction] {
        let destinationID = try FabricKeys.destinationID(
            ipk: fabric.ipk, initiatorRandom: random, rootPublicKey: fabric.rootPublicKey,
            fabricID: fabric.fabricID, nodeID: peerNode)
        let sigma1 = Sigma1(
            initiatorRandom: random, initiatorSessionID: localSessionID, destinationID: destinationID,
            initiatorEphemeralKey: ephemeralKey.publicKey.bytes, sessionParameters: parameters
        ).encoded()
        state = .awaitingSigma2(sigma1: sigma1, ephemeralKey: ephemeralKey)
        deadline = now.advanced(by: Self.timeLimit)
        return [.send(OutboundMessage(.sigma1, sigma1))]
    }

    /// Takes a message of the handshake's exchange. After the end nothing happens.
    public mutating func received(_ message: InboundMessage) -> [HandshakeAction] {
        do {
            switch state {
            case .idle, .done: return []
            case .awaitingSigma2(let sigma1, let ephemeralKey):
                return try receivedSigma2(message, sigma1: sigma1, ephemeralKey: ephemeralKey)
            case .awaitingStatus(let keys, let responder, let peer):
                return try receivedStatus(message, keys: keys, responder: responder, peer: peer)
            }
        } catch {
            return end(error)
        }
    }

    /// The exchange is over without being closed by this side.
    public mutating func exchangeFailed(_ failure: ExchangeFailure) -> [HandshakeAction] {
        guard let step else { return [] }
        return end(HandshakeError(HandshakeFailure(failure, at: step), tell: nil))
    }

    /// Gives up when ``deadline`` has come.
    public mutating func timerFired(now: MonotonicInstant) -> [HandshakeAction] {
        guard let deadline, now >= deadline, let step else { return [] }
        return end(HandshakeError(.timedOut, at: step, "the node acknowledges but does not go on"))
    }

    /// Gives up, telling the peer.
    public mutating func cancel() -> [HandshakeAction] {
        guard let step else { return [] }
        return end(HandshakeError(.cancelled, at: step, "cancelled"))
    }

    // MARK: - Steps

    private var step: HandshakeFailure.Step? {
        switch state {
        case .idle, .done: nil
        case .awaitingSigma2: .sigma2
        case .awaitingStatus: .statusReport
        }
    }

    private mutating func receivedSigma2(
        _ message: InboundMessage, sigma1: [UInt8], ephemeralKey: P256PrivateKey
    ) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .sigma2, at: .sigma2)
        let sigma2: Sigma2
        do {
            sigma2 = try Sigma2(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .sigma2, "\(error)")
        }
        let secret = try CASEProof.secret(of: ephemeralKey, with: sigma2.responderEphemeralKey, at: .sigma2)
        let decryptionKey: [UInt8]
        do {
            decryptionKey = try CASEKeys.sigma2(
                secret: secret, ipk: fabric.ipk, responderRandom: sigma2.responderRandom,
                responderKey: sigma2.responderEphemeralKey, sigma1: sigma1)
        } catch {
            throw HandshakeError(.cryptography, at: .sigma2, error.reason)
        }
        let responder = try CASEProof.check(
            sigma2.encrypted, key: decryptionKey, nonce: CASEKeys.sigma2Nonce,
            senderKey: sigma2.responderEphemeralKey, receiverKey: ephemeralKey.publicKey.bytes, root: fabric.root,
            fabricID: fabric.fabricID, wallClock: wallClock, step: .sigma2)
        guard responder.nodeID == peerNode else {
            throw HandshakeError(.wrongNode, at: .sigma2, "another node of the fabric answered")
        }
        let sigma3: [UInt8]
        do {
            let key = try CASEKeys.sigma3(secret: secret, ipk: fabric.ipk, sigma1: sigma1, sigma2: payload)
            let proof = try CASEProof.make(
                fabric: fabric, senderKey: ephemeralKey.publicKey.bytes, receiverKey: sigma2.responderEphemeralKey)
            sigma3 = Sigma3(
                encrypted: try AESCCM(key: key).seal(proof.encoded(), nonce: CASEKeys.sigma3Nonce)
            ).encoded()
            let keys = try CASEKeys.session(
                secret: secret, ipk: fabric.ipk, sigma1: sigma1, sigma2: payload, sigma3: sigma3)
            state = .awaitingStatus(
                keys, responder: responder,
                Peer(sessionID: sigma2.responderSessionID, parameters: sigma2.sessionParameters))
        } catch {
            throw HandshakeError(.cryptography, at: .sigma3, error.reason)
        }
        return [
            .peerTiming(MRPParameters(sigma2.sessionParameters)), .send(OutboundMessage(.sigma3, sigma3)),
        ]
    }

    private mutating func receivedStatus(
        _ message: InboundMessage, keys: SessionKeys, responder: OperationalIdentity, peer: Peer
    ) throws(HandshakeError) -> [HandshakeAction] {
        let report = try message.statusReport(at: .statusReport)
        guard report.isSessionEstablished else {
            throw HandshakeError(HandshakeFailure(report, at: .statusReport), tell: nil)
        }
        finish()
        return [
            .established(
                EstablishedSession(
                    kind: .case, localSessionID: localSessionID, peerSessionID: peer.sessionID, keys: keys,
                    isInitiator: true, peerParameters: peer.parameters, localNode: fabric.nodeID,
                    peerNode: responder.nodeID, fabricIndex: fabric.fabricIndex, cats: responder.cats))
        ]
    }

    private mutating func end(_ error: HandshakeError) -> [HandshakeAction] {
        finish()
        return error.actions
    }

    private mutating func finish() {
        state = .done
        deadline = nil
    }
}
