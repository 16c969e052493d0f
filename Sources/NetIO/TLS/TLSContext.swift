internal import COpenSSL

/// What all TLS connections of one server or one client have in common: TLS 1.3 only, one application protocol, no
/// tickets, no early data.
///
/// Immutable: to renew a server's certificate, make a new context and use it for new connections.
// Sendable: an `SSL_CTX` is configured in `init` and only read after; OpenSSL allows that from any thread.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let trust: TLSTrust?
    /// The time that certificates are checked at, in seconds since 1970; `nil` for the system's.
    let verificationTime: (@Sendable () -> Int64)?
    /// Where the secrets of connections are written; `nil` for nowhere.
    let keyLog: TLSKeyLog?
    /// The ALPN name that both ends must agree on.
    package let applicationProtocol: String

    var isServer: Bool { trust == nil }

    /// A server that shows the given certificates.
    ///
    /// - Parameter keyLog: where the secrets of connections are written; `nil` for nowhere.
    package static func server(
        _ credentials: TLSCredentials, applicationProtocol: String, keyLog: TLSKeyLog? = nil
    ) throws(NetError) -> TLSContext {
        let context = try TLSContext(nil, applicationProtocol, nil, keyLog)
        let (leaf, key) = (try Certificate(der: credentials.chain[0]), try PrivateKey(der: credentials.privateKey))
        let chain = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(chain) }
        var kept: [Certificate] = []
        for der in credentials.chain.dropFirst() {
            let certificate = try Certificate(der: der)
            kept.append(certificate)
            OPENSSL_sk_push(chain, UnsafeRawPointer(certificate.pointer))
        }
        // Takes its own references to everything.
        let status = withExtendedLifetime(kept) {
            SSL_CTX_use_cert_and_key(context.pointer, leaf.pointer, key.pointer, chain, 1)
        }
        guard status == 1 else { throw .drainingOpenSSL(.badCredentials, "SSL_CTX_use_cert_and_key") }
        SSL_CTX_set_alpn_select_cb(
            context.pointer, selectProtocol, UnsafeMutableRawPointer(Unmanaged.passUnretained(context).toOpaque()))
        return context
    }

    /// A client that accepts the servers of the given authorities.
    ///
    /// - Parameters:
    ///   - verificationTime: the time that certificates are checked at, in seconds since 1970; the system's if `nil`.
    ///   - keyLog: where the secrets of connections are written; `nil` for nowhere.
    package static func client(
        trust: TLSTrust, applicationProtocol: String, verificationTime: (@Sendable () -> Int64)? = nil,
        keyLog: TLSKeyLog? = nil
    ) throws(NetError) -> TLSContext {
        let context = try TLSContext(trust, applicationProtocol, verificationTime, keyLog)
        let name = Array(applicationProtocol.utf8)
        let list = [UInt8(name.count)] + name
        guard SSL_CTX_set_alpn_protos(context.pointer, list, UInt32(list.count)) == 0 else {
            throw .drainingOpenSSL(.system, "SSL_CTX_set_alpn_protos")
        }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context.pointer, verifyChain, nil)
        return context
    }

    private init(
        _ trust: TLSTrust?, _ applicationProtocol: String, _ verificationTime: (@Sendable () -> Int64)?,
        _ keyLog: TLSKeyLog?
    ) throws(NetError) {
        precondition((1...255).contains(applicationProtocol.utf8.count), "an ALPN name has 1 to 255 bytes")
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(trust == nil ? TLS_server_method() : TLS_client_method()) else {
            throw .drainingOpenSSL(.system, "SSL_CTX_new")
        }
        self.pointer = pointer
        self.trust = trust
        self.applicationProtocol = applicationProtocol
        self.verificationTime = verificationTime
        self.keyLog = keyLog
        guard openssl_tls13_only(pointer) == 1 else { throw .drainingOpenSSL(.system, "SSL_CTX") }
        if keyLog != nil { SSL_CTX_set_keylog_callback(pointer, Self.logKeys) }
    }

    deinit { SSL_CTX_free(pointer) }

    // MARK: Callbacks of OpenSSL

    /// Picks our protocol out of the client's list, else ends the handshake with `no_application_protocol`.
    private static let selectProtocol: SSL_CTX_alpn_select_cb_func = {
        _, selected, selectedCount, list, count, context in
        guard let context, let list, let selected, let selectedCount else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        // Every engine keeps its context alive, and this runs inside an engine's call.
        let ours = Array(Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().applicationProtocol.utf8)
        var offset = 0
        while offset < Int(count) {
            let length = Int(list[offset])
            let start = offset + 1
            guard start + length <= Int(count) else { break }
            if UnsafeBufferPointer(start: list + start, count: length).elementsEqual(ours) {
                selected.pointee = list + start
                selectedCount.pointee = UInt8(length)
                return SSL_TLSEXT_ERR_OK
            }
            offset = start + length
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }

    /// Writes a line of secrets; set only where there is a file for them.
    private static let logKeys: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Void = { ssl, line in
        guard let ssl, let line, let engine = SSL_get_ex_data(ssl, 0) else { return }
        Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue().logKeys(String(cString: line))
    }

    /// Asks the engine whose handshake this is.
    private static let verifyChain: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { store, _ in
        guard let store, let leaf = X509_STORE_CTX_get0_cert(store),
            let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
            let engine = SSL_get_ex_data(OpaquePointer(ssl), 0)
        else { return 0 }
        let verdict = Unmanaged<TLSEngine>.fromOpaque(engine).takeUnretainedValue()
            .judge(leaf: leaf, chain: X509_STORE_CTX_get0_untrusted(store))
        X509_STORE_CTX_set_error(store, verdict)
        return verdict == X509_V_OK ? 1 : 0
    }
}
