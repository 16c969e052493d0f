/// What the Matter device library says of device types, as far as this package has names for them (Device Library 1.4.2).
enum DeviceTypeTable {
    private struct Row {
        /// The type that this one is a superset of.
        var supertype: UInt32?
        /// The server clusters that it must have.
        var clusters: [UInt32]
    }

    private static let rows: [UInt32: Row] = [
        // Lights, each one a superset of the one before.
        0x0100: Row(clusters: [0x03, 0x04, 0x06]), 0x0101: Row(supertype: 0x0100, clusters: [0x08]),
        0x010C: Row(supertype: 0x0101, clusters: [0x0300]), 0x010D: Row(supertype: 0x010C, clusters: []),
        // Plugs, and switches that are mounted in their place.
        0x010A: Row(clusters: [0x03, 0x04, 0x06]), 0x010B: Row(supertype: 0x010A, clusters: [0x08]),
        0x010F: Row(supertype: 0x010A, clusters: []), 0x0110: Row(supertype: 0x010F, clusters: [0x08]),
        // Others.
        0x000A: Row(clusters: [0x03, 0x0101]), 0x002B: Row(clusters: [0x03, 0x04, 0x0202]),
        0x0301: Row(clusters: [0x03, 0x0201]), 0x0202: Row(clusters: [0x03, 0x0102]),
        0x0022: Row(clusters: [0x06, 0x08]),
        // Sensors.
        0x0302: Row(clusters: [0x03, 0x0402]), 0x0307: Row(clusters: [0x03, 0x0405]),
        0x0107: Row(clusters: [0x03, 0x0406]), 0x0015: Row(clusters: [0x03, 0x45]),
        0x000F: Row(clusters: [0x03, 0x3B]),
        // What stands beside the others.
        0x000E: Row(clusters: []), 0x0013: Row(clusters: [0x39]), 0x0011: Row(clusters: [0x2F]),
    ]

    /// The identifier of a device type in the SDK's form.
    static func identifier(of type: UInt32) -> String {
        let digits = String(type, radix: 16, uppercase: true)
        return "home.matter.0000.types." + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// A type and all that it is a superset of, the most specific first.
    static func lineage(of type: UInt32) -> [UInt32] {
        var lineage = [type]
        while let next = lineage.last.flatMap({ rows[$0]?.supertype }) { lineage.append(next) }
        return lineage
    }

    /// The server clusters that a device of a type must have.
    static func clusters(of type: UInt32) -> [UInt32] {
        lineage(of: type).flatMap { rows[$0]?.clusters ?? [] }
    }
}
