public import MatterCrypto
public import MatterWire

/// The side of CASE that is asked for a session (Core §4.14.2). Answers an offered resumption with a full handshake.
///
/// ```
///               Sigma1, fabric found        Sigma3, identity right
///  awaitingSigma1 ──────────▶ awaitingSigma3 ────────────▶ done, established
///       └── failure report, bad message, ──┴─────────────▶ done, failed
///           end of exchange, deadline, cancel
/// ```
public struct CASEResponder: Sendable {
    private enum State: Sendable {
        case awaitingSigma1
        case awaitingSigma3(Pending)
        case done
    }

    private struct Pending: Sendable {
        let fabric: FabricCredentials
        let ipk: [UInt8]
        let sigma1: [UInt8]
        let sigma2: [UInt8]
        let secret: [UInt8]
        let ownKey: [UInt8]
        let initiatorKey: [UInt8]
        let peerSessionID: SessionID
        let parameters: SessionParameters?
    }

    private let fabrics: [FabricCredentials]
    private let localSessionID: SessionID
    private let parameters: SessionParameters
    private let wallClock: EpochSeconds?
    private let secrets: any SecretSource
    private var state = State.awaitingSigma1
    /// When ``timerFired(now:)`` is next due; `nil` after the end.
    public private(set) var deadline: MonotonicInstant?

    /// - Parameters:
    ///   - fabrics: every fabric that this node is on.
    ///   - localSessionID: from ``MessageLayer/allocateSessionID()``.
    ///   - sessionParameters: what to tell the peer of this node.
    ///   - wallClock: judges the validity of the peer's certificates; `nil` when the time is not known.
    public init(
        fabrics: [FabricCredentials], localSessionID: SessionID, sessionParameters: SessionParameters,
        wallClock: EpochSeconds?, secrets: any SecretSource, now: MonotonicInstant
    ) {
        self.fabrics = fabrics
        self.localSessionID = localSessionID
        parameters = sessionParameters
        self.wallClock = wallClock
        self.secrets = secrets
        deadline = now.advanced(by: CASEInitiator.timeLimit)
    }

    /// Takes a message of the handshake's exchange, the first one too. After the end nothing happens.
    public mutating func received(_ message: InboundMessage) -> [HandshakeAction] {
        do {
            switch state {
            case .awaitingSigma1: return try receivedSigma1(message)
            case .awaitingSigma3(let pending): return try receivedSigma3(message, pending)
            case .done: return []
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
        return end(HandshakeError(.timedOut, at: step, "the initiator does not go on"))
    }

    /// Gives up, telling the peer.
    public mutating func cancel() -> [HandshakeAction] {
        guard let step else { return [] }
        return end(HandshakeError(.cancelled, at: step, "cancelled"))
    }

    // MARK: - Steps

    private var step: HandshakeFailure.Step? {
        switch state {
        case .awaitingSigma1: .sigma1
        case .awaitingSigma3: .sigma3
        case .done: nil
        }
    }

    private mutating func receivedSigma1(_ message: InboundMessage) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .sigma1, at: .sigma1)
        let sigma1: Sigma1
        do {
            sigma1 = try Sigma1(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .sigma1, "\(error)")
        }
        guard let (fabric, ipk) = try destination(of: sigma1) else {
            throw HandshakeError(
                .noSharedTrustRoots, at: .sigma1, "the initiator asks for a fabric or node that is not here",
                tell: .failure(.noSharedTrustRoots))
        }
        let sigma2: [UInt8]
        do {
            let ownKey = try P256PrivateKey.generate(using: secrets)
            let secret = try CASEProof.secret(of: ownKey, with: sigma1.initiatorEphemeralKey, at: .sigma1)
            sigma2 = try makeSigma2(
                fabric: fabric, ipk: ipk, sigma1: payload, ownKey: ownKey.publicKey.bytes,
                initiatorKey: sigma1.initiatorEphemeralKey, secret: secret)
            state = .awaitingSigma3(
                Pending(
                    fabric: fabric, ipk: ipk, sigma1: payload, sigma2: sigma2, secret: secret,
                    ownKey: ownKey.publicKey.bytes, initiatorKey: sigma1.initiatorEphemeralKey,
                    peerSessionID: sigma1.initiatorSessionID, parameters: sigma1.sessionParameters))
        } catch let error as CryptoError {
            throw HandshakeError(.cryptography, at: .sigma2, error.reason)
        } catch let error as HandshakeError {
            throw error
        } catch {
            throw HandshakeError(.cryptography, at: .sigma2, "\(error)")
        }
        return [
            .peerTiming(MRPParameters(sigma1.sessionParameters)), .send(OutboundMessage(.sigma2, sigma2)),
        ]
    }

    private func destination(
        of sigma1: Sigma1
    ) throws(HandshakeError) -> (FabricCredentials, ipk: [UInt8])? {
        do {
            for fabric in fabrics {
                if let ipk = try fabric.ipk(matching: sigma1) { return (fabric, ipk) }
            }
            return nil
        } catch {
            throw HandshakeError(.cryptography, at: .sigma1, error.reason)
        }
    }

    private func makeSigma2(
        fabric: FabricCredentials, ipk: [UInt8], sigma1: [UInt8], ownKey: [UInt8], initiatorKey: [UInt8],
        secret: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let random = try secrets.bytes(32)
        let key = try CASEKeys.sigma2(
            secret: secret, ipk: ipk, responderRandom: random, responderKey: ownKey, sigma1: sigma1)
        let proof = try CASEProof.make(
            fabric: fabric, senderKey: ownKey, receiverKey: initiatorKey, resumptionID: try secrets.bytes(16))
        return Sigma2(
            responderRandom: random, responderSessionID: localSessionID, responderEphemeralKey: ownKey,
            encrypted: try AESCCM(key: key).seal(proof.encoded(), nonce: CASEKeys.sigma2Nonce),
            sessionParameters: parameters
        ).encoded()
    }

    private mutating func receivedSigma3(
        _ message: InboundMessage, _ pending: Pending
    ) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .sigma3, at: .sigma3)
        let sigma3: Sigma3
        do {
            sigma3 = try Sigma3(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .sigma3, "\(error)")
        }
        let key: [UInt8]
        let keys: SessionKeys
        do {
            key = try CASEKeys.sigma3(
                secret: pending.secret, ipk: pending.ipk, sigma1: pending.sigma1, sigma2: pending.sigma2)
            keys = try CASEKeys.session(
                secret: pending.secret, ipk: pending.ipk, sigma1: pending.sigma1, sigma2: pending.sigma2,
                sigma3: payload)
        } catch {
            throw HandshakeError(.cryptography, at: .sigma3, error.reason)
        }
        let initiator = try CASEProof.check(
            sigma3.encrypted, key: key, nonce: CASEKeys.sigma3Nonce, senderKey: pending.initiatorKey,
            receiverKey: pending.ownKey, root: pending.fabric.root,
            fabricID: pending.fabric.fabricID, wallClock: wallClock, step: .sigma3)
        finish()
        return [
            .send(OutboundMessage(.sessionEstablished)),
            .established(
                EstablishedSession(
                    kind: .case, localSessionID: localSessionID, peerSessionID: pending.peerSessionID, keys: keys,
                    isInitiator: false, peerParameters: pending.parameters, localNode: pending.fabric.nodeID,
                    peerNode: initiator.nodeID, fabricIndex: pending.fabric.fabricIndex, cats: initiator.cats)),
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
