public import MatterWire

/// Sensors and switches (device library §6 and §7).
extension EndpointComposition {
    /// A contact sensor; it is closed, which is true.
    public static func contactSensor(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.contactSensor, revision: 2)],
            clusters: [.identify(.indicator), ClusterComposition(.booleanState, values: [0x0000: .bool(true)])])
    }

    /// A passive infrared occupancy sensor; nobody is there.
    public static func occupancySensor(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.occupancySensor, revision: 4)],
            clusters: [
                .identify(.indicator),
                ClusterComposition(
                    .occupancySensing, features: 2,
                    values: [0x0000: .uint(0 as UInt8), 0x0001: .uint(0 as UInt8), 0x0002: .uint(1 as UInt8)]),
            ])
    }

    /// A thermometer from -40 °C to 125 °C; it shows 20 °C.
    public static func temperatureSensor(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.temperatureSensor, revision: 2)],
            clusters: [
                .identify(.indicator),
                ClusterComposition(
                    .temperatureMeasurement,
                    values: [0x0000: .signed(2000), 0x0001: .signed(-4000), 0x0002: .signed(12_500)]),
            ])
    }

    /// A button: position 1 is pressed, 0 released; its events are InitialPress and ShortRelease.
    public static func genericSwitch(_ id: EndpointID) -> EndpointComposition {
        EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.genericSwitch, revision: 3)],
            clusters: [
                .identify(.indicator),
                ClusterComposition(
                    .switchCluster, features: 6, values: [0x0000: .uint(2 as UInt8), 0x0001: .uint(0 as UInt8)]),
            ])
    }
}
