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

    /// What to suggest when nothing better is known.
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

    /// What the hub suggests; where it suggests nothing, what follows from the code. Empty when there is nothing to do.
    static func actions(for error: HomeError) -> [MatterSuggestedUserAction] {
        let suggested = (error.cause?.suggestedUserActions ?? []).compactMap { Self(rawValue: $0.rawValue) }
        guard suggested.isEmpty else { return suggested }
        switch error.code {
        case .unavailable: return [.checkHubAvailability, .checkWifiNetwork]
        case .notFound: return [.checkDeviceAvailability, .checkWifiNetwork]
        case .deadlineExceeded: return defaultActions
        case .alreadyExists: return [.factoryResetDevice]
        case .resourceExhausted, .aborted: return [.tryAgainLater]
        case .cancelled, .unknown, .invalidArgument, .permissionDenied, .failedPrecondition, .outOfRange,
            .unimplemented, .internal, .dataLoss, .unauthenticated:
            return []
        }
    }
}
