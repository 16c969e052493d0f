public import MatterWire

/// Locks, covers, thermostats and fans (device library §8 and §9).
extension EndpointComposition {
    /// A door lock without PINs: it is locked, and locks and unlocks over the network.
    public static func doorLock(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.doorLock, revision: 3)],
            clusters: [
                .identify(.indicator),
                ClusterComposition(
                    .doorLock, optionalAttributes: [0x0023], optionalCommands: [0x03],
                    values: [
                        0x0000: .uint(1 as UInt8), 0x0001: .uint(0 as UInt8), 0x0002: .bool(true),
                        0x0023: .uint(0 as UInt32), 0x0025: .uint(0 as UInt8),
                        // A zero says that a mode exists: normal, and none over the network.
                        0x0026: .uint(0xFFF6 as UInt16),
                    ]),
            ])
    }

    /// A roller shade whose lift knows its position; it is open.
    public static func windowCovering(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.windowCovering, revision: 3)],
            clusters: [
                .identify(.actuator), .groups,
                ClusterComposition(
                    .windowCovering, features: 5, optionalAttributes: [0x0008],
                    values: [
                        0x0000: .uint(0 as UInt8), 0x0007: .uint(0x09 as UInt8), 0x0008: .uint(0 as UInt8),
                        0x000A: .uint(0 as UInt8), 0x000B: .uint(0 as UInt16), 0x000D: .uint(0 as UInt8),
                        0x000E: .uint(0 as UInt16), 0x0017: .uint(0 as UInt8),
                    ]),
            ])
    }

    /// A thermostat that heats, cools and chooses by itself; it is off, and the room has 20 °C.
    public static func thermostat(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.thermostat, revision: 4)],
            clusters: [
                .identify(.indicator),
                ClusterComposition(
                    .thermostat, features: 0x23,
                    optionalAttributes: [
                        0x0003, 0x0004, 0x0005, 0x0006, 0x0015, 0x0016, 0x0017, 0x0018, 0x001E, 0x0029,
                    ],
                    values: [
                        0x0000: .signed(2000), 0x0003: .signed(700), 0x0004: .signed(3000), 0x0005: .signed(1600),
                        0x0006: .signed(3200), 0x0011: .signed(2600), 0x0012: .signed(2000), 0x0015: .signed(700),
                        0x0016: .signed(3000), 0x0017: .signed(1600), 0x0018: .signed(3200), 0x0019: .signed(20),
                        0x001B: .uint(4 as UInt8), 0x001C: .uint(0 as UInt8), 0x001E: .uint(0 as UInt8),
                        0x0029: .uint(0 as UInt16),
                    ]),
            ])
    }

    /// A fan with ten speeds, three modes and an automatic one; it is off.
    public static func fan(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.fan, revision: 3)],
            clusters: [
                .identify(.indicator), .groups,
                ClusterComposition(
                    .fanControl, features: 0x13,
                    values: [
                        0x0000: .uint(0 as UInt8), 0x0001: .uint(2 as UInt8), 0x0002: .uint(0 as UInt8),
                        0x0003: .uint(0 as UInt8), 0x0004: .uint(10 as UInt8), 0x0005: .uint(0 as UInt8),
                        0x0006: .uint(0 as UInt8),
                    ]),
            ])
    }
}
