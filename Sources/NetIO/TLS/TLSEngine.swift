internal import COpenSSL

/// One TLS connection as bytes in and bytes out; owns one `SSL` over two memory BIOs. Not for several threads at once.
///
///     ciphertext ──▶ receive(_:) ──▶ handshake() / read(atMost:) ──▶ plaintext
///     plaintext  ──▶ write(_:) ──▶ takeOutput() ──▶ ciphertext
///
/// Take and send the output after every call, also after one that threw: it may hold the alert that tells the peer why.
final class TLSEngine {
    private let context: TLSContext
    private let ssl: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private var distrust: NetError?
    /// The server's authority, once a client has accepted it: SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
    private(set) var authorityPin: [UInt8]?

    init(_ context: TLSContext) throws(NetError) {
        ERR_clear_error()
        self.context = context
        guard let ssl = SSL_new(context.pointer) else { throw .drainingOpenSSL(.system, "SSL_new") }
        guard let incoming = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw .drainingOpenSSL(.system, "BIO_new")
        }
        guard let outgoing = BIO_new(BIO_s_mem()) else {
            BIO_free(incoming)
            SSL_free(ssl)
            throw .drainingOpenSSL(.system, "BIO_new")
        }
        (self.ssl, self.incoming, self.outgoing) = (ssl, incoming, outgoing)
        SSL_set_bio(ssl, incoming, outgoing)  // from here the `SSL` owns both
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        if context.isServer { SSL_set_accept_state(ssl) } else { SSL_set_connect_state(ssl) }
    }

    deinit { SSL_free(ssl) }

    /// Takes ciphertext from the peer.
    func receive(_ bytes: [UInt8]) throws(NetError) {
        guard bytes.isEmpty || BIO_write(incoming, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw .drainingOpenSSL(.system, "BIO_write")
        }
    }

    /// Ciphertext for the peer; empty when there is none.
    func takeOutput() -> [UInt8] { PEM.drain(outgoing) }

    /// Goes as far in the handshake as the bytes so far allow.
    ///
    /// - Returns: whether it is complete; else more input is needed.
    func handshake() throws(NetError) -> Bool {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        guard status == 1 else {
            if SSL_get_error(ssl, status) == SSL_ERROR_WANT_READ { return false }
            if let distrust {
                ERR_clear_error()
                throw distrust
            }
            throw .drainingOpenSSL(.handshakeFailed, "TLS handshake")
        }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual(context.applicationProtocol.utf8) else {
            let reason = "the peer doesn't speak \(context.applicationProtocol)"
            throw NetError(.handshakeFailed, "TLS handshake", reason: reason)
        }
        return true
    }

    enum ReadOutcome: Sendable {
        case bytes([UInt8])
        case wantsInput
        /// The peer ended its direction in order.
        case ended
    }

    /// Plaintext from what was received.
    func read(atMost limit: Int) throws(NetError) -> ReadOutcome {
        ERR_clear_error()
        var status: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            status = SSL_read(ssl, buffer.baseAddress, Int32(clamping: limit))
            count = max(0, Int(status))
        }
        guard status <= 0 else { return .bytes(bytes) }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wantsInput
        case SSL_ERROR_ZERO_RETURN: return .ended
        default: throw .drainingOpenSSL(.protocolViolation, "SSL_read")
        }
    }

    /// Encrypts plaintext; the ciphertext is in the output then.
    func write(_ bytes: [UInt8]) throws(NetError) {
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        // A memory BIO takes everything at once: less than all is a failure.
        var written = 0
        guard SSL_write_ex(ssl, bytes, bytes.count, &written) == 1, written == bytes.count else {
            throw .drainingOpenSSL(.protocolViolation, "SSL_write")
        }
    }

    /// Puts the closing mark into the output; reading goes on. Nothing during a handshake, where none is due.
    func finishWriting() {
        guard SSL_in_init(ssl) == 0 else { return }
        ERR_clear_error()
        // 0 says that the peer's mark is still to come, which reading finds out.
        if SSL_shutdown(ssl) < 0 { ERR_clear_error() }
    }

    /// Secrets of this connection, for whoever asked for them.
    func logKeys(_ line: String) { context.keyLog?.append(line) }

    /// Checks the server's chain against the context's trust, and remembers the authority or what was wrong.
    ///
    /// - Returns: `X509_V_OK` or the reason's number.
    func judge(leaf: OpaquePointer, chain: OpaquePointer?) -> Int32 {
        guard let trust = context.trust else { return X509_V_ERR_UNSPECIFIED }
        let verdict = trust.check(leaf: leaf, chain: chain, time: context.verificationTime?())
        authorityPin = verdict.pin
        distrust = verdict.pin == nil ? NetError(.untrusted, "TLS handshake", reason: verdict.reason) : nil
        return verdict.code
    }
}
