/// A step of setting up a device, in the order in which they come.
public enum MatterSetupStep: String, CaseIterable, Hashable, Sendable {
    /// The person scans or types the code.
    case scan
    /// The person picks one of several homes.
    case home
    /// The phone commissions the device, or only looks at it.
    case device
    /// The extension looks at the device's attestation.
    case validate
    /// The extension chooses a Wi-Fi network.
    case wifi
    /// The extension chooses a Thread network.
    case thread
    /// The extension lists its rooms.
    case rooms
    /// The person picks one of the rooms.
    case room
    /// The person types a name.
    case name
    /// The phone opens a window for the extension's commissioner.
    case window
    /// The extension commissions the device.
    case commission
    /// The extension names the device.
    case configure
}
