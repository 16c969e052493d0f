import MatterWire

/// The fields of an X.509 certificate to be signed.
///
/// The template writes whatever it is given, also what no one may accept: tests make their bad certificates with it.
struct CertificateTemplate {
    /// One attribute of a name, each in a relative name of its own.
    struct NameAttribute {
        var identifier: [UInt8]
        var value: String
        var tag: UInt8 = DER.utf8String
    }

    /// X.509 version minus 1.
    var version: UInt8 = 2
    var serialNumber: [UInt8]
    /// The AlgorithmIdentifier that both places carry.
    var algorithm: [UInt8] = DER.ecdsaWithSHA256
    var issuer: [NameAttribute]
    var subject: [NameAttribute]
    var notBefore: EpochSeconds
    /// `nil` for a certificate without an end.
    var notAfter: EpochSeconds?
    var publicKey: P256PublicKey
    var extensions: [AttestationCertificate.Extension]

    /// The certificate, signed with `key`.
    func signed(by key: P256PrivateKey) throws(CryptoError) -> [UInt8] {
        let part = signedPart
        return DER.sequence(part, algorithm, DER.bits(try key.signDER(part)))
    }

    /// The part that the signature covers.
    var signedPart: [UInt8] {
        let version = version == 0 ? [] : DER.element(DER.constructedContext(0), DER.unsignedInteger([version]))
        let list = DER.element(DER.sequence, extensions.flatMap(Self.encoded))
        return DER.sequence(
            version, DER.unsignedInteger(serialNumber), algorithm, Self.encoded(issuer),
            DER.sequence(DERTime.encoded(notBefore), DERTime.encoded(notAfter)),
            Self.encoded(subject), DER.subjectPublicKeyInfo(publicKey),
            extensions.isEmpty ? [] : DER.element(DER.constructedContext(3), list))
    }

    private static func encoded(_ name: [NameAttribute]) -> [UInt8] {
        DER.element(
            DER.sequence,
            name.flatMap { attribute in
                DER.element(
                    DER.set,
                    DER.sequence(
                        DER.element(DER.objectIdentifier, attribute.identifier),
                        DER.element(attribute.tag, Array(attribute.value.utf8))))
            })
    }

    private static func encoded(_ item: AttestationCertificate.Extension) -> [UInt8] {
        DER.sequence(
            DER.element(DER.objectIdentifier, item.identifier),
            item.isCritical ? DER.element(DER.boolean, [0xFF]) : [],
            DER.element(DER.octetString, item.value))
    }
}

extension CertificateTemplate.NameAttribute {
    static func commonName(_ text: String) -> Self { Self(identifier: ObjectIdentifier.commonName, value: text) }
    static func vendor(_ id: VendorID) -> Self {
        Self(identifier: ObjectIdentifier.vendorID, value: String(AttestationText.id(id.rawValue).dropFirst(2)))
    }
    static func product(_ id: ProductID) -> Self {
        Self(identifier: ObjectIdentifier.productID, value: String(AttestationText.id(id.rawValue).dropFirst(2)))
    }
}

extension AttestationCertificate.Extension {
    /// Basic constraints; `isCA` false is the default value and so not written.
    static func basicConstraints(isCA: Bool, pathLength: UInt8? = nil, isCritical: Bool = true) -> Self {
        let flag = isCA ? DER.element(DER.boolean, [0xFF]) : []
        let length = pathLength.map { DER.unsignedInteger([$0]) } ?? []
        return Self(
            identifier: ObjectIdentifier.basicConstraints, isCritical: isCritical, value: DER.sequence(flag, length))
    }

    /// Key usage from bit numbers below 8 (RFC 5280 §4.2.1.3).
    static func keyUsage(_ bits: Set<Int>, isCritical: Bool = true) -> Self {
        let byte = bits.reduce(UInt8(0)) { $0 | 0x80 >> UInt8($1) }
        return Self(
            identifier: ObjectIdentifier.keyUsage, isCritical: isCritical,
            value: DER.element(DER.bitString, [UInt8(byte.trailingZeroBitCount) & 7, byte]))
    }

    static func subjectKeyID(_ keyID: [UInt8]) -> Self {
        Self(
            identifier: ObjectIdentifier.subjectKeyIdentifier, isCritical: false,
            value: DER.element(DER.octetString, keyID))
    }

    static func authorityKeyID(_ keyID: [UInt8]) -> Self {
        Self(
            identifier: ObjectIdentifier.authorityKeyIdentifier, isCritical: false,
            value: DER.sequence(DER.element(DER.primitiveContext(0), keyID)))
    }
}
