import Foundation
import HubControl
import MatterWire
import Testing

@testable import Hub

@Suite("SQLiteStore (design: storage)") final class SQLiteStoreTests: Sendable {
    let directory = NSTemporaryDirectory() + "matterhub-store-\(UUID().uuidString)"

    deinit {
        // Nothing reads the folder after the test; a leftover only costs disk.
        try? FileManager.default.removeItem(atPath: directory)
    }

    static let structure = StructureRecord(
        id: .init(rawValue: 0xFFFF_FFFF_FFFF_FFFE), name: "Zuhause 🏠", controlCAKey: [1], controlCACertificate: [])
    static let fabric = FabricRecord(
        structure: structure.id, fabricID: .init(rawValue: 3), rootKey: [4], rootCertificate: [5], ipkEpochKey: [6],
        hubNode: .init(rawValue: 7), hubNOC: [8], hubKey: [9])
    static let room = RoomRecord(id: .init(rawValue: 10), structure: structure.id, name: "Küche", number: 3)
    static let light = EndpointInfo(
        endpoint: .init(rawValue: 1), deviceTypes: [0x0100, 0x0013], isBridged: true, label: "Licht")
    static let node = NodeRecord(
        id: .init(rawValue: 0xFFFF_FFEF_0000_0001), structure: structure.id, state: .provisional,
        session: .init(rawValue: 12), address: "[fe80::1%2]:5540", stage: "addNOC",
        failSafeEnds: .init(rawValue: 99), info: .init(vendorID: 0xFFF1, endpoints: [light]),
        createdAt: .init(rawValue: 1))
    static let device = DeviceRecord(
        id: .init(rawValue: 13), structure: structure.id, node: node.id, endpoint: light, name: "Lamp", room: room.id,
        commissionedAt: .init(rawValue: 2))
    static let grant = GrantRecord(
        id: .init(rawValue: 14), structure: structure.id, app: .init(appID: "a", appGroup: "g"),
        scopes: [.commissioning, .structureRead], secretHash: [1, 2, 3], createdAt: .init(rawValue: 3))
    static let answer = AnswerRecord(
        app: grant.app, structure: structure.id, method: "session.complete", clientKey: "k", answer: "{}",
        isError: false, answeredAt: .init(rawValue: 4))
    static let everything: [StoreChange] = [
        .setHub(.init(rawValue: 1), name: "Hub"), .putStructure(structure), .putFabric(fabric), .putRoom(room),
        .putNode(node), .putDevice(device), .putGrant(grant), .putAnswer(answer),
    ]

    @Test func `everything comes back after reopening`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        await store.close()
        let snapshot = try await SQLiteStore(directory: directory).load()
        #expect(snapshot.hub == HubID(rawValue: 1))
        #expect(snapshot.hubName == "Hub")
        #expect(snapshot.structures == [Self.structure])
        #expect(snapshot.fabrics == [Self.fabric])
        #expect(snapshot.rooms == [Self.room])
        #expect(snapshot.nodes == [Self.node])
        #expect(snapshot.devices == [Self.device])
        #expect(snapshot.grants == [Self.grant])
        #expect(snapshot.answers == [Self.answer])
        #expect(snapshot.spentNodes == [Self.structure.id: [Self.fabric.hubNode, Self.node.id]])
        #expect(snapshot.spentDevices == [Self.device.id])
    }

    @Test func `a removed node takes its devices along and its ids stay spent`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        try await store.commit([.deleteNode(Self.node.id, of: Self.structure.id), .deleteRoom(Self.room.id)])
        let snapshot = try await store.load()
        #expect(snapshot.nodes.isEmpty)
        #expect(snapshot.devices.isEmpty)
        #expect(snapshot.rooms.isEmpty)
        #expect(snapshot.spentDevices == [Self.device.id])
        #expect(snapshot.spentNodes[Self.structure.id]?.contains(Self.node.id) == true)
    }

    @Test func `a deleted room leaves its devices without a room`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        try await store.commit([.deleteRoom(Self.room.id)])
        #expect(try await store.load().devices.map(\.room) == [nil])
    }

    @Test func `updating a node keeps its devices`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        var moved = Self.node
        moved.state = .commissioned
        moved.session = nil
        moved.address = "[fd77::9]:5540"
        try await store.commit([.putNode(moved)])
        let snapshot = try await store.load()
        #expect(snapshot.nodes == [moved])
        #expect(snapshot.devices == [Self.device])
    }

    @Test func `a transaction is whole or nothing`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Array(Self.everything.prefix(3)))
        var foreign = Self.room
        foreign.structure = .init(rawValue: 404)
        let before = try await store.load()
        await #expect(throws: StoreError.self) { try await store.commit([.putRoom(Self.room), .putRoom(foreign)]) }
        #expect(try await store.load() == before)
    }

    @Test func `old answers go`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        try await store.commit([.deleteAnswers(before: .init(rawValue: 4))])
        #expect(try await store.load().answers.count == 1)
        try await store.commit([.deleteAnswers(before: .init(rawValue: 5))])
        #expect(try await store.load().answers.isEmpty)
    }

    @Test func `one answer goes by its key`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        let answer = try #require(try await store.load().answers.first)
        var key = HubState.AnswerKey(
            structure: answer.structure, app: answer.app, method: answer.method, clientKey: answer.clientKey + "x")
        try await store.commit([.deleteAnswer(key)])
        #expect(try await store.load().answers == [answer])
        key.clientKey = answer.clientKey
        try await store.commit([.deleteAnswer(key)])
        #expect(try await store.load().answers.isEmpty)
    }

    @Test func `folder and file are private`() throws {
        _ = try SQLiteStore(directory: directory)
        let manager = FileManager.default
        let folder = try #require(try manager.attributesOfItem(atPath: directory)[.posixPermissions] as? Int)
        let file = try #require(
            try manager.attributesOfItem(atPath: directory + "/hub.sqlite")[.posixPermissions] as? Int)
        #expect(folder == 0o700)
        #expect(file == 0o600)
    }

    @Test func `a foreign file is refused and left alone`() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = directory + "/hub.sqlite"
        try Data("not a database, but long enough to look at".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: StoreError.self) { try SQLiteStore(directory: directory) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count == 42)
    }

    @Test func `a database of the first schema is brought to the newest`() async throws {
        let store = try SQLiteStore(directory: directory)
        try await store.commit(Self.everything)
        await store.close()
        let database = try SQLiteDatabase(path: directory + "/hub.sqlite")
        try database.rows("ALTER TABLE rooms DROP COLUMN number")
        try database.rows("ALTER TABLE grants DROP COLUMN replaces")
        try database.rows("PRAGMA user_version = 1")
        let snapshot = try await SQLiteStore(directory: directory).load()
        #expect(snapshot.rooms.map(\.name) == ["Küche"])
        #expect(snapshot.rooms.map(\.number) == [0])
        #expect(snapshot.devices == [Self.device])
    }

    @Test func `a newer schema is refused by name`() throws {
        _ = try SQLiteStore(directory: directory)
        let database = try SQLiteDatabase(path: directory + "/hub.sqlite")
        try database.rows("PRAGMA user_version = 99")
        let error = #expect(throws: StoreError.self) { try SQLiteStore(directory: directory) }
        #expect(error?.code == .newerSchema)
    }

    @Test func `a closed store says so`() async throws {
        let store = try SQLiteStore(directory: directory)
        await store.close()
        let error = await #expect(throws: StoreError.self) { try await store.load() }
        #expect(error?.code == .closed)
    }
}
