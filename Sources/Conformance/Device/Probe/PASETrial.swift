import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// One PASE handshake as a case wants it, right or wrong (Core §4.14.1).
struct PASETrial: Sendable {
    var passcode: UInt32
    var passcodeID: UInt16 = 0
    /// Says that the parameters are known, so that the response leaves them out.
    var knownParameters: PBKDFParameters?
    /// Adds members that no version of the specification has, to the request and to its session parameters.
    var hasUnknownMembers = false
    /// Sends a share that is no point of the curve.
    var hasBadShare = false
    /// Gives up after PBKDFParamResponse, with a status report.
    var givesUp = false
}

/// What came of a ``PASETrial``.
struct PASEOutcome: Sendable {
    enum End: Sendable {
        case established(EstablishedSession)
        case refused(StatusReport)
        /// Nothing came.
        case silent
        /// What came makes no sense; what.
        case broken(String)
        /// The trial ended it.
        case givenUp
    }

    /// The last message that was sent.
    var lastSent = HandshakeFailure.Step.pbkdfParamRequest
    var request: PBKDFParamRequest
    var response: PBKDFParamResponse?
    /// The device's own proof fits our passcode.
    var deviceProves: Bool?
    var end = End.silent

    var session: EstablishedSession? { if case .established(let session) = end { session } else { nil } }

    /// What happened, in words without secrets.
    var words: String {
        switch end {
        case .established: "a session was established"
        case .refused(let report): "the device answered \(lastSent.rawValue) with \(report.words)"
        case .silent: "the device did not answer \(lastSent.rawValue)"
        case .broken(let what): "the device's answer to \(lastSent.rawValue) makes no sense: \(what)"
        case .givenUp: "the handshake was ended by us after PBKDFParamResponse"
        }
    }
}

extension StatusReport {
    /// The report in words: `failure, invalid parameter (1/0/2)`.
    var words: String {
        let general: [UInt16: String] = [
            0: "success", 1: "failure", 2: "bad precondition", 7: "resource exhausted", 8: "busy", 9: "timeout",
        ]
        let codes = ["session established", "no shared trust roots", "invalid parameter", "close session", "busy"]
        let code = secureChannelCode.flatMap {
            codes.indices.contains(Int($0.rawValue)) ? codes[Int($0.rawValue)] : nil
        }
        let name = general[generalCode.rawValue] ?? "general code \(generalCode.rawValue)"
        return "a status report: \(name), \(code ?? "code \(protocolCode)")"
    }
}

extension DeviceProbe {
    /// Tries a PASE handshake; the session is not added yet.
    ///
    /// - Throws: `CancellationError`.
    func attempt(_ trial: PASETrial, at address: PeerAddress) async throws -> PASEOutcome {
        var dialogue = try PASEDialogue(
            trial, localSessionID: link.layer.allocateSessionID(), secrets: environment.secrets)
        do {
            try await converse(
                on: unsecuredSession(to: address),
                OutboundMessage(.pbkdfParamRequest, dialogue.requestBytes), within: Self.patience
            ) { message in try dialogue.received(message) }
        } catch let broken as PASEDialogue.Broken {
            dialogue.outcome.end = .broken(broken.what)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            dialogue.outcome.end = .silent
        }
        return dialogue.outcome
    }
}

/// The commissioner's half of a handshake, without the checks that a good commissioner makes.
private struct PASEDialogue {
    struct Broken: Error {
        let what: String
    }

    private let trial: PASETrial
    private let secrets: any SecretSource
    let requestBytes: [UInt8]
    var outcome: PASEOutcome
    private var prover: SPAKE2PlusProver?
    private var context: [UInt8] = []
    private var sharedKey: [UInt8] = []

    init(_ trial: PASETrial, localSessionID: SessionID, secrets: any SecretSource) throws {
        self.trial = trial
        self.secrets = secrets
        let request = PBKDFParamRequest(
            initiatorRandom: try secrets.bytes(32), initiatorSessionID: localSessionID, passcodeID: trial.passcodeID,
            hasPBKDFParameters: trial.knownParameters != nil, sessionParameters: DeviceProbe.sessionParameters)
        requestBytes = trial.hasUnknownMembers ? Self.withUnknownMembers(request.encoded()) : request.encoded()
        outcome = PASEOutcome(request: request)
    }

    /// Takes the device's next message.
    ///
    mutating func received(_ message: InboundMessage) throws -> DeviceProbe.Reply {
        switch message.secureChannelOpcode {
        case .statusReport?:
            let report: StatusReport
            do { report = try StatusReport(decoding: message.payload) } catch { throw Broken(what: "\(error)") }
            guard report.isSessionEstablished, outcome.lastSent == .pake3 else {
                outcome.end = .refused(report)
                return .nothing
            }
            outcome.end = .established(try session())
            return .nothing
        case .pbkdfParamResponse? where outcome.lastSent == .pbkdfParamRequest:
            return try receivedResponse(message.payload)
        case .pake2? where outcome.lastSent == .pake1: return try receivedPake2(message.payload)
        default: throw Broken(what: "a message with opcode \(message.opcode)")
        }
    }

    private mutating func receivedResponse(_ payload: [UInt8]) throws -> DeviceProbe.Reply {
        let response: PBKDFParamResponse
        do { response = try PBKDFParamResponse(decoding: payload) } catch { throw Broken(what: "\(error)") }
        outcome.response = response
        if trial.givesUp {
            outcome.end = .givenUp
            outcome.lastSent = .statusReport
            return .end(OutboundMessage(StatusReport.failure(.invalidParameter)))
        }
        guard let stretching = trial.knownParameters ?? response.pbkdfParameters else {
            throw Broken(what: "it has no PBKDF parameters")
        }
        // More than this is no stretching but a way to keep a commissioner busy.
        guard (1...1_000_000).contains(stretching.iterations), stretching.salt.count <= 256 else {
            throw Broken(what: "\(stretching.iterations) iterations with a salt of \(stretching.salt.count) bytes")
        }
        let prover = try SPAKE2PlusProver(
            passcode: trial.passcode, salt: stretching.salt, iterations: Int(stretching.iterations), isStrict: false,
            secrets: secrets)
        self.prover = prover
        context = try Hash.sha256(Array("CHIP PAKE V1 Commissioning".utf8) + requestBytes + payload)
        outcome.lastSent = .pake1
        let share = trial.hasBadShare ? [4] + [UInt8](repeating: 0x5A, count: 64) : prover.share
        return .say(OutboundMessage(.pake1, Pake1(share: share).encoded()))
    }

    private mutating func receivedPake2(_ payload: [UInt8]) throws -> DeviceProbe.Reply {
        let pake2: Pake2
        let result: SPAKE2PlusResult
        guard let prover else { throw Broken(what: "Pake2 came too early") }
        do {
            pake2 = try Pake2(decoding: payload)
            result = try prover.finish(context: context, peerShare: pake2.share)
        } catch {
            throw Broken(what: "\(error)")
        }
        outcome.deviceProves = result.confirms(pake2.confirmation)
        sharedKey = result.sharedKey
        outcome.lastSent = .pake3
        // Whether the device proved itself is a case's matter: here the proof goes out in any case.
        return .say(OutboundMessage(.pake3, Pake3(confirmation: result.confirmation).encoded()))
    }

    private func session() throws -> EstablishedSession {
        guard let response = outcome.response else { throw Broken(what: "there was no response") }
        let keys = try KeyDerivation.hkdf(ikm: sharedKey, salt: [], info: "SessionKeys", count: 48)
        return EstablishedSession(
            kind: .pase, localSessionID: outcome.request.initiatorSessionID,
            peerSessionID: response.responderSessionID, initiatorToResponderKey: Array(keys[..<16]),
            responderToInitiatorKey: Array(keys[16..<32]), attestationChallenge: Array(keys[32...]), isInitiator: true,
            peerTiming: MRPParameters(response.sessionParameters),
            maxPathsPerInvoke: max(1, response.sessionParameters?.maxPathsPerInvoke ?? 1))
    }

    /// The request with a member 0x40 of its own, and one in the session parameters.
    private static func withUnknownMembers(_ bytes: [UInt8]) -> [UInt8] {
        // It was encoded a moment ago.
        guard case .structure(let members)? = try? TLVValue.decode(bytes) else { return bytes }
        let unknown = TLVElement(0x40, .utf8("not yet invented"))
        let changed = members.map { element in
            guard case .structure(let inner) = element.value else { return element }
            return TLVElement(element.tag, .structure(inner + [TLVElement(0x40, .uint(7 as UInt8))]))
        }
        return TLVValue.structure(changed + [unknown]).encoded()
    }
}
