import FakeHub
import Foundation
import HubControl
import NetIO
import Testing

@testable import HubClient

@Suite("Blocking calls to a hub", .timeLimit(.minutes(1)))
struct BlockingHubConnectionTests {
    @Test @MainActor func `a call from the main actor`() throws {
        let hub = try FakeHub()
        let rooms = try BlockingHubConnection(hub.target).call(.rooms())
        #expect(rooms.map(\.name) == ["Kitchen", "Hall"])
        #expect(hub.hellos.map(\.grant) == [hub.grant.text])
    }

    @Test func `calls from four times as many tasks as cores at once`() async throws {
        let hub = try FakeHub()
        let connection = BlockingHubConnection(hub.target, limit: .seconds(30))
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount
        let answers = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<count {
                // No error is expected; a wrong count below says so.
                group.addTask { try? connection.call(.rooms()).count }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: 2, count: count))
        #expect(hub.connectionCount == count)
    }

    @Test func `the wrong hub is refused before the grant is sent`() async throws {
        let (hub, other) = (try FakeHub(), try FakeHub())
        let connection = BlockingHubConnection(hub.target(.tls(other.grant)))
        #expect(await controlError { try connection.call(.rooms()) }?.reason == ClientReason.wrongHub)
        #expect(hub.hellos.isEmpty)
    }

    @Test func `the hub's error comes as it is`() async throws {
        let hub = try FakeHub()
        let error = await controlError {
            try BlockingHubConnection(hub.target).call(.completeSession(clientKey: .random()))
        }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.reason == "noSession")
    }

    @Test func `a silent hub is unavailable when the time is over`() async throws {
        let hub = try FakeHub()
        hub.on(.roomsList) { _ in .silence }
        let connection = BlockingHubConnection(hub.target, limit: .milliseconds(800))
        let error = await controlError { try connection.call(.rooms()) }
        #expect(error?.code == .unavailable)
        #expect(error?.reason == ClientReason.noAnswer)
    }

    @Test func `a broken connection may have done it`() async throws {
        let hub = try FakeHub()
        hub.on(.sessionComplete) { _ in .drop }
        let error = await controlError {
            try BlockingHubConnection(hub.target).call(.completeSession(clientKey: .random()))
        }
        #expect(error?.code == .unavailable)
    }

    @Test func `a revoked grant, a goaway, and nobody there`() async throws {
        let hub = try FakeHub()
        hub.on(.roomsList) { _ in .goaway(Goaway(code: .resourceExhausted, message: "too many connections")) }
        let connection = BlockingHubConnection(hub.target)
        #expect(await controlError { try connection.call(.rooms()) }?.code == .resourceExhausted)
        hub.revoke()
        #expect(await controlError { try connection.call(.rooms()) }?.reason == ClientReason.badGrant)
        let nobody = BlockingHubConnection(
            HubTarget([HubAddress(host: "127.0.0.2", port: hub.hubAddress.port)], .tls(hub.grant)))
        #expect(await controlError { try nobody.call(.rooms()) }?.reason == ClientReason.hubUnreachable)
    }
}
