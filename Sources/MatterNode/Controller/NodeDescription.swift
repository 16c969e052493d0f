import MatterProtocol
package import MatterWire

/// What a node says of itself and its endpoints after commissioning; parts that it does not tell are empty.
package struct NodeDescription: Hashable, Sendable {
    /// One application endpoint.
    package struct Endpoint: Hashable, Sendable {
        package var endpoint: EndpointID
        package var deviceTypes: [DeviceTypeID]
        /// The bridged device's label.
        package var label: String
        /// Behind a bridge.
        package var isBridged: Bool { deviceTypes.contains(Self.bridgedNode) }
        private static let bridgedNode = DeviceTypeID(rawValue: 0x0013)
        private static let aggregator = DeviceTypeID(rawValue: 0x000E)
        /// Whether this is a device for people, not a bridge's own plumbing.
        package var isDevice: Bool { !deviceTypes.contains(Self.aggregator) }
    }
    package var vendorID: VendorID?
    package var productID: ProductID?
    package var vendorName = ""
    package var productName = ""
    package var serialNumber = ""
    package var endpoints: [Endpoint] = []
    package var network = NetworkFacts()
    package init() {}
}

extension ControllerNode {
    /// Asks a node who it is, in concrete reads of few paths: some devices never end a wildcard.
    func describe(_ session: SessionHandle) async throws -> NodeDescription {
        var description = NodeDescription()
        let basics = try await read(
            [1, 2, 3, 4, 15].map { AttributePath.root(.basicInformation, $0) } + [.root(.descriptor, 3)]
                + NetworkFacts.paths, on: session)
        description.network = NetworkFacts(basics)
        description.vendorName = basics[root: .basicInformation, 1]?.utf8 ?? ""
        description.vendorID = basics.number(.basicInformation, 2).map { VendorID(rawValue: $0) }
        description.productName = basics[root: .basicInformation, 3]?.utf8 ?? ""
        description.productID = basics.number(.basicInformation, 4).map { ProductID(rawValue: $0) }
        description.serialNumber = basics[root: .basicInformation, 15]?.utf8 ?? ""
        let parts = basics[root: .descriptor, 3]?.array?.compactMap(\.unsigned).compactMap { UInt16(exactly: $0) } ?? []
        for chunk in parts.prefix(Self.maximumEndpoints).chunks(of: InteractionLimits.pathsPerRead / 2) {
            let endpoints = chunk.map { EndpointID(rawValue: $0) }
            let answers = try await read(
                endpoints.flatMap {
                    [
                        AttributePath(endpoint: $0, cluster: .descriptor, attribute: AttributeID(rawValue: 0)),
                        AttributePath(
                            endpoint: $0, cluster: .bridgedDeviceBasicInformation, attribute: AttributeID(rawValue: 5)),
                    ]
                }, on: session)
            description.endpoints += endpoints.map { endpoint in
                let types = answers.value(endpoint, .descriptor, 0)?.array ?? []
                return NodeDescription.Endpoint(
                    endpoint: endpoint,
                    deviceTypes: types.compactMap { $0[0]?.unsigned }.compactMap { UInt32(exactly: $0) }
                        .map { DeviceTypeID(rawValue: $0) },
                    label: answers.value(endpoint, .bridgedDeviceBasicInformation, 5)?.utf8 ?? "")
            }
        }
        return description
    }

    /// Endpoints that are asked; a node that claims more is not believed.
    private static let maximumEndpoints = 256

    private func read(_ paths: [AttributePath], on session: SessionHandle) async throws -> ReadResult {
        try await conduct(ReadTransaction(paths), on: session, allowance: .seconds(5))
    }
}

extension ReadResult {
    fileprivate subscript(root cluster: ClusterID, attribute: UInt32) -> TLVValue? {
        self[root: cluster, AttributeID(rawValue: attribute)]
    }
    fileprivate func value(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: UInt32) -> TLVValue? {
        self[
            ConcreteAttributePath(
                endpoint: endpoint, cluster: cluster, attribute: AttributeID(rawValue: attribute))]
    }
}

extension AttributePath {
    static func root(_ cluster: ClusterID, _ attribute: UInt32) -> AttributePath {
        AttributePath(endpoint: .root, cluster: cluster, attribute: AttributeID(rawValue: attribute))
    }
}

extension Collection {
    /// The elements in runs of `count`, the last one shorter.
    fileprivate func chunks(of count: Int) -> [[Element]] {
        var chunks: [[Element]] = []
        for element in self {
            if chunks.isEmpty || chunks[chunks.count - 1].count == count { chunks.append([]) }
            chunks[chunks.count - 1].append(element)
        }
        return chunks
    }
}
