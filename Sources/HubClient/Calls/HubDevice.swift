public import HubControl

/// A device of a structure: one endpoint of a commissioned node.
public struct HubDevice: Hashable, Sendable {
    /// The device's id, never used again.
    public var id: DeviceID
    /// The Matter node, 16 hexadecimal digits.
    public var nodeID: String
    /// The node's endpoint.
    public var endpoint: UInt16
    /// The name that people gave it.
    public var name: String
    /// The room that it is in; `nil` for none.
    public var room: RoomID?
    /// The vendor's Matter id.
    public var vendorID: UInt16
    /// The product's id within the vendor.
    public var productID: UInt16
    /// What the device says of itself; empty when it does not.
    public var vendorName: String
    /// What the device says of itself; empty when it does not.
    public var productName: String
    /// What the device says of itself; empty when it does not.
    public var serialNumber: String
    /// Matter device type ids of the endpoint.
    public var deviceTypes: [UInt32]
    /// Whether it answered the last time.
    public var isReachable: Bool
    /// Whether it is behind a bridge.
    public var isBridged: Bool
    /// Seconds since 1970.
    public var commissionedAt: Int64

    /// Reads a row of `devices.list`.
    public init(json: JSONObject) throws(ControlProtocolError) {
        id = try json.identifier("id")
        nodeID = try json.string("nodeId")
        endpoint = try json.integer("endpoint")
        name = try json.string("name")
        room = json["room"]?.isNull == true ? nil : try json.optionalIdentifier("room")
        vendorID = try json.integer("vendorId")
        productID = try json.integer("productId")
        vendorName = try json.optionalString("vendorName") ?? ""
        productName = try json.optionalString("productName") ?? ""
        serialNumber = try json.optionalString("serialNumber") ?? ""
        var types: [UInt32] = []
        for value in try json.array("deviceTypes") {
            guard let type = value.integer.flatMap({ UInt32(exactly: $0) }) else {
                throw ControlProtocolError(.wrongType, path: "deviceTypes", reason: "an array of integers")
            }
            types.append(type)
        }
        deviceTypes = types
        isReachable = try json.bool("reachable")
        isBridged = try json.bool("bridged")
        commissionedAt = try json.integer("commissionedAt")
    }

    /// The row of `devices.list`.
    public var json: JSONObject {
        [
            "id": id.json, "nodeId": .string(nodeID), "endpoint": JSONValue(endpoint), "name": .string(name),
            "room": room?.json ?? .null, "vendorId": JSONValue(vendorID), "productId": JSONValue(productID),
            "vendorName": .string(vendorName), "productName": .string(productName),
            "serialNumber": .string(serialNumber), "deviceTypes": .array(deviceTypes.map { JSONValue($0) }),
            "reachable": .bool(isReachable), "bridged": .bool(isBridged), "commissionedAt": JSONValue(commissionedAt),
        ]
    }
}

/// A node that could not be cleaned yet.
public struct HubOrphan: Hashable, Sendable {
    /// What `orphans.retry` and `orphans.forget` take.
    public var id: String
    /// The Matter node, 16 hexadecimal digits.
    public var nodeID: String
    /// Where it was last seen.
    public var address: String
    /// Seconds since 1970.
    public var since: Int64?
    /// How often cleaning was tried.
    public var attempts: Int
    /// Why the last try failed.
    public var lastError: String?

    /// Reads a row of `devices.list {orphans: true}`.
    public init(json: JSONObject) throws(ControlProtocolError) {
        id = try json.string("id")
        nodeID = try json.string("nodeId")
        address = try json.optionalString("address") ?? ""
        since = try json.optionalInteger("since")
        attempts = try json.optionalInteger("attempts") ?? 0
        lastError = try json.optionalString("lastError")
    }

    /// The row of `devices.list {orphans: true}`.
    public var json: JSONObject {
        [
            "id": .string(id), "nodeId": .string(nodeID), "address": .string(address),
            "since": since.map { JSONValue($0) }, "attempts": JSONValue(attempts),
            "lastError": lastError.map { .string($0) }, "state": "orphan",
        ]
    }
}

/// Some of a long list.
public struct HubPage<Element: Hashable & Sendable>: Hashable, Sendable {
    /// The elements, in the hub's order.
    public var elements: [Element]
    /// Where the next page begins; `nil` at the end.
    public var next: String?
}
