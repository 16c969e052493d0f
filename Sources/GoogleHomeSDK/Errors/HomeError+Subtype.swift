extension HomeError {
    /// What the part of the home that failed says of it.
    public enum Subtype: Hashable, Sendable {
        /// Several failures of one call.
        case bulk(errors: [HomeError])
        /// The device's own status.
        case matter(_ error: MatterError)
        /// Of the SDK's account service; a MatterHub has none.
        case gal(_ error: GalError)
        /// Of ``HomeDevice/decommission()``.
        case decommission(_ error: DecommissionError)
        /// Of ``Home/startHubActivation(_:structureID:)``.
        case hubActivation(_ error: HubActivationError)
        /// Of what the user has to allow on the phone; nothing here asks for such.
        case permissions(_ error: PermissionError)
    }
}

/// A status that a Matter device gave.
public struct MatterError: Hashable, Sendable {
    /// The interaction model's status code (Core §8.10), for example 0x81 for a command that the device does not have.
    public let code: Int

    /// Takes a status code.
    public init(code: Int) { self.code = code }
}

/// Why a device cannot be decommissioned.
public enum DecommissionError: Hashable, Sendable {
    /// It must not be.
    case ineligible(reason: HomeDevice.DecommissionIneligibleReason)
    /// Another cause, in words.
    case other(_ description: String)
}

/// Why a hub cannot be activated.
public enum HubActivationError: Hashable, Sendable {
    /// No address of a page could be made.
    case failedToConstructWebURL
    /// The code that was found is none.
    case invalidDiscoveryCode
    /// The address that was found is none.
    case invalidIPAddress
    /// The user gave up.
    case userAborted
    /// The user cancelled.
    case userCancelled
    /// Another cause, in words.
    case other(_ description: String)
}

/// A failure of the SDK's account service; a MatterHub has none, so that it never comes.
public enum GalError: Hashable, Sendable {
    /// A cause in words.
    case other(_ description: String)
}

/// What the user has not allowed on the phone.
public enum PermissionError: Hashable, Sendable {
    /// The app may not know where the phone is.
    case locationPermissionsRequired
}
