import HubControl
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// The one place where failures of the Matter side become errors of the control protocol
/// (Protocols/commissioning-session.md, "Reasons").
enum FailureMapping {
    // MARK: - Commissioning

    /// - Parameter trustFolder: where a missing attestation authority would have to be.
    static func failure(
        _ failure: CommissioningFailure, now: MonotonicInstant, trustFolder: String
    ) -> CommissionFailure {
        var advice = failure.advice
        var details: JSONObject = ["reason": .string(failure.cause.rawValue)]
        if let status = failure.peerStatus { details["status"] = .string(status.description) }
        if let limit = failure.limit { details["limit"] = JSONValue(limit) }
        if let verdict = failure.verdict {
            details["rules"] = .array(
                verdict.failures.map { ["rule": .string($0.rule.rawValue), "detail": .string($0.detail)] })
            if let key = verdict.missingAuthority {
                details["missingAuthority"] = .string(hex(key))
                details["trustFolder"] = .string(trustFolder)
                advice =
                    "if you trust its maker, put the certificate (DER) of the product attestation authority with that "
                    + "key id into the folder \(trustFolder) and start the hub again"
            }
        }
        if let node = failure.existingNode { details["existingNode"] = .string(HubID(rawValue: node.rawValue).text) }
        let left = failure.failSafeEnds.map { max(.zero, now.duration(to: $0)) }
        let error = ControlError(
            code(of: failure.cause), "\(failure.message); \(advice)", stage: failure.stage.rawValue,
            details: details, retryAfterMs: failure.retryAfter?.milliseconds,
            suggestedUserActions: failure.suggestedUserActions.map { SuggestedUserAction(rawValue: $0.rawValue) })
        return CommissionFailure(error: error, condition: .init(failure.deviceState), failSafeLeft: left)
    }

    private static func code(of cause: CommissioningCause) -> ControlErrorCode {
        switch cause {
        case .deviceVanished, .deviceBusy, .deviceReset: .unavailable
        case .deadline: .deadlineExceeded
        case .deviceRefused, .attestationRefused: .failedPrecondition
        case .alreadyOnFabric: .alreadyExists
        case .fabricTableFull: .resourceExhausted
        case .sessionEnded: .cancelled
        default: .internal
        }
    }

    static func failure(_ failure: DiscoveryFailure, payload: OnboardingPayload) -> CommissionFailure {
        let (code, reason, message, actions): (ControlErrorCode, String, String, [SuggestedUserAction]) =
            switch failure.cause {
            case .noDeviceFound where payload.excludesNetworkDiscovery,
                .cannotSearch where payload.excludesNetworkDiscovery:
                (
                    .notFound, "onlyBluetooth",
                    "the code says that the device is found by radio, not on the network, and nothing on the network "
                        + "fits it; this hub has no radio: bring the device onto the network with its maker's app "
                        + "first, then open a commissioning window and use that code", [.checkDeviceAvailability]
                )
            case .noDeviceFound:
                (
                    .notFound, "noDeviceFound",
                    "no device on the network fits this code; see that it is in commissioning mode and on this network",
                    [.checkDeviceAvailability, .checkWifiNetwork]
                )
            case .wrongPasscode:
                (
                    .invalidArgument, "wrongPasscode",
                    "the device answered, and the passcode is not its own; check the code", []
                )
            case .noAnswer:
                (
                    .unavailable, "deviceVanished",
                    "the device does not answer; see that it has power and is on this network",
                    [.checkDeviceAvailability, .tryAgainLater]
                )
            case .busy:
                (
                    .unavailable, "deviceBusy", "the device is being set up by someone else; try again later",
                    [.tryAgainLater]
                )
            case .refused(let reason):
                (
                    .failedPrecondition, "deviceRefused",
                    "the device takes no new administrator now (\(reason)); if it is in this home already, use it there, "
                        + "else open a commissioning window on it first", [.checkDeviceAvailability]
                )
            case .broken(let reason):
                (
                    .internal, "protocolError",
                    "the device's answer does not make sense (\(reason)); update its software or report this to its maker",
                    [.tryAgainLater]
                )
            case .cannotSearch(let reason):
                (.unavailable, "cannotSearch", "the network cannot be searched: \(reason)", [.checkHubAvailability])
            case .cancelled: (.cancelled, "sessionEnded", "the commissioning was stopped", [])
            case .deadline: (.deadlineExceeded, "deadline", "the time for commissioning is over", [.tryAgainLater])
            }
        let details: JSONObject = [
            "reason": .string(reason), "candidates": .array(failure.candidates.map { candidate($0) }),
        ]
        return CommissionFailure(
            error: ControlError(
                code, message, stage: failure.stage.rawValue, details: details, suggestedUserActions: actions),
            condition: .untouched)
    }

    private static func candidate(_ report: CandidateReport) -> JSONValue {
        let answer =
            switch report.answer {
            case nil: "not tried"
            case .trying?: "no answer yet"
            case .silent?: "no answer"
            case .wrongPasscode?: "wrong passcode"
            case .busy?: "busy"
            case .refused(let reason)?: "refused: \(reason)"
            case .broken(let reason)?: "makes no sense: \(reason)"
            case .accepted?: "accepted"
            }
        return [
            "instance": .string(report.instance), "address": report.address.map { .string($0.text) },
            "answer": .string(answer),
        ]
    }

    /// What a user should know although commissioning worked.
    static func warnings(_ report: CommissionedNodeReport) -> [String] {
        var warnings: [String] = []
        if let verdict = report.device.verdict, !verdict.accepted {
            warnings.append("attestation was refused and only warned about: \(verdict.explanation)")
        }
        if report.device.replacedNode != nil {
            warnings.append("the device was on this fabric before; its old record was replaced")
        }
        return warnings
    }

    // MARK: - Requests

    /// Runs requests to a node; every error they throw becomes a ``ControlError``.
    ///
    /// - Parameter cluster: the one that is asked, which gives its own statuses their names.
    static func requests<Value>(in cluster: ClusterID? = nil, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let failure as NodeRequestFailure {
            throw error(failure, in: cluster)
        } catch let error as CryptoError {
            throw ControlError(.internal, "a key could not be made: \(error.reason)")
        }
    }

    private static func error(_ failure: NodeRequestFailure, in cluster: ClusterID?) -> ControlError {
        switch failure {
        case .unreachable(let race):
            let handshake = race.mostTelling
            if handshake?.code == .noSharedTrustRoots {
                return ControlError(
                    .failedPrecondition,
                    "the device answers and is no longer on this home's fabric: it was reset; commission it again",
                    details: ["reason": "deviceReset"], suggestedUserActions: [.factoryResetDevice])
            }
            return ControlError(
                .unavailable, "the device does not answer (\(handshake?.reason ?? "nobody announces it"))",
                details: ["reason": "deviceUnreachable"],
                suggestedUserActions: [.checkDeviceAvailability, .checkWifiNetwork])
        case .interaction(let failure):
            switch failure.code {
            case .unreachable, .sessionClosed:
                return ControlError(
                    .unavailable, "the device stopped answering: \(failure.explanation)",
                    details: ["reason": "deviceUnreachable"], suggestedUserActions: [.checkDeviceAvailability])
            case .timedOut:
                return ControlError(.deadlineExceeded, failure.explanation, suggestedUserActions: [.tryAgainLater])
            case .status(let status): return refusal(StatusIB(status), in: cluster)
            case .malformed, .unexpectedMessage, .mismatchedAnswer, .answerTooLarge, .requestTooLarge:
                return ControlError(.internal, failure.explanation, details: ["reason": "protocolError"])
            }
        case .refused(let status): return refusal(status, in: cluster)
        }
    }

    /// A node's refusal of a path, as a code and with its number.
    static func refusal(_ status: StatusIB, in cluster: ClusterID?) -> ControlError {
        let code: ControlErrorCode =
            switch status.status {
            case .unsupportedAccess, .accessRestricted: .permissionDenied
            case .unsupportedEndpoint, .unsupportedCluster, .unsupportedAttribute, .unsupportedCommand, .notFound:
                .notFound
            case .constraintError, .invalidDataType, .invalidCommand, .invalidAction: .invalidArgument
            case .resourceExhausted, .pathsExhausted: .resourceExhausted
            case .busy: .unavailable
            case .timeout: .deadlineExceeded
            // A commissioning window that another administrator opened (Core §11.19.6.1).
            case .failure where cluster == .administratorCommissioning && status.clusterStatus == 2: .unavailable
            default: .failedPrecondition
            }
        return ControlError(
            code, "the device refused: \(status.words(in: cluster))",
            details: [
                "reason": "deviceRefused", "status": JSONValue(status.status.rawValue),
                "clusterStatus": status.clusterStatus.map { JSONValue($0) },
            ])
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

extension DeviceCondition {
    init(_ state: DeviceState) {
        self =
            switch state {
            case .untouched: .untouched
            case .clean: .clean
            case .cleaning: .cleaning
            case .unknown: .unknown
            }
    }
}
