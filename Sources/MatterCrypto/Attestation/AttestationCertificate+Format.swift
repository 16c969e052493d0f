extension AttestationCertificate {
    /// What Matter's format rules for this role find wrong, in plain words; empty when the certificate keeps them.
    ///
    /// Version, algorithms, key, basic constraints, key usage and key identifiers (Core §6.2.2.3–5); not the names,
    /// the validity or the signature.
    public func formatViolations(as role: Role) -> [String] {
        var violations: [String] = []
        if role != .paa, der.count > Self.maximumSize {
            violations.append("the certificate has \(der.count) bytes, more than \(Self.maximumSize)")
        }
        if version != 3 { violations.append("the X.509 version is \(version), not 3") }
        if !isSignedWithECDSAAndSHA256 { violations.append("the signature algorithm is not ECDSA with SHA-256") }
        if publicKey == nil { violations.append("the public key is not an uncompressed point of P-256") }
        violations += repeatedExtensions
        violations += basicConstraintViolations(role)
        violations += keyUsageViolations(role)
        violations += keyIdentifierViolations(role)
        for item in extensions
        where item.isCritical && !ObjectIdentifier.understoodExtensions.contains(item.identifier) {
            violations.append("a critical extension is not known to Matter")
        }
        return violations
    }

    private var repeatedExtensions: [String] {
        Set(extensions.map(\.identifier)).count == extensions.count ? [] : ["an extension is there twice"]
    }

    private func basicConstraintViolations(_ role: Role) -> [String] {
        guard let found = only(ObjectIdentifier.basicConstraints) else { return ["basic constraints are missing"] }
        var violations: [String] = []
        if !found.isCritical { violations.append("basic constraints are not critical") }
        guard let constraints = basicConstraints else { return violations + ["basic constraints are malformed"] }
        switch role {
        case .dac:
            if constraints.isCA { violations.append("a DAC must not be a certificate authority") }
            if constraints.pathLength != nil { violations.append("a DAC must not have a path length") }
        case .pai:
            if !constraints.isCA { violations.append("a PAI must be a certificate authority") }
            if constraints.pathLength != 0 {
                violations.append("the path length of a PAI must be 0, not \(text(constraints.pathLength))")
            }
        case .paa:
            if !constraints.isCA { violations.append("a PAA must be a certificate authority") }
            if let length = constraints.pathLength, length != 1 {
                violations.append("the path length of a PAA must be 1 or absent, not \(length)")
            }
        }
        return violations
    }

    private func text(_ pathLength: Int?) -> String { pathLength.map(String.init) ?? "absent" }

    private func keyUsageViolations(_ role: Role) -> [String] {
        guard let found = only(ObjectIdentifier.keyUsage) else { return ["key usage is missing"] }
        var violations: [String] = []
        if !found.isCritical { violations.append("key usage is not critical") }
        guard let bits = keyUsage else { return violations + ["key usage is malformed"] }
        switch role {
        case .dac:
            if bits != [KeyUsage.digitalSignature] {
                violations.append("the key usage of a DAC must be digitalSignature and nothing else")
            }
        case .pai, .paa:
            if bits.subtracting([KeyUsage.digitalSignature]) != [KeyUsage.certificateSign, KeyUsage.crlSign] {
                violations.append("the key usage must be keyCertSign and cRLSign, with at most digitalSignature beside")
            }
        }
        return violations
    }

    private func keyIdentifierViolations(_ role: Role) -> [String] {
        var violations: [String] = []
        if subjectKeyID?.count != Self.keyIDSize {
            let state = only(ObjectIdentifier.subjectKeyIdentifier) == nil ? "missing" : "not 20 bytes"
            violations.append("the subject key identifier is \(state)")
        }
        let isAbsent = !extensions.contains { $0.identifier == ObjectIdentifier.authorityKeyIdentifier }
        switch role {
        case .paa:
            if !isAbsent, authorityKeyID != subjectKeyID {
                violations.append("the authority key identifier differs from the subject's")
            }
        case .pai, .dac:
            if authorityKeyID?.count != Self.keyIDSize {
                violations.append("the authority key identifier is \(isAbsent ? "missing" : "not 20 bytes")")
            }
        }
        return violations
    }

    /// Bytes of a key identifier (Core §6.2.2.3).
    static let keyIDSize = 20
}

/// Bits of the key usage extension (RFC 5280 §4.2.1.3).
enum KeyUsage {
    static let digitalSignature = 0
    static let certificateSign = 5
    static let crlSign = 6
}
