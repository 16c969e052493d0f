/// A certification declaration: what the Connectivity Standards Alliance says of a product, as a CMS message (Core §6.3).
///
/// The message is SignedData version 3 with SHA-256, content type id-data and one SignerInfo version 3 that names its
/// key by subject key identifier; the ECDSA signature covers the content itself (no signed attributes).
public struct CertificationDeclaration: Hashable, Sendable {
    /// The whole message.
    public let cms: [UInt8]
    /// The signer's subject key identifier, 20 bytes.
    public let signerKeyID: [UInt8]
    /// The signed content: TLV, see ``CertificationContent``.
    public let content: [UInt8]
    /// The signature in DER.
    let signature: [UInt8]

    /// Bytes that a message may have at most: what fits into attestation elements.
    public static let maximumSize = AttestationElements.maximumSize

    /// Reads a message; the signature is not checked and the content not opened.
    public init(decoding cms: [UInt8]) throws(AttestationError) {
        guard cms.count <= Self.maximumSize else {
            throw AttestationError(
                code: .tooLarge, reason: "the CMS message has \(cms.count) bytes, more than \(Self.maximumSize)")
        }
        do throws(CryptoError) {
            var reader = CMSReader(cms)
            try reader.read()
            self.cms = cms
            signerKeyID = reader.signerKeyID
            content = reader.content
            signature = reader.signature
        } catch {
            throw AttestationError(code: .malformed, reason: "the CMS message: \(error.reason)")
        }
    }

    /// Whether the signature over the content was made with `key`.
    public func isSigned(by key: P256PublicKey) throws(CryptoError) -> Bool {
        try key.verify(derSignature: signature, message: content)
    }

    /// Signs a declaration.
    ///
    /// - Parameters:
    ///   - content: the fields to declare.
    ///   - key: the signing key; its key identifier names the signer.
    public static func make(
        _ content: CertificationContent, key: P256PrivateKey
    ) throws(CryptoError) -> CertificationDeclaration {
        let bytes = content.encoded()
        let keyID = try key.publicKey.keyIdentifier()
        let signature = try key.signDER(bytes)
        let digest = DER.sequence(DER.element(DER.objectIdentifier, ObjectIdentifier.sha256))
        let encapsulated = DER.sequence(
            DER.element(DER.objectIdentifier, ObjectIdentifier.data),
            DER.element(DER.constructedContext(0), DER.element(DER.octetString, bytes)))
        let signer = DER.sequence(
            DER.unsignedInteger([3]), DER.element(DER.primitiveContext(0), keyID), digest, DER.ecdsaWithSHA256,
            DER.element(DER.octetString, signature))
        let signedData = DER.sequence(
            DER.unsignedInteger([3]), DER.element(DER.set, digest), encapsulated, DER.element(DER.set, signer))
        let cms = DER.sequence(
            DER.element(DER.objectIdentifier, ObjectIdentifier.signedData),
            DER.element(DER.constructedContext(0), signedData))
        return CertificationDeclaration(cms: cms, signerKeyID: keyID, content: bytes, signature: signature)
    }

    private init(cms: [UInt8], signerKeyID: [UInt8], content: [UInt8], signature: [UInt8]) {
        self.cms = cms
        self.signerKeyID = signerKeyID
        self.content = content
        self.signature = signature
    }
}

/// Walks the one CMS layout that Matter allows (RFC 5652 §5, Core §6.3.1).
private struct CMSReader {
    private var outer: DERReader
    private(set) var signerKeyID: [UInt8] = []
    private(set) var content: [UInt8] = []
    private(set) var signature: [UInt8] = []

    init(_ cms: [UInt8]) { outer = DERReader(cms[...]) }

    mutating func read() throws(CryptoError) {
        var message = try outer.contents(DER.sequence)
        try outer.end()
        try expect(message.element(DER.objectIdentifier), ObjectIdentifier.signedData, "its type is not SignedData")
        var wrapper = try message.contents(DER.constructedContext(0))
        try message.end()
        var data = try wrapper.contents(DER.sequence)
        try wrapper.end()
        try version(&data, "SignedData")
        var digests = try data.contents(DER.set)
        try sha256(&digests, "the digest algorithm of SignedData is not SHA-256")
        try digests.end()
        try encapsulatedContent(&data)
        var signers = try data.contents(DER.set)
        try data.end()
        var signer = try signers.contents(DER.sequence)
        guard signers.isAtEnd else { throw CryptoError(.malformed, "it has more than one signer") }
        try signerInfo(&signer)
    }

    private mutating func encapsulatedContent(_ data: inout DERReader) throws(CryptoError) {
        var encapsulated = try data.contents(DER.sequence)
        try expect(
            encapsulated.element(DER.objectIdentifier), ObjectIdentifier.data, "the content type is not id-data")
        var wrapper = try encapsulated.contents(DER.constructedContext(0))
        try encapsulated.end()
        content = Array(try wrapper.element(DER.octetString).content)
        try wrapper.end()
    }

    private mutating func signerInfo(_ signer: inout DERReader) throws(CryptoError) {
        try version(&signer, "SignerInfo")
        guard signer.nextTag == DER.primitiveContext(0) else {
            throw CryptoError(.malformed, "the signer is not named by subject key identifier")
        }
        signerKeyID = Array(try signer.element(DER.primitiveContext(0)).content)
        guard signerKeyID.count == AttestationCertificate.keyIDSize else {
            throw CryptoError(.malformed, "the signer's key identifier has \(signerKeyID.count) bytes, not 20")
        }
        try sha256(&signer, "the signer's digest algorithm is not SHA-256")
        guard try Array(signer.element(DER.sequence).encoded) == DER.ecdsaWithSHA256 else {
            throw CryptoError(.malformed, "the signature algorithm is not ECDSA with SHA-256")
        }
        signature = Array(try signer.element(DER.octetString).content)
        _ = try ECDSASignature.raw(der: signature)
        try signer.end()
    }

    private func version(_ fields: inout DERReader, _ name: String) throws(CryptoError) {
        guard try Array(fields.unsignedInteger()) == [3] else {
            throw CryptoError(.malformed, "the version of \(name) is not 3")
        }
    }

    /// Reads an AlgorithmIdentifier for SHA-256, its parameters absent or NULL (RFC 5754 §2).
    private func sha256(_ fields: inout DERReader, _ failure: String) throws(CryptoError) {
        var algorithm = try fields.contents(DER.sequence)
        try expect(algorithm.element(DER.objectIdentifier), ObjectIdentifier.sha256, failure)
        if !algorithm.isAtEnd, try !algorithm.element(Self.null).content.isEmpty {
            throw CryptoError(.malformed, failure)
        }
        try algorithm.end()
    }

    private func expect(
        _ element: DERReader.Element, _ content: [UInt8], _ failure: String
    ) throws(CryptoError) {
        guard Array(element.content) == content else { throw CryptoError(.malformed, failure) }
    }

    private static let null: UInt8 = 0x05
}
