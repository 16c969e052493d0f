import MatterWire

/// LevelControl and ColorControl as data (Matter 1.4.2; application clusters §1.6 and §3.2).
extension ClusterDefinition {
    /// The two fields that most commands of these clusters end with.
    private static func fields(_ own: FieldDefinition...) -> [FieldDefinition] {
        let next = UInt8(own.count)
        return own + [.init(next, "optionsMask", .uint8), .init(next + 1, "optionsOverride", .uint8)]
    }

    private static let moveToLevel = fields(
        .init(0, "level", .unsigned(0...254)), .init(1, "transitionTime", .uint16, nullable: true))
    private static let moveLevel = fields(
        .init(0, "moveMode", .unsigned(0...1)), .init(1, "rate", .uint8, nullable: true))
    private static let stepLevel = fields(
        .init(0, "stepMode", .unsigned(0...1)), .init(1, "stepSize", .uint8),
        .init(2, "transitionTime", .uint16, nullable: true))

    /// A level lies in 1 … 254, as the lighting feature has it; MinLevel does not exist with that feature.
    static let levelControl = ClusterDefinition(
        .levelControl, "LevelControl", revision: 6,
        attributes: [
            .init(0x0000, "currentLevel", .unsigned(0...254), qualities: [.nullable, .nonVolatile, .physical]),
            .init(0x0001, "remainingTime", .uint16, .feature(2)),
            .init(0x0003, "maxLevel", .uint8, .optional),
            .init(0x000F, "options", .unsigned(0...3), write: .operate),
            .init(0x0010, "onOffTransitionTime", .uint16, .optional, write: .operate),
            .init(0x0011, "onLevel", .unsigned(1...254), write: .operate, qualities: [.nullable]),
            .init(0x0012, "onTransitionTime", .uint16, .optional, write: .operate, qualities: [.nullable]),
            .init(0x0013, "offTransitionTime", .uint16, .optional, write: .operate, qualities: [.nullable]),
            .init(0x0014, "defaultMoveRate", .unsigned(1...254), .optional, write: .operate, qualities: [.nullable]),
            .init(
                0x4000, "startUpCurrentLevel", .unsigned(0...254), .feature(2), write: .manage,
                qualities: [.nullable, .nonVolatile]),
        ],
        commands: [
            .init(0x00, "MoveToLevel", fields: moveToLevel),
            .init(0x01, "Move", fields: moveLevel),
            .init(0x02, "Step", fields: stepLevel),
            .init(0x03, "Stop", fields: fields()),
            .init(0x04, "MoveToLevelWithOnOff", fields: moveToLevel),
            .init(0x05, "MoveWithOnOff", fields: moveLevel),
            .init(0x06, "StepWithOnOff", fields: stepLevel),
            .init(0x07, "StopWithOnOff", fields: fields()),
        ])

    private static let hueAndSaturation: UInt32 = 1
    private static let xy: UInt32 = 8
    private static let temperature: UInt32 = 16
    private static let coordinate = ValueType.unsigned(0...0xFEFF)
    private static let step = ValueType.unsigned(0...3)

    /// Without enhanced hue and colour loop.
    static let colorControl = ClusterDefinition(
        .colorControl, "ColorControl", revision: 7,
        attributes: [
            .init(
                0x0000, "currentHue", .unsigned(0...254), .feature(hueAndSaturation),
                qualities: [.nonVolatile, .physical]),
            .init(
                0x0001, "currentSaturation", .unsigned(0...254), .feature(hueAndSaturation),
                qualities: [.nonVolatile, .physical]),
            .init(0x0002, "remainingTime", .uint16, .optional),
            .init(0x0003, "currentX", coordinate, .feature(xy), qualities: [.nonVolatile, .physical]),
            .init(0x0004, "currentY", coordinate, .feature(xy), qualities: [.nonVolatile, .physical]),
            .init(
                0x0007, "colorTemperatureMireds", coordinate, .feature(temperature),
                qualities: [.nonVolatile, .physical]),
            .init(0x0008, "colorMode", .unsigned(0...2), qualities: [.nonVolatile]),
            .init(0x000F, "options", .unsigned(0...1), write: .operate),
            .init(0x0010, "numberOfPrimaries", .unsigned(0...6), qualities: [.nullable]),
            .init(0x4001, "enhancedColorMode", .unsigned(0...3), qualities: [.nonVolatile]),
            .init(0x400A, "colorCapabilities", .unsigned(0...31)),
            .init(0x400B, "colorTempPhysicalMinMireds", .unsigned(1...0xFEFF), .feature(temperature)),
            .init(0x400C, "colorTempPhysicalMaxMireds", coordinate, .feature(temperature)),
            .init(0x400D, "coupleColorTempToLevelMinMireds", coordinate, .feature(temperature)),
            .init(
                0x4010, "startUpColorTemperatureMireds", .unsigned(1...0xFEFF), .feature(temperature), write: .manage,
                qualities: [.nullable, .nonVolatile]),
        ],
        commands: [
            .init(
                0x00, "MoveToHue", .feature(hueAndSaturation),
                fields: fields(
                    .init(0, "hue", .unsigned(0...254)), .init(1, "direction", step),
                    .init(2, "transitionTime", .uint16))),
            .init(
                0x01, "MoveHue", .feature(hueAndSaturation),
                fields: fields(.init(0, "moveMode", step), .init(1, "rate", .uint8))),
            .init(
                0x02, "StepHue", .feature(hueAndSaturation),
                fields: fields(
                    .init(0, "stepMode", step), .init(1, "stepSize", .uint8), .init(2, "transitionTime", .uint8))),
            .init(
                0x03, "MoveToSaturation", .feature(hueAndSaturation),
                fields: fields(.init(0, "saturation", .unsigned(0...254)), .init(1, "transitionTime", .uint16))),
            .init(
                0x04, "MoveSaturation", .feature(hueAndSaturation),
                fields: fields(.init(0, "moveMode", step), .init(1, "rate", .uint8))),
            .init(
                0x05, "StepSaturation", .feature(hueAndSaturation),
                fields: fields(
                    .init(0, "stepMode", step), .init(1, "stepSize", .uint8), .init(2, "transitionTime", .uint8))),
            .init(
                0x06, "MoveToHueAndSaturation", .feature(hueAndSaturation),
                fields: fields(
                    .init(0, "hue", .unsigned(0...254)), .init(1, "saturation", .unsigned(0...254)),
                    .init(2, "transitionTime", .uint16))),
            .init(
                0x07, "MoveToColor", .feature(xy),
                fields: fields(
                    .init(0, "colorX", coordinate), .init(1, "colorY", coordinate),
                    .init(2, "transitionTime", .uint16))),
            .init(
                0x08, "MoveColor", .feature(xy),
                fields: fields(.init(0, "rateX", .int16), .init(1, "rateY", .int16))),
            .init(
                0x09, "StepColor", .feature(xy),
                fields: fields(
                    .init(0, "stepX", .int16), .init(1, "stepY", .int16), .init(2, "transitionTime", .uint16))),
            .init(
                0x0A, "MoveToColorTemperature", .feature(temperature),
                fields: fields(.init(0, "colorTemperatureMireds", coordinate), .init(1, "transitionTime", .uint16))),
            .init(0x47, "StopMoveStep", .feature(hueAndSaturation | xy | temperature), fields: fields()),
            .init(
                0x4B, "MoveColorTemperature", .feature(temperature),
                fields: fields(
                    .init(0, "moveMode", step), .init(1, "rate", .uint16),
                    .init(2, "colorTemperatureMinimumMireds", coordinate),
                    .init(3, "colorTemperatureMaximumMireds", coordinate))),
            .init(
                0x4C, "StepColorTemperature", .feature(temperature),
                fields: fields(
                    .init(0, "stepMode", step), .init(1, "stepSize", .uint16), .init(2, "transitionTime", .uint16),
                    .init(3, "colorTemperatureMinimumMireds", coordinate),
                    .init(4, "colorTemperatureMaximumMireds", coordinate))),
        ])
}
