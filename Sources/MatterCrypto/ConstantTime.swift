import COpenSSL

/// Comparison whose duration does not tell where two secrets differ.
public enum ConstantTime {
    /// Whether both hold the same bytes; only the lengths may leak.
    public static func equal(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool {
        lhs.count == rhs.count && CRYPTO_memcmp(lhs, rhs, lhs.count) == 0
    }
}

extension [UInt8] {
    /// Overwrites the bytes with zeros in a way that the optimiser keeps. Copies made earlier are not reached.
    package mutating func wipe() {
        withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
