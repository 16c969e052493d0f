public import MatterWire

/// The root of a fabric: its key and certificate, and the NOCs that it signs itself (Core §6.5).
public struct CertificateAuthority: Sendable {
    /// Signs; the private key may be out of our reach.
    public let signer: any CertificateSigner
    /// The key that signs, when it is in our hands; whoever stores it must protect it.
    public var rootKey: P256PrivateKey? { signer as? P256PrivateKey }
    /// The self-signed certificate.
    public let rootCertificate: MatterCertificate
    /// The certificate in TLV, as AddTrustedRootCertificate carries it; at most 400 bytes.
    public let rootCertificateBytes: [UInt8]

    private static let serialNumberCount = 16

    /// Makes a new root.
    ///
    /// - Parameters:
    ///   - rcacID: any number, best drawn at random: it names the root.
    ///   - fabricID: put into the root's name when the root is for one fabric only.
    ///   - notBefore: in the past: a device without a clock takes its build time for now.
    ///   - notAfter: `nil` for no end.
    ///   - signer: the root's key; `nil` makes one.
    /// - Throws: `invalidArgument` for times outside 2000 … 2136 or a fabric id of zero, and what the signer throws.
    public static func create(
        rcacID: UInt64, fabricID: FabricID? = nil, notBefore: EpochSeconds, notAfter: EpochSeconds? = nil,
        signer: (any CertificateSigner)? = nil, secrets: any SecretSource
    ) throws(CryptoError) -> CertificateAuthority {
        try check(fabricID: fabricID, notBefore: notBefore, notAfter: notAfter)
        let key: any CertificateSigner
        if let signer { key = signer } else { key = try P256PrivateKey.generate(using: secrets) }
        let name = DistinguishedName(
            [.identifier(.rcacID, rcacID)] + (fabricID.map { [.identifier(.fabricID, $0.rawValue)] } ?? []))
        let keyIdentifier = try key.publicKey.keyIdentifier()
        let certificate = MatterCertificate(
            serialNumber: try serialNumber(secrets), issuer: name, notBefore: notBefore, notAfter: notAfter,
            subject: name, publicKey: key.publicKey.bytes,
            extensions: [
                .basicConstraints(isCA: true, pathLength: nil), .keyUsage([.keyCertSign, .cRLSign]),
                .subjectKeyIdentifier(keyIdentifier), .authorityKeyIdentifier(keyIdentifier),
            ], signature: [])
        return CertificateAuthority(signer: key, rootCertificate: try certificate.signed(by: key))
    }

    /// Takes up a root again from what was stored.
    ///
    /// - Parameters:
    ///   - rootCertificate: ``rootCertificateBytes`` of the root.
    ///   - rootKey: the raw value of its key, 32 bytes.
    /// - Throws: `malformed` when the certificate breaks a rule of roots, `invalidKey` when the key is not its own.
    public init(restoring rootCertificate: [UInt8], rootKey: [UInt8]) throws(CryptoError) {
        try self.init(restoring: rootCertificate, signer: P256PrivateKey(rawValue: rootKey))
    }

    /// Takes up a root again whose key somebody else may keep.
    ///
    /// - Parameter rootCertificate: ``rootCertificateBytes`` of the root.
    /// - Throws: `malformed` when the certificate breaks a rule of roots, `invalidKey` when the key is not its own.
    public init(restoring rootCertificate: [UInt8], signer: any CertificateSigner) throws(CryptoError) {
        let root: TrustedRoot
        do {
            root = try OperationalChain.validateRoot(rootCertificate)
        } catch {
            throw CryptoError(.malformed, error.description)
        }
        guard signer.publicKey == root.publicKey else {
            throw CryptoError(.invalidKey, "the stored key is not the stored root certificate's")
        }
        self.signer = signer
        self.rootCertificate = root.certificate
        rootCertificateBytes = rootCertificate
    }

    private init(signer: any CertificateSigner, rootCertificate: MatterCertificate) {
        self.signer = signer
        self.rootCertificate = rootCertificate
        rootCertificateBytes = rootCertificate.encoded()
    }

    /// Signs a certificate for a node, directly under the root, with a serial number drawn from `secrets`.
    ///
    /// - Parameters:
    ///   - publicKey: from the node's certificate request, once that was verified.
    ///   - nodeID: operational, and never given out before on this fabric.
    ///   - cats: at most three, of version 1 or more, no identifier twice.
    ///   - notBefore: in the past: a device without a clock takes its build time for now.
    ///   - notAfter: `nil` for no end.
    /// - Throws: `invalidArgument` for values that no NOC may have.
    public func issueNOC(
        publicKey: P256PublicKey, nodeID: NodeID, fabricID: FabricID, cats: [CASEAuthenticatedTag] = [],
        notBefore: EpochSeconds, notAfter: EpochSeconds? = nil, secrets: any SecretSource
    ) throws(CryptoError) -> MatterCertificate {
        try Self.check(fabricID: fabricID, notBefore: notBefore, notAfter: notAfter)
        guard nodeID.isOperational else { throw CryptoError(.invalidArgument, "the node id is not operational") }
        guard cats.count <= 3, cats.allSatisfy({ $0.version > 0 }), Set(cats.map(\.identifier)).count == cats.count
        else { throw CryptoError(.invalidArgument, "tags that no certificate may have") }
        guard rootCertificate.fabricID == nil || rootCertificate.fabricID == fabricID else {
            throw CryptoError(.invalidArgument, "the root is for another fabric")
        }
        let certificate = MatterCertificate(
            serialNumber: try Self.serialNumber(secrets), issuer: rootCertificate.subject, notBefore: notBefore,
            notAfter: notAfter,
            subject: DistinguishedName(
                [.identifier(.nodeID, nodeID.rawValue), .identifier(.fabricID, fabricID.rawValue)]
                    + cats.map { .identifier(.caseAuthenticatedTag, UInt64($0.rawValue)) }),
            publicKey: publicKey.bytes,
            extensions: [
                .basicConstraints(isCA: false, pathLength: nil), .keyUsage(.digitalSignature),
                .extendedKeyUsage([.clientAuthentication, .serverAuthentication]),
                .subjectKeyIdentifier(try publicKey.keyIdentifier()),
                .authorityKeyIdentifier(rootCertificate.subjectKeyIdentifier ?? []),
            ], signature: [])
        return try certificate.signed(by: signer)
    }

    private static func check(
        fabricID: FabricID?, notBefore: EpochSeconds, notAfter: EpochSeconds?
    ) throws(CryptoError) {
        guard fabricID?.rawValue != 0 else { throw CryptoError(.invalidArgument, "the fabric id is zero") }
        let end = notAfter ?? EpochSeconds(rawValue: Int64(UInt32.max))
        // Zero is left out at both ends: implementations disagree on a certificate that begins there.
        guard UInt32(exactly: notBefore.rawValue) != nil, notBefore.rawValue > 0, notBefore <= end,
            UInt32(exactly: end.rawValue) != nil
        else { throw CryptoError(.invalidArgument, "a validity outside 2000 … 2136, or that ends before it begins") }
    }

    /// A positive DER INTEGER in its shortest form: no leading zero, top bit clear.
    private static func serialNumber(_ secrets: any SecretSource) throws(CryptoError) -> [UInt8] {
        var bytes = try secrets.bytes(serialNumberCount)
        bytes[0] = bytes[0] & 0x3F | 0x40
        return bytes
    }
}
