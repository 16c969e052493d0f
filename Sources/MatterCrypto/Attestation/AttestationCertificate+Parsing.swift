import COpenSSL
import MatterWire

extension AttestationCertificate {
    /// Reads one certificate from DER.
    ///
    /// The cryptographic library's own parser has to accept it too: a certificate that two parsers read differently
    /// is not worth trusting.
    ///
    /// - Throws: ``AttestationError`` `malformed` for anything that is not exactly one X.509 certificate in DER.
    public init(der: [UInt8]) throws(AttestationError) {
        guard der.count <= Self.maximumAuthoritySize else {
            throw AttestationError(
                code: .tooLarge,
                reason: "a certificate of \(der.count) bytes is longer than \(Self.maximumAuthoritySize)")
        }
        guard Self.libraryAccepts(der) else {
            throw AttestationError(code: .malformed, reason: "the bytes are no X.509 certificate in DER")
        }
        do throws(CryptoError) {
            self = try Self.read(der)
        } catch {
            throw AttestationError(code: .malformed, reason: "the certificate is not readable (\(error.reason))")
        }
    }

    private static func libraryAccepts(_ der: [UInt8]) -> Bool {
        der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let certificate = d2i_X509(nil, &cursor, buffer.count) else {
                CryptoError.discardQueue()
                return false
            }
            X509_free(certificate)
            return cursor == buffer.baseAddress?.advanced(by: buffer.count)
        }
    }

    private static func read(_ der: [UInt8]) throws(CryptoError) -> AttestationCertificate {
        var outer = DERReader(der[...])
        var certificate = try outer.contents(DER.sequence)
        try outer.end()
        let signedPart = try certificate.element(DER.sequence)
        let algorithm = Array(try certificate.element(DER.sequence).encoded)
        let signature = Array(try certificate.octetAlignedBits())
        try certificate.end()

        var fields = DERReader(signedPart.content)
        var version = 1
        if fields.nextTag == DER.constructedContext(0) {
            var wrapper = try fields.contents(DER.constructedContext(0))
            let number = Array(try wrapper.unsignedInteger())
            try wrapper.end()
            guard number.count == 1 else { throw CryptoError(.malformed, "version") }
            version = Int(number[0]) + 1
        }
        // Negative serial numbers exist in old certificates: they are refused here, as by RFC 5280.
        let serialNumber = Array(try fields.unsignedInteger())
        let innerAlgorithm = Array(try fields.element(DER.sequence).encoded)
        let issuer = try AttestationName(reading: &fields)
        var validity = try fields.contents(DER.sequence)
        let notBefore = try DERTime.decode(&validity) ?? Self.neverExpires
        let notAfter = try DERTime.decode(&validity) ?? Self.neverExpires
        try validity.end()
        let subject = try AttestationName(reading: &fields)
        let publicKey = try key(&fields)
        for unique: UInt8 in 1...2 where fields.nextTag == DER.primitiveContext(unique) { _ = try fields.element() }
        let extensions = try extensions(&fields)
        try fields.end()
        return AttestationCertificate(
            der: der, version: version, serialNumber: serialNumber, subject: subject, issuer: issuer,
            notBefore: notBefore, notAfter: notAfter, publicKey: publicKey,
            isSignedWithECDSAAndSHA256: algorithm == DER.ecdsaWithSHA256 && innerAlgorithm == algorithm,
            extensions: extensions, signedPart: Array(signedPart.encoded), signature: signature)
    }

    /// Reads a SubjectPublicKeyInfo; `nil` for a key of another kind, which the format rules then report.
    private static func key(_ fields: inout DERReader) throws(CryptoError) -> P256PublicKey? {
        var information = try fields.contents(DER.sequence)
        let algorithm = Array(try information.element(DER.sequence).encoded)
        let bits = Array(try information.element(DER.bitString).content)
        try information.end()
        guard algorithm == DER.p256Algorithm, bits.first == 0 else { return nil }
        do throws(CryptoError) {
            return try P256PublicKey(bytes: Array(bits.dropFirst()))
        } catch {
            return nil
        }
    }

    private static func extensions(_ fields: inout DERReader) throws(CryptoError) -> [Extension] {
        guard !fields.isAtEnd else { return [] }
        var wrapper = try fields.contents(DER.constructedContext(3))
        var list = try wrapper.contents(DER.sequence)
        try wrapper.end()
        var extensions: [Extension] = []
        while !list.isAtEnd {
            var item = try list.contents(DER.sequence)
            let identifier = Array(try item.element(DER.objectIdentifier).content)
            var isCritical = false
            if item.nextTag == DER.boolean { isCritical = try item.boolean() }
            let value = Array(try item.element(DER.octetString).content)
            try item.end()
            extensions.append(Extension(identifier: identifier, isCritical: isCritical, value: value))
        }
        return extensions
    }
}
