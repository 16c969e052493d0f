public import MatterCrypto
public import MatterWire

/// The commissioner's side of PASE (Core §4.14.1).
///
/// ```
///         start               response             Pake2, cB right            success
///  idle ────────▶ awaitingResponse ──▶ awaitingPake2 ────────▶ awaitingStatus ───────▶ done
///                        └─────────────────┴── failure report, bad message, ───┴─────▶ done
///                                              end of exchange, deadline, cancel
/// ```
/// Costs one key stretching (up to 100,000 iterations) when the response comes.
public struct PASEInitiator: Sendable {
    private enum State: Sendable {
        case idle
        case awaitingResponse(request: [UInt8])
        case awaitingPake2(SPAKE2PlusProver, context: [UInt8], peer: Peer)
        case awaitingStatus(SessionKeys, peer: Peer)
        case done
    }

    private struct Peer: Sendable {
        let sessionID: SessionID
        let parameters: SessionParameters?
    }

    /// How long a handshake may take as a whole (Core §4.14.1.1 leaves it to the node; the SDK waits as long).
    public static let timeLimit: Duration = .seconds(60)

    private let passcode: UInt32
    private let localSessionID: SessionID
    private let parameters: SessionParameters
    private let secrets: any SecretSource
    private var state = State.idle
    /// When ``timerFired(now:)`` is next due; `nil` before the start and after the end.
    public private(set) var deadline: MonotonicInstant?

    /// - Parameters:
    ///   - passcode: 1 … 99,999,998.
    ///   - localSessionID: from ``MessageLayer/allocateSessionID()``.
    ///   - sessionParameters: what to tell the device of this node.
    public init(
        passcode: UInt32, localSessionID: SessionID, sessionParameters: SessionParameters,
        secrets: any SecretSource
    ) {
        self.passcode = passcode
        self.localSessionID = localSessionID
        parameters = sessionParameters
        self.secrets = secrets
    }

    /// Sends the first message. Does nothing the second time.
    public mutating func start(now: MonotonicInstant) -> [HandshakeAction] {
        guard case .idle = state else { return [] }
        do {
            let request = PBKDFParamRequest(
                initiatorRandom: try secrets.bytes(32), initiatorSessionID: localSessionID,
                sessionParameters: parameters
            ).encoded()
            state = .awaitingResponse(request: request)
            deadline = now.advanced(by: Self.timeLimit)
            return [.send(OutboundMessage(.pbkdfParamRequest, request))]
        } catch {
            return end(HandshakeError(.cryptography, at: .pbkdfParamRequest, error.reason, tell: nil))
        }
    }

    /// Takes a message of the handshake's exchange. After the end nothing happens.
    public mutating func received(_ message: InboundMessage) -> [HandshakeAction] {
        do {
            switch state {
            case .idle, .done: return []
            case .awaitingResponse(let request): return try receivedResponse(message, request: request)
            case .awaitingPake2(let prover, let context, let peer):
                return try receivedPake2(message, prover: prover, context: context, peer: peer)
            case .awaitingStatus(let keys, let peer): return try receivedStatus(message, keys: keys, peer: peer)
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
        return end(HandshakeError(.timedOut, at: step, "the peer acknowledges but does not go on"))
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
        case .awaitingResponse: .pbkdfParamResponse
        case .awaitingPake2: .pake2
        case .awaitingStatus: .statusReport
        }
    }

    private mutating func receivedResponse(
        _ message: InboundMessage, request: [UInt8]
    ) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .pbkdfParamResponse, at: .pbkdfParamResponse)
        let response: PBKDFParamResponse
        let sent: PBKDFParamRequest
        do {
            sent = try PBKDFParamRequest(decoding: request)
            response = try PBKDFParamResponse(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .pbkdfParamResponse, "\(error)")
        }
        guard response.initiatorRandom == sent.initiatorRandom else {
            throw HandshakeError(.invalidParameter, at: .pbkdfParamResponse, "it answers another request")
        }
        guard let stretching = response.pbkdfParameters, stretching.isValid else {
            throw HandshakeError(
                .invalidParameter, at: .pbkdfParamResponse, "iterations or salt are missing or out of range")
        }
        let prover: SPAKE2PlusProver
        let context: [UInt8]
        do {
            prover = try SPAKE2PlusProver(
                passcode: passcode, salt: stretching.salt, iterations: Int(stretching.iterations), secrets: secrets)
            context = try PASETranscript.context(request: request, response: payload)
        } catch {
            throw HandshakeError(.cryptography, at: .pbkdfParamResponse, error.reason)
        }
        state = .awaitingPake2(
            prover, context: context,
            peer: Peer(sessionID: response.responderSessionID, parameters: response.sessionParameters))
        return [
            .peerTiming(MRPParameters(response.sessionParameters)),
            .send(OutboundMessage(.pake1, Pake1(share: prover.share).encoded())),
        ]
    }

    private mutating func receivedPake2(
        _ message: InboundMessage, prover: SPAKE2PlusProver, context: [UInt8], peer: Peer
    ) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .pake2, at: .pake2)
        let pake2: Pake2
        do {
            pake2 = try Pake2(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .pake2, "\(error)")
        }
        let result: SPAKE2PlusResult
        let keys: SessionKeys
        do {
            result = try prover.finish(context: context, peerShare: pake2.share)
            keys = try SessionKeys(secret: result.sharedKey, salt: [])
        } catch {
            throw HandshakeError(.invalidParameter, at: .pake2, error.reason)
        }
        // The device proves first that it knows the passcode's verifier; a wrong passcode shows here.
        guard result.confirms(pake2.confirmation) else {
            throw HandshakeError(.wrongPasscode, at: .pake2, "the passcode is not the device's")
        }
        state = .awaitingStatus(keys, peer: peer)
        return [.send(OutboundMessage(.pake3, Pake3(confirmation: result.confirmation).encoded()))]
    }

    private mutating func receivedStatus(
        _ message: InboundMessage, keys: SessionKeys, peer: Peer
    ) throws(HandshakeError) -> [HandshakeAction] {
        let report = try message.statusReport(at: .statusReport)
        guard report.isSessionEstablished else {
            var failure = HandshakeFailure(report, at: .statusReport)
            if report.secureChannelCode == .invalidParameter {
                failure.code = .wrongPasscode
                failure.reason = "the device did not accept the passcode"
            }
            throw HandshakeError(failure, tell: nil)
        }
        finish()
        return [
            .established(
                EstablishedSession(
                    kind: .pase, localSessionID: localSessionID, peerSessionID: peer.sessionID, keys: keys,
                    isInitiator: true, peerParameters: peer.parameters))
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

extension EstablishedSession {
    init(
        kind: Kind, localSessionID: SessionID, peerSessionID: SessionID, keys: SessionKeys, isInitiator: Bool,
        peerParameters: SessionParameters?, localNode: NodeID = .unspecified, peerNode: NodeID = .unspecified,
        fabricIndex: FabricIndex = .none, cats: [CASEAuthenticatedTag] = []
    ) {
        self.init(
            kind: kind, localSessionID: localSessionID, peerSessionID: peerSessionID,
            initiatorToResponderKey: keys.initiatorToResponder, responderToInitiatorKey: keys.responderToInitiator,
            attestationChallenge: keys.attestationChallenge, isInitiator: isInitiator, localNode: localNode,
            peerNode: peerNode, fabricIndex: fabricIndex, cats: cats, peerTiming: MRPParameters(peerParameters),
            maxPathsPerInvoke: max(1, peerParameters?.maxPathsPerInvoke ?? 1))
    }
}
