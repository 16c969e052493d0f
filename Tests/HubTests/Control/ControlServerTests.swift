import HubControl
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

@Suite("ControlServer: who may come in (Protocols/hub-control.md §1 … §3)", .timeLimit(.minutes(1)))
struct ControlServerAdmissionTests {
    @Test func `garbage first bytes close the connection, say why in the log and harm nobody`() async throws {
        try await withServer { server in
            for garbage: [UInt8] in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [0], [0xFF, 0x16]] {
                let tcp = try await server.tcp()
                try await tcp.write(garbage)
                #expect(try await tcp.read(atMost: 100) == [])
            }
            await eventually("three lines") { server.log.filter { $0.contains("neither TLS nor") }.count == 3 }
            let client = try await server.client()
            #expect(try await client.call(.hubInfo)["name"]?.string == "Hub")
        }
    }

    @Test func `TLS that is garbage after its first byte ends with an alert`() async throws {
        try await withServer { server in
            let tcp = try await server.tcp()
            try await tcp.write([0x16, 3, 1, 0, 5, 1, 2, 3, 4, 5])
            await eventually("it is closed") {
                // Reads the alert first; an error is an end too.
                ((try? await tcp.read(atMost: 100)) ?? []).isEmpty
            }
            tcp.close()
            await eventually("nothing is left") { server.server.connectionCount == 0 }
        }
    }

    @Test func `a plain connection is refused in plain words unless the hub allows it`() async throws {
        try await withServer { server in
            let client = TestClient(try await server.tcp())
            try await client.hello(nil)
            let goaway = await client.end()
            #expect(goaway?.code == .permissionDenied)
            #expect(goaway?.message.contains("TLS") == true)
            #expect(await client.welcome == nil)
        }
        try await withServer(allowsPlain: true) { server in
            let client = TestClient(try await server.tcp())
            try await client.hello(nil)
            #expect(await client.welcome?.hub.name == "Hub")
        }
    }

    @Test func `a plain connection that does not come from this machine's loopback is refused even then`() async throws
    {
        // The machine's own address: what goes there does not leave the machine, and does not come from loopback.
        let own = try NetworkInterface.all().filter { !$0.isLoopback }.flatMap(\.addresses).map(\.ip).first(
            where: \.isV4)
        guard let own else { return }
        try await withServer(allowsPlain: true, addresses: [own]) { server in
            let client = TestClient(try await server.tcp())
            try await client.hello(nil)
            #expect(await client.end()?.code == .permissionDenied)
            let secure = try await server.client()
            #expect(await secure.welcome != nil)
        }
    }

    @Test func `a wrong, unknown or malformed grant is sent away`() async throws {
        try await withServer { server in
            let good = try await server.hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: .commissioning)
            var secret = good.secret
            secret[0] ^= 1
            let revoked = try await server.hub.service.createGrant(
                app: TestHub.phone, structure: TestHub.structure, scopes: .commissioning)
            try await server.hub.service.revokeGrant(revoked.id, in: TestHub.structure)
            for text in [
                GrantToken(authorityHash: good.authorityHash, id: good.id, secret: secret).text,
                GrantToken(authorityHash: good.authorityHash, id: GrantID(rawValue: 1), secret: secret).text,
                revoked.text, "mh1.x.y.z", "",
            ] {
                let client = TestClient(try await server.tls())
                try await client.hello(text)
                #expect(await client.end()?.code == .unauthenticated, "\(text)")
                #expect(await client.welcome == nil)
            }
            #expect(await server.hub.service.connections.isEmpty)
        }
    }

    @Test func `a welcome says who the hub is and what the grant covers`() async throws {
        try await withServer { server in
            _ = try await server.hub.service.createRoom(named: "Room", by: try await server.hub.app())
            let client = try await server.client()
            let welcome = try #require(await client.welcome)
            #expect(welcome.version == "1.1")
            #expect(welcome.hub.id == HubID(rawValue: 1))
            #expect(welcome.structures.map(\.name) == ["Home"])
            #expect(welcome.grant?.app == TestHub.phone)
            #expect(welcome.grant?.scopes == [.commissioning, .structureRead])
            #expect(welcome.maximumPayload == 1_048_576)
            #expect(welcome.events == .init(epoch: server.hub.service.eventEpoch, oldest: 1, newest: 1))
            let stranger = try await server.client(scopes: nil)
            #expect(await stranger.welcome?.structures == [])
            #expect(await stranger.welcome?.grant == nil)
            #expect(await stranger.welcome?.events == nil)
        }
    }

    @Test(
        arguments: [
            ([0x4D, 0x48, 0x55, 0x42, 9], ControlErrorCode.unimplemented, "version 1"),
            ([0x4D, 0x48, 0x55, 0x43, 1], .invalidArgument, "MHUB"),
            (ControlPreface.bytes + [0, 0x10, 0, 1, 1, 0], .resourceExhausted, "1048577"),
            (ControlPreface.bytes + [0xFF, 0xFF, 0xFF, 0xFF, 1, 0], .resourceExhausted, "4294967295"),
            (ControlPreface.bytes + [0, 0, 0, 2, 1, 0] + Array("[]".utf8), .invalidArgument, "no JSON object"),
            (ControlPreface.bytes + [0, 0, 0, 2, 3, 0] + Array("{}".utf8), .invalidArgument, "id"),
            (
                ControlPreface.bytes + ControlMessage.ping(Array("{}".utf8)).frame.encoded(), .failedPrecondition,
                "hello"
            ),
        ] as [([UInt8], ControlErrorCode, String)])
    func `bytes that break the protocol end with a goaway that says why`(
        _ bytes: [UInt8], _ code: ControlErrorCode, _ words: String
    ) async throws {
        try await withServer { server in
            let client = TestClient(try await server.tls())
            try await client.write(bytes)
            let goaway = await client.end()
            #expect(goaway?.code == code)
            #expect(goaway?.message.contains(words) == true, "\(goaway?.message ?? "")")
            await client.drop()
            await eventually("nothing is left") { server.server.connectionCount == 0 }
        }
    }

    @Test func `more connections than allowed from one address are sent away, and a place that is free is given`()
        async throws
    {
        try await withServer(configure: { $0.connectionsFromLoopback = 2 }) { server in
            let one = try await server.client()
            let two = try await server.client()
            let three = TestClient(try await server.tls())
            try await three.hello(nil)
            #expect(await three.end()?.code == .resourceExhausted)
            await one.drop()
            await three.drop()
            await eventually("a place is free") { server.server.connectionCount == 1 }
            let four = try await server.client()
            #expect(await four.welcome != nil)
            _ = two
        }
    }

    // MARK: - Time

    @Test func `who says nothing, half a TLS handshake, or no hello is closed 10 seconds after the accept`()
        async throws
    {
        try await withServer { server in
            let silent = try await server.tcp()
            let half = try await server.tcp()
            try await half.write([0x16])
            let mute = TestClient(try await server.tls())
            await eventually("all three are there") { server.server.connectionCount == 3 }
            // The client's end of a handshake is earlier than the hub's.
            await eventually("one can be spoken to") { server.server.establishedCount == 1 }
            await server.hub.clock.advance(by: .seconds(10))
            #expect(await mute.end()?.code == .deadlineExceeded)
            #expect(try await silent.read(atMost: 10) == [])
            await eventually("the half one is closed") { ((try? await half.read(atMost: 100)) ?? []).isEmpty }
            await mute.drop()
            silent.close()
            half.close()
            await eventually("nothing is left") { server.server.connectionCount == 0 }
        }
    }

    @Test func `a slow handshake does not lengthen the time for hello`() async throws {
        try await withServer { server in
            let tcp = try await server.tcp()
            await eventually("it is there") { server.server.connectionCount == 1 }
            await server.hub.clock.advance(by: .seconds(8))
            let tls = try await TLSConnection.establish(
                over: tcp,
                try TLSContext.client(trust: .pinned(TestHub.authority.pin), applicationProtocol: "matterhub/1"))
            let client = TestClient(tls)
            await server.hub.clock.advance(by: .seconds(2))
            #expect(await client.end()?.code == .deadlineExceeded)
        }
    }

    @Test func `a silent client is asked after 30 seconds and given up after 90`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let reading = Task { await client.end() }
            await server.hub.clock.advance(by: .seconds(30))
            await eventually("a ping") { await client.pings == 1 }
            await server.hub.clock.advance(by: .seconds(60))
            #expect(await reading.value?.code == .deadlineExceeded)
        }
    }

    @Test func `a client that does not end its side is closed after the farewell time`() async throws {
        try await withServer { server in
            let tls = try await server.tls()
            let client = TestClient(tls)
            try await client.write(ControlPreface.bytes + [0, 0, 0, 2, 1, 0] + Array("[]".utf8))
            #expect(await client.end()?.code == .invalidArgument)
            #expect(server.server.connectionCount == 1)
            await server.hub.clock.advance(by: .seconds(1))
            await eventually("nothing is left") { server.server.connectionCount == 0 }
        }
    }

    @Test func `a client that does not read is dropped, with the reason in the log`() async throws {
        try await withServer(writeQueueLimit: 65_536) { server in
            let client = try await server.client()
            let payload: JSONObject = ["x": .string(String(repeating: "x", count: 200_000))]
            let ping = ControlMessage.ping(payload.encoded()).frame.encoded()
            do {
                for _ in 0..<200 { try await client.write(ping) }
                Issue.record("the hub took everything")
            } catch {
                // Reset, or closed: either way we are out.
            }
            await eventually("the reason") { server.log.contains { $0.contains("reads too slowly") } }
            await eventually("nothing is left") { server.server.connectionCount == 0 }
            #expect(await server.hub.service.connections.isEmpty)
        }
    }

    // MARK: - Stop

    @Test func `a hub that stops says goaway to everyone and leaves nothing open`() async throws {
        try await withHub { hub in
            let server = try TestServer(hub)
            let serving = Task { await server.server.run() }
            let clients = [try await server.client(), try await server.client(TestHub.other)]
            let unfinished = try await server.tcp()
            try await unfinished.write([0x16])
            let waiting = try await clients[0].send(
                .grantsRequest, ["appId": "a", "appGroup": "g", "scopes": ["commissioning"]])
            await eventually("it waits") { await hub.service.pendingGrants.count == 1 }
            serving.cancel()
            for client in clients {
                #expect(await client.end() == Goaway(code: .unavailable, message: "the hub is stopping"))
                await client.drop()
            }
            let error = await #expect(throws: ControlError.self) { try await clients[0].answer(to: waiting) }
            #expect(error?.code == .unavailable)
            unfinished.close()
            await serving.value
            #expect(server.server.connectionCount == 0)
            await #expect(throws: NetError.self) { try await server.tcp() }
            await eventually("nobody asks any more") { await hub.service.pendingGrants.isEmpty }
        }
    }

    @Test func `a hub that stops does not wait for a client that does not close`() async throws {
        try await withHub { hub in
            let server = try TestServer(hub)
            let serving = Task { await server.server.run() }
            let client = try await server.client()
            serving.cancel()
            #expect(await client.end()?.code == .unavailable)
            await hub.clock.advance(by: .seconds(1))
            await serving.value
        }
    }

    @Test func `many connections come and go and leave nothing behind`() async throws {
        try await withServer { server in
            for round in 0..<20 {
                let client = try await server.client()
                _ = try await client.call(.roomsList)
                _ = try await client.call(.eventsSubscribe)
                if round % 2 == 0 { await client.drop() } else { client.channel.finishWriting() }
            }
            await eventually("nothing is left") { server.server.connectionCount == 0 }
            await eventually("nobody is connected") { await server.hub.service.connections.isEmpty }
            // A stream that ended tells the service in its own task, after the connection is gone.
            await eventually("nobody is subscribed") {
                await server.hub.service.runtimes[TestHub.structure]?.subscribers.isEmpty == true
            }
        }
    }
}
