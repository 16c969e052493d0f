import HubControl

/// What an app can suggest to its user after a failed commissioning.
public enum MatterSuggestedUserAction: String, CaseIterable, RawRepresentable, Hashable, Sendable {
    /// See that the hub runs: it holds the fabric.
    case checkHubAvailability
    /// See that all are on the same network.
    case checkWifiNetwork
    /// See that the device has power and is in commissioning mode.
    case checkDeviceAvailability
    /// Reset the device to its factory state.
    case factoryResetDevice
    /// Wait and try again.
    case tryAgainLater

    /// What to suggest when nothing is known of the cause.
    public static let defaultActions: [MatterSuggestedUserAction] = [
        .checkDeviceAvailability, .checkHubAvailability, .tryAgainLater,
    ]

    var sentence: String {
        switch self {
        case .checkHubAvailability: "See that the hub runs and can be reached."
        case .checkWifiNetwork: "See that hub, device and this machine are on the same network."
        case .checkDeviceAvailability: "See that the device has power and is in commissioning mode."
        case .factoryResetDevice: "Reset the device to its factory state."
        case .tryAgainLater: "Try again later."
        }
    }

    /// What the hub suggests; where it suggests nothing, what follows from the cause, else from the code.
    ///
    /// Empty when none of the five helps: a missing permission, or an app that calls in the wrong order.
    static func actions(for error: HomeError) -> [MatterSuggestedUserAction] {
        let suggested = (error.cause?.suggestedUserActions ?? []).compactMap { Self(rawValue: $0.rawValue) }
        guard suggested.isEmpty else { return suggested }
        if let reason = error.cause?.reason, let actions = byReason[reason] { return actions }
        switch error.code {
        case .unavailable: return [.checkHubAvailability, .checkWifiNetwork]
        case .notFound: return [.checkDeviceAvailability, .checkWifiNetwork]
        case .alreadyExists: return [.factoryResetDevice]
        case .resourceExhausted, .aborted: return [.tryAgainLater]
        case .deadlineExceeded, .unknown, .internal, .dataLoss: return defaultActions
        case .cancelled, .invalidArgument, .permissionDenied, .failedPrecondition, .outOfRange, .unimplemented,
            .unauthenticated:
            return []
        }
    }

    /// By the hub's identifiers (Protocols/commissioning-session.md) and the client's.
    private static let byReason: [String: [MatterSuggestedUserAction]] = [
        // The code is not this device's, or not readable: the right one stands on the device.
        "invalidPayload": [.checkDeviceAvailability], "wrongPasscode": [.checkDeviceAvailability],
        "noDeviceFound": [.checkDeviceAvailability, .checkWifiNetwork], "onlyBluetooth": [.checkDeviceAvailability],
        "deviceVanished": [.checkDeviceAvailability, .checkWifiNetwork],
        "deviceUnreachable": [.checkDeviceAvailability, .checkWifiNetwork],
        "stillCleaning": [.tryAgainLater], "deviceBusy": [.tryAgainLater], "sessionEnded": [.tryAgainLater],
        "deadline": [.tryAgainLater, .checkDeviceAvailability], "cannotSearch": [.checkHubAvailability],
        "hubOffline": [.checkHubAvailability, .checkWifiNetwork],
        "attestationRefused": [.checkDeviceAvailability], "alreadyOnFabric": [.factoryResetDevice],
        "fabricTableFull": [.factoryResetDevice], "deviceRefused": [.tryAgainLater, .factoryResetDevice],
        "deviceReset": [.factoryResetDevice], "protocolError": [.factoryResetDevice],
        "internalError": [.checkHubAvailability], "storage": [.checkHubAvailability],
        "sessionActive": [.tryAgainLater], "notOwner": [.tryAgainLater], "commissionRunning": [.tryAgainLater],
        "hubUnreachable": [.checkHubAvailability, .checkWifiNetwork],
        "noHubFound": [.checkHubAvailability, .checkWifiNetwork], "wrongHub": [.checkHubAvailability],
        "connectionLost": [.checkHubAvailability, .checkWifiNetwork],
        "noAnswer": [.checkHubAvailability, .tryAgainLater],
    ]
}
