/// An operational certificate as a value: RCAC, ICAC or NOC (Core §6.5).
///
/// Carried as TLV, signed as DER: `MatterCrypto` makes the signed form, in which attributes and extensions stand in the
/// order of the TLV. The value says nothing about trust.
public struct MatterCertificate: Hashable, Sendable {
    /// The most bytes of the TLV form (Core §6.5.1).
    public static let maximumCount = 400
    /// The lengths that a serial number may have, in bytes.
    public static let serialNumberCounts = 1...20

    /// The content of the DER INTEGER, 1 … 20 bytes.
    public var serialNumber: [UInt8]
    /// Who signed.
    public var issuer: DistinguishedName
    /// The first second of validity; 0 … 2^32 − 1 s since 2000.
    public var notBefore: EpochSeconds
    /// The last second of validity, 1 … 2^32 − 1 s since 2000; `nil` when the certificate does not expire (zero in TLV).
    public var notAfter: EpochSeconds?
    /// Who holds the key.
    public var subject: DistinguishedName
    /// 65 bytes, uncompressed; not checked to be on the curve.
    public var publicKey: [UInt8]
    /// The extensions in the order in which they are signed.
    public var extensions: [CertificateExtension]
    /// 64 bytes, r then s.
    public var signature: [UInt8]

    /// A certificate of these parts, which are not checked.
    public init(
        serialNumber: [UInt8], issuer: DistinguishedName, notBefore: EpochSeconds, notAfter: EpochSeconds?,
        subject: DistinguishedName, publicKey: [UInt8], extensions: [CertificateExtension], signature: [UInt8]
    ) {
        self.serialNumber = serialNumber
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.subject = subject
        self.publicKey = publicKey
        self.extensions = extensions
        self.signature = signature
    }

    // MARK: What the subject says

    /// The only node id of the subject; `nil` when it has none or several.
    public var nodeID: NodeID? { subject.identifiers(.nodeID).only.map(NodeID.init) }
    /// The only fabric id of the subject; `nil` when it has none or several.
    public var fabricID: FabricID? { subject.identifiers(.fabricID).only.map(FabricID.init) }
    /// The CASE authenticated tags of the subject, in order.
    public var cats: [CASEAuthenticatedTag] {
        subject.identifiers(.caseAuthenticatedTag).map {
            CASEAuthenticatedTag(rawValue: UInt32(truncatingIfNeeded: $0))
        }
    }
    /// The only RCAC id of the subject.
    public var rcacID: UInt64? { subject.identifiers(.rcacID).only }
    /// The only ICAC id of the subject.
    public var icacID: UInt64? { subject.identifiers(.icacID).only }

    // MARK: What the extensions say

    /// Whether the subject may issue certificates; `false` when nothing is said.
    public var isCA: Bool {
        for case .basicConstraints(let isCA, _) in extensions { return isCA }
        return false
    }
    /// How many CAs may follow in a chain; `nil` when not limited.
    public var pathLength: UInt8? {
        for case .basicConstraints(_, let pathLength) in extensions { return pathLength }
        return nil
    }
    /// What the key may be used for; `nil` when nothing is said.
    public var keyUsage: CertificateExtension.KeyUsage? {
        for case .keyUsage(let usage) in extensions { return usage }
        return nil
    }
    /// The purposes of the key; `nil` when nothing is said.
    public var extendedKeyUsage: [CertificateExtension.KeyPurpose]? {
        for case .extendedKeyUsage(let purposes) in extensions { return purposes }
        return nil
    }
    /// The identifier of the subject's key, 20 bytes.
    public var subjectKeyIdentifier: [UInt8]? {
        for case .subjectKeyIdentifier(let identifier) in extensions { return identifier }
        return nil
    }
    /// The identifier of the issuer's key, 20 bytes.
    public var authorityKeyIdentifier: [UInt8]? {
        for case .authorityKeyIdentifier(let identifier) in extensions { return identifier }
        return nil
    }
}

extension [UInt64] {
    /// The only element; `nil` when there is none or more than one.
    fileprivate var only: UInt64? { count == 1 ? self[0] : nil }
}
