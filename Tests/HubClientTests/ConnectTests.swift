import FakeHub
import HubControl
import NetIO
import TestSupport
import Testing

@testable import HubClient

extension FakeHub {
    /// Where it listens.
    var hubAddress: HubAddress { HubAddress(host: "127.0.0.1", port: port) }
    func target(_ security: HubSecurity) -> HubTarget { HubTarget([hubAddress], security, client: "test/1") }
    /// TLS with the grant.
    var target: HubTarget { target(.tls(grant)) }
}

/// Expects a `ControlError` and gives it.
func controlError<R>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
) async -> ControlError? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as ControlError {
        return error
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
    return nil
}

@Suite("Connecting to a hub (hub-control.md §1–3)", .timeLimit(.minutes(1)))
struct ConnectTests {
    @Test func `with a grant the hub is checked, then told the grant`() async throws {
        let hub = try FakeHub()
        let connection = try await HubConnection.connect(to: hub.target)
        #expect(connection.welcome.hub.id == FakeHub.id)
        #expect(connection.welcome.structures.map(\.id) == [FakeHub.structure])
        #expect(connection.authorityHash == hub.authority.pin)
        #expect(connection.address == hub.hubAddress)
        #expect(hub.hellos == [Hello(client: "test/1", grant: hub.grant.text)])
        #expect(await connection.isOpen)
        await connection.close()
        #expect(await !connection.isOpen)
    }

    @Test func `another hub is refused before a byte of the grant is sent`() async throws {
        let (hub, other) = (try FakeHub(), try FakeHub())
        let error = await controlError { try await HubConnection.connect(to: hub.target(.tls(other.grant))) }
        #expect(error?.code == .unauthenticated)
        #expect(error?.reason == ClientReason.wrongHub)
        #expect(error?.message.contains("the grant was not sent") == true)
        await hub.waitForNoConnection()
        #expect(hub.hellos.isEmpty)
    }

    @Test func `without a grant any authority will do, and nothing secret is said`() async throws {
        let hub = try FakeHub()
        let connection = try await HubConnection.connect(to: hub.target(.tlsWithoutGrant))
        #expect(connection.welcome.grant == nil)
        #expect(connection.authorityHash == hub.authority.pin)
        #expect(hub.hellos == [Hello(client: "test/1")])
        await connection.close()
    }

    @Test func `a plain connection carries the grant only when told to`() async throws {
        let hub = try FakeHub()
        let plain = try await HubConnection.connect(to: hub.target(.plain))
        #expect(plain.authorityHash == nil)
        let telling = try await HubConnection.connect(to: hub.target(.plainSending(hub.grant)))
        #expect(telling.welcome.grant?.id == hub.grant.id)
        #expect(hub.hellos.map(\.grant) == [nil, hub.grant.text])
        await plain.close()
        await telling.close()
    }

    @Test func `settings never send a grant over plain by themselves`() throws {
        let grant = try FakeHub().grant
        var settings = try ClientSettings(environment: ["MATTERHUB_HUB": "[::1]:77", "HOME": "/h"])
        #expect(settings.hub == HubAddress(host: "::1", port: 77))
        #expect(settings.folder.path == "/h/.local/state/matterhub")
        #expect(settings.security(grant) == .tls(grant))
        #expect(settings.security(nil) == .tlsWithoutGrant)
        settings.isPlain = true
        #expect(settings.security(grant) == .plain)
        settings.sendsGrantOverPlain = true
        #expect(settings.security(grant) == .plainSending(grant))
        #expect(settings.security(nil) == .plain)
        #expect(throws: ControlError.self) { try ClientSettings(environment: ["MATTERHUB_HUB": "a b"]) }
    }

    @Test func `a revoked grant is refused with what the hub says`() async throws {
        let hub = try FakeHub()
        hub.revoke()
        let error = await controlError { try await HubConnection.connect(to: hub.target) }
        #expect(error?.code == .unauthenticated)
        #expect(error?.reason == ClientReason.badGrant)
        #expect(error?.message == "this grant is unknown, wrong or revoked")
    }

    @Test func `nobody listens`() async throws {
        let hub = try FakeHub()
        let address = hub.hubAddress
        withExtendedLifetime(hub) {}
        let closed = HubAddress(host: "127.0.0.2", port: address.port)
        let error = await controlError { try await HubConnection.connect(to: HubTarget([closed], .plain)) }
        #expect(error?.code == .unavailable)
        #expect(error?.reason == ClientReason.hubUnreachable)
        #expect(error?.suggestedUserActions.first == .checkHubAvailability)
    }

    @Test func `another address of the hub is tried too`() async throws {
        let hub = try FakeHub()
        let closed = HubAddress(host: "127.0.0.2", port: hub.hubAddress.port)
        let connection = try await HubConnection.connect(
            to: HubTarget([closed, hub.hubAddress], .tls(hub.grant)))
        #expect(connection.address == hub.hubAddress)
        await connection.close()
    }

    @Test func `something else than a hub`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4])
        let address = HubAddress(host: "127.0.0.1", port: listener.port)
        for security in [HubSecurity.tlsWithoutGrant, .plain] {
            async let refused = controlError { try await HubConnection.connect(to: HubTarget([address], security)) }
            let tcp = try #require(await listener.connections.first { _ in true })
            _ = try await tcp.read()
            try await tcp.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            await tcp.closeAfterFlush(timeout: .seconds(5), clock: DriverClock())
            let error = await refused
            #expect(error?.code == .unavailable || error?.code == .internal)
            #expect(error?.reason == (security == .plain ? ClientReason.hubUnreachable : ClientReason.notAHub))
        }
    }

    @Test func `a hub that says nothing`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4])
        let target = HubTarget([HubAddress(host: "127.0.0.1", port: listener.port)], .plain)
        let clock = ManualClock()
        async let refused = controlError {
            try await HubConnection.connect(to: target, limit: .seconds(10), clock: DriverClock(clock))
        }
        let tcp = try #require(await listener.connections.first { _ in true })
        _ = try await tcp.read()
        await clock.advance(by: .seconds(10))
        let error = await refused
        #expect(error?.code == .unavailable)
        tcp.close()
    }
}
