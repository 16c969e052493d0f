import MatterWire

/// The clusters of application endpoints as data: ids, types, access and conformance of Matter 1.4.2.
extension ClusterDefinition {
    static let applicationClusters: [ClusterDefinition] = [
        identify, groups, onOff, levelControl, bridgedDeviceBasicInformation, switchCluster, booleanState, doorLock,
        windowCovering, thermostat, fanControl, colorControl, temperatureMeasurement, occupancySensing,
    ]

    static let identify = ClusterDefinition(
        .identify, "Identify", revision: 5,
        attributes: [
            .init(0x0000, "identifyTime", .uint16, write: .operate),
            .init(0x0001, "identifyType", .unsigned(0...5)),
        ],
        commands: [
            .init(0x00, "Identify", invoke: .manage, fields: [.init(0, "identifyTime", .uint16)]),
            .init(
                0x40, "TriggerEffect", .optional, invoke: .manage,
                fields: [.init(0, "effectIdentifier", .uint8), .init(1, "effectVariant", .uint8)]),
        ])

    static let groups = ClusterDefinition(
        .groups, "Groups", revision: 4,
        attributes: [
            .init(0x0000, "nameSupport", .uint8)
        ],
        commands: [
            .init(0x00, "AddGroup", response: 0x00, invoke: .manage, fabricScoped: true),
            .init(0x01, "ViewGroup", response: 0x01, fabricScoped: true),
            .init(0x02, "GetGroupMembership", response: 0x02, fabricScoped: true),
            .init(0x03, "RemoveGroup", response: 0x03, invoke: .manage, fabricScoped: true),
            .init(0x04, "RemoveAllGroups", invoke: .manage, fabricScoped: true),
            .init(0x05, "AddGroupIfIdentifying", invoke: .manage, fabricScoped: true),
        ])

    static let onOff = ClusterDefinition(
        .onOff, "OnOff", revision: 6,
        attributes: [
            .init(0x0000, "onOff", .bool, qualities: [.nonVolatile, .physical]),
            .init(0x4000, "globalSceneControl", .bool, .feature(1)),
            .init(0x4001, "onTime", .uint16, .feature(1), write: .operate),
            .init(0x4002, "offWaitTime", .uint16, .feature(1), write: .operate),
            .init(
                0x4003, "startUpOnOff", .unsigned(0...2), .feature(1), write: .manage,
                qualities: [.nullable, .nonVolatile]),
        ],
        commands: [
            .init(0x00, "Off", fields: []),
            .init(0x01, "On", fields: []),
            .init(0x02, "Toggle", fields: []),
            .init(
                0x40, "OffWithEffect", .feature(1),
                fields: [.init(0, "effectIdentifier", .uint8), .init(1, "effectVariant", .uint8)]),
            .init(0x41, "OnWithRecallGlobalScene", .feature(1), fields: []),
            .init(
                0x42, "OnWithTimedOff", .feature(1),
                fields: [
                    .init(0, "onOffControl", .uint8), .init(1, "onTime", .uint16), .init(2, "offWaitTime", .uint16),
                ]),
        ])
}
