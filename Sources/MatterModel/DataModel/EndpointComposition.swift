public import MatterWire

/// A device type as the Descriptor cluster lists it.
public struct DeviceTypeEntry: Hashable, Sendable {
    /// The device type.
    public var id: DeviceTypeID
    /// The revision of its definition.
    public var revision: UInt16
    /// Makes an entry.
    public init(_ id: DeviceTypeID, revision: UInt16) {
        self.id = id
        self.revision = revision
    }
}

/// Which parts of a cluster an endpoint serves, and the values that its attributes begin with.
public struct ClusterComposition: Hashable, Sendable {
    /// The cluster; it must have a ``ClusterDefinition``.
    public var id: ClusterID
    /// Its FeatureMap.
    public var features: UInt32
    /// Attributes that are optional in the definition and served here.
    public var optionalAttributes: Set<UInt32>
    /// Commands that are optional in the definition and accepted here.
    public var optionalCommands: Set<UInt32>
    /// First values by attribute id; attributes that the node computes need none.
    public var values: [UInt32: TLVValue]

    /// Makes a composition.
    public init(
        _ id: ClusterID, features: UInt32 = 0, optionalAttributes: Set<UInt32> = [],
        optionalCommands: Set<UInt32> = [], values: [UInt32: TLVValue] = [:]
    ) {
        self.id = id
        self.features = features
        self.optionalAttributes = optionalAttributes
        self.optionalCommands = optionalCommands
        self.values = values
    }
}

/// One endpoint: its device types and clusters. The node adds the Descriptor cluster itself.
public struct EndpointComposition: Hashable, Sendable {
    /// The endpoint's number; not 0, which the node composes.
    public var id: EndpointID
    /// What the endpoint is.
    public var deviceTypes: [DeviceTypeEntry]
    /// Its server clusters, without Descriptor.
    public var clusters: [ClusterComposition]
    /// The endpoints that belong to it, as those of bridged devices do to the aggregator.
    public var parts: [EndpointID]

    /// Makes a composition.
    public init(
        _ id: EndpointID, deviceTypes: [DeviceTypeEntry], clusters: [ClusterComposition], parts: [EndpointID] = []
    ) {
        self.id = id
        self.deviceTypes = deviceTypes
        self.clusters = clusters
        self.parts = parts
    }
}
