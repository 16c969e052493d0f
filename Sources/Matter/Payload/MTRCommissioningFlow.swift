/// How commissioning is set off (Core §5.1.1.4).
public enum MTRCommissioningFlow: UInt, Hashable, Sendable {
    /// The device is commissionable when it has power.
    case standard = 0
    /// The user must do something with the device first.
    case userActionRequired = 1
    /// The vendor's instructions come first.
    case custom = 2
    /// Not defined.
    case invalid = 3
}

/// How a device can be found; no bit at all when that is not known, as from a manual code (Core §5.1.1.3).
public struct MTRDiscoveryCapabilities: OptionSet, Hashable, Sendable {
    /// The bits of the payload.
    public let rawValue: UInt
    /// Takes the bits as they are.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Not known.
    public static let unknown = Self([])
    /// A Wi-Fi access point of the device's own.
    public static let softAP = Self(rawValue: 1)
    /// Bluetooth LE.
    public static let ble = Self(rawValue: 2)
    /// DNS-SD on the network that it is part of.
    public static let onNetwork = Self(rawValue: 4)
    /// Every way that has a name here.
    public static let allMask: Self = [.softAP, .ble, .onNetwork]
}
