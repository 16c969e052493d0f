import FakeHub
import Foundation
import HubControl
import NetIO
import TestSupport
import Testing

@testable import HubClient

/// What a listener hears, for a test to wait for.
private final class Ear: Sendable {
    private let stream: AsyncStream<LinkSignal>
    private let continuation: AsyncStream<LinkSignal>.Continuation

    init() { (stream, continuation) = AsyncStream<LinkSignal>.makeStream() }

    var hear: @Sendable (LinkSignal) -> Void { { [continuation] in continuation.yield($0) } }

    func next(where condition: (LinkSignal) -> Bool = { _ in true }) async -> LinkSignal? {
        for await signal in stream where condition(signal) { return signal }
        return nil
    }
}

@Suite("Listening to a link", .timeLimit(.minutes(1)))
struct LinkWatchTests {
    private let hub: FakeHub
    private let link: AppLink
    private let folder: String
    private let clock = ManualClock()

    init() throws {
        hub = try FakeHub()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("matterhub-\(UUID().uuidString)").path
        let settings = ClientSettings(
            hub: HubAddress(host: "127.0.0.1", port: hub.port), folder: StateFolder(path: folder))
        link = try AppLink(group: "group.app", settings: settings, clock: DriverClock(clock))
        try link.group.setGrant(hub.grant)
    }

    private func removeFolder() {
        // A leftover only costs disk.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends the pause that the link makes; gives its length.
    private func waited() async -> Duration {
        await clock.sleepers(atLeast: 1)
        let start = clock.now
        return start.duration(to: await clock.advanceToNextDeadline())
    }

    private func name(_ signal: LinkSignal?) -> String? {
        if case .event(let event) = signal { event.name } else { nil }
    }

    @Test func `events come in order, and after a broken connection from where it broke`() async throws {
        defer { removeFolder() }
        let ear = Ear()
        let listener = link.listen(ear.hear)
        #expect(await ear.next() == .connected(isFresh: true))
        await hub.waitForSubscribers()
        hub.emit("room.added")
        hub.emit("room.removed")
        #expect(name(await ear.next()) == "room.added")
        #expect(name(await ear.next()) == "room.removed")
        hub.dropConnections()
        #expect(await ear.next() == .connected(isFresh: false))
        let asked = await hub.waitForRequests(.eventsSubscribe, count: 2)
        #expect(asked.map { $0.params["from"] } == [nil, 3])
        hub.emit("room.changed")
        #expect(name(await ear.next()) == "room.changed")
        listener.cancel()
        #expect(!link.isListenedTo)
    }

    @Test func `missed events are replayed, and lost ones make everything fresh`() async throws {
        defer { removeFolder() }
        let ear = Ear()
        let listener = link.listen(ear.hear)
        #expect(await ear.next() == .connected(isFresh: true))
        await hub.waitForSubscribers()
        hub.dropConnections()
        hub.emit("room.added")
        #expect(name(await ear.next { self.name($0) != nil }) == "room.added")
        hub.forgetEvents()
        hub.dropConnections()
        #expect(await ear.next { $0 == .connected(isFresh: true) } != nil)
        listener.cancel()
    }

    @Test func `a number that is left out makes everything fresh`() async throws {
        defer { removeFolder() }
        let ear = Ear()
        let listener = link.listen(ear.hear)
        #expect(await ear.next() == .connected(isFresh: true))
        await hub.waitForSubscribers()
        hub.skipEvents(3)
        hub.emit("room.added")
        #expect(await ear.next() == .connected(isFresh: true))
        #expect(name(await ear.next()) == "room.added")
        listener.cancel()
    }

    @Test func `without a permission it says so, and goes on as soon as there is one`() async throws {
        defer { removeFolder() }
        hub.revoke()
        let ear = Ear()
        let listener = link.listen(ear.hear)
        #expect(await ear.next() == .revoked)
        #expect(await waited() == .seconds(1))
        #expect(await ear.next() == .revoked)
        await clock.sleepers(atLeast: 1)
        hub.permit()
        await clock.advanceToNextDeadline()
        #expect(await ear.next { $0 != .revoked } == .connected(isFresh: true))
        listener.cancel()
    }

    @Test func `a hub that is away is tried again, after ever longer pauses`() async throws {
        defer { removeFolder() }
        hub.on(.eventsSubscribe) { _ in .error(ControlError(.unavailable, "away")) }
        let ear = Ear()
        let listener = link.listen(ear.hear)
        for seconds in [1, 2, 4, 8, 16, 16] as [Int] {
            #expect(await ear.next() == .away)
            #expect(await waited() == .seconds(seconds))
        }
        #expect(await ear.next() == .away)
        await clock.sleepers(atLeast: 1)
        hub.on(.eventsSubscribe) { _ in .result(["epoch": "1", "next": 1, "gap": false]) }
        await clock.advanceToNextDeadline()
        #expect(await ear.next { $0 != .away } == .connected(isFresh: true))
        listener.cancel()
    }

    @Test func `devices are followed while somebody wants to hear of them`() async throws {
        defer { removeFolder() }
        let (subscribe, unsubscribe) = (
            ControlMethod(rawValue: "devices.subscribe"), ControlMethod(rawValue: "devices.unsubscribe")
        )
        hub.on(subscribe) { _ in .result(["subscription": 4, "attributes": []]) }
        hub.on(unsubscribe) { _ in .result([:]) }
        let device = FollowedDevice(DeviceID(rawValue: 0xD01), endpoint: 1)
        let ear = Ear()
        let first = link.listen(following: device, ear.hear)
        #expect(await ear.next { $0 == .changed(device.id) } != nil)
        let second = link.listen(following: device) { _ in }
        let other = link.listen { _ in }
        first.cancel()
        first.cancel()
        #expect(!hub.requests.contains { $0.method == unsubscribe })
        hub.dropConnections()
        let followed = await hub.waitForRequests(subscribe, count: 2)
        #expect(followed.allSatisfy { $0.params == ["id": device.id.json, "endpoint": 1] })
        second.cancel()
        let ended = await hub.waitForRequests(unsubscribe)
        #expect(ended.map { $0.params["subscription"] } == [4])
        other.cancel()
    }

    @Test func `a device that could not be followed, or is not any more, is tried again when something happens`()
        async throws
    {
        defer { removeFolder() }
        let subscribe = ControlMethod(rawValue: "devices.subscribe")
        hub.on(subscribe) { _ in .error(ControlError(.unavailable, "the device does not answer")) }
        let device = FollowedDevice(DeviceID(rawValue: 0xD01), endpoint: 1)
        let ear = Ear()
        let listener = link.listen(following: device, ear.hear)
        await hub.waitForRequests(subscribe)
        hub.on(subscribe) { _ in .result(["subscription": 5]) }
        hub.emit("device.changed", ["id": device.id.json])
        #expect(await ear.next { $0 == .changed(device.id) } != nil)
        hub.emit("subscription.ended", ["id": device.id.json, "reason": "tooSlow"])
        #expect(await ear.next { $0 == .changed(device.id) } != nil)
        #expect(hub.requests.count { $0.method == subscribe } >= 3)
        listener.cancel()
    }

    @Test func `a change by this process is told at once, and dropping the listener ends it`() async throws {
        defer { removeFolder() }
        let ear = Ear()
        do {
            let listener = link.listen(ear.hear)
            link.noteChange(of: DeviceID(rawValue: 7))
            #expect(await ear.next { $0 == .changed(DeviceID(rawValue: 7)) } != nil)
            withExtendedLifetime(listener) {}
        }
        #expect(!link.isListenedTo)
    }
}
