import MatterWire

/// DoorLock and WindowCovering as data (Matter 1.4.2; application clusters §5.2 and §5.3).
extension ClusterDefinition {
    private static let pinCode = FieldDefinition(0, "PINCode", .octets(max: 255), optional: true)

    /// Without users and credentials: a lock that takes no PIN, RFID or the like.
    static let doorLock = ClusterDefinition(
        .doorLock, "DoorLock", revision: 7,
        attributes: [
            .init(0x0000, "lockState", .unsigned(0...3), qualities: [.nullable, .kept, .physical]),
            .init(0x0001, "lockType", .unsigned(0...11)),
            .init(0x0002, "actuatorEnabled", .bool, qualities: [.kept, .physical]),
            .init(0x0023, "autoRelockTime", .uint32, .optional, write: .manage, qualities: [.kept]),
            .init(0x0025, "operatingMode", .unsigned(0...4), write: .manage, qualities: [.kept]),
            .init(0x0026, "supportedOperatingModes", .uint16),
        ],
        commands: [
            .init(0x00, "LockDoor", timed: true, fields: [pinCode]),
            .init(0x01, "UnlockDoor", timed: true, fields: [pinCode]),
            .init(
                0x03, "UnlockWithTimeout", .optional, timed: true,
                fields: [.init(0, "timeout", .uint16), .init(1, "PINCode", .octets(max: 255), optional: true)]),
        ],
        events: [
            .init(0x00, "DoorLockAlarm", .critical),
            .init(0x02, "LockOperation", .critical),
            .init(0x03, "LockOperationError", .critical),
        ])

    private static let lift: UInt32 = 1
    private static let positionAwareLift: UInt32 = 4
    private static let percent = ValueType.unsigned(0...100)
    private static let percent100ths = ValueType.unsigned(0...10_000)

    /// Covers that are lifted; tilt and absolute positions are left out.
    static let windowCovering = ClusterDefinition(
        .windowCovering, "WindowCovering", revision: 5,
        attributes: [
            .init(0x0000, "type", .uint8),
            .init(0x0007, "configStatus", .unsigned(0...0x7F), qualities: [.nonVolatile]),
            .init(0x0008, "currentPositionLiftPercentage", percent, .optional, qualities: [.nullable, .nonVolatile]),
            .init(0x000A, "operationalStatus", .unsigned(0...0x3F)),
            .init(
                0x000B, "targetPositionLiftPercent100ths", percent100ths, .feature(positionAwareLift),
                qualities: [.nullable]),
            .init(0x000D, "endProductType", .uint8),
            .init(
                0x000E, "currentPositionLiftPercent100ths", percent100ths, .feature(positionAwareLift),
                qualities: [.nullable, .nonVolatile, .physical]),
            .init(0x0017, "mode", .unsigned(0...15), write: .manage, qualities: [.nonVolatile]),
            .init(0x001A, "safetyStatus", .unsigned(0...0xFFF), .optional, qualities: [.physical]),
        ],
        commands: [
            .init(0x00, "UpOrOpen", fields: []),
            .init(0x01, "DownOrClose", fields: []),
            .init(0x02, "StopMotion", fields: []),
            .init(
                0x05, "GoToLiftPercentage", .feature(positionAwareLift),
                fields: [.init(0, "liftPercent100thsValue", percent100ths)]),
        ])
}
