public import MatterWire

/// A device behind a bridge, as the bridge knows it.
public struct BridgedDevice: Hashable, Sendable {
    /// What it would be by itself; its number is that of its endpoint on the bridge.
    public var endpoint: EndpointComposition
    /// What people call it at first, at most 32 bytes.
    public var label: String
    /// At most 32 bytes.
    public var vendorName: String
    /// At most 32 bytes.
    public var productName: String
    /// At most 32 bytes.
    public var serialNumber: String
    /// At most 32 bytes; no other device of the bridge has it.
    public var uniqueID: String

    /// Describes a bridged device.
    public init(
        endpoint: EndpointComposition, label: String, vendorName: String, productName: String, serialNumber: String,
        uniqueID: String
    ) {
        self.endpoint = endpoint
        self.label = label
        self.vendorName = vendorName
        self.productName = productName
        self.serialNumber = serialNumber
        self.uniqueID = uniqueID
    }
}

/// Bridges (Core §9.12 and §9.13).
extension EndpointComposition {
    /// An aggregator on an endpoint, and the bridged devices that are its parts.
    public static func bridge(_ id: EndpointID, of devices: [BridgedDevice]) -> [EndpointComposition] {
        let aggregator = EndpointComposition(
            id, deviceTypes: [DeviceTypeEntry(.aggregator, revision: 2)], clusters: [.identify(.indicator)],
            parts: devices.map(\.endpoint.id))
        return [aggregator] + devices.map(bridged)
    }

    private static func bridged(_ device: BridgedDevice) -> EndpointComposition {
        var endpoint = device.endpoint
        endpoint.deviceTypes.append(DeviceTypeEntry(.bridgedNode, revision: 3))
        endpoint.clusters.append(
            ClusterComposition(
                .bridgedDeviceBasicInformation, optionalAttributes: [0x0001, 0x0003, 0x0005, 0x000F, 0x0018],
                values: [
                    0x0001: .utf8(device.vendorName), 0x0003: .utf8(device.productName), 0x0005: .utf8(device.label),
                    0x000F: .utf8(device.serialNumber), 0x0011: .bool(true), 0x0012: .utf8(device.uniqueID),
                    0x0018: .uint(1 as UInt32),
                ]))
        return endpoint
    }
}
