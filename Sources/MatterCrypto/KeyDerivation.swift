import COpenSSL

/// Functions that make keys from other secrets.
public enum KeyDerivation {
    /// Returns `count` bytes of HKDF-SHA256: extract, then expand (RFC 5869).
    ///
    /// - Parameters:
    ///   - ikm: the input keying material.
    ///   - salt: may be empty, which stands for 32 zero bytes.
    ///   - count: 1 … 8160 bytes.
    public static func hkdf(
        ikm: [UInt8], salt: [UInt8], info: [UInt8], count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (1...255 * 32).contains(count) else {
            throw CryptoError(.invalidArgument, "HKDF cannot make \(count) bytes")
        }
        var key = try HMAC.sha256(key: salt, message: ikm)
        var output: [UInt8] = []
        output.reserveCapacity(count)
        var block: [UInt8] = []
        var counter: UInt8 = 0
        defer {
            key.wipe()
            block.wipe()
        }
        while output.count < count {
            counter += 1
            block = try HMAC.sha256(key: key, message: block + info + [counter])
            output += block.prefix(count - output.count)
        }
        return output
    }

    /// Returns `count` bytes of HKDF-SHA256 with the UTF-8 bytes of `info`, without a terminator.
    public static func hkdf(
        ikm: [UInt8], salt: [UInt8], info: String, count: Int
    ) throws(CryptoError) -> [UInt8] {
        try hkdf(ikm: ikm, salt: salt, info: Array(info.utf8), count: count)
    }

    /// Returns `count` bytes of PBKDF2-HMAC-SHA256 (RFC 8018). Costs `iterations` hashes for every 32 bytes.
    ///
    /// Takes any positive number of iterations; the limits of PASE are checked by ``PAKEVerifier``.
    public static func pbkdf2(
        password: [UInt8], salt: [UInt8], iterations: Int, count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard let iterations = Int32(exactly: iterations), iterations > 0,
            let length = Int32(exactly: count), length > 0,
            let passwordLength = Int32(exactly: password.count), let saltLength = Int32(exactly: salt.count)
        else { throw CryptoError(.invalidArgument, "PBKDF2 parameters out of range") }
        var output = [UInt8](repeating: 0, count: count)
        let done = password.withUnsafeBytes {
            PKCS5_PBKDF2_HMAC(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), passwordLength, salt, saltLength, iterations,
                Algorithms.shared.sha256, length, &output)
        }
        guard done == 1 else { throw .drain("PKCS5_PBKDF2_HMAC") }
        return output
    }
}
