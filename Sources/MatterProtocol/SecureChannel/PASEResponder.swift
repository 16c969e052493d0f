public import MatterCrypto
public import MatterWire

/// The device's side of PASE (Core §4.14.1).
///
/// ```
///               request            Pake1             Pake3, cA right
///  awaitingRequest ──▶ awaitingPake1 ──▶ awaitingPake3 ──────▶ done, established
///       └──────────────────┴── failure report, bad message, ──┴──▶ done, failed
///                              end of exchange, deadline, cancel
/// ```
/// A wrong cA is answered with `invalidParameter` and fails with `wrongPasscode`; the owner counts such failures.
public struct PASEResponder: Sendable {
    private enum State: Sendable {
        case awaitingRequest
        case awaitingPake1(context: [UInt8], peer: Peer)
        case awaitingPake3(SPAKE2PlusResult, SessionKeys, peer: Peer)
        case done
    }

    private struct Peer: Sendable {
        let sessionID: SessionID
        let parameters: SessionParameters?
    }

    private let verifier: PAKEVerifier
    private let stretching: PBKDFParameters
    private let localSessionID: SessionID
    private let parameters: SessionParameters
    private let secrets: any SecretSource
    private var state = State.awaitingRequest
    /// When ``timerFired(now:)`` is next due; `nil` after the end.
    public private(set) var deadline: MonotonicInstant?

    /// - Parameters:
    ///   - verifier: what the device knows instead of the passcode.
    ///   - stretching: the salt and iterations that made the verifier.
    ///   - localSessionID: from ``MessageLayer/allocateSessionID()``.
    ///   - sessionParameters: what to tell the commissioner of this node.
    public init(
        verifier: PAKEVerifier, stretching: PBKDFParameters, localSessionID: SessionID,
        sessionParameters: SessionParameters, secrets: any SecretSource, now: MonotonicInstant
    ) {
        self.verifier = verifier
        self.stretching = stretching
        self.localSessionID = localSessionID
        parameters = sessionParameters
        self.secrets = secrets
        deadline = now.advanced(by: PASEInitiator.timeLimit)
    }

    /// Takes a message of the handshake's exchange, the first one too. After the end nothing happens.
    public mutating func received(_ message: InboundMessage) -> [HandshakeAction] {
        do {
            switch state {
            case .awaitingRequest: return try receivedRequest(message)
            case .awaitingPake1(let context, let peer):
                return try receivedPake1(message, context: context, peer: peer)
            case .awaitingPake3(let result, let keys, let peer):
                return try receivedPake3(message, result: result, keys: keys, peer: peer)
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
        return end(HandshakeError(.timedOut, at: step, "the commissioner does not go on"))
    }

    /// Gives up, telling the peer.
    public mutating func cancel() -> [HandshakeAction] {
        guard let step else { return [] }
        return end(HandshakeError(.cancelled, at: step, "cancelled"))
    }

    // MARK: - Steps

    private var step: HandshakeFailure.Step? {
        switch state {
        case .awaitingRequest: .pbkdfParamRequest
        case .awaitingPake1: .pake1
        case .awaitingPake3: .pake3
        case .done: nil
        }
    }

    private mutating func receivedRequest(_ message: InboundMessage) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .pbkdfParamRequest, at: .pbkdfParamRequest)
        let request: PBKDFParamRequest
        do {
            request = try PBKDFParamRequest(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .pbkdfParamRequest, "\(error)")
        }
        guard request.passcodeID == 0 else {
            throw HandshakeError(
                .invalidParameter, at: .pbkdfParamRequest, "there is no passcode number \(request.passcodeID)")
        }
        let response: [UInt8]
        let context: [UInt8]
        do {
            response = PBKDFParamResponse(
                initiatorRandom: request.initiatorRandom, responderRandom: try secrets.bytes(32),
                responderSessionID: localSessionID,
                pbkdfParameters: request.hasPBKDFParameters ? nil : stretching, sessionParameters: parameters
            ).encoded()
            context = try PASETranscript.context(request: payload, response: response)
        } catch {
            throw HandshakeError(.cryptography, at: .pbkdfParamRequest, error.reason)
        }
        state = .awaitingPake1(
            context: context,
            peer: Peer(sessionID: request.initiatorSessionID, parameters: request.sessionParameters))
        return [
            .peerTiming(MRPParameters(request.sessionParameters)),
            .send(OutboundMessage(.pbkdfParamResponse, response)),
        ]
    }

    private mutating func receivedPake1(
        _ message: InboundMessage, context: [UInt8], peer: Peer
    ) throws(HandshakeError) -> [HandshakeAction] {
        let payload = try message.payload(of: .pake1, at: .pake1)
        let pake1: Pake1
        do {
            pake1 = try Pake1(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .pake1, "\(error)")
        }
        let answer: Pake2
        do {
            let side = try SPAKE2PlusVerifier(verifier: verifier, secrets: secrets)
            let result = try side.finish(context: context, peerShare: pake1.share)
            state = .awaitingPake3(result, try SessionKeys(secret: result.sharedKey, salt: []), peer: peer)
            answer = Pake2(share: side.share, confirmation: result.confirmation)
        } catch {
            throw HandshakeError(.invalidParameter, at: .pake1, error.reason)
        }
        return [.send(OutboundMessage(.pake2, answer.encoded()))]
    }

    private mutating func receivedPake3(
        _ message: InboundMessage, result: SPAKE2PlusResult, keys: SessionKeys, peer: Peer
    ) throws(HandshakeError) -> [HandshakeAction] {
        // A commissioner whose passcode is wrong sees it in Pake2 and says so instead of Pake3.
        if message.secureChannelOpcode == .statusReport {
            var failure = HandshakeFailure(try message.statusReport(at: .pake3), at: .pake3)
            if failure.peerStatus?.secureChannelCode == .invalidParameter {
                failure.code = .wrongPasscode
                failure.reason = "the commissioner found that its passcode is not this device's"
            }
            throw HandshakeError(failure, tell: nil)
        }
        let payload = try message.payload(of: .pake3, at: .pake3)
        let pake3: Pake3
        do {
            pake3 = try Pake3(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: .pake3, "\(error)")
        }
        guard result.confirms(pake3.confirmation) else {
            throw HandshakeError(.wrongPasscode, at: .pake3, "the commissioner's passcode is not this device's")
        }
        finish()
        return [
            .send(OutboundMessage(.sessionEstablished)),
            .established(
                EstablishedSession(
                    kind: .pase, localSessionID: localSessionID, peerSessionID: peer.sessionID, keys: keys,
                    isInitiator: false, peerParameters: peer.parameters)),
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
