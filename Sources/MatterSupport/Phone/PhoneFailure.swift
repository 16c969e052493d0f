import MatterNode
package import MatterProtocol
import MatterWire

/// Why the phone could not do its part of a setup.
///
/// An `NSError` of domain ``errorDomain``. A device that is on the phone's fabric already has the home framework's error
/// under it, as apps know it.
package struct PhoneFailure: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The kind of failure; the raw value is the `NSError`'s code.
    package enum Code: Int, Hashable, Sendable {
        /// The onboarding code or the address is none.
        case invalidCode = 1
        /// No device fits the code.
        case noDeviceFound
        /// The network cannot be searched.
        case cannotSearch
        /// The device has another passcode.
        case wrongPasscode
        /// The device does not answer, or stopped answering.
        case unreachable
        /// Somebody else is setting the device up.
        case busy
        /// The device refused, or broke the protocol.
        case refused
        /// The device's attestation is refused.
        case attestationRefused
        /// The device is on the phone's fabric already.
        case alreadyAdded
        /// The device takes no further fabric.
        case tableFull
        /// It took too long.
        case timedOut
        /// The phone's own state cannot be read or kept.
        case state
        /// Anything else.
        case failed
    }

    /// The domain of the `NSError` form.
    package static let errorDomain = "MatterHubPhone"

    package var code: Code
    /// Cause and remedy in plain words.
    package var message: String
    /// Where it failed, as commissioning stages are named; `nil` outside of one.
    package var stage: String?
    /// What is left on the device.
    package var deviceState: DeviceState?

    package init(_ code: Code, _ message: String, stage: String? = nil, deviceState: DeviceState? = nil) {
        self.code = code
        self.message = message
        self.stage = stage
        self.deviceState = deviceState
    }

    package var errorDescription: String? { message }
    package var errorCode: Int { code.rawValue }
    package var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        if let stage { info["MatterHubStage"] = stage }
        if code == .alreadyAdded {
            info[NSUnderlyingErrorKey] = NSError(
                domain: "HFErrorDomain", code: 33, userInfo: [NSLocalizedDescriptionKey: message])
        }
        return info
    }
}

extension PhoneFailure {
    init(_ failure: DiscoveryFailure) {
        let (code, message): (Code, String) =
            switch failure.cause {
            case .noDeviceFound:
                (
                    .noDeviceFound,
                    "no device on the network fits this code; see that it is in commissioning mode and on this network"
                )
            case .wrongPasscode: (.wrongPasscode, "the device answered, and the passcode is not its own")
            case .noAnswer:
                (.unreachable, "the device does not answer; see that it has power and is on this network")
            case .busy: (.busy, "the device is being set up by someone else; try again later")
            case .refused(let reason): (.refused, "the device takes no new administrator now (\(reason))")
            case .broken(let reason): (.refused, "the device's answer does not make sense (\(reason))")
            case .cannotSearch(let reason): (.cannotSearch, "the network cannot be searched: \(reason)")
            case .cancelled: (.failed, "the phone stopped")
            case .deadline: (.timedOut, "the time for reaching the device is over")
            }
        self.init(code, message, stage: failure.stage.rawValue, deviceState: .untouched)
    }

    init(_ failure: CommissioningFailure) {
        let code: Code =
            switch failure.cause {
            case .deviceVanished: .unreachable
            case .deadline: .timedOut
            case .deviceBusy: .busy
            case .deviceRefused, .protocolError, .deviceReset: .refused
            case .attestationRefused: .attestationRefused
            case .alreadyOnFabric: .alreadyAdded
            case .fabricTableFull: .tableFull
            case .internalError: .state
            default: .failed
            }
        self.init(
            code, "\(failure.message); \(failure.advice)", stage: failure.stage.rawValue,
            deviceState: failure.deviceState)
    }

    init(_ failure: NodeRequestFailure, _ action: String) {
        switch failure {
        case .unreachable: self.init(.unreachable, "the device does not answer, so that \(action)")
        case .interaction(let failure): self.init(.refused, "\(action): \(failure.explanation)")
        case .refused(let status): self.init(.refused, "\(action): the device answered \(status.status)")
        }
    }
}
