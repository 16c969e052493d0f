import Combine
import FakeHub
import HubClient
import HubControl
import NetIO
import Testing

@testable import GoogleHomeSDK

@Suite("Queries over time", .timeLimit(.minutes(1)))
struct QueryTests {
    private func names(_ rooms: Set<Room>) -> [String] { rooms.map(\.name).sorted() }

    // MARK: - Changes

    @Test func `batched sends what there is at once, then after each change`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        let rooms = Recorder(home.rooms().batched())
        #expect(names(try await rooms.next()) == ["Hall", "Kitchen"])
        let attic = try await structure.createRoom(name: "Attic")
        #expect(names(try await rooms.next()) == ["Attic", "Hall", "Kitchen"])
        #expect(try await attic.setName("Loft").name == "Loft")
        #expect(names(try await rooms.next()) == ["Hall", "Kitchen", "Loft"])
        try await structure.deleteRoom(attic)
        #expect(names(try await rooms.next()) == ["Hall", "Kitchen"])
        #expect(rooms.ends.isEmpty)
    }

    @Test func `an event about other things sends nothing again`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let rooms = Recorder(home.rooms().batched())
        try await rooms.next()
        await both.hub.waitForSubscribers()
        both.hub.emit("session.prepared", ["session": "0000000000000001"])
        both.hub.emit("room.changed", ["id": "0000000000000a01"])
        let structure = try #require(try await home.structures().list().first)
        try await structure.createRoom(name: "Attic")
        try await rooms.next { $0.count == 3 }
        #expect(rooms.values.count == 2)
    }

    @Test func `stream sends each object as it is and as it becomes`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let stream = Recorder(home.rooms().stream())
        let first = [try await stream.next().name, try await stream.next().name]
        #expect(first.sorted() == ["Hall", "Kitchen"])
        let hall = try #require(try await home.rooms().list().first { $0.name == "Hall" })
        try await hall.setName("Corridor")
        let changed = try await stream.next()
        #expect(changed.name == "Corridor")
        #expect(changed == hall)
        #expect(stream.values.count == 3)
    }

    @Test func `devices change with their rooms and names`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        let devices = Recorder(home.devices().batched())
        let lamp = try #require(try await devices.next().first)
        #expect(lamp.roomID == "0000000000000a01")
        try await structure.move(device: lamp.id, to: "0000000000000a02")
        try await devices.next { $0.first?.roomID == "0000000000000a02" }
        #expect(try await lamp.setName("Desk").name == "Desk")
        try await devices.next { $0.first?.name == "Desk" }
        let hall = try #require(try await home.rooms().list().first { $0.id == "0000000000000a02" })
        try await structure.deleteRoom(hall)
        let left = try #require(try await devices.next { $0.first?.roomID == nil }.first)
        #expect(left.structureID == structure.id)
    }

    // MARK: - The hub goes and comes

    @Test func `a broken connection is made again, and missed events are asked for`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        let rooms = Recorder(home.rooms().batched())
        try await rooms.next()
        await both.hub.waitForSubscribers()
        try await structure.createRoom(name: "Attic")
        try await rooms.next { $0.count == 3 }
        both.hub.dropConnections()
        let subscriptions = await both.hub.waitForRequests(.eventsSubscribe, count: 2)
        #expect(subscriptions.last?.params["from"] == 2)
        try await structure.createRoom(name: "Loft")
        try await rooms.next { $0.count == 4 }
    }

    @Test func `lost events make it load everything again`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let devices = Recorder(home.devices().batched())
        try await devices.next()
        await both.hub.waitForSubscribers()
        both.hub.forgetEvents()
        both.hub.addDevice(.light(id: "0000000000000d09", name: "Late"))
        both.hub.dropConnections()
        #expect(try await devices.next { $0.count == 2 }.contains { $0.name == "Late" })
    }

    @Test func `a hub that is away empties it, and one that comes back fills it`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structures = Recorder(home.structures().batched())
        #expect(try await structures.next().count == 1)
        let gate = Locked(true)
        both.hub.on(.eventsSubscribe) { _ in
            gate.withLock { $0 }
                ? .error(ControlError(.unavailable, "away", details: ["reason": "hubOffline"]))
                : .result(["epoch": "1", "next": 1, "gap": false])
        }
        both.hub.dropConnections()
        #expect(try await structures.next().isEmpty)
        #expect(structures.ends.isEmpty)
        gate.withLock { $0 = false }
        #expect(try await structures.next().count == 1)
    }

    @Test func `without a hub the first value is empty`() async throws {
        let both = try AppAndHub()
        _ = try await both.connect()
        var away = both.settings
        away.hub = HubAddress(host: "127.0.0.2", port: both.hub.port)
        let later = try #require(try await Home.restoreSession(both.configuration, away))
        #expect(try await later.structures().list().isEmpty)
        let structures = Recorder(later.structures().batched())
        #expect(try await structures.next().isEmpty)
    }

    @Test func `an answer that makes no sense is an error, not an empty home`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        both.hub.on(.structuresList) { _ in .result(["structures": 5]) }
        #expect(await homeError { try await home.structures().list() }?.code == .internal)
        let structures = Recorder(home.structures().batched())
        await structures.end()
        #expect(structures.ends.map { $0?.code } == [.internal])
        #expect(structures.values.isEmpty)
    }

    // MARK: - Permission

    @Test func `a revoked permission empties it, and a new one fills it`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let devices = Recorder(home.devices().batched())
        #expect(try await devices.next().count == 1)
        both.hub.revoke()
        both.hub.dropConnections()
        #expect(try await devices.next().isEmpty)
        both.hub.permit()
        await home.permissions.presentPermissionsUpdate()
        #expect(try await devices.next().count == 1)
        #expect(devices.ends.isEmpty)
    }

    @Test func `disconnecting empties it`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let devices = Recorder(home.devices().batched())
        #expect(try await devices.next().count == 1)
        await home.disconnect()
        #expect(try await devices.next().isEmpty)
        #expect(try await Home.restoreSession(both.configuration, both.settings) == nil)
        #expect(await homeError { try await home.permissions.authorization() }?.code == .permissionDenied)
    }

    // MARK: - Demand and end

    @Test func `a slow subscriber gets the newest state only`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let structure = try #require(try await home.structures().list().first)
        let slow = SlowSubscriber<Set<Room>>()
        home.rooms().batched().subscribe(slow)
        let other = Recorder(home.rooms().batched())
        try await other.next()
        slow.request(1)
        #expect(try await slow.next().count == 2)
        for name in ["A", "B", "C"] { try await structure.createRoom(name: name) }
        try await other.next { $0.count == 5 }
        // The other subscriber has seen it; this one's feed is at it too once it has asked as often.
        await both.hub.waitForRequests(.roomsList, count: 4)
        slow.request(10)
        var last = try await slow.next()
        while last.count < 5 { last = try await slow.next() }
        #expect(slow.count <= 4)
    }

    @Test func `cancelling ends the subscription to events`() async throws {
        let both = try AppAndHub()
        let home = try await both.connect()
        let link = home.link.app
        let (first, second) = (Recorder(home.rooms().batched()), Recorder(home.devices().stream()))
        try await first.next()
        try await second.next()
        #expect(link.isListenedTo)
        first.cancel()
        #expect(link.isListenedTo)
        second.cancel()
        #expect(!link.isListenedTo)
        let third = Recorder(home.rooms().batched())
        #expect(try await third.next().count == 2)
        #expect(first.values.count == 1)
    }
}

/// A subscriber that asks when its test says so.
private final class SlowSubscriber<Input: Sendable>: Subscriber, Sendable {
    typealias Failure = HomeError

    // Sendable: the subscription is one of this package's, which may be used from any thread.
    private struct Held: @unchecked Sendable { let subscription: any Subscription }
    private let held = Locked<Held?>(nil)
    private let received = Locked(0)
    private let stream: AsyncStream<Input>
    private let continuation: AsyncStream<Input>.Continuation

    init() { (stream, continuation) = AsyncStream<Input>.makeStream() }

    var count: Int { received.withLock { $0 } }

    func request(_ count: Int) { held.withLock { $0 }?.subscription.request(.max(count)) }

    func next() async throws -> Input {
        for await value in stream { return value }
        return try #require(nil as Input?)
    }

    func receive(subscription: any Subscription) { held.withLock { $0 = Held(subscription: subscription) } }

    func receive(_ input: Input) -> Subscribers.Demand {
        received.withLock { $0 += 1 }
        continuation.yield(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<HomeError>) { continuation.finish() }
}
