public import MatterWire

/// What a handshake machine asks of its driver.
public enum HandshakeAction: Hashable, Sendable {
    /// Send this on the handshake's exchange.
    case send(OutboundMessage)
    /// The peer told its timing: use it for this handshake's unsecured session from now on.
    case peerTiming(MRPParameters)
    /// Both sides have the session. Perform the actions before it first; then close the exchange.
    case established(EstablishedSession)
    /// The handshake is over. Perform the actions before it first; then close the exchange.
    case failed(HandshakeFailure)
}

/// Why a handshake made no session.
public struct HandshakeFailure: Error, Hashable, Sendable {
    /// What happened, for callers that decide by it.
    public enum Code: Hashable, Sendable {
        /// The passcode is not the device's.
        case wrongPasscode
        /// The responder is not the node that was asked for, or is on no fabric with this node.
        case noSharedTrustRoots
        /// The peer asks to try again after this time; zero when it named none.
        case busy(wait: Duration)
        /// The peer ended the handshake with another status; see ``HandshakeFailure/peerStatus``.
        case refused
        /// The peer sent nothing, not even an acknowledgement, to a message that was sent as often as allowed.
        case noAnswer
        /// The exchange ended for another reason.
        case exchangeLost
        /// The time for the whole handshake is over, although the peer acknowledged.
        case timedOut
        /// A message does not decode.
        case malformedMessage
        /// A message that has no place at this step.
        case unexpectedMessage
        /// A message decodes, and says something that is not allowed.
        case invalidParameter
        /// The peer's certificates don't prove an identity on this fabric.
        case untrustedIdentity
        /// The peer proved to be another node than the one asked for.
        case wrongNode
        /// The peer's signature or its encryption does not fit its keys.
        case authenticationFailed
        /// The cryptographic library failed on this side.
        case cryptography
        /// This side gave up.
        case cancelled
    }

    /// How far a handshake came: the message that was sent or awaited last.
    public enum Step: String, Hashable, Sendable {
        case pbkdfParamRequest = "PBKDFParamRequest"
        case pbkdfParamResponse = "PBKDFParamResponse"
        case pake1 = "Pake1"
        case pake2 = "Pake2"
        case pake3 = "Pake3"
        case sigma1 = "Sigma1"
        case sigma2 = "Sigma2"
        case sigma3 = "Sigma3"
        case statusReport = "StatusReport"
    }

    /// What is wrong.
    public var code: Code
    /// The message that was awaited, or the one at fault.
    public var step: Step
    /// What the peer said.
    public var peerStatus: StatusReport?
    /// Plain words for a log or a user; never holds secrets.
    public var reason: String

    /// Creates the value from its members.
    public init(_ code: Code, at step: Step, peerStatus: StatusReport? = nil, reason: String) {
        self.code = code
        self.step = step
        self.peerStatus = peerStatus
        self.reason = reason
    }
}

extension HandshakeFailure {
    /// What an exchange's end means for the handshake on it.
    init(_ failure: ExchangeFailure, at step: Step) {
        if failure.isPeerSilent {
            let milliseconds =
                failure.elapsed.components.seconds * 1000
                + failure.elapsed.components.attoseconds / 1_000_000_000_000_000
            self.init(
                .noAnswer, at: step,
                reason: "no answer to \(failure.transmissions) transmissions in \(milliseconds) ms")
        } else {
            self.init(.exchangeLost, at: step, reason: "the exchange ended before the handshake")
        }
    }

    /// What a status report means that ends the handshake.
    init(_ report: StatusReport, at step: Step) {
        if let wait = report.busyWait {
            self.init(.busy(wait: wait), at: step, peerStatus: report, reason: "the peer is busy")
            return
        }
        switch report.secureChannelCode {
        case .noSharedTrustRoots?:
            self.init(
                .noSharedTrustRoots, at: step, peerStatus: report,
                reason: "the node is not on this fabric, or is another node")
        case .invalidParameter? where step == .statusReport:
            self.init(
                .refused, at: step, peerStatus: report, reason: "the peer did not accept what this node proved")
        default:
            self.init(
                .refused, at: step, peerStatus: report,
                reason: "the peer ended the handshake: general code \(report.generalCode.rawValue), "
                    + "protocol \(report.protocolID.rawValue), code \(report.protocolCode)")
        }
    }
}

/// How the machines of this room treat what goes wrong.
struct HandshakeError: Error {
    let failure: HandshakeFailure
    /// What the peer gets to know; `nil` when it said so itself or is not there.
    let report: StatusReport?

    init(_ failure: HandshakeFailure, tell report: StatusReport? = .failure(.invalidParameter)) {
        self.failure = failure
        self.report = report
    }

    init(
        _ code: HandshakeFailure.Code, at step: HandshakeFailure.Step, _ reason: String,
        tell report: StatusReport? = .failure(.invalidParameter)
    ) {
        self.init(HandshakeFailure(code, at: step, reason: reason), tell: report)
    }

    var actions: [HandshakeAction] {
        (report.map { [.send(OutboundMessage($0))] } ?? []) + [.failed(failure)]
    }
}

extension InboundMessage {
    /// The payload of the message that is awaited.
    ///
    /// - Throws: the failure that a status report, or another message in its place, means.
    func payload(
        of opcode: SecureChannelOpcode, at step: HandshakeFailure.Step
    ) throws(HandshakeError) -> [UInt8] {
        if secureChannelOpcode == opcode { return payload }
        let report = try statusReport(at: step)
        if report.isSessionEstablished {
            throw HandshakeError(.unexpectedMessage, at: step, "success was reported before the handshake's end")
        }
        throw HandshakeError(HandshakeFailure(report, at: step), tell: nil)
    }

    /// The status report that a message is.
    func statusReport(at step: HandshakeFailure.Step) throws(HandshakeError) -> StatusReport {
        guard secureChannelOpcode == .statusReport else {
            throw HandshakeError(
                .unexpectedMessage, at: step, "opcode \(opcode) of protocol \(protocolID.rawValue) has no place here")
        }
        do {
            return try StatusReport(decoding: payload)
        } catch {
            throw HandshakeError(.malformedMessage, at: step, "status report: \(error.code)", tell: nil)
        }
    }
}
