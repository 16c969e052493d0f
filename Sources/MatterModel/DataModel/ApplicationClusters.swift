import MatterWire

/// The clusters of application endpoints as data: ids, types, access and conformance of Matter 1.4.1.
extension ClusterDefinition {
    static let applicationClusters: [ClusterDefinition] = [
        identify, groups, onOff,
    ]

    static let identify = ClusterDefinition(
        .identify, "Identify", revision: 5,
        attributes: [
            .init(0x0000, "identifyTime", .uint16, write: .operate),
            .init(0x0001, "identifyType", .unsigned(0...5)),
        ],
        commands: [
            .init(0x00, "Identify", invoke: .manage),
            .init(0x40, "TriggerEffect", .optional, invoke: .manage),
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
            .init(0x0000, "onOff", .bool, qualities: [.nonVolatile]),
            .init(0x4000, "globalSceneControl", .bool, .feature(1)),
            .init(0x4001, "onTime", .uint16, .feature(1), write: .operate),
            .init(0x4002, "offWaitTime", .uint16, .feature(1), write: .operate),
            .init(
                0x4003, "startUpOnOff", .unsigned(0...2), .feature(1), write: .manage,
                qualities: [.nullable, .nonVolatile]),
        ],
        commands: [
            .init(0x00, "Off"),
            .init(0x01, "On"),
            .init(0x02, "Toggle"),
            .init(0x40, "OffWithEffect", .feature(1)),
            .init(0x41, "OnWithRecallGlobalScene", .feature(1)),
            .init(0x42, "OnWithTimedOff", .feature(1)),
        ])
}
