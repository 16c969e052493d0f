import MatterModel
import MatterWire

/// Names and numbers of clusters on the command line: those of the tables that virtual devices are made of, and what else
/// is common on other makers' devices (Matter application clusters; Core for the root's).
struct ClusterName {
    let name: String
    let id: UInt32
    /// Whether it belongs to the root endpoint.
    let isRoot: Bool
    let attributes: [String: UInt32]
    let commands: [String: UInt32]

    private init(_ definition: ClusterDefinition) {
        name = ElementName.words(definition.name)
        id = definition.id.rawValue
        isRoot = Self.ofTheRoot.contains(id)
        let others = Self.others.first { $0.id == definition.id.rawValue }
        attributes = Dictionary(
            definition.attributes.map { (ElementName.words($0.name), $0.id.rawValue) } + (others?.attributes ?? []),
            uniquingKeysWith: { own, _ in own })
        commands = Dictionary(
            definition.commands.map { (ElementName.words($0.name), $0.id.rawValue) } + (others?.commands ?? []),
            uniquingKeysWith: { own, _ in own })
    }

    private init(_ other: Other) {
        name = other.name
        id = other.id
        isRoot = false
        attributes = Dictionary(uniqueKeysWithValues: other.attributes)
        commands = Dictionary(uniqueKeysWithValues: other.commands)
    }

    /// Attributes that every cluster has.
    static let global: [String: UInt32] = Dictionary(
        uniqueKeysWithValues: AttributeDefinition.global.map { (ElementName.words($0.name), $0.id.rawValue) })

    /// Clusters that only endpoint 0 has.
    private static let ofTheRoot: Set<UInt32> = [0x1F, 0x28, 0x30, 0x31, 0x33, 0x3C, 0x3E, 0x3F]

    static let all: [ClusterName] =
        ClusterDefinition.served.map { ClusterName($0) }
        + others.filter { other in ClusterDefinition.of(ClusterID(rawValue: other.id)) == nil }.map { ClusterName($0) }

    static func named(_ name: String) -> ClusterName? { all.first { $0.name == name } }
    static func with(id: UInt32) -> ClusterName? { all.first { $0.id == id } }

    /// What is known of a command; `nil` for one of another maker or of a cluster that is not in the tables.
    static func definition(of command: UInt32, in cluster: UInt32) -> CommandDefinition? {
        ClusterDefinition.of(ClusterID(rawValue: cluster))?.commands.first { $0.id.rawValue == command }
    }

    /// The type of an attribute; `nil` for one that is not in the tables.
    static func type(of attribute: UInt32, in cluster: UInt32) -> ValueType? {
        ClusterDefinition.of(ClusterID(rawValue: cluster))?.attributes.first { $0.id.rawValue == attribute }?.type
    }

    /// The name of an attribute, as `cluster/attribute`, with numbers where there are no names.
    static func text(cluster: UInt32, attribute: UInt32) -> String {
        let known = with(id: cluster)
        let names = (known?.attributes ?? [:]).merging(global) { own, _ in own }
        let name = names.first { $0.value == attribute }?.key
        return "\(known?.name ?? hex(cluster))/\(name ?? hex(attribute))"
    }

    private static func hex(_ number: UInt32) -> String { "0x\(String(number, radix: 16, uppercase: true))" }

    // MARK: - What virtual devices do not have

    private struct Other: Sendable {
        let name: String
        let id: UInt32
        let attributes: [(String, UInt32)]
        var commands: [(String, UInt32)] = []
    }

    private static let measurement: [(String, UInt32)] = [
        ("measured-value", 0), ("min-measured-value", 1), ("max-measured-value", 2), ("tolerance", 3),
    ]

    private static let others: [Other] = [
        Other(name: "level-control", id: 0x08, attributes: [("min-level", 2)]),
        Other(
            name: "power-source", id: 0x2F,
            attributes: [("status", 0), ("order", 1), ("description", 2), ("bat-percent-remaining", 12)]),
        Other(
            name: "door-lock", id: 0x0101,
            attributes: [("door-state", 3), ("max-pin-code-length", 0x17), ("min-pin-code-length", 0x18)],
            commands: [("unbolt-door", 0x27)]),
        Other(
            name: "window-covering", id: 0x0102,
            attributes: [
                ("current-position-tilt-percentage", 9), ("target-position-tilt-percent100ths", 12),
                ("current-position-tilt-percent100ths", 15),
            ],
            commands: [("go-to-tilt-percentage", 8)]),
        Other(
            name: "thermostat", id: 0x0201,
            attributes: [("outdoor-temperature", 1), ("occupancy", 2), ("local-temperature-calibration", 0x10)]),
        Other(
            name: "color-control", id: 0x0300,
            attributes: [("enhanced-current-hue", 0x4000), ("color-loop-active", 0x4002)]),
        Other(name: "illuminance-measurement", id: 0x0400, attributes: measurement),
        Other(name: "pressure-measurement", id: 0x0403, attributes: measurement),
        Other(name: "flow-measurement", id: 0x0404, attributes: measurement),
        Other(name: "relative-humidity-measurement", id: 0x0405, attributes: measurement),
    ]
}
