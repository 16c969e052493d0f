/// How a Wi-Fi network is secured, as a device's scan reports it (the network commissioning cluster's WiFiSecurityBitmap).
public struct MTRNetworkCommissioningWiFiSecurity: OptionSet, Hashable, Codable, Sendable {
    /// The cluster's bits.
    public let rawValue: UInt8
    /// Takes the cluster's bits; unknown ones are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Open.
    public static let unencrypted = Self(rawValue: 0x01)
    /// WEP.
    public static let wep = Self(rawValue: 0x02)
    /// WPA with a passphrase.
    public static let wpaPersonal = Self(rawValue: 0x04)
    /// WPA2 with a passphrase.
    public static let wpa2Personal = Self(rawValue: 0x08)
    /// WPA3 with a passphrase.
    public static let wpa3Personal = Self(rawValue: 0x10)
}

/// The band of a Wi-Fi network, as a device's scan reports it (the network commissioning cluster's WiFiBandEnum).
public enum MTRNetworkCommissioningWiFiBand: UInt8, Hashable, Codable, CaseIterable, Sendable {
    /// 2.4 GHz.
    case band2G4 = 0
    /// 3.65 GHz.
    case band3G65 = 1
    /// 5 GHz.
    case band5G = 2
    /// 6 GHz.
    case band6G = 3
    /// 60 GHz.
    case band60G = 4
    /// 1 GHz and below.
    case band1G = 5
}
