import HubClient
package import HubControl

/// A home: rooms, devices, one Matter fabric, at most one commissioning session.
public struct Structure: RecordBacked {
    /// The structure's id.
    public let id: String
    let record: Welcome.Structure
    let link: HomeLink

    package init(_ record: Welcome.Structure, link: HomeLink) {
        id = record.id.text
        self.record = record
        self.link = link
    }

    var structureID: StructureID { record.id }

    /// The structure's name.
    public var name: String { record.name }
    /// A structure.
    public var objectType: HomeObjectType { .structure }
    /// What the user has consented to in this structure.
    public var permissions: StructureScopedPermissionsController { StructureScopedPermissionsController() }

    // MARK: - Rooms

    /// Adds a room. Two rooms may have the same name.
    ///
    /// - Throws: ``HomeError``: `invalidArgument` for a name that the hub does not take.
    @discardableResult
    public func createRoom(name: String) async throws -> Room {
        Room(try await link.callOnce(.createRoom(named: name, in: structureID)), in: structureID, link: link)
    }

    /// Removes a room; its devices stay in the structure, without a room.
    ///
    /// - Throws: ``HomeError``: `notFound` when it is gone already.
    public func deleteRoom(_ room: Room) async throws {
        try await link.call(.deleteRoom(room.record.id))
    }

    /// Puts a device into a room.
    ///
    /// - Parameters:
    ///   - deviceID: the device's id.
    ///   - roomID: the room's id.
    /// - Throws: ``HomeError``: `notFound` when one of them is not in this structure.
    public func move(device deviceID: String, to roomID: String) async throws {
        let device = try DeviceID(ofApp: deviceID, "device")
        _ = try await link.call(.move(device, to: try RoomID(ofApp: roomID, "room")))
    }

    /// Puts a device into a room.
    ///
    /// - Throws: ``HomeError``: `notFound` when one of them is not in this structure.
    public func move(device: HomeDevice, to room: Room) async throws {
        _ = try await device.move(to: room.record.id)
    }
}
