import HubControl
import MatterNode
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import Hub

@Suite("Subscriptions to devices (Protocols/hub-control.md §5)", .timeLimit(.minutes(1))) struct SubscriptionTests {
    private static let onOff = ConcreteAttributePath(
        endpoint: EndpointID(rawValue: 1), cluster: .onOff, attribute: AttributeID(rawValue: 0))
    private static let controlling: GrantScopes = [.commissioning, .structureRead, .deviceControl]

    private static func report(_ on: Bool, endpoint: UInt16 = 1, cluster: ClusterID = .onOff) -> AttributeReport {
        .data(
            path: ConcreteAttributePath(
                endpoint: EndpointID(rawValue: endpoint), cluster: cluster, attribute: AttributeID(rawValue: 0)),
            version: DataVersion(rawValue: 1), value: .bool(on))
    }

    /// A server with one device, and a client that may control it.
    private func withDevice(
        _ body: (TestServer, TestClient, DeviceRecord) async throws -> Void
    ) async throws {
        try await withServer { server in
            let phone = try await server.hub.connectedApp(TestHub.other)
            _ = try await server.hub.prepare(phone)
            _ = try await server.hub.commission(phone)
            _ = try await server.hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await server.hub.devices.first)
            await server.hub.matter.answerSubscriptions(with: [Self.report(false)])
            try await body(server, try await server.client(scopes: Self.controlling), device)
        }
    }

    private func error(_ body: () async throws -> JSONObject) async -> ControlError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? ControlError
        }
    }

    private func events(_ client: TestClient, named name: String) async -> [ControlEvent] {
        await client.events.filter { $0.name == name }
    }

    // MARK: - Over the wire

    @Test func `the answer has the values, the events what changes, cluster by cluster`() async throws {
        try await withDevice { server, client, device in
            let answer = try await client.call(.devicesSubscribe, ["id": device.id.json, "cluster": 6])
            #expect(answer["subscription"]?.integer == 1)
            #expect(
                answer["attributes"]
                    == [["endpoint": 1, "cluster": 6, "attribute": 0, "value": false] as JSONValue])
            #expect(
                await server.hub.matter.feeds.values.first?.paths
                    == [AttributePath(cluster: ClusterID(rawValue: 6))])
            await server.hub.matter.tell(
                device.node,
                .changed([
                    Self.report(true), Self.report(true, cluster: .levelControl), Self.report(false, endpoint: 2),
                ]))
            _ = await client.event { $0.data["endpoint"]?.integer == 2 }
            let events = await events(client, named: "device.attributes")
            #expect(events.map(\.subscription) == [1, 1, 1].map { SubscriptionNumber(rawValue: $0) })
            #expect(events.map(\.structure) == [TestHub.structure, TestHub.structure, TestHub.structure])
            #expect(
                events.first?.data == [
                    "id": device.id.json, "endpoint": 1, "cluster": 6,
                    "attributes": [["attribute": 0, "value": true] as JSONValue],
                ])
            #expect(events.map { $0.data["cluster"]?.integer } == [6, 8, 6])
        }
    }

    @Test func `unsubscribe ends it once, without an event`() async throws {
        try await withDevice { server, client, device in
            _ = try await client.call(.devicesSubscribe, ["id": device.id.json])
            #expect(try await client.call(.devicesUnsubscribe, ["subscription": 1]) == [:])
            #expect(await server.hub.matter.feeds.isEmpty)
            let again = await error { try await client.call(.devicesUnsubscribe, ["subscription": 1]) }
            #expect(again?.code == .notFound)
            #expect(again?.reason == "noSubscription")
            #expect(try await client.call(.devicesSubscribe, ["id": device.id.json])["subscription"]?.integer == 2)
            #expect(await client.events.isEmpty)
        }
    }

    @Test func `a connection that ends takes its subscriptions along, another one's stay`() async throws {
        try await withDevice { server, client, device in
            let second = try await server.client(scopes: Self.controlling)
            _ = try await client.call(.devicesSubscribe, ["id": device.id.json])
            _ = try await second.call(.devicesSubscribe, ["id": device.id.json])
            #expect(await server.hub.matter.feeds.count == 2)
            await client.drop()
            await eventually("the subscription is gone") { await server.hub.matter.feeds.count == 1 }
            await server.hub.matter.tell(device.node, .changed([Self.report(true)]))
            #expect(await second.event { $0.name == "device.attributes" } != nil)
        }
    }

    @Test func `a device that falls silent and comes back is told once to the home`() async throws {
        try await withDevice { server, client, device in
            let second = try await server.client(scopes: Self.controlling)
            _ = try await client.call(.devicesSubscribe, ["id": device.id.json])
            _ = try await second.call(.devicesSubscribe, ["id": device.id.json])
            let number = await server.hub.service.eventRange(of: TestHub.structure).newest
            _ = try await client.call(.eventsSubscribe)
            for isReachable in [false, true] {
                await server.hub.matter.tell(device.node, .reachable(isReachable))
                let event = await client.event { $0.data["reachable"]?.bool == isReachable }
                #expect(event?.name == "device.changed")
                #expect(event?.data["id"] == device.id.json)
                #expect(event?.subscription == nil)
            }
            _ = try await second.call(.devicesUnsubscribe, ["subscription": 1])
            #expect(await server.hub.events(from: number + 1) == ["device.changed", "device.changed"])
        }
    }

    @Test func `the end says why: device removed, hub offline`() async throws {
        try await withDevice { server, client, device in
            _ = try await client.call(.devicesSubscribe, ["id": device.id.json])
            await server.hub.service.setReachable(false)
            let offline = await client.event { $0.name == "subscription.ended" }
            #expect(offline?.data == ["id": device.id.json, "reason": "hubOffline"])
            #expect(offline?.subscription == SubscriptionNumber(rawValue: 1))
            let refused = await error { try await client.call(.devicesSubscribe, ["id": device.id.json]) }
            #expect(refused?.reason == "hubOffline")
            await server.hub.service.setReachable(true)
            _ = try await client.call(.devicesSubscribe, ["id": device.id.json])
            _ = try await client.call(.devicesRemove, ["id": device.id.json])
            let removed = await client.event { $0.data["reason"]?.string == "deviceRemoved" }
            #expect(removed?.subscription == SubscriptionNumber(rawValue: 2))
            #expect(await server.hub.matter.feeds.isEmpty)
            let gone = await error { try await client.call(.devicesSubscribe, ["id": device.id.json]) }
            #expect(gone?.reason == "noDevice")
        }
    }

    @Test func `a device that does not answer refuses, and nothing is left`() async throws {
        try await withDevice { server, client, device in
            await server.hub.matter.answerSubscriptions(
                with: [], refusal: ControlError(.unavailable, "silent", details: ["reason": "deviceUnreachable"]))
            let refused = await error { try await client.call(.devicesSubscribe, ["id": device.id.json]) }
            #expect(refused?.code == .unavailable)
            #expect(refused?.reason == "deviceUnreachable")
            #expect(await server.hub.service.followers.isEmpty)
        }
    }

    @Test func `revoking the grant ends its subscriptions with the connection`() async throws {
        try await withDevice { server, client, device in
            _ = try await client.call(.devicesSubscribe, ["id": device.id.json])
            let grant = try #require(await client.welcome?.grant?.id)
            try await server.hub.service.revokeGrant(grant, in: TestHub.structure)
            #expect(await client.end()?.code == .unauthenticated)
            await eventually("the subscription is gone") { await server.hub.matter.feeds.isEmpty }
        }
    }

    @Test func `a connection has at most 64`() async throws {
        try await withDevice { server, client, device in
            for number in 1...64 {
                let answer = try await client.call(.devicesSubscribe, ["id": device.id.json])
                #expect(answer["subscription"]?.integer == Int64(number))
            }
            let full = await error { try await client.call(.devicesSubscribe, ["id": device.id.json]) }
            #expect(full?.code == .resourceExhausted)
            #expect(full?.message.contains("64") == true)
            _ = try await client.call(.devicesUnsubscribe, ["subscription": 7])
            #expect(try await client.call(.devicesSubscribe, ["id": device.id.json])["subscription"]?.integer == 65)
        }
    }

    // MARK: - With a real light

    @Test func `a change made by one app reaches another`() async throws {
        let home = try Home()
        try await home.withLight { _ in
            try await LightHub.run(home, in: TemporaryFolder()) { hub in
                let id = try await hub.addLight("k")
                let path = AttributePath(endpoint: EndpointID(rawValue: 1), cluster: .onOff)
                let feed = try await hub.service.follow(path, of: id, by: hub.caller)
                #expect(feed.current.contains { $0.isOnOff(false) })
                var updates = feed.updates.makeAsyncIterator()
                for on in [true, false] {
                    _ = try await hub.service.invoke(
                        home.command(on ? 1 : 0), fields: .structure([]), timeout: nil, on: id, by: hub.caller)
                    let update = await home.whileTimePasses { await updates.next(isolation: nil) }
                    guard case .attributes(let reports)? = update else {
                        Issue.record("\(String(describing: update))")
                        return
                    }
                    #expect(reports.contains { $0.isOnOff(on) })
                }
                await hub.service.unfollow(feed.number)
                #expect(await updates.next() == nil)
            }
        }
    }
}

extension AttributeReport {
    fileprivate func isOnOff(_ on: Bool) -> Bool {
        if case .data(Home.onOff, _, .bool(on)) = self { return true }
        return false
    }
}
