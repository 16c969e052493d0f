/// PKCS #10 requests as the CSRRequest command carries them (RFC 2986, Core §6.4.6.1).
public enum CertificateSigningRequest {
    /// Longest request that is taken, in bytes; the SDK has the same limit.
    private static let maximumCount = 255

    /// Returns a DER request for `key`, signed with it.
    ///
    /// The subject is the single attribute O = "CSR": a subject is required, and its content means nothing.
    public static func make(key: P256PrivateKey) throws(CryptoError) -> [UInt8] {
        let organization = DER.sequence(
            DER.element(DER.objectIdentifier, [0x55, 0x04, 0x0A]), DER.element(DER.utf8String, Array("CSR".utf8)))
        let information = DER.sequence(
            DER.unsignedInteger([0]), DER.sequence(DER.element(DER.set, organization)),
            DER.subjectPublicKeyInfo(key.publicKey), DER.element(DER.constructedContext(0), []))
        return DER.sequence(information, DER.ecdsaWithSHA256, DER.bits(try key.signDER(information)))
    }

    /// Returns the key of a DER request whose signature by that key is right.
    ///
    /// - Throws: `malformed` for anything that is not exactly one request, `invalidKey`, or `authenticationFailed`.
    public static func publicKey(of der: [UInt8]) throws(CryptoError) -> P256PublicKey {
        guard der.count <= maximumCount else {
            throw CryptoError(.malformed, "a certificate request of \(der.count) bytes is too long")
        }
        var outer = DERReader(der[...])
        var request = try outer.contents(DER.sequence)
        try outer.end()
        let information = try request.element(DER.sequence)
        let algorithm = Array(try request.element(DER.sequence).encoded)
        guard algorithm == DER.ecdsaWithSHA256 || algorithm == DER.ecdsaWithSHA256AndNull else {
            throw CryptoError(.malformed, "the request is not signed with ECDSA and SHA-256")
        }
        let signature = Array(try request.octetAlignedBits())
        try request.end()

        var fields = DERReader(information.content)
        guard Array(try fields.unsignedInteger()) == [0] else {
            throw CryptoError(.malformed, "the request's version is not 1")
        }
        _ = try fields.element(DER.sequence)
        let key = try P256PublicKey(bytes: fields.subjectPublicKey())
        if !fields.isAtEnd { _ = try fields.element(DER.constructedContext(0)) }
        try fields.end()
        guard try key.verify(derSignature: signature, message: Array(information.encoded)) else {
            throw CryptoError(.authenticationFailed, "the request's signature does not match its key")
        }
        return key
    }
}
