public import Matter

/// What an app can ask about a code before it commissions.
public final class MatterCommissioningUtils: Sendable {
    private init() {}

    /// Reads a QR text or a manual code.
    ///
    /// - Returns: `nil` when it is none of Matter's.
    public static func matterSetupPayload(from onboardingPayload: String) -> MTRSetupPayload? {
        MTRSetupPayload(payload: onboardingPayload)
    }

    /// Whether a text is that of a Matter QR code which can be commissioned.
    public static func isQRCodeSupported(onboardingPayload: String) -> Bool {
        MTRSetupPayload(qrCode: onboardingPayload) != nil
    }

    /// Whether the app may commission; always, since a MatterHub has no list of apps.
    public static var isAppInMatterBackendList: Bool { true }
}

/// A device that waits to be commissioned, by what its code says.
public struct MatterCommissionableDevice: Codable, Hashable, Sendable {
    /// The discriminator: 12 bits, or the upper 4 of them when the code has no more.
    public let discriminator: UInt32
    /// How the device can be found, as bits: 1 by its own Wi-Fi, 2 by Bluetooth, 4 on the network; 0 when unknown.
    public let discoveryModes: UInt32
    /// The vendor's Matter id; `nil` when the code has none.
    public let vendorID: UInt32?
    /// The product's id within the vendor; `nil` when the code has none.
    public let productID: UInt32?

    /// Takes the particulars.
    public init(discriminator: UInt32, discoveryModes: UInt32, vendorID: UInt32? = nil, productID: UInt32? = nil) {
        self.discriminator = discriminator
        self.discoveryModes = discoveryModes
        self.vendorID = vendorID
        self.productID = productID
    }
}
