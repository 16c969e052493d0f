import COpenSSL

/// Bytes of a secret at one address, overwritten when the last owner goes.
///
/// Sendable by right: the memory is written in `init` and `deinit` only.
package final class SecretBytes: @unchecked Sendable {
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Copies `bytes`; the caller's own copy is the caller's to wipe.
    package init(_ bytes: [UInt8]) {
        storage = .allocate(capacity: bytes.count)
        _ = storage.initialize(from: bytes)
    }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }

    /// A copy of the secret.
    package var copy: [UInt8] { Array(storage) }

    /// Calls `body` with the secret's own memory, valid during the call only.
    package func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        withExtendedLifetime(self) { body(UnsafeBufferPointer(storage)) }
    }

    /// Whether both hold the same bytes, in constant time.
    package func equals(_ other: SecretBytes) -> Bool {
        storage.count == other.storage.count
            && CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, storage.count) == 0
    }
}
