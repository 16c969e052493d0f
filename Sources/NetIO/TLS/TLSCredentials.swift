internal import COpenSSL

/// What a TLS server shows and signs with: its certificate, the issuer's, and its private key.
package struct TLSCredentials: Hashable, Sendable {
    /// DER certificates, the server's own first, its issuer's next.
    package let chain: [[UInt8]]
    /// PKCS #8 DER, unencrypted. Secret: store it with mode 0600.
    package let privateKey: [UInt8]

    /// - Throws: ``NetError`` with code `badCredentials` when a part can't be read or the key isn't the first
    ///   certificate's.
    package init(chain: [[UInt8]], privateKey: [UInt8]) throws(NetError) {
        guard let first = chain.first else {
            throw NetError(.badCredentials, "TLS credentials", reason: "no certificate")
        }
        for certificate in chain.dropFirst() { _ = try Certificate(der: certificate) }
        let (leaf, key) = (try Certificate(der: first), try PrivateKey(der: privateKey))
        guard X509_check_private_key(leaf.pointer, key.pointer) == 1 else {
            throw .drainingOpenSSL(.badCredentials, "TLS credentials", reason: "the key isn't the certificate's")
        }
        self.chain = chain
        self.privateKey = privateKey
    }

    /// Reads one PEM text with the certificates, own first, and the private key, in any order.
    package init(pem: [UInt8]) throws(NetError) {
        let blocks = try PEM.decode(pem)
        guard let key = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw NetError(.badCredentials, "TLS credentials", reason: "no private key in the PEM text")
        }
        try self.init(chain: blocks.filter { $0.label == "CERTIFICATE" }.map(\.bytes), privateKey: key.bytes)
    }

    /// The certificates and then the key as one PEM text.
    package func pem() throws(NetError) -> [UInt8] {
        let certificates = chain.map { PEM.Block(label: "CERTIFICATE", bytes: $0) }
        return try PEM.encode(certificates + [PEM.Block(label: "PRIVATE KEY", bytes: privateKey)])
    }

    /// The last second of the own certificate's validity, in seconds since 1970: renew before it.
    package func notAfter() throws(NetError) -> Int64 { try Certificate(der: chain[0]).notAfter() }
}
