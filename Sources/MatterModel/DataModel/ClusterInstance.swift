import MatterWire

/// A cluster on an endpoint: the elements it has, its stored values and its data version.
struct ClusterInstance: Sendable {
    let definition: ClusterDefinition
    let features: UInt32
    /// Own and global attributes by id.
    let attributes: [AttributeID: AttributeDefinition]
    /// The ids of ``attributes``, ascending.
    let attributeIDs: [AttributeID]
    let commands: [CommandID: CommandDefinition]
    let events: [EventID: EventDefinition]
    var version: DataVersion
    /// Values of the attributes that are stored; the node computes the others when they are read.
    var values: [AttributeID: TLVValue]

    init(_ composition: ClusterComposition, definition: ClusterDefinition, version: DataVersion) {
        func serves(_ conformance: Conformance, _ optional: Bool) -> Bool {
            switch conformance {
            case .mandatory: true
            case .feature(let bits): composition.features & bits != 0
            case .optional: optional
            }
        }
        let own = definition.attributes.filter {
            serves($0.conformance, composition.optionalAttributes.contains($0.id.rawValue))
        }
        let accepted = definition.commands.filter {
            serves($0.conformance, composition.optionalCommands.contains($0.id.rawValue))
        }
        self.definition = definition
        features = composition.features
        attributes = Dictionary(uniqueKeysWithValues: (own + AttributeDefinition.global).map { ($0.id, $0) })
        attributeIDs = attributes.keys.sorted { $0.rawValue < $1.rawValue }
        commands = Dictionary(uniqueKeysWithValues: accepted.map { ($0.id, $0) })
        events = Dictionary(
            uniqueKeysWithValues: definition.events.filter { serves($0.conformance, true) }.map { ($0.id, $0) })
        self.version = version
        values = Dictionary(
            uniqueKeysWithValues: composition.values.map { (AttributeID(rawValue: $0.key), $0.value) })
    }

    /// The value of a global attribute; `nil` for other ids.
    func globalValue(_ id: AttributeID) -> TLVValue? {
        switch id {
        case .generatedCommandList: Self.list(Set(commands.values.compactMap(\.response)).map(\.rawValue))
        case .acceptedCommandList: Self.list(commands.keys.map(\.rawValue))
        case .attributeList: Self.list(attributeIDs.map(\.rawValue))
        case .featureMap: .uint(features)
        case .clusterRevision: .uint(definition.revision)
        default: nil
        }
    }

    private static func list(_ ids: [UInt32]) -> TLVValue { .array(ids.sorted().map { .uint($0) }) }
}

/// An endpoint with its cluster instances.
struct Endpoint: Sendable {
    let id: EndpointID
    let deviceTypes: [DeviceTypeEntry]
    /// The endpoints that belong to this one; of endpoint 0, all others.
    let parts: [EndpointID]
    /// Ascending.
    let clusterIDs: [ClusterID]
    var clusters: [ClusterID: ClusterInstance]
}

/// All endpoints of a node with what they store.
struct AttributeStore: Sendable {
    /// Ascending by id.
    private(set) var endpointIDs: [EndpointID] = []
    private var endpoints: [EndpointID: Endpoint] = [:]

    /// Each cluster instance begins with a random data version.
    init(_ compositions: [EndpointComposition], random: RandomSource) {
        let descriptor = ClusterComposition(.descriptor)
        for composition in compositions {
            var clusters: [ClusterID: ClusterInstance] = [:]
            for cluster in [descriptor] + composition.clusters {
                guard let definition = ClusterDefinition.of(cluster.id) else {
                    preconditionFailure("cluster \(cluster.id.rawValue) has no definition")
                }
                let version = DataVersion(rawValue: UInt32(truncatingIfNeeded: random.next()))
                clusters[cluster.id] = ClusterInstance(cluster, definition: definition, version: version)
            }
            endpoints[composition.id] = Endpoint(
                id: composition.id, deviceTypes: composition.deviceTypes,
                parts: composition.id == .root ? compositions.map(\.id).filter { $0 != .root } : composition.parts,
                clusterIDs: clusters.keys.sorted { $0.rawValue < $1.rawValue }, clusters: clusters)
        }
        endpointIDs = endpoints.keys.sorted { $0.rawValue < $1.rawValue }
    }

    subscript(endpoint: EndpointID) -> Endpoint? { endpoints[endpoint] }

    subscript(endpoint: EndpointID, cluster: ClusterID) -> ClusterInstance? {
        get { endpoints[endpoint]?.clusters[cluster] }
        set { endpoints[endpoint]?.clusters[cluster] = newValue }
    }

    /// A stored value; `nil` when the attribute is computed or does not exist.
    subscript(path: ConcreteAttributePath) -> TLVValue? {
        get { endpoints[path.endpoint]?.clusters[path.cluster]?.values[path.attribute] }
        set { endpoints[path.endpoint]?.clusters[path.cluster]?.values[path.attribute] = newValue }
    }

    /// The endpoints that a path may mean: one, or all that there are.
    func endpoints(matching endpoint: EndpointID?) -> [EndpointID] {
        guard let endpoint else { return endpointIDs }
        return endpoints[endpoint] == nil ? [] : [endpoint]
    }

    /// Every stored attribute that survives a restart, in a fixed order.
    var kept: [(ConcreteAttributePath, TLVValue)] {
        endpointIDs.flatMap { endpoint in
            (endpoints[endpoint]?.clusterIDs ?? []).flatMap { cluster in
                (self[endpoint, cluster]?.attributeIDs ?? []).compactMap { attribute in
                    let path = ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
                    guard let instance = self[endpoint, cluster], let value = instance.values[attribute],
                        instance.attributes[attribute]?.survivesRestart == true
                    else { return nil }
                    return (path, value)
                }
            }
        }
    }
}
