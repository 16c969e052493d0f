import COpenSSL

/// AES-128-CCM with a 13-byte nonce and a 16-byte tag, the cipher of every protected message (Core §3.6, RFC 3610).
public struct AESCCM: Sendable {
    /// Bytes of a key.
    public static let keyCount = 16
    /// Bytes of a nonce, which must never repeat under one key.
    public static let nonceCount = 13
    /// Bytes that sealing adds.
    public static let tagCount = 16
    /// The longest message that a 13-byte nonce leaves room for.
    private static let maximumMessage = 0xFFFF

    private let key: SecretBytes

    /// - Parameter key: exactly 16 bytes.
    public init(key: [UInt8]) throws(CryptoError) {
        guard key.count == Self.keyCount else {
            throw CryptoError(.invalidArgument, "AES-128 needs a key of 16 bytes, not \(key.count)")
        }
        self.key = SecretBytes(key)
    }

    /// Encrypts `plaintext` and authenticates it together with `aad`.
    ///
    /// - Parameter nonce: 13 bytes, never used before with this key.
    /// - Returns: the ciphertext, as long as the plaintext, followed by the 16-byte tag.
    public func seal(_ plaintext: [UInt8], nonce: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        guard plaintext.count <= Self.maximumMessage else {
            throw CryptoError(.invalidArgument, "CCM cannot seal \(plaintext.count) bytes")
        }
        let context = try CipherContext()
        try begin(context, encrypting: true, tag: nil, nonce: nonce)
        try bind(context, messageCount: plaintext.count, aad: aad)
        var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.tagCount)
        let done = sealed.withUnsafeMutableBufferPointer { output in
            plaintext.withUnsafeBufferPointer { input in
                var written: Int32 = 0
                // An empty message still needs a non-null input, or the library takes the call for the end.
                let start = input.baseAddress ?? UnsafePointer(output.baseAddress)
                guard EVP_CipherUpdate(context.handle, output.baseAddress, &written, start, Int32(input.count)) == 1,
                    Int(written) == input.count,
                    let end = output.baseAddress?.advanced(by: input.count)
                else { return false }
                return EVP_CIPHER_CTX_ctrl(context.handle, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), end) == 1
            }
        }
        guard done else { throw .drain("AES-CCM seal") }
        return sealed
    }

    /// Checks the tag and decrypts.
    ///
    /// - Parameter sealed: a ciphertext followed by its 16-byte tag.
    /// - Throws: `authenticationFailed` when key, nonce, `aad`, ciphertext or tag differ; nothing of the message is given.
    public func open(_ sealed: [UInt8], nonce: [UInt8], aad: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        let count = sealed.count - Self.tagCount
        guard (0...Self.maximumMessage).contains(count) else {
            throw CryptoError(.authenticationFailed, "no room for a tag, or too long")
        }
        let context = try CipherContext()
        try begin(context, encrypting: false, tag: Array(sealed[count...]), nonce: nonce)
        try bind(context, messageCount: count, aad: aad)
        // One byte more than needed, so that the output has an address even when the message is empty.
        var plaintext = [UInt8](repeating: 0, count: count + 1)
        var written: Int32 = 0
        guard EVP_CipherUpdate(context.handle, &plaintext, &written, sealed, Int32(count)) == 1, Int(written) == count
        else {
            CryptoError.discardQueue()
            plaintext.wipe()
            throw CryptoError(.authenticationFailed, "the tag does not match")
        }
        plaintext.removeLast()
        return plaintext
    }

    private func begin(
        _ context: borrowing CipherContext, encrypting: Bool, tag: [UInt8]?, nonce: [UInt8]
    ) throws(CryptoError) {
        guard nonce.count == Self.nonceCount else {
            throw CryptoError(.invalidArgument, "CCM needs a nonce of 13 bytes, not \(nonce.count)")
        }
        let direction: Int32 = encrypting ? 1 : 0
        let handle = context.handle
        guard EVP_CipherInit_ex2(handle, Algorithms.shared.aes128CCM, nil, nil, direction, nil) == 1,
            EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_IVLEN, Int32(Self.nonceCount), nil) == 1
        else { throw .drain("AES-CCM init") }
        let tagged: Int32
        if var tag {
            tagged = EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &tag)
        } else {
            tagged = EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), nil)
        }
        let keyed = key.withBytes { EVP_CipherInit_ex2(handle, nil, $0.baseAddress, nonce, direction, nil) }
        guard tagged == 1, keyed == 1 else { throw .drain("AES-CCM key") }
    }

    private func bind(
        _ context: borrowing CipherContext, messageCount: Int, aad: [UInt8]
    ) throws(CryptoError) {
        var length: Int32 = 0
        guard let aadCount = Int32(exactly: aad.count),
            EVP_CipherUpdate(context.handle, nil, &length, nil, Int32(messageCount)) == 1
        else { throw .drain("AES-CCM length") }
        guard aadCount > 0 else { return }
        guard EVP_CipherUpdate(context.handle, nil, &length, aad, aadCount) == 1 else { throw .drain("AES-CCM aad") }
    }
}

/// One `EVP_CIPHER_CTX`, freed (and so wiped) at the end of its scope.
private struct CipherContext: ~Copyable {
    let handle: OpaquePointer
    init() throws(CryptoError) {
        guard let handle = EVP_CIPHER_CTX_new() else { throw .drain("EVP_CIPHER_CTX_new") }
        self.handle = handle
    }
    deinit { EVP_CIPHER_CTX_free(handle) }
}
