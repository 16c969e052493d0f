import COpenSSL

/// The library's algorithms, fetched once: each fetch by name takes locks and costs more than a short hash.
///
/// Safe to share: a fetched `EVP_MD` or `EVP_CIPHER` is immutable and reference-counted, and lives as long as the process.
struct Algorithms: @unchecked Sendable {
    static let shared = Algorithms()

    let sha256: OpaquePointer?
    let sha1: OpaquePointer?
    let aes128CCM: OpaquePointer?

    private init() {
        sha256 = EVP_MD_fetch(nil, "SHA2-256", nil)
        sha1 = EVP_MD_fetch(nil, "SHA1", nil)
        aes128CCM = EVP_CIPHER_fetch(nil, "AES-128-CCM", nil)
    }
}
