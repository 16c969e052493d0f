import MatterNode
import MatterProtocol
import MatterWire

/// The one place where failures of the Matter side become the errors that apps know.
struct MTRFailure: Error {
    let error: any Error

    init(_ error: MTRError) { self.error = error }

    /// What the device itself answered is told in its own domain.
    init(_ failure: CommissioningFailure) {
        if case .interaction(let status)? = failure.peerStatus, let error = MTRInteractionError(status) {
            self.error = error
            return
        }
        let code: MTRError.Code =
            switch failure.cause {
            case .alreadyOnFabric: .fabricExists
            case .deviceVanished, .deadline: .timeout
            case .attestationRefused: .integrityCheckFailed
            case .sessionEnded: .cancelled
            default: .generalError
            }
        error = MTRError(code, message: "\(failure.message); \(failure.advice)")
    }

    /// - Parameter error: what a request of a node threw.
    init(_ error: any Error) {
        switch error {
        case let error as MTRError: self.error = error
        case NodeRequestFailure.unreachable(let failure):
            self.error = MTRError(.timeout, message: failure.mostTelling?.reason ?? "nobody answers for the device")
        case NodeRequestFailure.interaction(let failure):
            self.error = MTRError(
                failure.code == .timedOut || failure.code == .unreachable ? .timeout : .generalError,
                message: failure.explanation)
        case NodeRequestFailure.refused(let status):
            self.error = MTRInteractionError(status) ?? MTRError(.generalError, message: "\(status.status)")
        case is CancellationError: self.error = MTRError(.cancelled, message: "it was called off")
        case let error as TLVError:
            self.error = MTRError(.tlvDecodeFailed, message: "the answer does not decode (\(error.code))")
        default: self.error = MTRError(.generalError, message: "\(error)")
        }
    }
}

extension MTRError {
    static let busy = MTRError(.invalidState, message: "another device is being commissioned")
    static let shutDown = MTRError(.invalidState, message: "the controller is shut down")
    static let noSession = MTRError(.invalidState, message: "there is no session for commissioning this device")

    init(_ failure: DiscoveryFailure) {
        let (code, message): (Code, String) =
            switch failure.cause {
            case .noDeviceFound: (.timeout, "no device on the network fits the payload")
            case .wrongPasscode: (.generalError, "the device answered, and the passcode is not its own")
            case .noAnswer: (.timeout, "the device does not answer")
            case .busy: (.generalError, "the device is being set up by someone else")
            case .refused(let reason): (.generalError, "the device takes no new administrator now (\(reason))")
            case .broken(let reason): (.generalError, "the device's answer does not make sense (\(reason))")
            case .cannotSearch(let reason): (.generalError, "the network cannot be searched: \(reason)")
            case .cancelled: (.cancelled, "it was called off")
            case .deadline: (.timeout, "the time for reaching the device is over")
            }
        self.init(code, message: message)
    }
}

extension MTRInteractionError {
    /// - Returns: `nil` for a status that the framework has no name for, and for success.
    init?(_ status: StatusIB) {
        guard let code = Code(rawValue: Int(status.status.rawValue)) else { return nil }
        self.init(code, clusterStatus: status.clusterStatus)
    }
}
