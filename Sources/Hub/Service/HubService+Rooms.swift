package import HubControl
import MatterWire

extension HubService {
    /// Adds a room. Two rooms may have the same name: ids tell them apart.
    package func createRoom(named text: String, by caller: Caller) async throws(ControlError) -> RoomRecord {
        let name = try displayName(text)
        let id = RoomID(rawValue: environment.random.next())
        let room = try await change { state in
            guard state.structures[caller.structure] != nil else { throw ControlError.noStructure(caller.structure) }
            let last = state.rooms(of: caller.structure).map(\.number).max() ?? 0
            let room = RoomRecord(id: id, structure: caller.structure, name: name.text, number: last + 1)
            return ([.putRoom(room)], room)
        }
        emit("room.added", ["id": room.id.json], in: caller.structure)
        return room
    }

    /// Renames a room; its devices stay in it. The name that it has already is no change, and no event.
    package func renameRoom(
        _ id: RoomID, to text: String, by caller: Caller
    ) async throws(ControlError) -> RoomRecord {
        let name = try displayName(text)
        let (room, isChanged) = try await change { state in
            guard var room = state.rooms[id], room.structure == caller.structure else { throw ControlError.noRoom(id) }
            guard room.name != name.text else { return ([], (room, false)) }
            room.name = name.text
            return ([.putRoom(room)], (room, true))
        }
        if isChanged { emit("room.changed", ["id": id.json], in: caller.structure) }
        return room
    }

    /// Removes a room; its devices stay, without a room.
    package func deleteRoom(_ id: RoomID, by caller: Caller) async throws(ControlError) {
        let left = try await change { state in
            guard state.rooms[id]?.structure == caller.structure else { throw ControlError.noRoom(id) }
            let devices = state.devices(of: caller.structure).filter { $0.room == id }.map(\.id)
            return ([.deleteRoom(id)], devices)
        }
        emit("room.removed", ["id": id.json], in: caller.structure)
        for device in left { emit("device.changed", ["id": device.json], in: caller.structure) }
    }
}
