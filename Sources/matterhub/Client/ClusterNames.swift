/// Names and numbers of the clusters that are common on a command line (Matter application clusters; Core for the root's).
struct ClusterName {
    let name: String
    let id: UInt32
    /// Whether it belongs to the root endpoint.
    let isRoot: Bool
    let attributes: [String: UInt32]
    let commands: [String: UInt32]

    private init(
        _ name: String, _ id: UInt32, root: Bool = false, _ attributes: [String: UInt32] = [:],
        commands: [String: UInt32] = [:]
    ) {
        self.name = name
        self.id = id
        isRoot = root
        self.attributes = attributes
        self.commands = commands
    }

    /// Attributes that every cluster has.
    static let global: [String: UInt32] = [
        "generated-command-list": 0xFFF8, "accepted-command-list": 0xFFF9, "attribute-list": 0xFFFB,
        "feature-map": 0xFFFC, "cluster-revision": 0xFFFD,
    ]

    static let all: [ClusterName] = [
        ClusterName(
            "identify", 0x03, ["identify-time": 0, "identify-type": 1], commands: ["identify": 0]),
        ClusterName("groups", 0x04, ["name-support": 0]),
        ClusterName(
            "on-off", 0x06,
            [
                "on-off": 0, "global-scene-control": 0x4000, "on-time": 0x4001, "off-wait-time": 0x4002,
                "start-up-on-off": 0x4003,
            ],
            commands: ["off": 0, "on": 1, "toggle": 2]),
        ClusterName(
            "level-control", 0x08, ["current-level": 0, "remaining-time": 1, "min-level": 2, "max-level": 3],
            commands: ["move-to-level": 0, "stop": 3, "move-to-level-with-on-off": 4]),
        ClusterName(
            "descriptor", 0x1D, ["device-type-list": 0, "server-list": 1, "client-list": 2, "parts-list": 3]),
        ClusterName("access-control", 0x1F, root: true, ["acl": 0, "extension": 1]),
        ClusterName(
            "basic-information", 0x28, root: true,
            [
                "data-model-revision": 0, "vendor-name": 1, "vendor-id": 2, "product-name": 3, "product-id": 4,
                "node-label": 5, "location": 6, "hardware-version": 7, "hardware-version-string": 8,
                "software-version": 9, "software-version-string": 10, "serial-number": 15, "unique-id": 18,
            ]),
        ClusterName(
            "general-commissioning", 0x30, root: true,
            ["breadcrumb": 0, "basic-commissioning-info": 1, "regulatory-config": 2]),
        ClusterName(
            "general-diagnostics", 0x33, root: true,
            ["network-interfaces": 0, "reboot-count": 1, "up-time": 2]),
        ClusterName(
            "administrator-commissioning", 0x3C, root: true,
            ["window-status": 0, "admin-fabric-index": 1, "admin-vendor-id": 2], commands: ["revoke-commissioning": 2]),
        ClusterName(
            "operational-credentials", 0x3E, root: true,
            [
                "nocs": 0, "fabrics": 1, "supported-fabrics": 2, "commissioned-fabrics": 3,
                "trusted-root-certificates": 4, "current-fabric-index": 5,
            ]),
        ClusterName("switch", 0x3B, ["number-of-positions": 0, "current-position": 1]),
        ClusterName("boolean-state", 0x45, ["state-value": 0]),
        ClusterName(
            "door-lock", 0x0101, ["lock-state": 0, "lock-type": 1, "actuator-enabled": 2],
            commands: ["lock-door": 0, "unlock-door": 1]),
        ClusterName(
            "window-covering", 0x0102, ["current-position-lift-percentage": 8, "operational-status": 10],
            commands: ["up-or-open": 0, "down-or-close": 1, "stop-motion": 2, "go-to-lift-percentage": 5]),
        ClusterName(
            "thermostat", 0x0201,
            [
                "local-temperature": 0, "occupied-cooling-setpoint": 0x11, "occupied-heating-setpoint": 0x12,
                "system-mode": 0x1C,
            ],
            commands: ["setpoint-raise-lower": 0]),
        ClusterName("fan-control", 0x0202, ["fan-mode": 0, "percent-setting": 2, "percent-current": 3]),
        ClusterName(
            "color-control", 0x0300,
            ["current-hue": 0, "current-saturation": 1, "color-mode": 8, "color-temperature-mireds": 7],
            commands: ["move-to-hue-and-saturation": 6, "move-to-color-temperature": 10]),
        ClusterName("temperature-measurement", 0x0402, ["measured-value": 0]),
        ClusterName("occupancy-sensing", 0x0406, ["occupancy": 0]),
    ]

    static func named(_ name: String) -> ClusterName? { all.first { $0.name == name } }
    static func with(id: UInt32) -> ClusterName? { all.first { $0.id == id } }

    /// The name of an attribute, as `cluster/attribute`, with numbers where there are no names.
    static func text(cluster: UInt32, attribute: UInt32) -> String {
        let known = with(id: cluster)
        let names = (known?.attributes ?? [:]).merging(global) { own, _ in own }
        let name = names.first { $0.value == attribute }?.key
        return "\(known?.name ?? hex(cluster))/\(name ?? hex(attribute))"
    }

    private static func hex(_ number: UInt32) -> String { "0x\(String(number, radix: 16, uppercase: true))" }
}
