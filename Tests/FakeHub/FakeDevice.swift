package import HubControl

/// A device of a ``FakeHub``: what it is listed as, and its attributes.
package struct FakeDevice: Sendable {
    /// Where an attribute is.
    package struct Path: Hashable, Comparable, Sendable {
        package let endpoint: UInt16
        package let cluster: UInt32
        package let attribute: UInt32

        package init(_ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32) {
            self.endpoint = endpoint
            self.cluster = cluster
            self.attribute = attribute
        }

        package static func < (lhs: Self, rhs: Self) -> Bool {
            (lhs.endpoint, lhs.cluster, lhs.attribute) < (rhs.endpoint, rhs.cluster, rhs.attribute)
        }
    }

    /// The row of `devices.list`.
    package var row: JSONObject
    package var attributes: [Path: JSONValue]
    /// Whether it answers reads, writes and commands.
    package var answers = true

    /// - Parameters:
    ///   - id: 16 hexadecimal digits.
    ///   - clusters: values on endpoint 1; every cluster gets its list of attributes.
    ///   - commands: what each cluster says that it takes.
    package init(
        id: String, name: String, node: String = "00000000000000a1", type: UInt32, room: String? = nil,
        isBridged: Bool = false, clusters: [UInt32: [UInt32: JSONValue]] = [:], commands: [UInt32: [UInt32]] = [:]
    ) {
        row = [
            "id": .string(id), "nodeId": .string(node), "endpoint": 1, "name": .string(name),
            "room": room.map { .string($0) } ?? .null, "vendorId": 65521, "productId": 32769, "vendorName": "Test",
            "productName": "Light", "serialNumber": "1", "deviceTypes": [JSONValue(type)], "reachable": true,
            "bridged": .bool(isBridged), "commissionedAt": 1_790_000_000,
        ]
        attributes = [Path(0, 0x28, 1): "Test", Path(0, 0x28, 5): "Label"]
        for (cluster, values) in clusters {
            for (attribute, value) in values { attributes[Path(1, cluster, attribute)] = value }
            attributes[Path(1, cluster, 0xFFFB)] = .array(
                (values.keys.sorted() + [0xFFF9, 0xFFFB]).map { JSONValue($0) })
            attributes[Path(1, cluster, 0xFFF9)] = .array((commands[cluster] ?? []).map { JSONValue($0) })
        }
    }

    /// An on/off light that is off.
    package static func light(id: String, name: String, room: String? = nil) -> FakeDevice {
        FakeDevice(
            id: id, name: name, type: 0x0100, room: room, clusters: [0x06: [0: false, 0xFFFC: 1]],
            commands: [0x06: [0, 1, 2]])
    }

    package var id: String { row["id"]?.string ?? "" }
}
