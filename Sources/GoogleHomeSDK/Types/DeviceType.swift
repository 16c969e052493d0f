/// What a device can do, as a collection of traits that belong together.
///
/// Types overlap: a dimmable light is an on/off light too.
public protocol DeviceType: Hashable, Sendable, CustomDebugStringConvertible {
    /// Names the type.
    static var identifier: String { get }
    /// Whether the type only accompanies others.
    static var isUtilityType: Bool { get }
    /// Which device it is, and whether it can be reached.
    var metadata: DeviceTypeMetadata { get }
    /// The traits that the device has, also those that have no property in the type.
    var traits: TraitCollection { get }
    /// Makes the type of what a device said.
    init(traits: TraitCollection, metadata: DeviceTypeMetadata)
}

extension DeviceType {
    /// Most types stand by themselves.
    public static var isUtilityType: Bool { false }
    /// Names the type.
    public var identifier: String { Self.identifier }
    /// The type's identifier and the device's id.
    public var debugDescription: String { "\(Self.identifier) of \(metadata.objectID)" }
}

/// Which device a device type belongs to, and whether it can be reached.
public struct DeviceTypeMetadata: Hashable, Sendable {
    /// Whether this is what the device mainly is.
    public let isPrimaryType: Bool
    /// Whether the device answers.
    public let sourceConnectivity: SourceConnectivity
    /// The device's id.
    public let objectID: String
}

/// The device types of one device at one time.
public struct DeviceTypeCollection: Hashable, Sendable {
    private let types: [UInt32]
    private let traits: TraitCollection
    private let metadata: DeviceTypeMetadata

    init(types: [UInt32], traits: TraitCollection, device: String) {
        self.types = types
        self.traits = traits
        metadata = DeviceTypeMetadata(
            isPrimaryType: true, sourceConnectivity: SourceConnectivity(traits.connectivity), objectID: device)
    }

    /// The parts of the device that are of a type: one, or none.
    public func getAll<T: DeviceType>(of type: T.Type = T.self) -> [T] { get(type).map { [$0] } ?? [] }

    func get<T: DeviceType>(_ type: T.Type) -> T? {
        guard Self.contains(type.identifier, in: types) else { return nil }
        let isPrimary = types.first.map { DeviceTypeTable.identifier(of: $0) } == type.identifier
        return T(
            traits: traits,
            metadata: DeviceTypeMetadata(
                isPrimaryType: isPrimary, sourceConnectivity: metadata.sourceConnectivity, objectID: metadata.objectID))
    }

    static func contains(_ identifier: String, in types: [UInt32]) -> Bool {
        types.contains { type in
            DeviceTypeTable.lineage(of: type).contains { DeviceTypeTable.identifier(of: $0) == identifier }
        }
    }
}
