/// What a QR code or a manual pairing code says about a device (Core §5.1).
///
/// Reading has two layers: ``ParsedOnboardingPayload`` holds whatever the text's structure allows, and
/// ``validated()`` refuses what must not be used for commissioning: another version, the reserved flow, a forbidden
/// passcode.
public struct OnboardingPayload: Hashable, Sendable {
    /// How commissioning is set off (Core §5.1.1.4).
    public enum Flow: UInt8, Hashable, Sendable {
        /// The device is commissionable when it has power.
        case standard
        /// The user must do something with the device first.
        case userIntent
        /// The vendor's instructions come first.
        case custom
        /// Not defined.
        case reserved
    }

    /// How the device can be found, one bit a way (Core §5.1.1.3).
    public struct DiscoveryCapabilities: OptionSet, Hashable, Sendable {
        /// The 8 bits of the payload.
        public let rawValue: UInt8
        /// Takes the bits as they are, unknown ones too.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A Wi-Fi access point of the device's own (reserved since 1.1).
        public static let softAP = Self(rawValue: 0x01)
        /// Bluetooth LE.
        public static let ble = Self(rawValue: 0x02)
        /// DNS-SD on the IP network that it is part of.
        public static let onNetwork = Self(rawValue: 0x04)
        /// Wi-Fi public action frames.
        public static let wifiPAF = Self(rawValue: 0x08)
        /// NFC.
        public static let nfc = Self(rawValue: 0x10)
    }

    /// The payload format's version, 0 … 7; only 0 is defined.
    public let version: UInt8
    /// The vendor as written, 0 where it is left open; `nil` when the form does not carry it.
    public var vendorID: VendorID?
    /// The product as written, 0 where it is left open; `nil` when the form does not carry it.
    public var productID: ProductID?
    /// The commissioning flow. A manual code does not carry it: 11 digits mean standard, 21 digits are read as
    /// custom, as the CHIP SDK does (they may also mean user intent).
    public var flow: Flow
    /// How the device can be found; `nil` from a manual code, which does not say.
    public var discoveryCapabilities: DiscoveryCapabilities?
    /// The discriminator, or the part of it that the form carries.
    public var discriminator: PayloadDiscriminator
    /// The passcode, valid or not.
    public var passcode: Passcode
    /// The members of the optional TLV structure in their order; context tags 0 … 4 and 0x80 … 0xFF have a meaning.
    public var data: [TLVElement]

    /// Makes a payload, for a device that shows one or a test.
    ///
    /// - Parameter version: 0 … 7; anything larger is a programming error.
    public init(
        version: UInt8 = 0, vendorID: VendorID? = nil, productID: ProductID? = nil, flow: Flow = .standard,
        discoveryCapabilities: DiscoveryCapabilities? = nil, discriminator: PayloadDiscriminator,
        passcode: Passcode, data: [TLVElement] = []
    ) {
        precondition(version < 8, "the version has 3 bits")
        self.version = version
        self.vendorID = vendorID
        self.productID = productID
        self.flow = flow
        self.discoveryCapabilities = discoveryCapabilities
        self.discriminator = discriminator
        self.passcode = passcode
        self.data = data
    }

    /// The vendor, where the payload names one: not absent and not 0.
    public var statedVendorID: VendorID? { vendorID?.rawValue == 0 ? nil : vendorID }
    /// The product, where the payload names one: not absent and not 0.
    public var statedProductID: ProductID? { productID?.rawValue == 0 ? nil : productID }
    /// Whether the payload says how the device is found and leaves out the IP network.
    public var excludesNetworkDiscovery: Bool { discoveryCapabilities.map { !$0.contains(.onNetwork) } ?? false }
}

// MARK: - Validity

extension OnboardingPayload {
    /// A field that validity depends on.
    enum Field { case version, flow, passcode }

    /// The payload itself, when commissioning may use it.
    ///
    /// - Throws: ``OnboardingPayloadError`` `unsupportedVersion`, `reservedFlow` or `invalidPasscode`, in this order,
    ///   without an offset: ``ParsedOnboardingPayload/validated()`` knows the place in the text.
    public func validated() throws(OnboardingPayloadError) -> OnboardingPayload {
        if let fault { throw fault.error }
        return self
    }

    var fault: (field: Field, error: OnboardingPayloadError)? {
        guard version == 0 else {
            let message = "the version field is \(version); only version 0 is defined"
            return (.version, OnboardingPayloadError(.unsupportedVersion, message))
        }
        guard flow != .reserved else {
            return (
                .flow, OnboardingPayloadError(.reservedFlow, "the commissioning flow field is 3, which is reserved")
            )
        }
        guard passcode.isValid else { return (.passcode, Self.invalidPasscode(passcode)) }
        return nil
    }

    static func invalidPasscode(_ passcode: Passcode) -> OnboardingPayloadError {
        let digits = String(passcode.rawValue)
        let padded = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let why =
            passcode.rawValue > 99_999_998 && !Passcode.forbidden.contains(passcode.rawValue)
            ? "is out of range (1 to 99999998)" : "is one that no device may have"
        return OnboardingPayloadError(.invalidPasscode, "the passcode \(padded) \(why)")
    }
}

// MARK: - Optional data

extension OnboardingPayload {
    /// The serial number (tag 0), at most 32 characters; a number is given in decimal.
    public var serialNumber: String? { member(0).flatMap { $0.utf8 ?? $0.unsigned.map { String($0) } } }
    /// PBKDF iterations of the passcode verifier (tag 1).
    public var pbkdfIterations: UInt32? { member(1)?.unsigned.flatMap { UInt32(exactly: $0) } }
    /// PBKDF salt of the passcode verifier (tag 2), 16 … 32 bytes.
    public var pbkdfSalt: [UInt8]? { member(2)?.octets }
    /// How many devices share this payload (tag 3).
    public var numberOfDevices: UInt8? { member(3)?.unsigned.flatMap { UInt8(exactly: $0) } }
    /// How long the device stays commissionable after it was started (tag 4), in seconds.
    public var commissioningTimeout: UInt16? { member(4)?.unsigned.flatMap { UInt16(exactly: $0) } }
    /// The vendor's own members, context tags 0x80 … 0xFF, in their order.
    public var vendorData: [(tag: UInt8, value: TLVValue)] {
        data.compactMap { element in
            if case .context(let tag) = element.tag, tag >= 0x80 { (tag, element.value) } else { nil }
        }
    }

    private func member(_ tag: UInt8) -> TLVValue? { data.first { $0.tag == .context(tag) }?.value }
}
