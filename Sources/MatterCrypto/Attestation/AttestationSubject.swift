public import MatterWire

/// The vendor and product ids that the subject of a DAC, PAI or PAA carries (Core §6.2.2.2).
public struct AttestationSubject: Hashable, Sendable {
    /// The vendor id, where the subject names one.
    public let vendorID: VendorID?
    /// The product id, where the subject names one.
    public let productID: ProductID?

    /// Takes the ids out of a certificate's subject.
    ///
    /// The ids stand in attributes of their own: UTF8String or PrintableString of exactly 4 upper-case hexadecimal
    /// digits. A subject with neither may spell them within its common name, as `Mvid:FFF1` and `Mpid:8000`,
    /// anywhere; the first match counts.
    ///
    /// - Throws: ``AttestationError`` `invalid` when an id is spelled wrongly or an attribute appears twice.
    public init(_ name: AttestationName) throws(AttestationError) {
        let vendor = try Self.attribute(ObjectIdentifier.vendorID, in: name, "vendor id")
        let product = try Self.attribute(ObjectIdentifier.productID, in: name, "product id")
        if vendor != nil || product != nil {
            vendorID = vendor.map(VendorID.init)
            productID = product.map(ProductID.init)
            return
        }
        var spelledVendor: UInt16?
        var spelledProduct: UInt16?
        for attribute in name.attributes where attribute.identifier == ObjectIdentifier.commonName {
            if spelledVendor == nil { spelledVendor = try Self.spelled("Mvid:", in: attribute.value) }
            if spelledProduct == nil { spelledProduct = try Self.spelled("Mpid:", in: attribute.value) }
        }
        vendorID = spelledVendor.map(VendorID.init)
        productID = spelledProduct.map(ProductID.init)
    }

    private static func attribute(
        _ identifier: [UInt8], in name: AttestationName, _ what: String
    ) throws(AttestationError) -> UInt16? {
        let found = name.attributes.filter { $0.identifier == identifier }
        guard let attribute = found.first else { return nil }
        guard found.count == 1 else {
            throw AttestationError(code: .invalid, reason: "the subject has \(found.count) attributes for the \(what)")
        }
        guard attribute.tag == DER.utf8String || attribute.tag == DER.printableString else {
            throw AttestationError(code: .invalid, reason: "the \(what) is neither UTF8String nor PrintableString")
        }
        guard attribute.value.count == 4, let number = hex(attribute.value[...]) else {
            throw AttestationError(
                code: .invalid, reason: "the \(what) \(quoted(attribute.value)) is not 4 upper-case hexadecimal digits")
        }
        return number
    }

    private static func spelled(_ prefix: String, in name: [UInt8]) throws(AttestationError) -> UInt16? {
        let prefix = Array(prefix.utf8)
        guard let start = name.indices.first(where: { name[$0...].starts(with: prefix) }) else { return nil }
        let digits = name[(start + prefix.count)...].prefix(4)
        guard digits.count == 4, let number = hex(digits) else {
            throw AttestationError(
                code: .invalid,
                reason: "in the common name \(quoted(name)), \(quoted(prefix)) is not followed by 4 upper-case "
                    + "hexadecimal digits")
        }
        return number
    }

    /// The value of upper-case hexadecimal digits.
    private static func hex(_ digits: ArraySlice<UInt8>) -> UInt16? {
        var value: UInt16 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: value = value << 4 | UInt16(digit - 0x30)
            case 0x41...0x46: value = value << 4 | UInt16(digit - 0x41 + 10)
            default: return nil
            }
        }
        return value
    }

    private static func quoted(_ text: [UInt8]) -> String {
        "\"\(String(decoding: text, as: UTF8.self).filter { !$0.isNewline }.prefix(64))\""
    }
}

extension AttestationCertificate {
    /// The ids in the certificate's subject.
    ///
    /// - Throws: ``AttestationError`` `invalid` when they are spelled wrongly.
    public func subjectIDs() throws(AttestationError) -> AttestationSubject { try AttestationSubject(subject) }
}
