import COpenSSL

/// One-shot hash functions.
public enum Hash {
    /// Returns the 32-byte SHA-256 digest of `message` (FIPS 180-4).
    public static func sha256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(message, Algorithms.shared.sha256, count: 32)
    }

    /// Returns the 20-byte SHA-1 digest of `message`: for key identifiers only, never where collisions matter.
    public static func sha1(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try digest(message, Algorithms.shared.sha1, count: 20)
    }

    private static func digest(
        _ message: [UInt8], _ algorithm: OpaquePointer?, count: Int
    ) throws(CryptoError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: count)
        guard EVP_Digest(message, message.count, &digest, nil, algorithm, nil) == 1 else { throw .drain("EVP_Digest") }
        return digest
    }
}
