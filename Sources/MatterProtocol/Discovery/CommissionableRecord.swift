public import MatterWire

/// What a node says of itself while it can be commissioned: a `_matterc._udp` instance (Core §4.3.1).
public struct CommissionableRecord: Hashable, Sendable {
    /// `CM`: whether and how the node can be commissioned.
    public enum Mode: UInt8, Hashable, Sendable {
        case closed = 0
        case basic = 1
        case enhanced = 2
        case jointFabric = 3
    }

    /// The instance name, by convention 16 hexadecimal digits, new for each window.
    public var instance: String
    /// UDP port of the SRV record; 0 means that there is none.
    public var port: UInt16
    /// All addresses known so far, best first.
    public var addresses: [PeerAddress]
    /// `CM`; `closed` when it is missing or malformed.
    public var mode: Mode
    /// `D`, 0 … 4095; `nil` when it is missing or malformed.
    public var discriminator: UInt16?
    /// `VP`; either part may be missing.
    public var vendor: VendorID?
    /// The second part of `VP`.
    public var product: ProductID?
    /// `SII`, `SAI`, `SAT`; defaults where missing.
    public var timing: MRPParameters
    /// The TXT record as it came.
    public var txt: [String: String]

    /// Reads the TXT record. Unknown keys are ignored, keys compare without case, malformed values count as missing.
    public init(instance: String, port: UInt16, addresses: [PeerAddress], txt: [String: String]) {
        let keys = Dictionary(txt.map { ($0.uppercased(), $1) }, uniquingKeysWith: { first, _ in first })
        self.instance = instance
        self.port = port
        self.addresses = addresses
        mode = keys["CM"].flatMap { UInt8($0) }.flatMap { Mode(rawValue: $0) } ?? .closed
        discriminator = keys["D"].flatMap { UInt16($0) }.flatMap { $0 <= 0xFFF ? $0 : nil }
        let parts = keys["VP"]?.split(separator: "+", omittingEmptySubsequences: false) ?? []
        vendor = parts.first.flatMap { UInt16($0) }.map { VendorID(rawValue: $0) }
        product = parts.dropFirst().first.flatMap { UInt16($0) }.map { ProductID(rawValue: $0) }
        timing = MRPParameters(txt: txt)
        self.txt = txt
    }
}

extension MRPParameters {
    /// The timing in a Matter TXT record (`SII`, `SAI`, `SAT`, decimal milliseconds); defaults where missing.
    public init(txt: [String: String]) {
        let keys = Dictionary(txt.map { ($0.uppercased(), $1) }, uniquingKeysWith: { first, _ in first })
        let standard = MRPParameters()
        func milliseconds(_ key: String) -> Duration? {
            keys[key].flatMap { UInt32($0) }.map { .milliseconds(Int64($0)) }
        }
        self.init(
            idleInterval: milliseconds("SII") ?? standard.idleInterval,
            activeInterval: milliseconds("SAI") ?? standard.activeInterval,
            activeThreshold: milliseconds("SAT") ?? standard.activeThreshold)
    }
}

/// Which commissionable nodes an onboarding payload names.
public struct CommissionableFilter: Hashable, Sendable {
    /// What the payload knows of the discriminator.
    public enum Discriminator: Hashable, Sendable {
        /// All 12 bits, from a QR code.
        case long(UInt16)
        /// The upper 4 bits, from a manual code.
        case short(UInt8)
    }
    /// Long or short, as the payload has it.
    public var discriminator: Discriminator
    /// Compared only where both sides state them.
    public var vendor: VendorID?
    /// Compared only where both sides state it.
    public var product: ProductID?

    /// Makes a filter.
    public init(discriminator: Discriminator, vendor: VendorID? = nil, product: ProductID? = nil) {
        self.discriminator = discriminator
        self.vendor = vendor
        self.product = product
    }

    /// Whether the record may be the payload's node: open, discriminator equal, vendor and product not different.
    public func matches(_ record: CommissionableRecord) -> Bool {
        guard record.mode != .closed, let advertised = record.discriminator else { return false }
        switch discriminator {
        case .long(let wanted): guard advertised == wanted else { return false }
        case .short(let wanted): guard advertised >> 8 == UInt16(wanted) else { return false }
        }
        if let vendor, let stated = record.vendor, vendor != stated { return false }
        if let product, let stated = record.product, product != stated { return false }
        return true
    }
}
