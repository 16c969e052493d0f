import COpenSSL

/// A point of the curve P-256, as a key that verifies signatures and takes part in key agreement (Core §3.5).
public struct P256PublicKey: Sendable {
    /// Bytes of the uncompressed form: 0x04, x, y.
    public static let byteCount = 65

    /// The uncompressed form: 0x04, x, y, big-endian.
    public let bytes: [UInt8]
    let handle: KeyHandle

    /// Checks that the bytes are an uncompressed point of the curve.
    ///
    /// - Throws: `invalidKey` for any other length or form, and for points off the curve.
    public init(bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == Self.byteCount, bytes[0] == 0x04 else {
            throw CryptoError(.invalidKey, "a public key is 65 bytes that begin with 04")
        }
        self.bytes = bytes
        handle = try KeyHandle(publicKey: bytes, privateKey: nil)
    }

    /// For a point that was computed here and so is on the curve, with the handle of its private key.
    init(trusted bytes: [UInt8], handle: KeyHandle) {
        self.bytes = bytes
        self.handle = handle
    }

    /// Whether `signature` (64 bytes, r then s, big-endian) is a signature of `message` with SHA-256.
    ///
    /// - Throws: only when the library fails; a signature of a wrong length or form is `false`.
    public func verify(signature: [UInt8], message: [UInt8]) throws(CryptoError) -> Bool {
        guard signature.count == ECDSASignature.rawCount else { return false }
        return try verify(derSignature: try ECDSASignature.der(raw: signature), message: message)
    }

    /// Whether `derSignature` (the X.509 form, a SEQUENCE of r and s) is a signature of `message` with SHA-256.
    public func verify(derSignature: [UInt8], message: [UInt8]) throws(CryptoError) -> Bool {
        guard let context = EVP_MD_CTX_new() else { throw .drain("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, Algorithms.shared.sha256, nil, handle.key) == 1 else {
            throw .drain("EVP_DigestVerifyInit")
        }
        let answer = EVP_DigestVerify(context, derSignature, derSignature.count, message, message.count)
        if answer != 1 { CryptoError.discardQueue() }
        return answer == 1
    }

    /// The usual key identifier: the SHA-1 of the 65 bytes (RFC 5280 §4.2.1.2, method 1). 20 bytes.
    public func keyIdentifier() throws(CryptoError) -> [UInt8] { try Hash.sha1(bytes) }
}

extension P256PublicKey: Hashable {
    /// Whether both are the same point.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.bytes == rhs.bytes }
    /// Hashes the point's bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
