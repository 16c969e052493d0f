internal import COpenSSL
import Glibc

/// One X.509 certificate; owns one `X509`.
// Sendable: an `X509` is only read after it has been made, and OpenSSL's reference count is atomic.
final class Certificate: @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) { self.pointer = pointer }

    /// - Throws: ``NetError`` with code `badCredentials`, also when bytes follow the certificate.
    init(der: [UInt8]) throws(NetError) {
        ERR_clear_error()
        let (parsed, rest) = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let parsed = d2i_X509(nil, &cursor, buffer.count)
            return (parsed, parsed == nil ? 0 : buffer.baseAddress! + buffer.count - cursor!)
        }
        guard let parsed else { throw .drainingOpenSSL(.badCredentials, "d2i_X509") }
        pointer = parsed
        guard rest == 0 else { throw NetError(.badCredentials, "d2i_X509", reason: "bytes after the certificate") }
    }

    deinit { X509_free(pointer) }

    func der() throws(NetError) -> [UInt8] { try derBytes("i2d_X509") { i2d_X509(pointer, $0) } }

    /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes.
    func publicKeyPin() throws(NetError) -> [UInt8] { try Self.publicKeyPin(pointer) }

    /// The same for a certificate that somebody else owns.
    static func publicKeyPin(_ certificate: OpaquePointer) throws(NetError) -> [UInt8] {
        let key = try derBytes("i2d_X509_PUBKEY") { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), $0) }
        return [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            SHA256(key, key.count, buffer.baseAddress)
            count = 32
        }
    }

    /// The last second of validity, in seconds since 1970.
    func notAfter() throws(NetError) -> Int64 {
        var parts = tm()
        guard ASN1_TIME_to_tm(X509_get0_notAfter(pointer), &parts) == 1 else {
            throw .drainingOpenSSL(.badCredentials, "ASN1_TIME_to_tm")
        }
        return Int64(timegm(&parts))
    }
}

/// A private key; owns one `EVP_PKEY`.
// Sendable: an `EVP_PKEY` is only read after it has been made, and OpenSSL's reference count is atomic.
final class PrivateKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// A new P-256 key from OpenSSL's own generator.
    init() throws(NetError) {
        ERR_clear_error()
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw .drainingOpenSSL(.system, "EVP_PKEY_generate") }
        pointer = key
    }

    /// - Parameter der: PKCS #8 or the older form of its algorithm.
    init(der: [UInt8]) throws(NetError) {
        ERR_clear_error()
        let key = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, buffer.count)
        }
        guard let key else { throw .drainingOpenSSL(.badCredentials, "d2i_AutoPrivateKey") }
        pointer = key
    }

    deinit { EVP_PKEY_free(pointer) }

    /// PKCS #8, unencrypted.
    func der() throws(NetError) -> [UInt8] {
        guard let info = EVP_PKEY2PKCS8(pointer) else { throw .drainingOpenSSL(.badCredentials, "EVP_PKEY2PKCS8") }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        return try derBytes("i2d_PKCS8_PRIV_KEY_INFO") { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
    }
}
