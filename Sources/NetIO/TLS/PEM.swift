internal import COpenSSL

/// The text form of keys and certificates (RFC 7468).
package enum PEM {
    /// One block of PEM text.
    package struct Block: Hashable, Sendable {
        /// What stands after `BEGIN`: `CERTIFICATE`, `PRIVATE KEY`.
        package var label: String
        package var bytes: [UInt8]

        package init(label: String, bytes: [UInt8]) {
            self.label = label
            self.bytes = bytes
        }
    }

    /// More blocks than this in one text are refused.
    package static let maximumBlocks = 16

    /// The blocks of a text, in order; text between them is skipped.
    ///
    /// - Throws: ``NetError`` with code `badCredentials` when a block is damaged, encrypted, or none is there.
    package static func decode(_ text: [UInt8]) throws(NetError) -> [Block] {
        ERR_clear_error()
        guard let bio = BIO_new_mem_buf(text, Int32(clamping: text.count)) else {
            throw .drainingOpenSSL(.system, "BIO_new_mem_buf")
        }
        defer { BIO_free(bio) }
        var blocks: [Block] = []
        while true {
            var name: UnsafeMutablePointer<CChar>?
            var header: UnsafeMutablePointer<CChar>?
            var data: UnsafeMutablePointer<UInt8>?
            var count = 0
            guard PEM_read_bio(bio, &name, &header, &data, &count) == 1, let name, let header, let data else { break }
            defer {
                CRYPTO_free(name, nil, 0)
                CRYPTO_free(header, nil, 0)
                CRYPTO_clear_free(data, count, nil, 0)
            }
            guard header.pointee == 0 else {
                throw NetError(.badCredentials, "PEM", reason: "a block is encrypted: give the key unencrypted")
            }
            blocks.append(
                Block(label: String(cString: name), bytes: [UInt8](UnsafeBufferPointer(start: data, count: count))))
            guard blocks.count <= maximumBlocks else {
                throw NetError(.badCredentials, "PEM", reason: "more than \(maximumBlocks) blocks")
            }
        }
        // The end of the text is reported as "no start line"; anything else is damage.
        let last = ERR_peek_last_error()
        guard ERR_GET_REASON(last) == PEM_R_NO_START_LINE, !blocks.isEmpty else {
            throw .drainingOpenSSL(.badCredentials, "PEM")
        }
        ERR_clear_error()
        return blocks
    }

    /// The text of the blocks, in order.
    package static func encode(_ blocks: [Block]) throws(NetError) -> [UInt8] {
        guard let bio = BIO_new(BIO_s_mem()) else { throw .drainingOpenSSL(.system, "BIO_new") }
        defer { BIO_free(bio) }
        for block in blocks {
            guard PEM_write_bio(bio, block.label, "", block.bytes, block.bytes.count) > 0 else {
                throw .drainingOpenSSL(.system, "PEM_write_bio")
            }
        }
        return drain(bio)
    }

    /// Takes all bytes out of a memory BIO.
    static func drain(_ bio: OpaquePointer) -> [UInt8] {
        let pending = BIO_ctrl_pending(bio)
        guard pending > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
            count = max(0, Int(BIO_read(bio, buffer.baseAddress, Int32(clamping: pending))))
        }
    }
}
