import COpenSSL

/// Keyed hashes (FIPS 198-1).
public enum HMAC {
    /// Returns the 32-byte HMAC-SHA256 of `message`; the key may have any length.
    public static func sha256(key: [UInt8], message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let keyLength = Int32(exactly: key.count) else { throw CryptoError(.invalidArgument, "key too long") }
        var code = [UInt8](repeating: 0, count: 32)
        guard COpenSSL.HMAC(Algorithms.shared.sha256, key, keyLength, message, message.count, &code, nil) != nil else {
            throw .drain("HMAC")
        }
        return code
    }
}
