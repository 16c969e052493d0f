import Foundation
import MatterWire

/// What a setup payload holds; the numbers may be any until a code is made of them.
struct PayloadFields: Hashable, Sendable {
    var version: NSNumber = 0
    var vendorID: NSNumber = 0
    var productID: NSNumber = 0
    var commissioningFlow = MTRCommissioningFlow.standard
    var discoveryCapabilities = MTRDiscoveryCapabilities.unknown
    var discriminator: NSNumber
    var hasShortDiscriminator = false
    var setupPasscode: NSNumber
    /// The optional elements, by their tags.
    private var data: [TLVElement] = []

    init(discriminator: NSNumber, setupPasscode: NSNumber) {
        self.discriminator = discriminator
        self.setupPasscode = setupPasscode
    }

    /// Reads a code that is valid for commissioning.
    init(_ text: String) throws(OnboardingPayloadError) {
        let payload = try ParsedOnboardingPayload(text).validated()
        let long = payload.discriminator.long
        self.init(
            discriminator: long.map { NSNumber(value: $0.rawValue) }
                ?? NSNumber(value: payload.discriminator.short.rawValue),
            setupPasscode: NSNumber(value: payload.passcode.rawValue))
        version = NSNumber(value: payload.version)
        vendorID = NSNumber(value: payload.vendorID?.rawValue ?? 0)
        productID = NSNumber(value: payload.productID?.rawValue ?? 0)
        commissioningFlow = MTRCommissioningFlow(rawValue: UInt(payload.flow.rawValue)) ?? .invalid
        discoveryCapabilities = MTRDiscoveryCapabilities(rawValue: UInt(payload.discoveryCapabilities?.rawValue ?? 0))
        hasShortDiscriminator = long == nil
        data = payload.data
    }

    /// The payload, when the fields make one that commissioning may use.
    var payload: OnboardingPayload? {
        guard let version = UInt8(exactly: version.int64Value), version < 8,
            let vendorID = UInt16(exactly: vendorID.int64Value),
            let productID = UInt16(exactly: productID.int64Value),
            let flow = OnboardingPayload.Flow(rawValue: UInt8(commissioningFlow.rawValue)),
            let capabilities = UInt8(exactly: discoveryCapabilities.rawValue),
            let discriminator = payloadDiscriminator,
            let passcode = UInt32(exactly: setupPasscode.int64Value).flatMap({ Passcode(rawValue: $0) })
        else { return nil }
        let payload = OnboardingPayload(
            version: version, vendorID: VendorID(rawValue: vendorID), productID: ProductID(rawValue: productID),
            flow: flow, discoveryCapabilities: capabilities == 0 ? nil : .init(rawValue: capabilities),
            discriminator: discriminator, passcode: passcode, data: data)
        do {
            return try payload.validated()
        } catch {
            return nil
        }
    }

    private var payloadDiscriminator: PayloadDiscriminator? {
        if hasShortDiscriminator {
            UInt8(exactly: discriminator.int64Value).flatMap { ShortDiscriminator(rawValue: $0) }.map { .short($0) }
        } else {
            UInt16(exactly: discriminator.int64Value).flatMap { Discriminator(rawValue: $0) }.map { .long($0) }
        }
    }

    // MARK: - Optional elements

    private static let serialNumberTag: UInt8 = 0

    var serialNumber: String? {
        get {
            data.first { $0.tag == .context(Self.serialNumberTag) }.flatMap { element in
                element.value.utf8 ?? element.value.unsigned.map { String($0) }
            }
        }
        set { replace(Self.serialNumberTag, with: newValue.map { .utf8($0) }) }
    }

    /// The elements of the vendor's tags.
    var vendorData: [(tag: UInt8, value: TLVValue)] {
        data.compactMap { element in
            if case .context(let tag) = element.tag, tag >= 0x80 { (tag, element.value) } else { nil }
        }
    }

    /// Puts a value into an element, or takes the element out; the elements stay in the order of their tags.
    mutating func replace(_ tag: UInt8, with value: TLVValue?) {
        data.removeAll { $0.tag == .context(tag) }
        guard let value else { return }
        let place = data.firstIndex { if case .context(let other) = $0.tag { other > tag } else { false } }
        data.insert(TLVElement(tag, value), at: place ?? data.endIndex)
    }

    // MARK: - Archives

    private enum Key {
        static let version = "version"
        static let vendorID = "vendorID"
        static let productID = "productID"
        static let flow = "commissioningFlow"
        static let capabilities = "discoveryCapabilities"
        static let discriminator = "discriminator"
        static let isShort = "hasShortDiscriminator"
        static let passcode = "setupPasscode"
        static let data = "optionalData"
    }

    func encode(with coder: NSCoder) {
        coder.encode(version.int64Value, forKey: Key.version)
        coder.encode(vendorID.int64Value, forKey: Key.vendorID)
        coder.encode(productID.int64Value, forKey: Key.productID)
        coder.encode(Int64(commissioningFlow.rawValue), forKey: Key.flow)
        coder.encode(Int64(discoveryCapabilities.rawValue), forKey: Key.capabilities)
        coder.encode(discriminator.int64Value, forKey: Key.discriminator)
        coder.encode(hasShortDiscriminator, forKey: Key.isShort)
        coder.encode(setupPasscode.int64Value, forKey: Key.passcode)
        coder.encode(NSData(data: Data(TLVValue.structure(data).encoded())), forKey: Key.data)
    }

    init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.discriminator), coder.containsValue(forKey: Key.passcode),
            let flow = UInt(exactly: coder.decodeInt64(forKey: Key.flow)).flatMap({ MTRCommissioningFlow(rawValue: $0) }
            ),
            let capabilities = UInt(exactly: coder.decodeInt64(forKey: Key.capabilities)),
            let bytes = coder.decodeObject(of: NSData.self, forKey: Key.data)
        else { return nil }
        self.init(
            discriminator: NSNumber(value: coder.decodeInt64(forKey: Key.discriminator)),
            setupPasscode: NSNumber(value: coder.decodeInt64(forKey: Key.passcode)))
        version = NSNumber(value: coder.decodeInt64(forKey: Key.version))
        vendorID = NSNumber(value: coder.decodeInt64(forKey: Key.vendorID))
        productID = NSNumber(value: coder.decodeInt64(forKey: Key.productID))
        commissioningFlow = flow
        discoveryCapabilities = MTRDiscoveryCapabilities(rawValue: capabilities)
        hasShortDiscriminator = coder.decodeBool(forKey: Key.isShort)
        do {
            guard let members = try TLVValue.decode(Array(Data(referencing: bytes))).members else { return nil }
            data = members
        } catch {
            return nil
        }
    }
}
