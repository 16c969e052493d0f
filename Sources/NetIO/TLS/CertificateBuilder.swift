internal import COpenSSL

/// Puts an X.509 version 3 certificate together.
struct CertificateBuilder {
    private let certificate: Certificate
    /// Whose key identifier the authority key identifier names.
    var issuer: Certificate?

    /// - Parameters:
    ///   - subject: the common name; 1 ... 64 bytes.
    ///   - issuer: an `X509_NAME` that is copied; `nil` for a self-signed certificate.
    init(
        key: PrivateKey, subject: String, issuer: OpaquePointer?, validity: CertificateValidity
    ) throws(NetError) {
        ERR_clear_error()
        guard (1...64).contains(subject.utf8.count) else {
            throw NetError(.badCredentials, "certificate", reason: "a common name has 1 to 64 bytes")
        }
        guard let pointer = X509_new() else { throw .drainingOpenSSL(.system, "X509_new") }
        certificate = Certificate(takingOwnership: pointer)
        var serial = [UInt8](repeating: 0, count: 16)
        guard RAND_bytes(&serial, 16) == 1 else { throw .drainingOpenSSL(.system, "RAND_bytes") }
        serial[0] = serial[0] & 0x7F | 0x40  // positive and of constant length (RFC 5280 §4.1.2.2)
        let number = BN_bin2bn(serial, 16, nil)
        defer { BN_free(number) }
        let name = X509_get_subject_name(pointer)
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(pointer)) != nil, X509_set_version(pointer, 2) == 1,
            X509_NAME_add_entry_by_txt(
                name, "CN", MBSTRING_UTF8, Array(subject.utf8), Int32(subject.utf8.count), -1, 0) == 1,
            X509_set_issuer_name(pointer, issuer ?? name) == 1,
            ASN1_TIME_set(X509_getm_notBefore(pointer), Int(validity.notBefore)) != nil,
            ASN1_TIME_set(X509_getm_notAfter(pointer), Int(validity.notAfter)) != nil,
            X509_set_pubkey(pointer, key.pointer) == 1
        else { throw .drainingOpenSSL(.badCredentials, "certificate") }
    }

    /// Adds one extension by OpenSSL's text form, which must be our own or checked.
    func add(_ identifier: Int32, _ value: String) throws(NetError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, (issuer ?? certificate).pointer, certificate.pointer, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw .drainingOpenSSL(.badCredentials, "X509V3_EXT_conf_nid", reason: value)
        }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(certificate.pointer, made, -1) == 1 else {
            throw .drainingOpenSSL(.badCredentials, "X509_add_ext")
        }
    }

    /// Signs with ECDSA and SHA-256.
    func signed(by key: PrivateKey) throws(NetError) -> Certificate {
        guard X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0 else {
            throw .drainingOpenSSL(.badCredentials, "X509_sign")
        }
        return certificate
    }
}
