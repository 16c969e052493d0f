package import MatterCrypto
package import MatterNode
import MatterProtocol
package import MatterWire

/// Makes a structure's fabric, and the hub's node on it.
package enum FabricFounder {
    /// A new fabric with fresh keys and the hub as its first node.
    package static func found(
        for structure: StructureRecord, at time: EpochSeconds, random: RandomSource, secrets: any SecretSource
    ) throws(CryptoError) -> FabricRecord {
        let root = try AdministeredFabric.newRoot(at: time, random: random, secrets: secrets)
        guard let rootKey = root.rootKey else { preconditionFailure("a root without a signer makes its own key") }
        let fabric = try AdministeredFabric.found(under: root, random: random, secrets: secrets)
        return FabricRecord(
            structure: structure.id, fabricID: fabric.fabricID, rootKey: rootKey.rawValue,
            rootCertificate: fabric.rootCertificate, ipkEpochKey: fabric.ipkEpochKey, hubNode: fabric.nodeID,
            hubNOC: fabric.noc, hubKey: fabric.nodeKey)
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
        let fabric = AdministeredFabric(
            fabricID: record.fabricID, rootCertificate: record.rootCertificate, ipkEpochKey: record.ipkEpochKey,
            nodeID: record.hubNode, noc: record.hubNOC, nodeKey: record.hubKey)
        let addresses = nodes.compactMap { node in PeerAddress(text: node.address).map { (node.id, $0) } }
        return try fabric.controller(
            root: root, trust: trust, knownAddresses: Dictionary(addresses) { _, last in last },
            environment: environment)
    }
}
