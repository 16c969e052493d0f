import MatterWire

/// Thermostat and FanControl as data (Matter 1.4.2; application clusters §4.3 and §4.4). Temperatures are in 0.01 °C.
extension ClusterDefinition {
    private static let heating: UInt32 = 1
    private static let cooling: UInt32 = 2
    private static let auto: UInt32 = 32
    private static let temperature = ValueType.signed(-27_315...32_767)

    /// Without occupancy, setback, schedules and presets.
    static let thermostat = ClusterDefinition(
        .thermostat, "Thermostat", revision: 7,
        attributes: [
            .init(0x0000, "localTemperature", temperature, qualities: [.nullable, .kept, .physical]),
            .init(0x0003, "absMinHeatSetpointLimit", temperature, .optional),
            .init(0x0004, "absMaxHeatSetpointLimit", temperature, .optional),
            .init(0x0005, "absMinCoolSetpointLimit", temperature, .optional),
            .init(0x0006, "absMaxCoolSetpointLimit", temperature, .optional),
            .init(
                0x0011, "occupiedCoolingSetpoint", temperature, .feature(cooling), write: .operate,
                qualities: [.nonVolatile]),
            .init(
                0x0012, "occupiedHeatingSetpoint", temperature, .feature(heating), write: .operate,
                qualities: [.nonVolatile]),
            .init(0x0015, "minHeatSetpointLimit", temperature, .optional, write: .manage, qualities: [.nonVolatile]),
            .init(0x0016, "maxHeatSetpointLimit", temperature, .optional, write: .manage, qualities: [.nonVolatile]),
            .init(0x0017, "minCoolSetpointLimit", temperature, .optional, write: .manage, qualities: [.nonVolatile]),
            .init(0x0018, "maxCoolSetpointLimit", temperature, .optional, write: .manage, qualities: [.nonVolatile]),
            .init(
                0x0019, "minSetpointDeadBand", .signed(0...127), .feature(auto), write: .manage,
                qualities: [.nonVolatile]),
            .init(
                0x001B, "controlSequenceOfOperation", .unsigned(0...5), write: .manage, qualities: [.nonVolatile]),
            .init(0x001C, "systemMode", .unsigned(0...9), write: .manage, qualities: [.nonVolatile]),
            .init(0x001E, "thermostatRunningMode", .unsigned(0...4), .optional),
            .init(0x0029, "thermostatRunningState", .unsigned(0...0x7F), .optional),
        ],
        commands: [
            .init(
                0x00, "SetpointRaiseLower",
                fields: [.init(0, "mode", .unsigned(0...2)), .init(1, "amount", .int8)])
        ])

    private static let multiSpeed: UInt32 = 1
    private static let step: UInt32 = 16

    /// Without rocking, wind and direction.
    static let fanControl = ClusterDefinition(
        .fanControl, "FanControl", revision: 5,
        attributes: [
            .init(0x0000, "fanMode", .unsigned(0...6), write: .operate, qualities: [.nonVolatile]),
            .init(0x0001, "fanModeSequence", .unsigned(0...5)),
            .init(0x0002, "percentSetting", .unsigned(0...100), write: .operate, qualities: [.nullable, .kept]),
            .init(0x0003, "percentCurrent", .unsigned(0...100), qualities: [.kept]),
            .init(0x0004, "speedMax", .unsigned(1...100), .feature(multiSpeed)),
            .init(
                0x0005, "speedSetting", .unsigned(0...100), .feature(multiSpeed), write: .operate,
                qualities: [.nullable, .kept]),
            .init(0x0006, "speedCurrent", .unsigned(0...100), .feature(multiSpeed), qualities: [.kept]),
        ],
        commands: [
            .init(
                0x00, "Step", .feature(step),
                fields: [
                    .init(0, "direction", .unsigned(0...1)), .init(1, "wrap", .bool, optional: true),
                    .init(2, "lowestOff", .bool, optional: true),
                ])
        ])
}
