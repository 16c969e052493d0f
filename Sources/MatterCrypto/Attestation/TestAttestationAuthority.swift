public import MatterWire

/// Our own product attestation authority for virtual devices.
///
/// **It protects nothing**: the private key is in this file, so that every installation mints devices that every other
/// installation recognises, and so that the certificate can be exported to any controller. It serves the test vendor
/// 0xFFF1 only, and says so in its subject, so that a controller that trusts it cannot be shown a device of another maker.
public enum TestAttestationAuthority {
    /// The authority's certificate in DER: what a foreign controller has to trust.
    public static let certificate = [UInt8](constantHex: certificateHex)
    /// The only vendor that the authority serves.
    public static let vendorID = VendorID(rawValue: 0xFFF1)
    /// From when on everything of this authority is valid: 2024-01-01T00:00:00Z. It never ends.
    public static let notBefore = EpochSeconds(unixSeconds: 1_704_067_200)

    /// Makes the credentials of a new virtual device.
    ///
    /// PAI and DAC have new keys each time; the declaration is for development and test and is signed with the key that
    /// the alliance publishes for that.
    ///
    /// - Parameters:
    ///   - product: what the DAC and the declaration name.
    ///   - deviceType: the primary device type, for the declaration.
    ///   - secrets: where keys and serial numbers come from.
    public static func issue(
        product: ProductID, deviceType: DeviceTypeID, secrets: any SecretSource
    ) throws(CryptoError) -> DeviceAttestationCredentials {
        let root = try P256PrivateKey(rawValue: [UInt8](constantHex: privateKeyHex))
        let paiKey = try P256PrivateKey.generate(using: secrets)
        let dacKey = try P256PrivateKey.generate(using: secrets)
        var pai = try template(.pai, key: paiKey.publicKey, issuerKey: root.publicKey)
        pai.serialNumber = try serialNumber(secrets)
        var dac = try template(.dac, key: dacKey.publicKey, issuerKey: paiKey.publicKey, product: product)
        dac.serialNumber = try serialNumber(secrets)
        let declaration = try CertificationDeclaration.make(
            CertificationContent(
                vendorID: vendorID, productIDs: [product], deviceType: deviceType, certificateID: "CSA00000SWC00000-00"),
            key: try P256PrivateKey(rawValue: [UInt8](constantHex: DeclarationKeys.testPrivate)))
        return DeviceAttestationCredentials(
            dac: try dac.signed(by: paiKey), pai: try pai.signed(by: root), certificationDeclaration: declaration.cms,
            dacKey: dacKey)
    }

    /// The certificate of a role as this authority makes it; the serial number is to be replaced.
    static func template(
        _ role: AttestationCertificate.Role, key: P256PublicKey, issuerKey: P256PublicKey,
        product: ProductID = ProductID(rawValue: 0)
    ) throws(CryptoError) -> CertificateTemplate {
        let paaName: [CertificateTemplate.NameAttribute] = [.commonName("MatterHub Test PAA"), .vendor(vendorID)]
        let paiName: [CertificateTemplate.NameAttribute] = [.commonName("MatterHub Test PAI"), .vendor(vendorID)]
        let usage: Set<Int>
        let constraints: AttestationCertificate.Extension
        let names: (issuer: [CertificateTemplate.NameAttribute], subject: [CertificateTemplate.NameAttribute])
        switch role {
        case .paa:
            usage = [KeyUsage.certificateSign, KeyUsage.crlSign]
            constraints = .basicConstraints(isCA: true, pathLength: 1)
            names = (paaName, paaName)
        case .pai:
            usage = [KeyUsage.certificateSign, KeyUsage.crlSign]
            constraints = .basicConstraints(isCA: true, pathLength: 0)
            names = (paaName, paiName)
        case .dac:
            usage = [KeyUsage.digitalSignature]
            constraints = .basicConstraints(isCA: false)
            names = (paiName, [.commonName("MatterHub Test Device"), .vendor(vendorID), .product(product)])
        }
        return CertificateTemplate(
            serialNumber: [1], issuer: names.issuer, subject: names.subject, notBefore: notBefore,
            notAfter: nil, publicKey: key,
            extensions: [
                constraints, .keyUsage(usage), .subjectKeyID(try key.keyIdentifier()),
                .authorityKeyID(try issuerKey.keyIdentifier()),
            ])
    }

    /// Eight bytes, positive and never zero.
    private static func serialNumber(_ secrets: any SecretSource) throws(CryptoError) -> [UInt8] {
        var bytes = try secrets.bytes(8)
        guard bytes.count == 8 else {
            throw CryptoError(.invalidArgument, "a source of secrets that gives too few bytes")
        }
        bytes[0] = bytes[0] & 0x7F | 0x40
        return bytes
    }

    /// The authority's private key. Published on purpose; see above.
    static let privateKeyHex = "fe4ae976a9962b73e6e7d0dcf7e2455b2e85192dc02b92846a419f3c30825b2c"
    /// The certificate, made once from ``template(_:key:issuerKey:product:)`` with this key.
    static let certificateHex = """
        308201be30820163a003020102020101300a06082a8648ce3d0403023033311b301906035504030c124d617474657248\
        756220546573742050414131143012060a2b0601040182a27c02010c04464646313020170d3234303130313030303030\
        305a180f39393939313233313233353935395a3033311b301906035504030c124d617474657248756220546573742050\
        414131143012060a2b0601040182a27c02010c04464646313059301306072a8648ce3d020106082a8648ce3d03010703\
        420004c05798678c52ac8fe56271e630ec995eaaaebb1543a1ccc6118337b07e17571949ec4a296483feba28e94850d7\
        f50169ad8e5fe7b1c94347ff3304ed41301837a366306430120603551d130101ff040830060101ff020101300e060355\
        1d0f0101ff040403020106301d0603551d0e04160414ea423328b006694fed729622d5a1481a93ffb6b9301f0603551d\
        23041830168014ea423328b006694fed729622d5a1481a93ffb6b9300a06082a8648ce3d0403020349003046022100a2\
        b9cdc086cab3867a980267f0cf991f356a9793a5dc0f3fc795b5ee30fc377702210096d8558d8f5d3923cd35596c7a58\
        9f201a3f1c1ee23fc9eb657851c3efc7674a
        """
}
