public import MatterWire

/// What a valid chain proves about a node.
public struct OperationalIdentity: Hashable, Sendable {
    /// The node's id.
    public let nodeID: NodeID
    /// The fabric that the node belongs to, under the root of the chain.
    public let fabricID: FabricID
    /// The node's tags, 0 … 3.
    public let cats: [CASEAuthenticatedTag]
    /// The node's operational key.
    public let publicKey: P256PublicKey

    /// An identity of these parts.
    public init(nodeID: NodeID, fabricID: FabricID, cats: [CASEAuthenticatedTag], publicKey: P256PublicKey) {
        self.nodeID = nodeID
        self.fabricID = fabricID
        self.cats = cats
        self.publicKey = publicKey
    }
}

/// A root certificate that kept every rule of its own, decoded once for many chains.
public struct TrustedRoot: Hashable, Sendable {
    /// The certificate.
    public let certificate: MatterCertificate
    /// Its key, which signs ICACs and NOCs.
    public let publicKey: P256PublicKey

    fileprivate init(certificate: MatterCertificate, publicKey: P256PublicKey) {
        self.certificate = certificate
        self.publicKey = publicKey
    }
}

/// The rules that operational certificates keep, alone and in a chain (Core §6.5, RFC 5280 §6).
public enum OperationalChain {
    private static let maximumTags = 3

    /// Checks a root certificate on its own: form, content and self-signature.
    ///
    /// - Parameter time: when the certificate must be valid; `nil` where no clock is to be trusted.
    /// - Throws: the first rule that is broken.
    public static func validateRoot(
        _ rcac: [UInt8], at time: EpochSeconds? = nil
    ) throws(OperationalChainError) -> TrustedRoot {
        let certificate = try decode(rcac, .root)
        try checkCA(certificate, .root, identifier: .rcacID)
        guard certificate.issuer == certificate.subject else { throw OperationalChainError(.root, .issuerName) }
        guard certificate.authorityKeyIdentifier == certificate.subjectKeyIdentifier else {
            throw OperationalChainError(.root, .issuerKey)
        }
        try check(certificate, .root, validAt: time)
        let key = try publicKey(certificate, .root)
        try checkSignature(certificate, .root, issuerKey: key)
        return TrustedRoot(certificate: certificate, publicKey: key)
    }

    /// Checks a chain, all in TLV, from its root down to the node.
    ///
    /// - Parameter time: when the chain must be valid; `nil` where no clock is to be trusted.
    /// - Throws: the first rule that is broken, with the certificate that breaks it.
    public static func validate(
        noc: [UInt8], icac: [UInt8]?, rcac: [UInt8], at time: EpochSeconds? = nil
    ) throws(OperationalChainError) -> OperationalIdentity {
        try validate(noc: noc, icac: icac, root: validateRoot(rcac, at: time), at: time)
    }

    /// Checks a node's certificates, in TLV, under a root that was checked before.
    ///
    /// - Parameter time: when the chain must be valid; `nil` where no clock is to be trusted.
    /// - Throws: the first rule that is broken, with the certificate that breaks it.
    public static func validate(
        noc: [UInt8], icac: [UInt8]?, root: TrustedRoot, at time: EpochSeconds? = nil
    ) throws(OperationalChainError) -> OperationalIdentity {
        try check(root.certificate, .root, validAt: time)
        var issuer = root.certificate
        var issuerKey = root.publicKey
        var fabricIDs = [OperationalChainError.Role.root: root.certificate.fabricID]
        if let icac {
            let intermediate = try decode(icac, .intermediate)
            try checkCA(intermediate, .intermediate, identifier: .icacID)
            if let limit = root.certificate.pathLength, limit < 1 {
                throw OperationalChainError(.root, .pathLength, "an ICAC under a path length of 0")
            }
            try checkIssued(intermediate, .intermediate, issuer: issuer, issuerKey: issuerKey, at: time)
            issuerKey = try publicKey(intermediate, .intermediate)
            issuer = intermediate
            fabricIDs[.intermediate] = intermediate.fabricID
        }
        let node = try decode(noc, .node)
        let (nodeID, fabricID) = try checkNode(node)
        try checkIssued(node, .node, issuer: issuer, issuerKey: issuerKey, at: time)
        for role in [OperationalChainError.Role.root, .intermediate] {
            guard let above = fabricIDs[role] ?? nil, above != fabricID else { continue }
            throw OperationalChainError(
                role, .fabricMatches, "\(hex(above.rawValue)) above a node of \(hex(fabricID.rawValue))")
        }
        return OperationalIdentity(
            nodeID: nodeID, fabricID: fabricID, cats: node.cats, publicKey: try publicKey(node, .node))
    }
}

// MARK: - One certificate

extension OperationalChain {
    private typealias Role = OperationalChainError.Role

    private static func decode(_ bytes: [UInt8], _ role: Role) throws(OperationalChainError) -> MatterCertificate {
        let certificate: MatterCertificate
        do {
            certificate = try MatterCertificate(decoding: bytes)
        } catch {
            throw OperationalChainError(role, .wellFormed, "\(error)")
        }
        guard !certificate.extensions.contains(where: \.isUnknownCritical) else {
            throw OperationalChainError(role, .knownExtensions)
        }
        guard certificate.subjectKeyIdentifier != nil, certificate.authorityKeyIdentifier != nil else {
            throw OperationalChainError(role, .keyIdentifiers)
        }
        return certificate
    }

    private static func checkCA(
        _ certificate: MatterCertificate, _ role: Role, identifier: DistinguishedName.IdentifierType
    ) throws(OperationalChainError) {
        try check(certificate.subject, role, once: [identifier], atMostOnce: [.fabricID], several: [])
        guard certificate.isCA else { throw OperationalChainError(role, .basicConstraints) }
        guard let usage = certificate.keyUsage, usage.contains(.keyCertSign) else {
            throw OperationalChainError(role, .keyUsage)
        }
    }

    private static func checkNode(
        _ certificate: MatterCertificate
    ) throws(OperationalChainError) -> (NodeID, FabricID) {
        let role = Role.node
        try check(
            certificate.subject, role, once: [.nodeID, .fabricID], atMostOnce: [], several: [.caseAuthenticatedTag])
        guard let nodeID = certificate.nodeID, let fabricID = certificate.fabricID else {
            throw OperationalChainError(role, .subjectIdentifiers)
        }
        guard nodeID.isOperational else {
            throw OperationalChainError(role, .nodeIDRange, hex(nodeID.rawValue))
        }
        let tags = certificate.cats
        guard tags.count <= maximumTags, tags.allSatisfy({ $0.version > 0 }),
            Set(tags.map(\.identifier)).count == tags.count
        else { throw OperationalChainError(role, .tags, tags.map { hex(UInt64($0.rawValue)) }.joined(separator: ", ")) }
        let saysNoCA = certificate.extensions.contains { element in
            if case .basicConstraints(isCA: false, _) = element { true } else { false }
        }
        guard saysNoCA else { throw OperationalChainError(role, .basicConstraints) }
        guard let usage = certificate.keyUsage, usage.contains(.digitalSignature), !usage.contains(.keyCertSign) else {
            throw OperationalChainError(role, .keyUsage)
        }
        guard let purposes = certificate.extendedKeyUsage, purposes.contains(.clientAuthentication),
            purposes.contains(.serverAuthentication)
        else { throw OperationalChainError(role, .extendedKeyUsage) }
        return (nodeID, fabricID)
    }

    private static func check(
        _ subject: DistinguishedName, _ role: Role, once: [DistinguishedName.IdentifierType],
        atMostOnce: [DistinguishedName.IdentifierType], several: [DistinguishedName.IdentifierType]
    ) throws(OperationalChainError) {
        for type in DistinguishedName.IdentifierType.allCases where !several.contains(type) {
            let count = subject.identifiers(type).count
            let allowed = once.contains(type) ? 1...1 : 0...(atMostOnce.contains(type) ? 1 : 0)
            guard allowed.contains(count) else {
                throw OperationalChainError(role, .subjectIdentifiers, "\(type) \(count) times")
            }
        }
        guard !subject.identifiers(.fabricID).contains(0) else {
            throw OperationalChainError(role, .fabricIDNotZero)
        }
    }

    private static func check(
        _ certificate: MatterCertificate, _ role: Role, validAt time: EpochSeconds?
    ) throws(OperationalChainError) {
        guard let time else { return }
        guard certificate.notBefore <= time else {
            throw OperationalChainError(
                role, .begun, "from \(certificate.notBefore.rawValue), now \(time.rawValue) s since 2000")
        }
        if let notAfter = certificate.notAfter, notAfter < time {
            throw OperationalChainError(
                role, .notExpired, "until \(notAfter.rawValue), now \(time.rawValue) s since 2000")
        }
    }

    private static func publicKey(
        _ certificate: MatterCertificate, _ role: Role
    ) throws(OperationalChainError) -> P256PublicKey {
        do {
            return try P256PublicKey(bytes: certificate.publicKey)
        } catch {
            throw OperationalChainError(role, .publicKey, error.reason)
        }
    }

    // MARK: A certificate and the one above it

    private static func checkIssued(
        _ certificate: MatterCertificate, _ role: Role, issuer: MatterCertificate, issuerKey: P256PublicKey,
        at time: EpochSeconds?
    ) throws(OperationalChainError) {
        guard certificate.issuer == issuer.subject else { throw OperationalChainError(role, .issuerName) }
        guard certificate.authorityKeyIdentifier == issuer.subjectKeyIdentifier else {
            throw OperationalChainError(role, .issuerKey)
        }
        try check(certificate, role, validAt: time)
        try checkSignature(certificate, role, issuerKey: issuerKey)
    }

    private static func checkSignature(
        _ certificate: MatterCertificate, _ role: Role, issuerKey: P256PublicKey
    ) throws(OperationalChainError) {
        let valid: Bool
        do {
            valid = try certificate.verify(issuerKey: issuerKey)
        } catch {
            throw OperationalChainError(role, error.code == .library ? .library : .wellFormed, error.reason)
        }
        guard valid else { throw OperationalChainError(role, .signature) }
    }

    private static func hex(_ value: UInt64) -> String { "0x" + String(value, radix: 16, uppercase: true) }
}
