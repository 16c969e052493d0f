import COpenSSL

/// A private key on P-256: signs, and agrees on shared secrets (Core §3.5). Wiped when its last copy goes.
public struct P256PrivateKey: Sendable {
    private let scalar: SecretBytes
    /// The key that belongs to this one.
    public let publicKey: P256PublicKey

    /// - Parameter rawValue: 32 bytes, big-endian, 1 … order − 1.
    /// - Throws: `invalidKey` for anything else.
    public init(rawValue: [UInt8]) throws(CryptoError) {
        guard P256Curve.isScalar(rawValue) else {
            throw CryptoError(.invalidKey, "a private key is 32 bytes between 1 and the order of P-256")
        }
        let point = try P256Curve.multiplyGenerator(BigNumber(bytes: rawValue)).bytes()
        scalar = SecretBytes(rawValue)
        publicKey = P256PublicKey(trusted: point, handle: try KeyHandle(publicKey: point, privateKey: scalar))
    }

    /// Makes a new key from 32 bytes of `secrets`.
    public static func generate(using secrets: any SecretSource) throws(CryptoError) -> P256PrivateKey {
        var bytes = try P256Curve.randomScalar(using: secrets)
        defer { bytes.wipe() }
        return try P256PrivateKey(rawValue: bytes)
    }

    /// The secret scalar, 32 bytes big-endian; the copy is the caller's to protect.
    public var rawValue: [UInt8] { scalar.copy }

    /// Signs the SHA-256 of `message`.
    ///
    /// - Returns: 64 bytes, r then s. Two signatures of one message differ.
    public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try ECDSASignature.raw(der: signDER(message))
    }

    /// Signs the SHA-256 of `message`; returns the DER form, as X.509, CSR and CMS carry it.
    public func signDER(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .drain("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, Algorithms.shared.sha256, nil, publicKey.handle.key) == 1 else {
            throw .drain("EVP_DigestSignInit")
        }
        var signature = [UInt8](repeating: 0, count: 80)
        var count = signature.count
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            throw .drain("EVP_DigestSign")
        }
        return Array(signature.prefix(count))
    }

    /// Returns the x coordinate of the shared point: 32 bytes, big-endian (ECDH, Core §3.5.4).
    public func sharedSecret(with peer: P256PublicKey) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, publicKey.handle.key, nil) else {
            throw .drain("EVP_PKEY_CTX_new_from_pkey")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer.handle.key) == 1 else {
            throw .drain("EVP_PKEY_derive_set_peer")
        }
        var secret = [UInt8](repeating: 0, count: 32)
        var count = secret.count
        guard EVP_PKEY_derive(context, &secret, &count) == 1, count == 32 else { throw .drain("EVP_PKEY_derive") }
        return secret
    }
}
