/// What a device proves its origin with: its certificate chain, its key and its certification declaration (Core §6.2).
public struct DeviceAttestationCredentials: Sendable {
    /// The device attestation certificate, DER, at most 600 bytes.
    public var dac: [UInt8]
    /// The product attestation intermediate certificate that issued ``dac``, DER, at most 600 bytes.
    public var pai: [UInt8]
    /// The certification declaration, a CMS SignedData, DER.
    public var certificationDeclaration: [UInt8]
    /// The private key of ``dac``; signs attestation elements and certificate requests.
    public var dacKey: P256PrivateKey

    /// Puts the four together; nothing is checked.
    public init(dac: [UInt8], pai: [UInt8], certificationDeclaration: [UInt8], dacKey: P256PrivateKey) {
        self.dac = dac
        self.pai = pai
        self.certificationDeclaration = certificationDeclaration
        self.dacKey = dacKey
    }

    /// Signs attestation or NOCSR elements for one session.
    ///
    /// - Parameters:
    ///   - elements: the encoded elements.
    ///   - challenge: the session's attestation challenge, 16 bytes.
    /// - Returns: r then s, 64 bytes.
    public func sign(_ elements: [UInt8], challenge: [UInt8]) throws(CryptoError) -> [UInt8] {
        try dacKey.sign(elements + challenge)
    }
}
