/// A path to attributes; an absent member is a wildcard (Core §10.6.2).
public struct AttributePath: Hashable, Sendable {
    /// `nil` means every endpoint.
    public var endpoint: EndpointID?
    /// `nil` means every cluster.
    public var cluster: ClusterID?
    /// `nil` means every attribute.
    public var attribute: AttributeID?
    /// Makes a path; what is left out is a wildcard.
    public init(endpoint: EndpointID? = nil, cluster: ClusterID? = nil, attribute: AttributeID? = nil) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.attribute = attribute
    }
    /// The same path without wildcards; `nil` when it has one.
    public var concrete: ConcreteAttributePath? {
        guard let endpoint, let cluster, let attribute else { return nil }
        return ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
    }
}

/// A path to exactly one attribute.
public struct ConcreteAttributePath: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointID
    /// The cluster.
    public var cluster: ClusterID
    /// The attribute.
    public var attribute: AttributeID
    /// Makes a path.
    public init(endpoint: EndpointID, cluster: ClusterID, attribute: AttributeID) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.attribute = attribute
    }
}

/// A path to one command; an absent endpoint is a wildcard (Core §10.6.11).
public struct CommandPath: Hashable, Sendable {
    /// `nil` means every endpoint.
    public var endpoint: EndpointID?
    /// The cluster.
    public var cluster: ClusterID
    /// The command.
    public var command: CommandID
    /// Makes a path.
    public init(endpoint: EndpointID?, cluster: ClusterID, command: CommandID) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.command = command
    }
}

/// A path to events; an absent member is a wildcard (Core §10.6.8).
public struct EventPath: Hashable, Sendable {
    /// `nil` means every endpoint.
    public var endpoint: EndpointID?
    /// `nil` means every cluster.
    public var cluster: ClusterID?
    /// `nil` means every event.
    public var event: EventID?
    /// The subscriber wants it at once.
    public var isUrgent: Bool
    /// Makes a path; what is left out is a wildcard.
    public init(endpoint: EndpointID? = nil, cluster: ClusterID? = nil, event: EventID? = nil, isUrgent: Bool = false) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.event = event
        self.isUrgent = isUrgent
    }
}

/// One attribute's answer in a report: its value at a version, or why there is none.
public enum AttributeReport: Hashable, Sendable {
    case data(path: ConcreteAttributePath, version: DataVersion, value: TLVValue)
    case status(path: ConcreteAttributePath, StatusIB)
}

/// What one command led to.
public enum InvokeOutcome: Hashable, Sendable {
    case status(StatusIB)
    case response(CommandID, TLVValue)
}

/// One attribute to write. `listOperation` tells how a list value is meant.
public struct AttributeWrite: Hashable, Sendable {
    /// What a list value does to the list that is there.
    public enum ListOperation: Hashable, Sendable { case replaceAll, append }
    /// The path; only the endpoint may be a wildcard.
    public var path: AttributePath
    /// Write only when the cluster still has this version.
    public var version: DataVersion?
    /// How a list value is meant; `replaceAll` for every other value.
    public var listOperation: ListOperation
    /// The new value, or the item to append.
    public var value: TLVValue
    /// Makes a write; the default replaces the whole value whatever the version.
    public init(
        path: AttributePath, version: DataVersion? = nil, listOperation: ListOperation = .replaceAll, value: TLVValue
    ) {
        self.path = path
        self.version = version
        self.listOperation = listOperation
        self.value = value
    }
}

/// How a write to one attribute ended.
public struct AttributeWriteResult: Hashable, Sendable {
    /// The written attribute.
    public var path: ConcreteAttributePath
    /// How the write ended.
    public var status: StatusIB
    /// Makes a result.
    public init(path: ConcreteAttributePath, status: StatusIB) {
        self.path = path
        self.status = status
    }
}

/// A reader's statement that it already has one cluster's data at one version (Core §10.6.3, DataVersionFilterIB).
public struct DataVersionFilter: Hashable, Sendable {
    /// The cluster's endpoint.
    public var endpoint: EndpointID
    /// The cluster.
    public var cluster: ClusterID
    /// The version that the reader has.
    public var version: DataVersion
    /// Makes a filter for one cluster instance.
    public init(endpoint: EndpointID, cluster: ClusterID, version: DataVersion) {
        self.endpoint = endpoint
        self.cluster = cluster
        self.version = version
    }
}
