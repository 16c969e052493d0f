public import MatterWire

extension MatterCertificate {
    /// Returns the X.509 TBSCertificate in DER, the bytes that are signed (Core §6.5.2, RFC 5280 §4.1).
    ///
    /// `notAfter` `nil` is 99991231235959Z. A `notBefore` of zero is the year 2000, as any other time. Times outside
    /// 32 bits are clamped, as in the TLV form.
    ///
    /// - Throws: `malformed` when a future extension is no DER.
    public func derTBS() throws(CryptoError) -> [UInt8] {
        var extensionBytes: [UInt8] = []
        for element in extensions { extensionBytes += try element.der() }
        let times = (Self.clamped(notBefore), notAfter.map(Self.clamped))
        return DER.sequence(
            DER.element(DER.constructedContext(0), DER.unsignedInteger([2])),
            DER.element(DER.integer, serialNumber),
            DER.ecdsaWithSHA256,
            issuer.der,
            DER.sequence(DERTime.encoded(times.0), DERTime.encoded(times.1)),
            subject.der,
            DER.sequence(DER.p256Algorithm, DER.bits(publicKey)),
            DER.element(DER.constructedContext(3), DER.element(DER.sequence, extensionBytes)))
    }

    /// Returns the whole X.509 certificate in DER.
    public func der() throws(CryptoError) -> [UInt8] {
        DER.sequence(try derTBS(), DER.ecdsaWithSHA256, DER.bits(try ECDSASignature.der(raw: signature)))
    }

    /// Whether the signature was made with the issuer's key.
    public func verify(issuerKey: P256PublicKey) throws(CryptoError) -> Bool {
        try issuerKey.verify(signature: signature, message: derTBS())
    }

    /// Returns the same certificate with the signature that `issuerKey` makes.
    public func signed(by issuerKey: any CertificateSigner) throws(CryptoError) -> MatterCertificate {
        var signed = self
        signed.signature = try issuerKey.sign(derTBS())
        return signed
    }

    /// Reads an X.509 certificate that has a TLV form. Whether the key is on the curve is not checked.
    ///
    /// - Throws: `malformed` for everything that the TLV form cannot say, so that ``der()`` always gives `der` back.
    public init(der: [UInt8]) throws(CryptoError) {
        var outer = DERReader(der[...])
        var certificate = try outer.contents(DER.sequence)
        try outer.end()
        var tbs = try certificate.contents(DER.sequence)
        try Self.signatureAlgorithm(&certificate)
        let signature = try ECDSASignature.raw(der: Array(certificate.octetAlignedBits()))
        try certificate.end()

        var version = try tbs.contents(DER.constructedContext(0))
        guard Array(try version.unsignedInteger()) == [2] else {
            throw CryptoError(.malformed, "not an X.509 certificate of version 3")
        }
        let serialNumber = Array(try tbs.element(DER.integer).content)
        guard Self.serialNumberCounts.contains(serialNumber.count) else {
            throw CryptoError(.malformed, "a serial number of \(serialNumber.count) bytes")
        }
        try Self.signatureAlgorithm(&tbs)
        let issuer = try DistinguishedName(der: &tbs)
        var validity = try tbs.contents(DER.sequence)
        guard let notBefore = try DERTime.decode(&validity) else {
            throw CryptoError(.malformed, "a certificate that never begins to be valid")
        }
        let notAfter = try DERTime.decode(&validity)
        try validity.end()
        for time in [notBefore, notAfter].compactMap({ $0 }) {
            guard UInt32(exactly: time.rawValue) != nil else {
                throw CryptoError(.malformed, "a time outside 2000 … 2136")
            }
        }
        let subject = try DistinguishedName(der: &tbs)
        let publicKey = try tbs.subjectPublicKey()
        var list = try tbs.contents(DER.constructedContext(3))
        try tbs.end()
        var elements = try list.contents(DER.sequence)
        try list.end()
        var extensions: [CertificateExtension] = []
        while !elements.isAtEnd { extensions.append(try CertificateExtension(der: &elements)) }

        self.init(
            serialNumber: serialNumber, issuer: issuer, notBefore: notBefore, notAfter: notAfter, subject: subject,
            publicKey: publicKey, extensions: extensions, signature: signature)
        guard try self.der() == der else {
            throw CryptoError(.malformed, "the TLV form would lose a part of the certificate")
        }
    }

    private static func clamped(_ time: EpochSeconds) -> EpochSeconds {
        EpochSeconds(rawValue: Int64(UInt32(clamping: time.rawValue)))
    }

    private static func signatureAlgorithm(_ reader: inout DERReader) throws(CryptoError) {
        guard Array(try reader.element(DER.sequence).encoded) == DER.ecdsaWithSHA256 else {
            throw CryptoError(.malformed, "not signed with ECDSA and SHA-256")
        }
    }
}
