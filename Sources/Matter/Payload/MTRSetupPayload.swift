import MatterWire
import NetIO

/// A Matter onboarding payload: what a QR code or a manual pairing code says about a device.
///
/// Mirrors the class of the same name. It differs in this: it can't be subclassed; the numbers are not checked when they
/// are set but when a code is made of them, as there; archives are not those of Apple's class.
public final class MTRSetupPayload: NSObject, NSCopying, NSSecureCoding, Sendable {
    private let fields: Locked<PayloadFields>

    init(_ fields: PayloadFields) { self.fields = Locked(fields) }

    // MARK: - From a code

    /// Reads a QR text (`MT:…`) or a manual pairing code, with or without dashes; `nil` when it is not valid.
    public convenience init?(payload: String) {
        do {
            self.init(try PayloadFields(payload))
        } catch {
            return nil
        }
    }

    /// Reads a QR text; `nil` when it is not valid.
    public convenience init?(qrCode: String) {
        guard qrCode.contains("MT:") else { return nil }
        self.init(payload: qrCode)
    }

    /// Reads a QR text; `nil` when it is not valid.
    public convenience init?(QRCode: String) { self.init(qrCode: QRCode) }

    /// Reads a manual pairing code, with or without dashes; `nil` when it is not valid.
    public convenience init?(manualPairingCode: String) {
        guard !manualPairingCode.contains("MT:") else { return nil }
        self.init(payload: manualPairingCode)
    }

    /// Reads a QR text or a manual pairing code.
    ///
    /// - Throws: ``MTRError``: `integrityCheckFailed` for a wrong check digit, else `invalidArgument`; the description
    ///   names the character or field.
    public convenience init(onboardingPayload: String) throws {
        do {
            self.init(try PayloadFields(onboardingPayload))
        } catch {
            throw MTRError(error)
        }
    }

    /// A payload with only this known of it: version, vendor and product are 0, and how it is found is unknown.
    public convenience init(setupPasscode: NSNumber, discriminator: NSNumber) {
        self.init(PayloadFields(discriminator: discriminator, setupPasscode: setupPasscode))
    }

    // MARK: - Fields

    /// The payload format's version; only 0 is defined.
    public var version: NSNumber {
        get { self[\.version] }
        set { self[\.version] = newValue }
    }
    /// The vendor; 0 when the payload names none.
    public var vendorID: NSNumber {
        get { self[\.vendorID] }
        set { self[\.vendorID] = newValue }
    }
    /// The product; 0 when the payload names none.
    public var productID: NSNumber {
        get { self[\.productID] }
        set { self[\.productID] = newValue }
    }
    /// How commissioning is set off.
    public var commissioningFlow: MTRCommissioningFlow {
        get { self[\.commissioningFlow] }
        set { self[\.commissioningFlow] = newValue }
    }
    /// How the device can be found; unknown from a manual code.
    public var discoveryCapabilities: MTRDiscoveryCapabilities {
        get { self[\.discoveryCapabilities] }
        set { self[\.discoveryCapabilities] = newValue }
    }
    /// The discriminator: 12 bits, or the upper 4 of them when ``hasShortDiscriminator`` says so.
    public var discriminator: NSNumber {
        get { self[\.discriminator] }
        set { self[\.discriminator] = newValue }
    }
    /// Whether ``discriminator`` has only the upper 4 bits, as from a manual code.
    public var hasShortDiscriminator: Bool {
        get { self[\.hasShortDiscriminator] }
        set { self[\.hasShortDiscriminator] = newValue }
    }
    /// The passcode.
    public var setupPasscode: NSNumber {
        get { self[\.setupPasscode] }
        set { self[\.setupPasscode] = newValue }
    }
    /// The serial number, when the payload has one.
    public var serialNumber: String? {
        get { self[\.serialNumber] }
        set { self[\.serialNumber] = newValue }
    }
    /// The older name of ``setupPasscode``.
    public var setUpPINCode: NSNumber {
        get { setupPasscode }
        set { setupPasscode = newValue }
    }
    /// The older form of ``discoveryCapabilities``; `nil` when unknown.
    public var rendezvousInformation: NSNumber? {
        get { discoveryCapabilities.isEmpty ? nil : NSNumber(value: discoveryCapabilities.rawValue) }
        set { discoveryCapabilities = MTRDiscoveryCapabilities(rawValue: newValue?.uintValue ?? 0) }
    }

    private subscript<Value: Sendable>(path: any WritableKeyPath<PayloadFields, Value> & Sendable) -> Value {
        get { fields.withLock { $0[keyPath: path] } }
        set { fields.withLock { $0[keyPath: path] = newValue } }
    }

    // MARK: - Vendor's elements

    /// The vendor's elements, by their tags.
    public var vendorElements: [MTROptionalQRCodeInfo] {
        fields.withLock { $0 }.vendorData.compactMap { MTROptionalQRCodeInfo(tag: $0.tag, value: $0.value) }
    }

    /// The vendor's element of a tag, when the payload has it.
    public func vendorElement(withTag tag: NSNumber) -> MTROptionalQRCodeInfo? {
        vendorElements.first { $0.tag == tag }
    }

    /// Takes the vendor's element of a tag out, when the payload has it.
    public func removeVendorElement(withTag tag: NSNumber) {
        guard let tag = MTROptionalQRCodeInfo.vendorTag(tag) else { return }
        fields.withLock { $0.replace(tag, with: nil) }
    }

    /// Puts a vendor's element in, in the place of one of the same tag; one whose tag is not a vendor's is left out.
    public func addOrReplaceVendorElement(_ element: MTROptionalQRCodeInfo) {
        guard let new = element.element, case .context(let tag) = new.tag else { return }
        fields.withLock { $0.replace(tag, with: new.value) }
    }

    /// The older name of ``vendorElements``.
    public func getAllOptionalVendorData() throws -> [MTROptionalQRCodeInfo] { vendorElements }

    // MARK: - To a code

    /// The manual pairing code: 11 digits, 21 with vendor and product for another flow than the standard one; `nil` when
    /// the fields make no valid payload.
    public func manualEntryCode() -> String? { fields.withLock { $0 }.payload?.manualCode }

    /// The QR text; `nil` when the fields make no valid payload, or the long discriminator or the way to find the device is
    /// not known, as after reading a manual code.
    public func qrCodeString() -> String? { fields.withLock { $0 }.payload?.qrCode }

    /// A random passcode that a device may have.
    public static func generateRandomSetupPasscode() -> NSNumber {
        var generator = SystemRandomNumberGenerator()
        return NSNumber(value: Passcode.random(using: &generator).rawValue)
    }

    /// The older form of ``generateRandomSetupPasscode()``.
    public static func generateRandomPIN() -> UInt { generateRandomSetupPasscode().uintValue }

    // MARK: - NSObject

    /// A payload of its own with the same fields.
    public func copy(with zone: NSZone? = nil) -> Any { MTRSetupPayload(fields.withLock { $0 }) }

    /// Whether all fields are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MTRSetupPayload else { return false }
        return other === self || fields.withLock { $0 } == other.fields.withLock { $0 }
    }

    /// Equal for equal payloads, as long as they do not change.
    public override var hash: Int { fields.withLock { $0 }.hashValue }

    /// The fields in words, without the passcode.
    public override var description: String {
        let fields = fields.withLock { $0 }
        return "<MTRSetupPayload: version \(fields.version), vendor \(fields.vendorID), product \(fields.productID), "
            + "flow \(fields.commissioningFlow), discovery \(fields.discoveryCapabilities.rawValue), "
            + "\(fields.hasShortDiscriminator ? "short " : "")discriminator \(fields.discriminator)>"
    }

    // MARK: - Archives

    /// Archives are read with the classes checked.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the fields.
    public func encode(with coder: NSCoder) { fields.withLock { $0 }.encode(with: coder) }

    /// Reads the fields that ``encode(with:)`` wrote; `nil` when one is missing.
    public convenience init?(coder: NSCoder) {
        guard let fields = PayloadFields(coder: coder) else { return nil }
        self.init(fields)
    }
}
