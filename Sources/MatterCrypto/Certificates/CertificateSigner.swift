/// Signs certificates: a key of our own, or one that somebody keeps for us, for example an app's key store.
public protocol CertificateSigner: Sendable {
    /// The key that checks the signatures.
    var publicKey: P256PublicKey { get }
    /// Signs the SHA-256 of `message`.
    ///
    /// - Returns: 64 bytes, r then s.
    func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8]
}

extension P256PrivateKey: CertificateSigner {}
