public import MatterCrypto
public import MatterWire

/// What a node needs to be a member of one fabric: certificates, keys and the group key of key set 0.
///
/// The certificates are checked once, when the value is made, without regard to time.
public struct FabricCredentials: Sendable {
    /// This node's index of the fabric.
    public let fabricIndex: FabricIndex
    /// The fabric's identifier, from ``noc``.
    public let fabricID: FabricID
    /// This node's identifier on the fabric, from ``noc``.
    public internal(set) var nodeID: NodeID
    /// This node's tags, from ``noc``.
    public let cats: [CASEAuthenticatedTag]
    /// The fabric's root, Matter TLV.
    public let rootCertificate: [UInt8]
    /// The root, decoded and checked.
    public let root: TrustedRoot
    /// The intermediate certificate, Matter TLV.
    public let icac: [UInt8]?
    /// This node's operational certificate, Matter TLV.
    public let noc: [UInt8]
    /// The private key of ``noc``.
    public let operationalKey: P256PrivateKey
    /// The operational group key of key set 0, 16 bytes: derived from the epoch key, never that key itself.
    public let ipk: [UInt8]
    /// Further keys of key set 0 while epoch keys change, 16 bytes each; a responder takes each.
    public let otherIPKs: [[UInt8]]
    /// What stands for the fabric in DNS-SD names.
    public let compressedFabricID: CompressedFabricID

    /// The key of the fabric's root.
    public var rootPublicKey: P256PublicKey { root.publicKey }

    /// Epoch keys that a key set can hold.
    public static let maximumEpochKeys = 3

    /// Checks the chain and the key, and derives the rest.
    ///
    /// - Parameters:
    ///   - rootCertificate: Matter TLV.
    ///   - icac: Matter TLV.
    ///   - noc: Matter TLV.
    ///   - operationalKey: the private key of the NOC.
    ///   - epochKeys: the epoch keys of key set 0, newest first, as AddNOC and KeySetWrite carry them; 1 to 3 of 16 bytes.
    /// - Throws: ``FabricCredentialsError``.
    public init(
        fabricIndex: FabricIndex, rootCertificate: [UInt8], icac: [UInt8]?, noc: [UInt8],
        operationalKey: P256PrivateKey, epochKeys: [[UInt8]]
    ) throws(FabricCredentialsError) {
        guard (1...Self.maximumEpochKeys).contains(epochKeys.count), epochKeys.allSatisfy({ $0.count == 16 }) else {
            throw .epochKeys
        }
        try self.init(
            fabricIndex: fabricIndex, rootCertificate: rootCertificate, icac: icac, noc: noc,
            operationalKey: operationalKey
        ) { fabric throws(CryptoError) in
            var keys: [[UInt8]] = []
            for key in epochKeys {
                keys.append(try FabricKeys.operationalKey(epochKey: key, compressedFabricID: fabric))
            }
            return keys
        }
    }

    /// The same with derived keys, for test vectors.
    init(
        fabricIndex: FabricIndex, rootCertificate: [UInt8], icac: [UInt8]?, noc: [UInt8],
        operationalKey: P256PrivateKey, ipks: (CompressedFabricID) throws(CryptoError) -> [[UInt8]]
    ) throws(FabricCredentialsError) {
        let identity: OperationalIdentity
        do {
            root = try OperationalChain.validateRoot(rootCertificate)
            identity = try OperationalChain.validate(noc: noc, icac: icac, root: root)
        } catch {
            throw .chain(error)
        }
        guard identity.publicKey == operationalKey.publicKey else { throw .otherKey }
        do {
            compressedFabricID = try FabricKeys.compressedFabricID(
                rootPublicKey: root.publicKey, fabricID: identity.fabricID)
            let keys = try ipks(compressedFabricID)
            ipk = keys[0]
            otherIPKs = Array(keys.dropFirst())
        } catch {
            throw .cryptography(error)
        }
        self.fabricIndex = fabricIndex
        fabricID = identity.fabricID
        nodeID = identity.nodeID
        cats = identity.cats
        self.rootCertificate = rootCertificate
        self.icac = icac
        self.noc = noc
        self.operationalKey = operationalKey
    }

    /// The key of key set 0 under which a Sigma1 names this node; `nil` when it names another.
    func ipk(matching sigma1: Sigma1) throws(CryptoError) -> [UInt8]? {
        for key in [ipk] + otherIPKs {
            let expected = try FabricKeys.destinationID(
                ipk: key, initiatorRandom: sigma1.initiatorRandom, rootPublicKey: rootPublicKey, fabricID: fabricID,
                nodeID: nodeID)
            if ConstantTime.equal(expected, sigma1.destinationID) { return key }
        }
        return nil
    }
}

/// Why certificates and keys don't make a member of a fabric.
public enum FabricCredentialsError: Error, Hashable, Sendable {
    /// The certificates break a rule.
    case chain(OperationalChainError)
    /// The private key is not the certificate's.
    case otherKey
    /// There must be 1 to 3 epoch keys of 16 bytes.
    case epochKeys
    /// The cryptographic library failed.
    case cryptography(CryptoError)
}
