public import MatterCrypto
public import MatterWire

/// What the node is within one fabric: replaced as a whole by UpdateNOC.
public struct OperationalCredentials: Sendable {
    /// The node operational certificate, Matter TLV.
    public let noc: [UInt8]
    /// The intermediate certificate that issued ``noc``, Matter TLV; `nil` when the root did.
    public let icac: [UInt8]?
    /// The key of ``noc``.
    public let key: P256PrivateKey
    /// The id that ``noc`` gives the node.
    public let nodeID: NodeID

    /// Puts the parts together; nothing is checked.
    public init(noc: [UInt8], icac: [UInt8]?, key: P256PrivateKey, nodeID: NodeID) {
        self.noc = noc
        self.icac = icac
        self.key = key
        self.nodeID = nodeID
    }
}

/// One fabric of the node with everything that belongs to it and goes with it.
public struct NodeFabric: Sendable {
    /// The node's own number for the fabric.
    public let index: FabricIndex
    /// The fabric's id.
    public let fabricID: FabricID
    /// The root certificate, Matter TLV.
    public let rootCertificate: [UInt8]
    /// The root's key.
    public let rootPublicKey: P256PublicKey
    /// Stands for root key and fabric id in DNS-SD names.
    public let compressedFabricID: CompressedFabricID
    /// The vendor of the administrator that added the fabric.
    public let vendorID: VendorID
    /// What the node is in this fabric.
    public internal(set) var credentials: OperationalCredentials
    /// The label that administrators give the fabric, at most 32 bytes.
    public internal(set) var label: String
    /// Who may do what.
    public internal(set) var accessControl: [AccessControlEntry]
    var keySets: [GroupKeySet]
    var groupKeyMap: [GroupKeyMapping] = []
    var groups: [GroupMembership] = []

    init(
        index: FabricIndex, fabricID: FabricID, rootCertificate: [UInt8], rootPublicKey: P256PublicKey,
        compressedFabricID: CompressedFabricID, vendorID: VendorID, credentials: OperationalCredentials,
        label: String = "", accessControl: [AccessControlEntry], keySets: [GroupKeySet]
    ) {
        self.index = index
        self.fabricID = fabricID
        self.rootCertificate = rootCertificate
        self.rootPublicKey = rootPublicKey
        self.compressedFabricID = compressedFabricID
        self.vendorID = vendorID
        self.credentials = credentials
        self.label = label
        self.accessControl = accessControl
        self.keySets = keySets
    }

    /// The node's id in this fabric.
    public var nodeID: NodeID { credentials.nodeID }
    /// The epoch keys of the identity protection key, 16 bytes each, oldest first; one or more. CASE derives the
    /// operational keys from them and tries each.
    public var epochIPKs: [[UInt8]] {
        keySets.first { $0.id == GroupKeySet.ipkID }?.epochs.map(\.key) ?? []
    }

    mutating func store(_ set: GroupKeySet) throws(StatusIB) {
        if let place = keySets.firstIndex(where: { $0.id == set.id }) {
            keySets[place] = set
        } else {
            guard keySets.count < GroupKeySet.maximumSets else { throw StatusIB(.resourceExhausted) }
            keySets.append(set)
        }
    }

    func hasKeys(for group: GroupID) -> Bool {
        groupKeyMap.contains { mapping in
            mapping.group == group && keySets.contains { $0.id == mapping.keySet }
        }
    }
}

/// The fabrics of a node, by index.
struct FabricTable: Sendable {
    /// In the order in which they were added.
    private(set) var fabrics: [NodeFabric] = []
    /// Where the search for a free index begins, so that an index is not used again at once.
    private(set) var nextIndex: UInt8
    let capacity: Int

    init(capacity: Int, fabrics: [NodeFabric] = [], nextIndex: UInt8 = 1) {
        self.capacity = capacity
        self.fabrics = fabrics
        self.nextIndex = nextIndex
    }

    var isFull: Bool { fabrics.count >= capacity }

    subscript(index: FabricIndex) -> NodeFabric? { fabrics.first { $0.index == index } }

    /// Changes a fabric that exists.
    mutating func update<R>(
        _ index: FabricIndex, _ body: (inout NodeFabric) throws(StatusIB) -> R
    ) throws(StatusIB) -> R {
        guard let place = fabrics.firstIndex(where: { $0.index == index }) else {
            throw StatusIB(.unsupportedAccess)
        }
        return try body(&fabrics[place])
    }

    func contains(rootPublicKey: P256PublicKey, fabricID: FabricID) -> Bool {
        fabrics.contains { $0.rootPublicKey == rootPublicKey && $0.fabricID == fabricID }
    }

    /// The next free index: 1 … 254, counting up from the last one used.
    func freeIndex() -> FabricIndex? {
        let used = Set(fabrics.map(\.index.rawValue))
        let order = Array(nextIndex...254) + Array(1..<nextIndex)
        return order.first { !used.contains($0) }.map(FabricIndex.init(rawValue:))
    }

    mutating func add(_ fabric: NodeFabric) {
        fabrics.append(fabric)
        nextIndex = fabric.index.rawValue >= 254 ? 1 : fabric.index.rawValue + 1
    }

    mutating func remove(_ index: FabricIndex) { fabrics.removeAll { $0.index == index } }
}
