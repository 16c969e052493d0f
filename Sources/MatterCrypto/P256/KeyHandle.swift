import COpenSSL

/// The owner of one `EVP_PKEY` on P-256.
///
/// Sendable by right: the key is never changed after `init`, and the library's operations on it take their own contexts
/// and lock its caches.
final class KeyHandle: @unchecked Sendable {
    let key: OpaquePointer

    /// - Parameters:
    ///   - publicKey: 65 bytes, uncompressed.
    ///   - privateKey: 32 bytes, big-endian, already known to be in range.
    /// - Throws: `invalidKey` when the point is not on the curve.
    init(publicKey: [UInt8], privateKey: SecretBytes?) throws(CryptoError) {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else {
            throw .drain("EVP_PKEY_CTX_new_from_name")
        }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_fromdata_init(context) == 1 else { throw .drain("EVP_PKEY_fromdata_init") }
        var point = publicKey
        var scalar = privateKey.map { Self.nativeOrder($0.copy) } ?? []
        defer { scalar.wipe() }
        var key: OpaquePointer?
        let selection = privateKey == nil ? openssl_pkey_public_key() : openssl_pkey_keypair()
        let done = point.withUnsafeMutableBytes { point in
            scalar.withUnsafeMutableBytes { scalar in
                var parameters = [
                    Self.parameter(Self.groupKey, UInt32(OSSL_PARAM_UTF8_STRING), Self.groupName),
                    Self.parameter(Self.publicKeyName, UInt32(OSSL_PARAM_OCTET_STRING), point),
                ]
                if privateKey != nil {
                    parameters.append(
                        Self.parameter(Self.privateKeyName, UInt32(OSSL_PARAM_UNSIGNED_INTEGER), scalar))
                }
                parameters.append(OSSL_PARAM_construct_end())
                return EVP_PKEY_fromdata(context, &key, selection, &parameters)
            }
        }
        guard done == 1, let key else {
            CryptoError.discardQueue()
            throw CryptoError(.invalidKey, "not a point of P-256")
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    // Names that outlive each call, since a parameter keeps the pointer only.
    private static let groupKey: StaticString = "group"
    private static let publicKeyName: StaticString = "pub"
    private static let privateKeyName: StaticString = "priv"
    private static var groupName: UnsafeMutableRawBufferPointer {
        let name: StaticString = "prime256v1"
        return UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(mutating: name.utf8Start), count: name.utf8CodeUnitCount)
    }

    private static func parameter(
        _ name: StaticString, _ type: UInt32, _ data: UnsafeMutableRawBufferPointer
    ) -> OSSL_PARAM {
        OSSL_PARAM(
            key: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self), data_type: type,
            data: data.baseAddress, data_size: data.count, return_size: 0)
    }

    /// Integers in parameters have the host's byte order.
    private static func nativeOrder(_ bigEndian: [UInt8]) -> [UInt8] {
        #if _endian(little)
            bigEndian.reversed()
        #else
            bigEndian
        #endif
    }
}
