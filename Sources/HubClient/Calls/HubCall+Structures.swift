public import HubControl

/// A room of a structure.
public struct HubRoom: Hashable, Sendable {
    /// The room's id.
    public var id: RoomID
    /// The room's name; not unique.
    public var name: String

    /// Makes the description of a room.
    public init(id: RoomID, name: String) {
        self.id = id
        self.name = name
    }

    /// Reads a row of `rooms.list`.
    public init(json: JSONObject) throws(ControlProtocolError) {
        self.init(id: try json.identifier("id"), name: try json.string("name"))
    }

    /// The row of `rooms.list`.
    public var json: JSONObject { ["id": id.json, "name": .string(name)] }
}

/// What a hub says of itself.
public struct HubInfo: Hashable, Sendable {
    /// The hub's lasting id.
    public var id: HubID
    /// The hub's name.
    public var name: String
    /// The program's version.
    public var version: String
    /// Whether the hub takes part; a hub that plays an unreachable one says no.
    public var isReachable: Bool
}

extension HubCall where Answer == HubInfo {
    /// Asks a hub for itself; needs no grant.
    public static var hubInfo: Self {
        Self(.hubInfo) { json throws(ControlProtocolError) in
            HubInfo(
                id: try json.identifier("id"), name: try json.string("name"), version: try json.string("version"),
                isReachable: try json.bool("reachable"))
        }
    }
}

extension HubCall where Answer == Void {
    /// Makes the hub play one that can be reached, or one that cannot; needs admin.
    public static func setReachable(_ isReachable: Bool) -> Self {
        Self(.hubSetReachable, ["reachable": .bool(isReachable)])
    }
}

extension HubCall where Answer == [Welcome.Structure] {
    /// The structures that the grant covers.
    public static var structures: Self {
        Self(.structuresList) { json throws(ControlProtocolError) in
            try json.objects("structures") { row throws(ControlProtocolError) in
                Welcome.Structure(id: try row.identifier("id"), name: try row.string("name"))
            }
        }
    }
}

extension HubCall where Answer == [HubRoom] {
    /// The rooms of a structure; `nil` for the only one that the grant covers.
    public static func rooms(of structure: StructureID? = nil) -> Self {
        Self(.roomsList, ["structure": structure?.json]) { json throws(ControlProtocolError) in
            try json.objects("rooms") { row throws(ControlProtocolError) in try HubRoom(json: row) }
        }
    }
}

extension HubCall where Answer == HubRoom {
    /// Adds a room.
    public static func createRoom(named name: String, in structure: StructureID? = nil) -> Self {
        Self(.roomsCreate, ["structure": structure?.json, "name": .string(name)]) { json throws(ControlProtocolError) in
            try HubRoom(json: json)
        }
    }

    /// Renames a room.
    public static func renameRoom(_ room: RoomID, to name: String) -> Self {
        Self(.roomsRename, ["id": room.json, "name": .string(name)]) { json throws(ControlProtocolError) in
            try HubRoom(json: json)
        }
    }
}

extension HubCall where Answer == Void {
    /// Removes a room; its devices stay, without a room.
    public static func deleteRoom(_ room: RoomID) -> Self { Self(.roomsDelete, ["id": room.json]) }
}

/// Where a subscription to events begins.
public struct EventPosition: Hashable, Sendable {
    /// Names the numbering; another one than before means that numbers started again.
    public var epoch: String
    /// The number of the first event that will come.
    public var next: UInt64
    /// Whether events from the number that was asked for on are lost.
    public var hasGap: Bool
}

extension HubCall where Answer == EventPosition {
    /// Subscribes the connection to a structure's events.
    ///
    /// - Parameter from: replays from that number on; `nil` for new ones only.
    public static func subscribe(to structure: StructureID? = nil, from: UInt64? = nil) -> Self {
        Self(.eventsSubscribe, ["structure": structure?.json, "from": from.map { JSONValue($0) }]) {
            json throws(ControlProtocolError) in
            EventPosition(
                epoch: try json.string("epoch"), next: try json.integer("next"), hasGap: try json.bool("gap"))
        }
    }
}
