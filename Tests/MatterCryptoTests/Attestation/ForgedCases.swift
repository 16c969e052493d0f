@testable import MatterCrypto
import MatterWire
import TestSupport

/// Cases of the same kinds as the public attestation cases of the CHIP SDK, made from our own material.
extension ForgedCase {
    static let all = certificates + subjects + chains + messages + contents + answers
    private static let vendor2 = VendorID(rawValue: 0xFFF2)
    private static let product2 = ProductID(rawValue: 0x8001)

    /// Replaces one extension of the DAC or of the PAI.
    private static func dac(
        _ identifier: [UInt8], _ item: AttestationCertificate.Extension?
    ) -> @Sendable (inout AttestationForge) -> Void {
        { AttestationForge.replace(identifier, in: &$0.dac, with: item) }
    }
    private static func pai(
        _ identifier: [UInt8], _ item: AttestationCertificate.Extension?
    ) -> @Sendable (inout AttestationForge) -> Void {
        { AttestationForge.replace(identifier, in: &$0.pai, with: item) }
    }

    private static let extendedKeyUsage = AttestationCertificate.Extension(
        identifier: [0x55, 0x1D, 0x25], isCritical: false,
        value: DER.sequence(DER.element(DER.objectIdentifier, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x02])))
    private static let unknownCritical = AttestationCertificate.Extension(
        identifier: [0x2A, 0x03], isCritical: true, value: [0x05, 0x00])
    private static let ecdsaWithSHA384 = DER.sequence(
        DER.element(DER.objectIdentifier, [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03]))

    private static let certificates: [ForgedCase] = {
        typealias OID = ObjectIdentifier
        return [
            ForgedCase("good"),
            ForgedCase("DAC v2", [.dacFormat]) { $0.dac.version = 1 },
            ForgedCase("PAI v2", [.paiFormat]) { $0.pai.version = 1 },
            ForgedCase("PAI v1", [.paiFormat]) { $0.pai.version = 0 },
            ForgedCase("DAC algorithm", [.dacFormat, .dacIssuer]) { $0.dac.algorithm = ecdsaWithSHA384 },
            ForgedCase("DAC no basic constraints", [.dacFormat], dac(OID.basicConstraints, nil)),
            ForgedCase(
                "DAC basic constraints not critical", [.dacFormat],
                dac(OID.basicConstraints, .basicConstraints(isCA: false, isCritical: false))),
            ForgedCase(
                "DAC is a CA", [.dacFormat], dac(OID.basicConstraints, .basicConstraints(isCA: true))),
            ForgedCase(
                "DAC path length", [.dacFormat],
                dac(OID.basicConstraints, .basicConstraints(isCA: false, pathLength: 0))),
            ForgedCase("DAC no key usage", [.dacFormat], dac(OID.keyUsage, nil)),
            ForgedCase(
                "DAC key usage not critical", [.dacFormat], dac(OID.keyUsage, .keyUsage([0], isCritical: false))),
            ForgedCase("DAC key usage certSign", [.dacFormat], dac(OID.keyUsage, .keyUsage([0, 5]))),
            ForgedCase("DAC key usage crlSign", [.dacFormat], dac(OID.keyUsage, .keyUsage([0, 6]))),
            ForgedCase("DAC key usage without digitalSignature", [.dacFormat], dac(OID.keyUsage, .keyUsage([5, 6]))),
            ForgedCase("DAC no SKI", [.dacFormat], dac(OID.subjectKeyIdentifier, nil)),
            ForgedCase("DAC no AKI", [.dacFormat], dac(OID.authorityKeyIdentifier, nil)),
            ForgedCase(
                "DAC SKI of 19 bytes", [.dacFormat], dac(OID.subjectKeyIdentifier, .subjectKeyID([UInt8](1...19)))),
            ForgedCase("DAC extended key usage") { $0.dac.extensions.append(extendedKeyUsage) },
            ForgedCase("DAC unknown critical extension", [.dacFormat]) { $0.dac.extensions.append(unknownCritical) },
            ForgedCase("DAC repeated extension", [.dacFormat]) { $0.dac.extensions.append(.keyUsage([0])) },
            ForgedCase("PAI not a CA", [.paiFormat], pai(OID.basicConstraints, .basicConstraints(isCA: false))),
            ForgedCase("PAI no path length", [.paiFormat], pai(OID.basicConstraints, .basicConstraints(isCA: true))),
            ForgedCase(
                "PAI path length 1", [.paiFormat],
                pai(OID.basicConstraints, .basicConstraints(isCA: true, pathLength: 1))),
            ForgedCase(
                "PAI basic constraints not critical", [.paiFormat],
                pai(OID.basicConstraints, .basicConstraints(isCA: true, pathLength: 0, isCritical: false))),
            ForgedCase("PAI key usage without certSign", [.paiFormat], pai(OID.keyUsage, .keyUsage([6]))),
            ForgedCase("PAI key usage without crlSign", [.paiFormat], pai(OID.keyUsage, .keyUsage([5]))),
            ForgedCase("PAI key usage with digitalSignature", [], pai(OID.keyUsage, .keyUsage([0, 5, 6]))),
            ForgedCase(
                "PAI key usage not critical", [.paiFormat], pai(OID.keyUsage, .keyUsage([5, 6], isCritical: false))),
            ForgedCase("PAI no SKI", [.paiFormat, .dacIssuer], pai(OID.subjectKeyIdentifier, nil)),
            ForgedCase(
                "PAI no AKI", [.paiFormat, .declarationSigner], pai(OID.authorityKeyIdentifier, nil)),
            ForgedCase("PAI extended key usage") { $0.pai.extensions.append(extendedKeyUsage) },
        ]
    }()

    private static let subjects: [ForgedCase] = {
        @Sendable func names(_ text: String) -> [CertificateTemplate.NameAttribute] { [.commonName(text)] }
        return [
            ForgedCase("DAC without product", [.dacSubject]) { $0.dac.subject.removeLast() },
            ForgedCase("DAC without vendor", [.dacSubject]) { $0.dac.subject.remove(at: 1) },
            ForgedCase("DAC without ids", [.dacSubject]) { $0.dac.subject = names("none") },
            ForgedCase("DAC ids in the common name") { $0.dac.subject = names("x Mpid:8000 Mvid:FFF1") },
            ForgedCase("DAC ids within other text") { $0.dac.subject = names("Mvid:FFF1xMpid:80009") },
            ForgedCase("DAC lower-case vendor", [.dacSubject]) { $0.dac.subject = names("Mvid:fff1 Mpid:8000") },
            ForgedCase("DAC short product", [.dacSubject]) { $0.dac.subject = names("Mvid:FFF1 Mpid:800") },
            ForgedCase("DAC product no number", [.dacSubject]) { $0.dac.subject = names("Mvid:FFF1 Mpid:XYZ0") },
            ForgedCase("DAC wrong prefixes", [.dacSubject]) { $0.dac.subject = names("mvid:FFF1 mpid:8000") },
            ForgedCase("DAC attributes win over the common name") {
                $0.dac.subject[0] = .commonName("Mvid:FFF2 Mpid:1")
            },
            ForgedCase("DAC of another vendor", [.vendorsAgree, .declarationCertificates]) {
                $0.dac.subject[1] = .vendor(vendor2)
            },
            ForgedCase("DAC of another product", [.declarationCertificates]) { $0.dac.subject[2] = .product(product2) },
            ForgedCase("PAI ids in the common name") {
                $0.pai.subject = names("Mvid:FFF1 Mpid:8000 PAI")
                $0.dac.issuer = $0.pai.subject
            },
            ForgedCase("PAI product alone", [.paiSubject]) {
                $0.pai.subject = [.commonName("Mvid:FFF1"), .product(AttestationForge.product)]
                $0.dac.issuer = $0.pai.subject
            },
            ForgedCase("PAI of another product", [.productsAgree, .declarationCertificates]) {
                $0.pai.subject.append(.product(product2))
                $0.dac.issuer = $0.pai.subject
            },
            ForgedCase("PAI of this product") {
                $0.pai.subject.append(.product(AttestationForge.product))
                $0.dac.issuer = $0.pai.subject
            },
            ForgedCase("PAI of another vendor", [.vendorsAgree, .authoritySubject, .declarationCertificates]) {
                $0.pai.subject[1] = .vendor(vendor2)
                $0.dac.issuer = $0.pai.subject
            },
            ForgedCase("whole chain of another vendor", [.authoritySubject]) {
                $0.pai.subject[1] = .vendor(vendor2)
                $0.dac.issuer = $0.pai.subject
                $0.dac.subject[1] = .vendor(vendor2)
                $0.declaration.set(1, .unsigned(0xFFF2))
                $0.vendorID = vendor2
            },
        ]
    }()

    private static let chains: [ForgedCase] = [
        ForgedCase("PAI signed by someone else", [.paiIssuer]) { $0.paiSigner = $0.dacKey },
        ForgedCase("DAC signed by someone else", [.dacIssuer]) { $0.dacSigner = $0.dacKey },
        ForgedCase("DAC names another issuer", [.dacIssuer]) { $0.dac.issuer = [.commonName("Another PAI")] },
        ForgedCase("PAI names another issuer", [.paiIssuer]) { $0.pai.issuer = [.commonName("Another PAA")] },
        ForgedCase("PAI of an unknown authority", [.authorityTrusted, .declarationSigner]) { forge in
            let keyID = [UInt8](repeating: 9, count: 20)
            pai(ObjectIdentifier.authorityKeyIdentifier, .authorityKeyID(keyID))(&forge)
        },
        ForgedCase("DAC not valid yet", [.dacValidity]) {
            $0.dac.notBefore = EpochSeconds(rawValue: $0.now.rawValue + 1)
        },
        ForgedCase("DAC valid from this second") { $0.dac.notBefore = $0.now },
        ForgedCase("DAC expired", [.dacValidity]) { $0.dac.notAfter = EpochSeconds(rawValue: $0.now.rawValue - 1) },
        ForgedCase("PAI not valid when the DAC was issued", [.chainValidity]) { $0.pai.notBefore = $0.now },
        ForgedCase("PAI expired since") { $0.pai.notAfter = EpochSeconds(rawValue: $0.now.rawValue - 1) },
        ForgedCase("DAC older than the authority", [.chainValidity]) {
            $0.dac.notBefore = EpochSeconds(rawValue: TestAttestationAuthority.notBefore.rawValue - 1)
            $0.pai.notBefore = $0.dac.notBefore
        },
    ]

    private static let cmsRules: Set<AttestationRule> = [.declarationFormat]
    private static let messages: [ForgedCase] = [
        ForgedCase("CMS v2", cmsRules) { $0.declaration.messageVersion = 2 },
        ForgedCase("signer v1", cmsRules) { $0.declaration.signerVersion = 1 },
        ForgedCase("SHA-1 in the message", cmsRules) { $0.declaration.messageDigest = [0x2B, 0x0E, 0x03, 0x02, 0x1A] },
        ForgedCase("SHA-1 at the signer", cmsRules) { $0.declaration.signerDigest = [0x2B, 0x0E, 0x03, 0x02, 0x1A] },
        ForgedCase("other content type", cmsRules) {
            $0.declaration.contentType = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x01, 0x04]
        },
        ForgedCase("other signature algorithm", cmsRules) { $0.declaration.signatureAlgorithm = ecdsaWithSHA384 },
        ForgedCase("two signers", cmsRules) { $0.declaration.signerCount = 2 },
        ForgedCase("no signer", cmsRules) { $0.declaration.signerCount = 0 },
        ForgedCase("short signer key id", cmsRules) { $0.declaration.signerKeyID = [1, 2, 3] },
        ForgedCase("unknown signer", [.declarationSigner]) {
            $0.declaration.signerKeyID = .init(repeating: 1, count: 20)
        },
        ForgedCase("signed with another key", [.declarationSignature]) {
            $0.declaration.signerKeyID = try $0.declarationSigner.publicKey.keyIdentifier()
            $0.declarationSigner = $0.dacKey
        },
    ]

    private static func missing(_ tag: UInt8, _ name: String) -> ForgedCase {
        ForgedCase("declaration without \(name)", [.declarationContent]) { $0.declaration.set(tag, nil) }
    }
    private static func set(
        _ name: String, _ tag: UInt8, _ value: TLVValue, _ breaks: Set<AttestationRule> = []
    ) -> ForgedCase {
        ForgedCase("declaration with \(name)", breaks) { $0.declaration.set(tag, value) }
    }

    private static let contents: [ForgedCase] = [
        missing(0, "format version"), missing(1, "vendor id"), missing(2, "product ids"), missing(3, "device type"),
        missing(4, "certificate id"), missing(5, "security level"), missing(6, "security information"),
        missing(7, "version number"), missing(8, "type"),
        set("format version 2", 0, .unsigned(2), [.declarationContent]),
        set("no products", 2, .array([]), [.declarationContent]),
        set("101 products", 2, .array(.init(repeating: .unsigned(0x8000), count: 101)), [.declarationContent]),
        set("100 products", 2, .array((0..<100).map { .unsigned(0x7FFF + $0) })),
        set("another product", 2, .array([.unsigned(0x8001)]), [.declarationProduct, .declarationCertificates]),
        set("another vendor", 1, .unsigned(0xFFF2), [.declarationVendor, .declarationCertificates]),
        set("certificate id of 23 bytes", 4, .utf8("ZIG20141ZB330001-241234"), [.declarationContent]),
        set("a device type of its own", 3, .unsigned(0x1234)),
        set("another certificate id", 4, .utf8("SIN20141ZB330001-24")),
        set("security level 255", 5, .unsigned(255)),
        set("version number 0x9876", 7, .unsigned(0x9876)),
        set("type 1", 8, .unsigned(1), [.declarationKind]),
        set("type 2", 8, .unsigned(2), [.declarationKind]),
        set("a type that is no number", 8, .utf8("0"), [.declarationContent]),
        set("a field of the future", 12, .utf8("later")),
        set("an origin vendor alone", 9, .unsigned(0xFFF1), [.declarationContent]),
        set("an origin product alone", 10, .unsigned(0x8000), [.declarationContent]),
        ForgedCase("declaration with this origin") {
            $0.declaration.set(9, .unsigned(0xFFF1))
            $0.declaration.set(10, .unsigned(0x8000))
        },
        ForgedCase("declaration of another product with this origin") {
            $0.declaration.set(1, .unsigned(0xFFF2))
            $0.declaration.set(2, .array([.unsigned(0x8001)]))
            $0.declaration.set(9, .unsigned(0xFFF1))
            $0.declaration.set(10, .unsigned(0x8000))
            $0.vendorID = vendor2
            $0.productID = product2
        },
        ForgedCase("declaration with another origin vendor", [.declarationCertificates]) {
            $0.declaration.set(9, .unsigned(0xFFF2))
            $0.declaration.set(10, .unsigned(0x8000))
        },
        ForgedCase("declaration with another origin product", [.declarationCertificates]) {
            $0.declaration.set(9, .unsigned(0xFFF1))
            $0.declaration.set(10, .unsigned(0x8001))
        },
        ForgedCase("declaration with fields out of order", [.declarationContent]) {
            $0.declaration.members.swapAt(1, 2)
        },
        set("an empty list of authorities", 11, .array([]), [.declarationAuthority]),
        set(
            "another authority", 11, .array([.octets(.init(repeating: 1, count: 20))]), [.declarationAuthority]),
        set("a short authority", 11, .array([.octets([1])]), [.declarationContent]),
        ForgedCase("declaration with our authority") {
            let root = try AttestationCertificate(der: TestAttestationAuthority.certificate)
            let keyID = root.subjectKeyID ?? []
            $0.declaration.set(11, .array([.octets(.init(repeating: 1, count: 20)), .octets(keyID)]))
        },
    ]

    private static let answers: [ForgedCase] = [
        ForgedCase("another nonce", [.nonce]) { $0.answeredNonce[0] ^= 1 },
        ForgedCase("another session", [.attestationSignature]) { $0.signedChallenge[0] ^= 1 },
        ForgedCase("signed by another device", [.attestationSignature]) { $0.elementsSigner = $0.paiKey },
        ForgedCase("BasicInformation names another vendor", [.declarationVendor]) { $0.vendorID = vendor2 },
        ForgedCase("BasicInformation names another product", [.declarationProduct]) { $0.productID = product2 },
    ]
}
