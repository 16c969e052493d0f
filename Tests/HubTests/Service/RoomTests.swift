import HubControl
import MatterWire
import TestSupport
import Testing

@testable import Hub

/// What `session.configure` makes of a room's name, with the rooms `Kitchen`, `Küche`, `Küche`, `kitchen`.
struct RoomNameCase: Sendable, CustomTestStringConvertible {
    var what: String
    var given: String?
    /// Which of the rooms is meant, by its place in the order of creation; `nil` for none.
    var room: Int?
    var error: String?
    var testDescription: String { what }

    static let table: [RoomNameCase] = [
        RoomNameCase(what: "no name", given: nil),
        RoomNameCase(what: "an empty name", given: ""),
        RoomNameCase(what: "a blank name", given: " \n "),
        RoomNameCase(what: "a name that one room has", given: "Kitchen", room: 0),
        RoomNameCase(what: "the same in another case, which another room has", given: "kitchen", room: 3),
        RoomNameCase(what: "a name that two rooms have", given: "Küche", room: 1),
        RoomNameCase(what: "the same decomposed, with blanks", given: " Ku\u{308}che ", room: 1),
        RoomNameCase(what: "a case that no room has", given: "KITCHEN", room: 0),
        RoomNameCase(what: "an unknown name", given: "Cellar", error: "noRoom"),
        RoomNameCase(what: "a room's id is no name", given: "0000000000000001", error: "noRoom"),
        RoomNameCase(what: "a name that no room can have", given: "Kit\u{202E}chen", error: "badName"),
    ]
}

@Suite("HubService: rooms (Protocols/hub-control.md §8)", .timeLimit(.minutes(1))) struct RoomTests {
    @Test(arguments: RoomNameCase.table)
    func `configure finds the room by its name, or says that there is none`(_ name: RoomNameCase) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            var rooms: [RoomID] = []
            for text in ["Kitchen", "Küche", "Ku\u{308}che", "kitchen"] {
                rooms.append(try await hub.service.createRoom(named: text, by: phone).id)
            }
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            try await hub.service.configure(by: phone, deviceName: "Before", roomName: "Kitchen")
            let refusal = await hub.refusal {
                try await hub.service.configure(by: phone, deviceName: "Lamp", roomName: name.given)
            }
            #expect(refusal == name.error)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await hub.devices.first)
            // All or nothing: a refused call leaves the name and the room of the call before.
            #expect(device.name == (name.error == nil ? "Lamp" : "Before"))
            #expect(device.room == (name.error == nil ? name.room.map { rooms[$0] } : rooms[0]))
        }
    }

    @Test func `a room is created, listed by name, renamed, and deleted without its devices`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let den = try await hub.service.createRoom(named: "Den", by: phone)
            let attic = try await hub.service.createRoom(named: "Attic", by: phone)
            #expect(await hub.ledger.state.rooms(of: TestHub.structure).map(\.name) == ["Attic", "Den"])
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            try await hub.service.configure(by: phone, deviceName: "Lamp", roomName: "Den")
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await hub.devices.first)
            let number = await hub.service.eventRange(of: TestHub.structure).newest

            let renamed = try await hub.service.renameRoom(den.id, to: " Study ", by: phone)
            #expect(renamed.id == den.id)
            #expect(renamed.name == "Study")
            // The name that it has already is no change.
            _ = try await hub.service.renameRoom(den.id, to: "Study", by: phone)
            #expect(await hub.devices.map(\.room) == [den.id])
            _ = try await hub.service.move(device.id, to: attic.id, by: phone)
            _ = try await hub.service.move(device.id, to: den.id, by: phone)
            try await hub.service.deleteRoom(den.id, by: phone)
            #expect(await hub.devices.map(\.id) == [device.id])
            #expect(await hub.devices.map(\.room) == [nil])
            #expect(
                await hub.events(from: number + 1) == [
                    "room.changed", "device.changed", "device.changed", "room.removed", "device.changed",
                ])
        }
    }

    @Test func `a room that is deleted before complete leaves the device without a room`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let den = try await hub.service.createRoom(named: "Den", by: phone)
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            try await hub.service.configure(by: phone, deviceName: "Lamp", roomName: "Den")
            try await hub.service.deleteRoom(den.id, by: phone)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(await hub.devices.map(\.room) == [nil])
        }
    }

    @Test(arguments: NameCase.table)
    func `rooms and devices take the names that the contract allows`(_ name: NameCase) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let room = try await hub.service.createRoom(named: "Room", by: phone)
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await hub.devices.first)
            guard let stored = name.stored else {
                for attempt in [
                    { _ = try await hub.service.createRoom(named: name.given, by: phone) },
                    { _ = try await hub.service.renameRoom(room.id, to: name.given, by: phone) },
                    { _ = try await hub.service.rename(device.id, to: name.given, by: phone) },
                ] {
                    let error = await #expect(throws: ControlError.self) { try await attempt() }
                    #expect(error?.code == .invalidArgument)
                    #expect(error?.reason == "badName")
                    #expect(error?.message.contains(name.refusal) == true)
                    let character = error?.details?["character"]?.string
                    #expect((character != nil) == name.refusal.hasPrefix("U+"))
                }
                #expect(await hub.ledger.state.rooms(of: TestHub.structure).map(\.name) == ["Room"])
                return
            }
            #expect(try await hub.service.createRoom(named: name.given, by: phone).name == stored)
            #expect(try await hub.service.renameRoom(room.id, to: name.given, by: phone).name == stored)
            #expect(try await hub.service.rename(device.id, to: name.given, by: phone).name == stored)
        }
    }

    @Test func `a room that is not there, or another home's, cannot be renamed, deleted or moved into`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let room = try await hub.service.createRoom(named: "Den", by: phone)
            var stranger = phone
            stranger.structure = StructureID(rawValue: 0xB)
            let none = RoomID(rawValue: 404)
            #expect(await hub.refusal { _ = try await hub.service.renameRoom(none, to: "x", by: phone) } == "noRoom")
            #expect(await hub.refusal { try await hub.service.deleteRoom(none, by: phone) } == "noRoom")
            #expect(
                await hub.refusal { _ = try await hub.service.renameRoom(room.id, to: "x", by: stranger) } == "noRoom")
            #expect(await hub.refusal { try await hub.service.deleteRoom(room.id, by: stranger) } == "noRoom")
            #expect(
                await hub.refusal { _ = try await hub.service.createRoom(named: "x", by: stranger) } == "noStructure")
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await hub.devices.first)
            #expect(await hub.refusal { _ = try await hub.service.move(device.id, to: none, by: phone) } == "noRoom")
            #expect(await hub.devices == [device])
        }
    }

    @Test func `what complete returns is in the list before the answer`() async throws {
        try await withServer { server in
            let client = try await server.client()
            _ = try await client.call(.sessionPrepare)
            for number in 0..<3 {
                _ = try await client.call(
                    .sessionCommission,
                    ["payload": .string(TestHub.payload(UInt16(number))), "clientKey": .string("c\(number)")])
            }
            // Sent together: the list is answered after complete and from what it stored.
            let complete = try await client.send(.sessionComplete, ["clientKey": "k"])
            let ids = try await client.answer(to: complete)["deviceIds"]?.array?.compactMap(\.string) ?? []
            let list = try await client.call(.devicesList)["devices"]?.array ?? []
            #expect(ids.count == 3)
            #expect(Set(list.compactMap { $0.object?["id"]?.string }) == Set(ids))
        }
    }

    @Test func `over the wire rooms rename answers with the room, and null is no room`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let room = try await client.call(.roomsCreate, ["name": "Den"])
            let renamed = try await client.call(.roomsRename, ["id": room["id"]!, "name": "Study"])
            #expect(renamed == ["id": room["id"]!, "name": "Study"])
            #expect(try await client.call(.roomsList)["rooms"]?.array?.first?.object?["name"]?.string == "Study")
            _ = try await client.call(.sessionPrepare)
            _ = try await client.call(
                .sessionCommission, ["payload": .string(TestHub.payload()), "clientKey": "c"])
            _ = try await client.call(.sessionConfigure, ["deviceName": "Lamp", "roomName": "Study"])
            _ = try await client.call(.sessionConfigure, ["deviceName": "Lamp", "roomName": .null])
            _ = try await client.call(.sessionComplete, ["clientKey": "k"])
            #expect(await server.hub.devices.map(\.room) == [nil])
        }
    }
}
