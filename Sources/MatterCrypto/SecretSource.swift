import COpenSSL

/// Where key material comes from: the system in production, a seeded double in tests.
public protocol SecretSource: Sendable {
    /// Returns `count` unpredictable bytes.
    func bytes(_ count: Int) throws(CryptoError) -> [UInt8]
}

/// The system's generator of secrets: OpenSSL's `RAND_bytes`.
public struct SystemSecretSource: SecretSource {
    /// A source without state of its own.
    public init() {}

    /// Returns `count` bytes from `RAND_bytes`.
    public func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard count >= 0, let length = Int32(exactly: count) else {
            throw CryptoError(.invalidArgument, "cannot draw \(count) bytes")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        guard RAND_bytes(&bytes, length) == 1 else { throw .drain("RAND_bytes") }
        return bytes
    }
}
