package import MatterCrypto
package import MatterNode
import MatterProtocol
package import MatterWire

/// Makes a structure's fabric, and the hub's node on it.
package enum FabricFounder {
    /// The hub's own index of its only fabric.
    static let fabricIndex = FabricIndex(rawValue: 1)
    /// Certificates begin this long before the founding, in s: devices without a clock refuse a later beginning.
    private static let backdating: Int64 = 366 * 86_400

    /// A new fabric with fresh keys and the hub as its first node.
    package static func found(
        for structure: StructureRecord, at time: EpochSeconds, random: RandomSource, secrets: any SecretSource
    ) throws(CryptoError) -> FabricRecord {
        var random = random
        let fabricID = FabricID(rawValue: UInt64.random(in: 1...UInt64.max, using: &random))
        let notBefore = EpochSeconds(rawValue: time.rawValue - backdating)
        let authority = try CertificateAuthority.create(
            rcacID: UInt64.random(in: 1...UInt64.max, using: &random), fabricID: nil, notBefore: notBefore,
            secrets: secrets)
        let key = try P256PrivateKey.generate(using: secrets)
        let node = NodeID(rawValue: UInt64.random(in: NodeID.operationalRange, using: &random))
        let noc = try authority.issueNOC(
            publicKey: key.publicKey, nodeID: node, fabricID: fabricID, notBefore: notBefore, secrets: secrets)
        return FabricRecord(
            structure: structure.id, fabricID: fabricID, rootKey: authority.rootKey.rawValue,
            rootCertificate: authority.rootCertificateBytes, ipkEpochKey: try secrets.bytes(16), hubNode: node,
            hubNOC: noc.encoded(), hubKey: key.rawValue)
    }

    /// The controller node of a stored fabric.
    ///
    /// - Parameter nodes: the fabric's nodes, whose addresses are tried first.
    /// - Throws: ``CryptoError`` or ``FabricCredentialsError`` when the record is damaged.
    package static func controller(
        of record: FabricRecord, nodes: [NodeRecord], trust: AttestationTrustStore,
        environment: ControllerEnvironment
    ) throws -> ControllerNode {
        let root = try CertificateAuthority(restoring: record.rootCertificate, rootKey: record.rootKey)
        let key = try P256PrivateKey(rawValue: record.hubKey)
        let fabric = try FabricCredentials(
            fabricIndex: fabricIndex, rootCertificate: record.rootCertificate, icac: nil, noc: record.hubNOC,
            operationalKey: key, epochKeys: [record.ipkEpochKey])
        let authority = FabricAuthority(
            root: root, fabricID: record.fabricID, trust: trust, notBefore: root.rootCertificate.notBefore,
            usedKeys: [key.publicKey], secrets: environment.secrets)
        let addresses = nodes.compactMap { node in PeerAddress(text: node.address).map { (node.id, $0) } }
        return ControllerNode(
            fabric: fabric, authority: authority, ipkEpochKey: record.ipkEpochKey,
            knownAddresses: Dictionary(addresses) { _, last in last }, environment: environment)
    }
}
