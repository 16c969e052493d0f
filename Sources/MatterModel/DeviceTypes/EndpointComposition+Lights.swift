public import MatterWire

/// Lights and plugs (device library §4 and §5). ScenesManagement, which is provisional for them, is left out.
extension EndpointComposition {
    /// An on/off light: Identify, Groups and OnOff with the lighting feature.
    public static func onOffLight(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.onOffLight, revision: 3)], clusters: switchable(.light))
    }

    /// An on/off plug: the clusters of a light.
    public static func onOffPlug(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.onOffPlugInUnit, revision: 3)], clusters: switchable(.actuator))
    }

    /// A dimmable light: an on/off light with LevelControl.
    public static func dimmableLight(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.dimmableLight, revision: 3)], clusters: switchable(.light) + [level])
    }

    /// A light from warm to cool white: a dimmable one with ColorControl's colour temperature.
    public static func colorTemperatureLight(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.colorTemperatureLight, revision: 4)],
            clusters: switchable(.light) + [level, color(features: 0x10, mode: 2)])
    }

    /// A light of any colour: a dimmable one with ColorControl's hue and saturation, xy and colour temperature.
    public static func extendedColorLight(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.extendedColorLight, revision: 4)],
            clusters: switchable(.light) + [level, color(features: 0x19, mode: 1)])
    }

    private static func switchable(_ look: IdentifyLook) -> [ClusterComposition] {
        [
            .identify(look, hasEffects: true), .groups,
            ClusterComposition(
                .onOff, features: 1,
                values: [
                    0x0000: .bool(false), 0x4000: .bool(true), 0x4001: .uint(0 as UInt16),
                    0x4002: .uint(0 as UInt16), 0x4003: .null,
                ]),
        ]
    }

    private static var level: ClusterComposition {
        ClusterComposition(
            .levelControl, features: 3, optionalAttributes: [0x0003, 0x0010, 0x0012, 0x0013, 0x0014],
            values: [
                0x0000: .uint(254 as UInt8), 0x0001: .uint(0 as UInt16), 0x0003: .uint(254 as UInt8),
                0x000F: .uint(0 as UInt8), 0x0010: .uint(0 as UInt16), 0x0011: .null, 0x0012: .null,
                0x0013: .null, 0x0014: .null, 0x4000: .null,
            ])
    }

    /// - Parameter features: also what ColorCapabilities says: the bits are the same.
    private static func color(features: UInt32, mode: UInt8) -> ClusterComposition {
        let mireds = (coolest: UInt16(153), warmest: UInt16(500), first: UInt16(370))
        return ClusterComposition(
            .colorControl, features: features, optionalAttributes: [0x0002],
            values: [
                0x0000: .uint(0 as UInt8), 0x0001: .uint(0 as UInt8), 0x0002: .uint(0 as UInt16),
                0x0003: .uint(0x616B as UInt16), 0x0004: .uint(0x607D as UInt16), 0x0007: .uint(mireds.first),
                0x0008: .uint(mode), 0x000F: .uint(0 as UInt8), 0x0010: .uint(0 as UInt8), 0x4001: .uint(mode),
                0x400A: .uint(UInt16(features)), 0x400B: .uint(mireds.coolest), 0x400C: .uint(mireds.warmest),
                0x400D: .uint(mireds.coolest), 0x4010: .null,
            ])
    }
}

/// How a device shows that it identifies itself: IdentifyType (application clusters §1.2.5.1).
enum IdentifyLook: UInt8 {
    case none = 0
    case light = 1
    case indicator = 2
    case actuator = 5
}

extension ClusterComposition {
    /// - Parameter hasEffects: accepts TriggerEffect, as lights must.
    static func identify(_ look: IdentifyLook, hasEffects: Bool = false) -> ClusterComposition {
        ClusterComposition(
            .identify, optionalCommands: hasEffects ? [0x40] : [],
            values: [0x0000: .uint(0 as UInt16), 0x0001: .uint(look.rawValue)])
    }

    /// Groups with names.
    static var groups: ClusterComposition {
        ClusterComposition(.groups, features: 1, values: [0x0000: .uint(0x80 as UInt8)])
    }
}
