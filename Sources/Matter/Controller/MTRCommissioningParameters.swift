/// How a device is commissioned.
public final class MTRCommissioningParameters: NSObject {
    /// Asked about the device's attestation; `nil` lets only devices in that keep every rule.
    public var deviceAttestationDelegate: (any MTRDeviceAttestationDelegate)?
    /// The fail-safe's length in seconds: how long the delegate may think. `nil` takes the device's recommendation.
    public var failSafeTimeout: NSNumber?
    /// Two letters, for devices with radios; `nil` for unknown.
    public var countryCode: String?
    /// The Wi-Fi network for a device that is reached by radio. Here every device is reached over IP and keeps its network.
    public var wifiSSID: Data?
    /// The passphrase of ``wifiSSID``.
    public var wifiCredentials: Data?
    /// The Thread network for a device that is reached by radio. Here every device is reached over IP and keeps its network.
    public var threadOperationalDataset: Data?

    /// Makes parameters that leave everything to the device.
    public override init() {}
}
