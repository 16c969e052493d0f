internal import COpenSSL

/// From when to when a certificate is valid.
package struct CertificateValidity: Hashable, Sendable {
    /// Seconds since 1970.
    package var notBefore: Int64
    /// Seconds since 1970; inclusive.
    package var notAfter: Int64

    package init(notBefore: Int64, notAfter: Int64) {
        precondition(notBefore <= notAfter, "a validity ends after its start")
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}

/// The authority that issues the TLS certificates of one structure's hubs (design: the control CA).
///
/// Clients pin the SHA-256 of its SubjectPublicKeyInfo, so renewing a leaf, adding a hub, or renewing the authority's own
/// certificate with the same key breaks no pin.
package struct ControlCA: Hashable, Sendable {
    /// The self-signed certificate, DER.
    package let certificate: [UInt8]
    /// PKCS #8 DER, unencrypted. Secret: store it with mode 0600.
    package let privateKey: [UInt8]
    /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes: the pin in grants.
    package let pin: [UInt8]

    /// A new authority with a fresh P-256 key.
    ///
    /// - Parameter commonName: shown to people; 1 ... 64 bytes of UTF-8.
    package static func create(commonName: String, validity: CertificateValidity) throws(NetError) -> ControlCA {
        let key = try PrivateKey()
        return try ControlCA(
            certificate: selfSigned(key, commonName, validity).der(), privateKey: key.der())
    }

    /// Restores an authority from storage.
    ///
    /// - Throws: ``NetError`` with code `badCredentials` when the parts can't be read, don't belong together, or the
    ///   certificate isn't an authority's.
    package init(certificate: [UInt8], privateKey: [UInt8]) throws(NetError) {
        let credentials = try TLSCredentials(chain: [certificate], privateKey: privateKey)
        let parsed = try Certificate(der: certificate)
        guard X509_check_ca(parsed.pointer) == 1 else {
            throw NetError(.badCredentials, "control CA", reason: "the certificate isn't a CA's")
        }
        self.certificate = credentials.chain[0]
        self.privateKey = credentials.privateKey
        pin = try parsed.publicKeyPin()
    }

    /// The last second of the authority's own validity, in seconds since 1970.
    package func notAfter() throws(NetError) -> Int64 { try Certificate(der: certificate).notAfter() }

    /// The same key and pin with a new self-signed certificate.
    package func renewed(commonName: String, validity: CertificateValidity) throws(NetError) -> ControlCA {
        let key = try PrivateKey(der: privateKey)
        return try ControlCA(certificate: Self.selfSigned(key, commonName, validity).der(), privateKey: privateKey)
    }

    /// Issues a hub's TLS certificate with a fresh P-256 key.
    ///
    /// - Parameters:
    ///   - commonName: shown to people; 1 ... 64 bytes of UTF-8.
    ///   - names: DNS names of the hub: letters, digits, hyphens and dots.
    ///   - addresses: addresses of the hub. `localhost` and the loopback addresses are always added.
    /// - Returns: a chain of the hub's certificate and the authority's, with the hub's key.
    package func issue(
        commonName: String, names: [String] = [], addresses: [IPAddress] = [], validity: CertificateValidity
    ) throws(NetError) -> TLSCredentials {
        let issuer = try Certificate(der: certificate)
        let issuerKey = try PrivateKey(der: privateKey)
        let key = try PrivateKey()
        var alternatives: [String] = []
        for name in ["localhost"] + names {
            guard (1...253).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte) else {
                throw NetError(.badAddress, "control CA", reason: "\(name) is no DNS name")
            }
            alternatives.append("DNS:\(name)")
        }
        alternatives += ([.loopbackV4, .loopbackV6] + addresses).map { "IP:\($0)" }
        var builder = try CertificateBuilder(
            key: key, subject: commonName, issuer: X509_get_subject_name(issuer.pointer), validity: validity)
        builder.issuer = issuer
        try builder.add(NID_basic_constraints, "critical,CA:FALSE")
        try builder.add(NID_key_usage, "critical,digitalSignature")
        try builder.add(NID_ext_key_usage, "serverAuth")
        try builder.add(NID_subject_alt_name, alternatives.joined(separator: ","))
        try builder.add(NID_subject_key_identifier, "hash")
        try builder.add(NID_authority_key_identifier, "keyid:always")
        let leaf = try builder.signed(by: issuerKey)
        return try TLSCredentials(chain: [leaf.der(), certificate], privateKey: key.der())
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func selfSigned(
        _ key: PrivateKey, _ commonName: String, _ validity: CertificateValidity
    ) throws(NetError) -> Certificate {
        let builder = try CertificateBuilder(key: key, subject: commonName, issuer: nil, validity: validity)
        try builder.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try builder.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        try builder.add(NID_subject_key_identifier, "hash")
        return try builder.signed(by: key)
    }
}
