import MatterWire

/// What sensors and switches show, as data (Matter 1.4.2).
extension ClusterDefinition {
    /// Application clusters §1.13.
    static let switchCluster = ClusterDefinition(
        .switchCluster, "Switch", revision: 2,
        attributes: [
            .init(0x0000, "numberOfPositions", .unsigned(2...255)),
            .init(0x0001, "currentPosition", .uint8, qualities: [.nonVolatile, .physical]),
        ],
        events: [
            .init(0x00, "SwitchLatched", .info, .feature(1)),
            .init(0x01, "InitialPress", .info, .feature(2)),
            .init(0x03, "ShortRelease", .info, .feature(4)),
        ])

    /// Application clusters §1.7.
    static let booleanState = ClusterDefinition(
        .booleanState, "BooleanState", revision: 1,
        attributes: [
            .init(0x0000, "stateValue", .bool, qualities: [.kept, .physical])
        ],
        events: [.init(0x00, "StateChange", .info, .optional)])

    /// Application clusters §2.3; in 0.01 °C.
    static let temperatureMeasurement = ClusterDefinition(
        .temperatureMeasurement, "TemperatureMeasurement", revision: 4,
        attributes: [
            .init(
                0x0000, "measuredValue", .signed(-27_315...32_767), qualities: [.nullable, .kept, .physical]),
            .init(0x0001, "minMeasuredValue", .signed(-27_315...32_766), qualities: [.nullable]),
            .init(0x0002, "maxMeasuredValue", .signed(-27_314...32_767), qualities: [.nullable]),
        ])

    /// Application clusters §2.7.
    static let occupancySensing = ClusterDefinition(
        .occupancySensing, "OccupancySensing", revision: 5,
        attributes: [
            .init(0x0000, "occupancy", .unsigned(0...1), qualities: [.kept, .physical]),
            .init(0x0001, "occupancySensorType", .unsigned(0...3)),
            .init(0x0002, "occupancySensorTypeBitmap", .unsigned(0...7)),
        ],
        events: [.init(0x00, "OccupancyChanged", .info, .optional)])

    /// What a bridge says of a device behind it (Core §9.13).
    static let bridgedDeviceBasicInformation = ClusterDefinition(
        .bridgedDeviceBasicInformation, "BridgedDeviceBasicInformation", revision: 5,
        attributes: [
            .init(0x0001, "vendorName", .string(max: 32), .optional),
            .init(0x0002, "vendorID", .uint16, .optional),
            .init(0x0003, "productName", .string(max: 32), .optional),
            .init(0x0005, "nodeLabel", .string(max: 32), .optional, write: .manage, qualities: [.kept]),
            .init(0x0007, "hardwareVersion", .uint16, .optional),
            .init(0x0008, "hardwareVersionString", .string(max: 64), .optional),
            .init(0x0009, "softwareVersion", .uint32, .optional),
            .init(0x000A, "softwareVersionString", .string(max: 64), .optional),
            .init(0x000F, "serialNumber", .string(max: 32), .optional),
            .init(0x0011, "reachable", .bool, qualities: [.kept, .physical]),
            .init(0x0012, "uniqueID", .string(max: 32)),
            .init(0x0018, "configurationVersion", .unsigned(1...0xFFFF_FFFF), .optional),
        ],
        events: [.init(0x03, "ReachableChanged", .info)])
}
