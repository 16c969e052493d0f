import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire

/// One fabric of ours with its administrator and the device on it; nothing of it outlives the run.
struct DeviceAdministrator: Sendable {
    /// For messages: `A`.
    let name: String
    let root: CertificateAuthority
    let ipk: [UInt8]
    /// The administrator's own node.
    let credentials: FabricCredentials
    /// The device's id on the fabric.
    let deviceNode: NodeID
    /// The device's number for the fabric, once it has told it.
    var index: FabricIndex?

    /// Tells this fabric from all others.
    var id: UInt64 { credentials.fabricID.rawValue }

    static let vendor = VendorID(rawValue: 0xFFF1)

    /// Founds a fabric.
    init(_ name: String, _ environment: ControllerEnvironment) throws {
        let (random, secrets) = (environment.random, environment.secrets)
        root = try AdministeredFabric.newRoot(at: environment.wallClock(), random: random, secrets: secrets)
        let fabric = try AdministeredFabric.found(under: root, random: random, secrets: secrets)
        self.name = name
        ipk = fabric.ipkEpochKey
        credentials = try FabricCredentials(
            fabricIndex: FabricIndex(rawValue: 1), rootCertificate: fabric.rootCertificate, icac: nil, noc: fabric.noc,
            operationalKey: P256PrivateKey(rawValue: fabric.nodeKey), epochKeys: [fabric.ipkEpochKey])
        deviceNode = NodeID.drawn(using: random) { $0 == fabric.nodeID }
    }

    /// The device's certificate for a key.
    func noc(for key: P256PublicKey, secrets: any SecretSource) throws -> [UInt8] {
        try root.issueNOC(
            publicKey: key, nodeID: deviceNode, fabricID: credentials.fabricID,
            notBefore: root.rootCertificate.notBefore, secrets: secrets
        ).encoded()
    }

    /// Another node of the fabric, to which nobody gave any rights.
    func stranger(_ environment: ControllerEnvironment) throws -> FabricCredentials {
        let key = try P256PrivateKey.generate(using: environment.secrets)
        let node = NodeID.drawn(using: environment.random) { $0 == credentials.nodeID || $0 == deviceNode }
        let noc = try root.issueNOC(
            publicKey: key.publicKey, nodeID: node, fabricID: credentials.fabricID,
            notBefore: root.rootCertificate.notBefore, secrets: environment.secrets)
        return try FabricCredentials(
            fabricIndex: FabricIndex(rawValue: 1), rootCertificate: credentials.rootCertificate, icac: nil,
            noc: noc.encoded(), operationalKey: key, epochKeys: [ipk])
    }

    func addNOC(_ noc: [UInt8]) -> ClusterCommand {
        .addNOC(
            noc: noc, icac: nil, ipk: ipk, adminSubject: credentials.nodeID.rawValue, adminVendor: Self.vendor)
    }
}
