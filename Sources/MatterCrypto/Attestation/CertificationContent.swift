public import MatterWire

/// The fields of a certification declaration (Core §6.3.2).
public struct CertificationContent: Hashable, Sendable {
    /// The ids of the product whose attestation certificates this product uses (Core §6.3.2.1).
    public struct Origin: Hashable, Sendable {
        /// The vendor id in the DAC and the PAI.
        public var vendorID: VendorID
        /// The product id in the DAC, and in the PAI if it has one.
        public var productID: ProductID
        /// Makes an origin from both ids: one without the other is not allowed.
        public init(vendorID: VendorID, productID: ProductID) {
            self.vendorID = vendorID
            self.productID = productID
        }
    }

    /// What kind of certification is declared; numbers without a name are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public var rawValue: UInt8
        /// A kind by its number.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// For development and testing: anyone can sign it.
        public static let developmentAndTest = Kind(rawValue: 0)
        /// Before certification is complete.
        public static let provisional = Kind(rawValue: 1)
        /// A certified product.
        public static let official = Kind(rawValue: 2)
    }

    /// The maker of the product, as BasicInformation tells it.
    public var vendorID: VendorID
    /// The products that are certified, 1 … 100 of them.
    public var productIDs: [ProductID]
    /// The primary device type.
    public var deviceType: DeviceTypeID
    /// The certificate's number in the ledger: 19 bytes.
    public var certificateID: String
    /// Reserved; any value is taken.
    public var securityLevel: UInt8
    /// Reserved; any value is taken.
    public var securityInformation: UInt16
    /// The number of the certified version in the ledger.
    public var versionNumber: UInt16
    /// What kind of certification is declared.
    public var kind: Kind
    /// Where the attestation certificates come from, when not from this product's own maker.
    public var origin: Origin?
    /// The key identifiers (20 bytes each) of the only PAAs that may stand behind the device; `nil` means any.
    public var authorizedPAAs: [[UInt8]]?

    /// The format version that this type reads and writes.
    public static let formatVersion: UInt64 = 1
    /// Product ids that a declaration may list at most.
    public static let maximumProducts = 100
    /// PAAs that a declaration may list at most.
    public static let maximumAuthorizedPAAs = 10
    /// Bytes of a certificate id.
    public static let certificateIDSize = 19

    /// Makes the fields; reserved ones are 0 unless given.
    public init(
        vendorID: VendorID, productIDs: [ProductID], deviceType: DeviceTypeID, certificateID: String,
        securityLevel: UInt8 = 0, securityInformation: UInt16 = 0, versionNumber: UInt16 = 1,
        kind: Kind = .developmentAndTest, origin: Origin? = nil, authorizedPAAs: [[UInt8]]? = nil
    ) {
        self.vendorID = vendorID
        self.productIDs = productIDs
        self.deviceType = deviceType
        self.certificateID = certificateID
        self.securityLevel = securityLevel
        self.securityInformation = securityInformation
        self.versionNumber = versionNumber
        self.kind = kind
        self.origin = origin
        self.authorizedPAAs = authorizedPAAs
    }

    /// Reads the fields from the signed TLV.
    ///
    /// Fields come in the order of their tags; tags above 11 are ignored, as the format may grow.
    public init(decoding bytes: [UInt8]) throws(AttestationError) {
        let fields = try Fields(bytes)
        guard try fields.integer(0, "format version", UInt64.self) == Self.formatVersion else {
            throw AttestationError(code: .unsupported, reason: "the format version is not \(Self.formatVersion)")
        }
        vendorID = VendorID(rawValue: try fields.integer(1, "vendor id"))
        productIDs = try fields.products()
        deviceType = DeviceTypeID(rawValue: try fields.integer(3, "device type"))
        guard let text = fields[4]?.utf8, text.utf8.count == Self.certificateIDSize else {
            throw fields.failure(4, "certificate id", "a string of \(Self.certificateIDSize) bytes")
        }
        certificateID = text
        securityLevel = try fields.integer(5, "security level")
        securityInformation = try fields.integer(6, "security information")
        versionNumber = try fields.integer(7, "version number")
        kind = Kind(rawValue: try fields.integer(8, "certification type"))
        origin = try fields.origin()
        authorizedPAAs = try fields.authorizedPAAs()
    }

    /// The fields as the TLV that is signed.
    public func encoded() -> [UInt8] {
        TLVValue.members(
            (0, .uint(Self.formatVersion)), (1, .uint(vendorID.rawValue)),
            (2, .array(productIDs.map { .uint($0.rawValue) })), (3, .uint(deviceType.rawValue)),
            (4, .utf8(certificateID)), (5, .uint(securityLevel)), (6, .uint(securityInformation)),
            (7, .uint(versionNumber)), (8, .uint(kind.rawValue)), (9, origin.map { .uint($0.vendorID.rawValue) }),
            (10, origin.map { .uint($0.productID.rawValue) }),
            (11, authorizedPAAs.map { .array($0.map(TLVValue.octets)) })
        ).encoded()
    }
}

/// The known members of a declaration, in order.
private struct Fields {
    private static let known: ClosedRange<UInt8> = 0...11
    private var values: [UInt8: TLVValue] = [:]

    subscript(tag: UInt8) -> TLVValue? { values[tag] }

    init(_ bytes: [UInt8]) throws(AttestationError) {
        let element: TLVElement
        do throws(TLVError) {
            element = try TLVElement.decode(bytes)
        } catch {
            throw AttestationError(code: .malformed, reason: "the content is no well-formed TLV (\(error.code))")
        }
        guard element.tag == .anonymous, case .structure(let members) = element.value else {
            throw AttestationError(code: .malformed, reason: "the content is no anonymous TLV structure")
        }
        var last = -1
        for member in members {
            guard case .context(let tag) = member.tag, Self.known.contains(tag) else { continue }
            guard Int(tag) > last else {
                throw AttestationError(code: .invalid, reason: "the field with tag \(tag) is out of order")
            }
            last = Int(tag)
            values[tag] = member.value
        }
    }

    func integer<T: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, _ name: String, _: T.Type = T.self
    ) throws(AttestationError) -> T {
        guard let number = values[tag]?.unsigned.flatMap(T.init(exactly:)) else {
            throw failure(tag, name, "an unsigned integer of \(T.bitWidth) bits")
        }
        return number
    }

    func products() throws(AttestationError) -> [ProductID] {
        guard let list = values[2]?.array, (1...CertificationContent.maximumProducts).contains(list.count) else {
            throw failure(2, "product id list", "an array of 1 to \(CertificationContent.maximumProducts) products")
        }
        var products: [ProductID] = []
        for item in list {
            guard let number = item.unsigned.flatMap(UInt16.init(exactly:)) else {
                throw failure(2, "product id list", "an array of 16-bit unsigned integers")
            }
            products.append(ProductID(rawValue: number))
        }
        return products
    }

    func origin() throws(AttestationError) -> CertificationContent.Origin? {
        switch (values[9], values[10]) {
        case (nil, nil): return nil
        case (.some, .some):
            return CertificationContent.Origin(
                vendorID: VendorID(rawValue: try integer(9, "DAC origin vendor id")),
                productID: ProductID(rawValue: try integer(10, "DAC origin product id")))
        case (.some, nil), (nil, .some):
            throw AttestationError(
                code: .missing, reason: "of the DAC origin's vendor id (9) and product id (10) only one is there")
        }
    }

    func authorizedPAAs() throws(AttestationError) -> [[UInt8]]? {
        guard let value = values[11] else { return nil }
        guard let list = value.array, list.count <= CertificationContent.maximumAuthorizedPAAs else {
            throw failure(
                11, "list of authorized PAAs",
                "an array of at most \(CertificationContent.maximumAuthorizedPAAs) key identifiers")
        }
        var keyIDs: [[UInt8]] = []
        for item in list {
            guard let keyID = item.octets, keyID.count == AttestationCertificate.keyIDSize else {
                throw failure(11, "list of authorized PAAs", "an array of 20-byte key identifiers")
            }
            keyIDs.append(keyID)
        }
        return keyIDs
    }

    func failure(_ tag: UInt8, _ name: String, _ wanted: String) -> AttestationError {
        values[tag] == nil
            ? AttestationError(code: .missing, reason: "the \(name) (tag \(tag)) is missing")
            : AttestationError(code: .invalid, reason: "the \(name) (tag \(tag)) is not \(wanted)")
    }
}
