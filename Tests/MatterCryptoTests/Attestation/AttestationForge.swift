@testable import MatterCrypto
import MatterWire
import TestSupport

/// Makes attestation material for virtual devices, good unless a test bends it: PAI and DAC as templates, the
/// declaration field by field. The chain ends in our own test authority.
struct AttestationForge {
    static let product = ProductID(rawValue: 0x8000)
    var pai: CertificateTemplate
    var dac: CertificateTemplate
    /// Keys that the certificates certify.
    let paiKey: P256PrivateKey
    let dacKey: P256PrivateKey
    /// Keys that sign the certificates, the declaration and the elements.
    var paiSigner: P256PrivateKey
    var dacSigner: P256PrivateKey
    var declarationSigner: P256PrivateKey
    var elementsSigner: P256PrivateKey
    var declaration = DeclarationTemplate()
    var vendorID = TestAttestationAuthority.vendorID
    var productID = AttestationForge.product
    var now = AttestationCertificateTests.now
    /// Changes to what the device answers.
    var answeredNonce = [UInt8](repeating: 0x4E, count: 32)
    var signedChallenge = [UInt8](repeating: 0xC5, count: 16)

    init(seed: UInt64 = 1) throws {
        let secrets = SeededSecretSource(seed: seed)
        let root = try P256PrivateKey(rawValue: [UInt8](constantHex: TestAttestationAuthority.privateKeyHex))
        paiKey = try P256PrivateKey.generate(using: secrets)
        dacKey = try P256PrivateKey.generate(using: secrets)
        paiSigner = root
        dacSigner = paiKey
        elementsSigner = dacKey
        declarationSigner = try P256PrivateKey(rawValue: [UInt8](constantHex: DeclarationKeys.testPrivate))
        pai = try TestAttestationAuthority.template(.pai, key: paiKey.publicKey, issuerKey: root.publicKey)
        dac = try TestAttestationAuthority.template(
            .dac, key: dacKey.publicKey, issuerKey: paiKey.publicKey, product: Self.product)
    }

    func makePAI() throws -> [UInt8] { try pai.signed(by: paiSigner) }
    func makeDAC() throws -> [UInt8] { try dac.signed(by: dacSigner) }

    /// What a commissioner would have collected from this device.
    func evidence() throws -> AttestationEvidence {
        let elements = AttestationElements(
            certificationDeclaration: try declaration.signed(by: declarationSigner), nonce: answeredNonce
        ).encoded()
        return AttestationEvidence(
            dac: try makeDAC(), pai: try makePAI(), elements: elements,
            signature: try elementsSigner.sign(elements + signedChallenge),
            challenge: .init(repeating: 0xC5, count: 16), nonce: .init(repeating: 0x4E, count: 32),
            vendorID: vendorID, productID: productID, now: now)
    }

    /// Replaces the extension of a certificate that has this identifier.
    static func replace(
        _ identifier: [UInt8], in template: inout CertificateTemplate, with item: AttestationCertificate.Extension?
    ) {
        guard let index = template.extensions.firstIndex(where: { $0.identifier == identifier }) else { return }
        template.extensions.remove(at: index)
        if let item { template.extensions.insert(item, at: index) }
    }
}

/// A certification declaration in all its parts, also those that no one may accept.
struct DeclarationTemplate {
    var messageVersion: UInt8 = 3
    var signerVersion: UInt8 = 3
    var messageDigest = ObjectIdentifier.sha256
    var signerDigest = ObjectIdentifier.sha256
    var contentType = ObjectIdentifier.data
    var signatureAlgorithm = DER.ecdsaWithSHA256
    /// The key identifier that names the signer; `nil` means the signer's own.
    var signerKeyID: [UInt8]?
    var signerCount = 1
    /// The fields, as TLV members in their order.
    var members: [TLVElement] = Self.goodMembers()

    static func goodMembers() -> [TLVElement] {
        [
            TLVElement(0, .unsigned(1)), TLVElement(1, .unsigned(0xFFF1)), TLVElement(2, .array([.unsigned(0x8000)])),
            TLVElement(3, .unsigned(0x0100)), TLVElement(4, .utf8("CSA00000SWC00000-00")), TLVElement(5, .unsigned(0)),
            TLVElement(6, .unsigned(0)), TLVElement(7, .unsigned(1)), TLVElement(8, .unsigned(0)),
        ]
    }

    /// Sets a field, or removes it; new fields go to the end.
    mutating func set(_ tag: UInt8, _ value: TLVValue?) {
        let index = members.firstIndex { $0.tag == .context(tag) }
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?): members.append(TLVElement(tag, value))
        case (nil, nil): break
        }
    }

    func signed(by key: P256PrivateKey) throws -> [UInt8] {
        func algorithm(_ identifier: [UInt8]) -> [UInt8] {
            DER.sequence(DER.element(DER.objectIdentifier, identifier))
        }
        let content = TLVValue.structure(members).encoded()
        let keyID = try signerKeyID ?? key.publicKey.keyIdentifier()
        let signer = DER.sequence(
            DER.unsignedInteger([signerVersion]), DER.element(DER.primitiveContext(0), keyID),
            algorithm(signerDigest), signatureAlgorithm, DER.element(DER.octetString, try key.signDER(content)))
        let encapsulated = DER.sequence(
            DER.element(DER.objectIdentifier, contentType),
            DER.element(DER.constructedContext(0), DER.element(DER.octetString, content)))
        let data = DER.sequence(
            DER.unsignedInteger([messageVersion]), DER.element(DER.set, algorithm(messageDigest)), encapsulated,
            DER.element(DER.set, Array(repeatElement(signer, count: signerCount).joined())))
        return DER.sequence(
            DER.element(DER.objectIdentifier, ObjectIdentifier.signedData),
            DER.element(DER.constructedContext(0), data))
    }
}
