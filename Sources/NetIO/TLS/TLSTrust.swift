internal import COpenSSL

/// Which authorities a TLS client accepts, by the SHA-256 of their SubjectPublicKeyInfo (32 bytes).
///
/// The server must send its authority's certificate, and its own must be issued by it and valid now. Names aren't compared:
/// every hub of a structure is as good as another, and the authority says which they are.
package struct TLSTrust: Sendable {
    private let accepts: @Sendable (_ pin: [UInt8]) -> Bool

    /// - Parameter accepts: called during the handshake with the pin of each authority in the server's chain, until one is
    ///   accepted; must not block.
    package init(accepts: @escaping @Sendable (_ pin: [UInt8]) -> Bool) { self.accepts = accepts }

    /// Accepts exactly one authority.
    package static func pinned(_ pin: [UInt8]) -> TLSTrust { TLSTrust { $0 == pin } }

    /// Accepts any authority whose chain is sound: for asking a hub for its first grant. The connection says which
    /// authority it was; nothing secret may be sent before that has been compared with something trusted.
    package static let anyAuthority = TLSTrust { _ in true }

    /// The outcome of looking at a server's chain.
    struct Verdict {
        /// The authority that was accepted; `nil` when none was.
        var pin: [UInt8]?
        /// OpenSSL's `X509_V_…` number, which picks the alert.
        var code: Int32
        var reason: String
    }

    /// Checks the chain of a handshake.
    ///
    /// - Parameters:
    ///   - leaf: the server's `X509`.
    ///   - chain: the `STACK_OF(X509)` that the server sent.
    ///   - time: seconds since 1970; `nil` for now.
    func check(leaf: OpaquePointer, chain: OpaquePointer?, time: Int64?) -> Verdict {
        var verdict = Verdict(
            pin: nil, code: X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            reason: "the hub's authority isn't the one that the grant names")
        for index in 0..<max(0, OPENSSL_sk_num(chain)) {
            guard let raw = OPENSSL_sk_value(chain, index) else { continue }
            let authority = OpaquePointer(raw)
            guard authority != leaf, X509_check_ca(authority) == 1 else { continue }
            let pin: [UInt8]
            do throws(NetError) { pin = try Certificate.publicKeyPin(authority) } catch {
                continue  // a key that can't be encoded isn't one that anybody pinned
            }
            guard accepts(pin) else { continue }
            let code = Self.verify(leaf, issuedBy: authority, chain, time)
            if code == X509_V_OK { return Verdict(pin: pin, code: code, reason: "") }
            verdict = Verdict(pin: nil, code: code, reason: String(cString: X509_verify_cert_error_string(Int(code))))
        }
        return verdict
    }

    private static func verify(
        _ leaf: OpaquePointer, issuedBy authority: OpaquePointer, _ chain: OpaquePointer?, _ time: Int64?
    ) -> Int32 {
        guard let store = X509_STORE_new() else { return X509_V_ERR_OUT_OF_MEM }
        defer { X509_STORE_free(store) }
        guard let context = X509_STORE_CTX_new() else { return X509_V_ERR_OUT_OF_MEM }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_add_cert(store, authority) == 1, X509_STORE_CTX_init(context, store, leaf, chain) == 1 else {
            return X509_V_ERR_OUT_OF_MEM
        }
        X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN))
        if let time { X509_STORE_CTX_set_time(context, 0, Int(time)) }
        X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER)
        if X509_verify_cert(context) == 1 { return X509_V_OK }
        let code = X509_STORE_CTX_get_error(context)
        return code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code
    }
}
