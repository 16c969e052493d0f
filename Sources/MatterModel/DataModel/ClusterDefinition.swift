public import MatterWire

/// When a cluster instance has an element.
public enum Conformance: Hashable, Sendable {
    /// Always.
    case mandatory
    /// When the instance has one of these features, as bits of its FeatureMap.
    case feature(UInt32)
    /// Only when the device's maker chose it.
    case optional
}

/// One attribute of a cluster: its type, who may read and write it, and how it behaves (Core §7.13).
public struct AttributeDefinition: Hashable, Sendable {
    /// How an attribute behaves beyond its type.
    public struct Qualities: OptionSet, Hashable, Sendable {
        /// The bits; they have no meaning outside this process.
        public var rawValue: UInt8
        /// A set from its bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The value may be null.
        public static let nullable = Qualities(rawValue: 1)
        /// The value survives a restart.
        public static let nonVolatile = Qualities(rawValue: 2)
        /// A change is not reported and does not change the data version.
        public static let changesOmitted = Qualities(rawValue: 4)
        /// A list whose entries belong to fabrics: each has its fabric index in field 254.
        public static let fabricScoped = Qualities(rawValue: 8)
        /// Of another fabric's entries only the fabric index may be seen.
        public static let fabricSensitive = Qualities(rawValue: 16)
        /// Survives a restart although the specification does not ask for it: a lock that was locked still is.
        public static let kept = Qualities(rawValue: 32)
        /// State of the thing itself, which the world around it changes; see ``VirtualNode/worldSets(_:to:now:)``.
        public static let physical = Qualities(rawValue: 64)
    }

    /// The attribute's number.
    public let id: AttributeID
    /// The specification's name, in lower camel case.
    public let name: String
    /// The type of a value that is not null.
    public let type: ValueType
    /// When an instance has it.
    public let conformance: Conformance
    /// What a reader needs.
    public let read: Privilege
    /// What a writer needs; `nil` when nobody may write.
    public let write: Privilege?
    /// Behaviour beyond the type.
    public let qualities: Qualities

    /// Describes an attribute; the defaults are the specification's.
    public init(
        _ id: UInt32, _ name: String, _ type: ValueType, _ conformance: Conformance = .mandatory,
        read: Privilege = .view, write: Privilege? = nil, qualities: Qualities = []
    ) {
        self.id = AttributeID(rawValue: id)
        self.name = name
        self.type = type
        self.conformance = conformance
        self.read = read
        self.write = write
        self.qualities = qualities
    }

    /// Whether a snapshot has it.
    var survivesRestart: Bool { !qualities.isDisjoint(with: [.nonVolatile, .kept]) }

    /// What is wrong with a value; `nil` when the attribute may have it.
    public func fault(in value: TLVValue) -> InteractionStatus? {
        value.isNull && qualities.contains(.nullable) ? nil : type.fault(in: value)
    }

    /// The five attributes that every server cluster has, in the order of their ids (Core §7.13).
    public static let global: [AttributeDefinition] = [
        .init(0xFFF8, "generatedCommandList", .list(.uint32, max: 0xFFFF)),
        .init(0xFFF9, "acceptedCommandList", .list(.uint32, max: 0xFFFF)),
        .init(0xFFFB, "attributeList", .list(.uint32, max: 0xFFFF)),
        .init(0xFFFC, "featureMap", .uint32),
        .init(0xFFFD, "clusterRevision", .uint16),
    ]
}

/// One field of a command.
public struct FieldDefinition: Hashable, Sendable {
    /// The field's context tag.
    public let tag: UInt8
    /// The specification's name, in lower camel case.
    public let name: String
    /// The type of a value that is not null.
    public let type: ValueType
    /// The value may be null.
    public let isNullable: Bool
    /// The field may be left out.
    public let isOptional: Bool

    /// Describes a field; most can't be null and must be there.
    public init(_ tag: UInt8, _ name: String, _ type: ValueType, nullable: Bool = false, optional: Bool = false) {
        self.tag = tag
        self.name = name
        self.type = type
        isNullable = nullable
        isOptional = optional
    }

    /// What is wrong with the field in a command's structure: a missing one, or one of another type, makes the command
    /// invalid; one that is out of range is a constraint error (Core §8.9.2.4).
    func fault(in fields: TLVValue) -> InteractionStatus? {
        guard let value = fields[tag] else { return isOptional ? nil : .invalidCommand }
        if value.isNull, isNullable { return nil }
        return type.fault(in: value).map { $0 == .constraintError ? $0 : .invalidCommand }
    }
}

/// One request command of a cluster: who may invoke it, and what answers it.
public struct CommandDefinition: Hashable, Sendable {
    /// The command's number.
    public let id: CommandID
    /// The specification's name.
    public let name: String
    /// The number of the command that answers; `nil` when a status does.
    public let response: CommandID?
    /// When an instance accepts it.
    public let conformance: Conformance
    /// What an invoker needs.
    public let invoke: Privilege
    /// It must come inside a timed interaction.
    public let isTimed: Bool
    /// It acts on the accessing fabric, so a session without one may not invoke it.
    public let isFabricScoped: Bool
    /// What is checked before the command is performed; `nil` when its cluster checks the fields itself.
    public let fields: [FieldDefinition]?

    /// Describes a command; the defaults are the specification's.
    public init(
        _ id: UInt32, _ name: String, response: UInt32? = nil, _ conformance: Conformance = .mandatory,
        invoke: Privilege = .operate, timed: Bool = false, fabricScoped: Bool = false,
        fields: [FieldDefinition]? = nil
    ) {
        self.id = CommandID(rawValue: id)
        self.name = name
        self.response = response.map(CommandID.init(rawValue:))
        self.conformance = conformance
        self.invoke = invoke
        isTimed = timed
        isFabricScoped = fabricScoped
        self.fields = fields
    }
}

/// One event of a cluster that this package records (Core §7.14).
public struct EventDefinition: Hashable, Sendable {
    /// The event's number.
    public let id: EventID
    /// The specification's name.
    public let name: String
    /// How important it is.
    public let priority: EventDataIB.Priority
    /// When an instance has it; optional ones are always recorded.
    public let conformance: Conformance
    /// What a reader needs.
    public let read: Privilege

    /// Describes an event; the defaults are the specification's.
    public init(
        _ id: UInt32, _ name: String, _ priority: EventDataIB.Priority, _ conformance: Conformance = .mandatory,
        read: Privilege = .view
    ) {
        self.id = EventID(rawValue: id)
        self.name = name
        self.priority = priority
        self.conformance = conformance
        self.read = read
    }
}

/// One cluster as data: its elements with access and conformance (Matter 1.4 cluster specifications).
public struct ClusterDefinition: Hashable, Sendable {
    /// The cluster's number.
    public let id: ClusterID
    /// The specification's name.
    public let name: String
    /// The revision that this package implements.
    public let revision: UInt16
    /// Its own attributes, in the order of their ids; the global ones are in ``AttributeDefinition/global``.
    public let attributes: [AttributeDefinition]
    /// Its request commands, in the order of their ids.
    public let commands: [CommandDefinition]
    /// The events that are recorded, in the order of their ids.
    public let events: [EventDefinition]

    /// Describes a cluster.
    public init(
        _ id: ClusterID, _ name: String, revision: UInt16, attributes: [AttributeDefinition],
        commands: [CommandDefinition] = [], events: [EventDefinition] = []
    ) {
        self.id = id
        self.name = name
        self.revision = revision
        self.attributes = attributes
        self.commands = commands
        self.events = events
    }

    /// The definition of a cluster that this package can serve; `nil` for others.
    public static func of(_ id: ClusterID) -> ClusterDefinition? { table[id] }

    private static let table: [ClusterID: ClusterDefinition] = Dictionary(
        uniqueKeysWithValues: served.map { ($0.id, $0) })

    /// Every cluster that this package can serve.
    public static let served: [ClusterDefinition] = rootClusters + applicationClusters
}
