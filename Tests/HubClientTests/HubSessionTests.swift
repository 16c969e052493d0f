import FakeHub
import HubControl
import NetIO
import Testing

@testable import HubClient

@Suite("A commissioning session from the client (commissioning-session.md)", .timeLimit(.minutes(1)))
struct HubSessionTests {
    private func session(_ hub: FakeHub) async throws -> HubSession {
        HubSession(try await HubConnection.connect(to: hub.target))
    }

    @Test func `prepare, commission with stages, configure, complete`() async throws {
        let hub = try FakeHub()
        let session = try await session(hub)
        let prepared = try await session.prepare(lifetime: .seconds(60))
        #expect(prepared.expiresIn == .seconds(600))
        #expect(hub.requests.last?.params["lifetimeMs"] == 60_000)
        let stages = Locked<[StageProgress]>([])
        let device = try await session.commission("MT:X", address: "[::1]:5540") { stage in
            stages.withLock { $0.append(stage) }
        }
        #expect(device.vendorID == 0xFFF1)
        #expect(device.stages.map(\.name) == ["discover", "pase", "complete"])
        #expect(device.elapsed == .milliseconds(30))
        let seen = stages.withLock { $0 }
        #expect(seen.map(\.name) == ["discover", "pase", "complete"])
        #expect(seen.map(\.index) == [1, 2, 3])
        let params = hub.requests.last?.params
        #expect(params?["address"] == "[::1]:5540")
        #expect(params?["deadlineMs"] == 120_000)
        #expect(hub.requests.last?.deadlineMs == 120_000)
        #expect(params?["clientKey"]?.string?.count == 32)
        try await session.configure(deviceName: "Lamp", roomName: "Kitchen")
        let ids = try await session.complete()
        let devices = try await session.connection.devices()
        #expect(ids.isSubset(of: devices.map(\.id)))
        #expect(ids.count == 1)
        await session.connection.close()
    }

    @Test func `the same client key gets the first answer`() async throws {
        let hub = try FakeHub()
        let session = try await session(hub)
        _ = try await session.prepare()
        let key = ClientKey.random()
        let first = try await session.commission("MT:X", clientKey: key)
        #expect(try await session.commission("MT:X", clientKey: key) == first)
        let ids = try await session.complete(clientKey: key)
        #expect(ids.count == 1)
        #expect(try await session.complete(clientKey: key) == ids)
        await session.connection.close()
    }

    @Test func `a grant without events commissions all the same`() async throws {
        let hub = try FakeHub()
        hub.on(.eventsSubscribe) { _ in .error(ControlError(.permissionDenied, "structure.read is missing")) }
        let session = try await session(hub)
        _ = try await session.prepare()
        _ = try await session.commission("MT:X") { stage in Issue.record("\(stage)") }
        await session.connection.close()
    }

    @Test func `a failure names stage, cause and what to do`() async throws {
        let hub = try FakeHub()
        let session = try await session(hub)
        _ = try await session.prepare()
        let error = await controlError { try await session.commission("MT:LOST") }
        #expect(error?.stage == "pase")
        #expect(error?.reason == "deviceVanished")
        #expect(error?.suggestedUserActions == [.checkDeviceAvailability])
        await session.connection.close()
    }

    @Test func `a cancelled commission is stopped at the hub`() async throws {
        let hub = try FakeHub()
        hub.on(.sessionCommission) { _ in .silence }
        let session = try await session(hub)
        let commissioning = Task { await controlError { try await session.commission("MT:X") { _ in } } }
        let asked = await hub.waitForRequests(.sessionCommission)
        commissioning.cancel()
        #expect(await commissioning.value?.code == .cancelled)
        let stopped = await hub.waitForRequests(.cancel)
        #expect(stopped.first?.params["id"]?.integer == asked.first?.id.rawValue)
        await session.connection.close()
    }

    @Test func `cancel, and what the session says of itself`() async throws {
        let hub = try FakeHub()
        hub.on(.sessionGet) { _ in
            .result([
                "session": "0000000000000001", "state": "commissioning", "owner": ["appId": "a", "appGroup": "g"],
                "startedMsAgo": 5, "expiresInMs": 100, "stage": "csr", "provisional": [["nodeId": "1"]],
                "lastError": "no answer",
            ])
        }
        let session = try await session(hub)
        _ = try await session.prepare()
        let info = try await session.info()
        #expect(info.owner == AppIdentity(appID: "a", appGroup: "g"))
        #expect(info.stage == "csr")
        #expect(info.provisionalCount == 1)
        #expect(info.lastError == "no answer")
        #expect(try await session.cancel() == CancelledSession(hadSession: true, device: .untouched))
        #expect(try await session.cancel(force: true).hadSession == false)
        #expect(hub.requests.last?.params == ["force": true])
        await session.connection.close()
    }
}
