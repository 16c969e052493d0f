/// A node's operational identifier, unique within one fabric (Core §2.5.5). Zero is "unspecified".
public struct NodeID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt64
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// The node id that PASE sessions use in nonces and descriptors.
    public static let unspecified = NodeID(rawValue: 0)
    /// The ids that a commissioned node may have: 1 … 0xFFFF_FFEF_FFFF_FFFF.
    public static let operationalRange: ClosedRange<UInt64> = 1...0xFFFF_FFEF_FFFF_FFFF
    /// Whether the id may name a commissioned node.
    public var isOperational: Bool { Self.operationalRange.contains(rawValue) }
}

/// A fabric's 64-bit identifier, chosen by its root (Core §2.5.1). Zero is reserved.
public struct FabricID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt64
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The 8 bytes that stand for (root public key, fabric id) in DNS-SD names, as a big-endian number (Core §4.3.2.2).
public struct CompressedFabricID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt64
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A node's own number for one of its fabrics, 1 … 254; 0 means "no fabric" (Core §7.5).
public struct FabricIndex: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt8
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// What a PASE session has before AddNOC.
    public static let none = FabricIndex(rawValue: 0)
}

/// One addressable part of a node; 0 is the root (Core §7.4).
public struct EndpointID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The endpoint that describes the node itself.
    public static let root = EndpointID(rawValue: 0)
}

/// A cluster's identifier (Core §7.10).
public struct ClusterID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// An attribute's identifier within its cluster.
public struct AttributeID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The commands that the cluster answers with.
    public static let generatedCommandList = AttributeID(rawValue: 0xFFF8)
    /// The commands that the cluster accepts.
    public static let acceptedCommandList = AttributeID(rawValue: 0xFFF9)
    /// The attributes that the cluster has.
    public static let attributeList = AttributeID(rawValue: 0xFFFB)
    /// The optional features that the cluster has, one bit each.
    public static let featureMap = AttributeID(rawValue: 0xFFFC)
    /// The revision of the cluster specification.
    public static let clusterRevision = AttributeID(rawValue: 0xFFFD)
}

/// A command's identifier within its cluster.
public struct CommandID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// An event's identifier within its cluster.
public struct EventID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A device type's identifier, for example 0x0100 for an on/off light.
public struct DeviceTypeID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The version of one cluster instance's data; changes with every reportable change (Core §7.10.3).
public struct DataVersion: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A vendor identifier (Core §2.5.2).
public struct VendorID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A product identifier, unique within one vendor (Core §2.5.3).
public struct ProductID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A multicast group within one fabric (Core §2.5.4).
public struct GroupID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// The receiver's number for a session, as in the message header; 0 is the unsecured session (Core §4.4.1.3).
public struct SessionID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// The session of messages before any session exists.
    public static let unsecured = SessionID(rawValue: 0)
}

/// The number of an exchange, chosen by its initiator (Core §4.10).
public struct ExchangeID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

/// A message's counter (Core §4.6).
public struct MessageCounter: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// A protocol within a message's protocol header, under the standard vendor (Core §4.4.3.4).
public struct ProtocolID: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt16
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Session establishment and acknowledgements.
    public static let secureChannel = ProtocolID(rawValue: 0)
    /// Reads, writes, subscriptions and commands.
    public static let interactionModel = ProtocolID(rawValue: 1)
}

/// A tag that groups nodes for access control: 16-bit identifier, 16-bit version (Core §6.6.2.1.2).
public struct CASEAuthenticatedTag: RawRepresentable, Hashable, Sendable {
    /// The identifier as a number.
    public var rawValue: UInt32
    /// Takes the number as it is; ranges are checked where they matter.
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// The group of nodes, the upper 16 bits; never zero in a valid tag.
    public var identifier: UInt16 { UInt16(rawValue >> 16) }
    /// The version, the lower 16 bits; never zero in a valid tag.
    public var version: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
    /// The 64-bit access-control subject that matches this tag at this version or newer.
    public var subject: UInt64 { 0xFFFF_FFFD_0000_0000 | UInt64(rawValue) }
}
