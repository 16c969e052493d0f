import NetIO
import Testing

@Suite("TLSConnection against a hostile peer", .timeLimit(.minutes(1))) struct TLSHostilePeerTests {
    private let fixture: TLSFixture

    init() throws { fixture = try TLSFixture.shared.get() }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "MHUB1", String(repeating: "\u{16}\u{3}", count: 3000)])
    func `garbage instead of a handshake is refused`(_ garbage: String) async throws {
        let tcp = try await connectedPair()
        try await tcp.client.write(Array(garbage.utf8))
        tcp.client.finishWriting()
        let context = try fixture.server()
        do {
            _ = try await handshake(tcp.server, context)
            Issue.record("garbage made a handshake")
        } catch {
            #expect(error.code == .handshakeFailed || error.code == .truncated, "\(error)")
        }
        _ = try await tcp.client.readToEnd()
    }

    @Test func `a peer that says nothing is dropped at the time limit`() async throws {
        let tcp = try await connectedPair()
        let context = try fixture.server()
        await expectNetError(.timedOut) {
            _ = try await TLSConnection.establish(over: tcp.server, context, timeout: .milliseconds(30))
        }
        #expect(try await tcp.client.readToEnd() == [])
    }

    @Test func `a peer that leaves in the handshake is noticed`() async throws {
        let tcp = try await connectedPair()
        let context = try fixture.client()
        tcp.server.finishWriting()
        await expectNetError(.truncated) { _ = try await handshake(tcp.client, context) }
    }

    @Test(arguments: 0..<40)
    func `a connection cut anywhere never looks complete`(_ step: Int) async throws {
        let relay = try await Relay(fixture)
        try await relay.server.write([UInt8](repeating: 1, count: 200))
        relay.server.finishWriting()
        let ciphertext = try await relay.fromServer.readToEnd()
        let cut = step * ciphertext.count / 40
        try await relay.toClient.write(Array(ciphertext[..<cut]))
        relay.toClient.finishWriting()
        await expectNetError(.truncated) { _ = try await relay.client.readToEnd() }
    }

    @Test(arguments: 0..<40)
    func `a changed byte is never delivered`(_ step: Int) async throws {
        let relay = try await Relay(fixture)
        let message = [UInt8](repeating: 1, count: 200)
        try await relay.server.write(message)
        relay.server.finishWriting()
        var ciphertext = try await relay.fromServer.readToEnd()
        ciphertext[step * ciphertext.count / 40] ^= 0x20
        try await relay.toClient.write(ciphertext)
        relay.toClient.finishWriting()
        do {
            #expect(try await relay.client.read(exactly: 200) == message)
            _ = try await relay.client.readToEnd()
            Issue.record("a changed stream ended well")
        } catch {
            #expect(error.code == .protocolViolation || error.code == .truncated, "\(error)")
        }
    }

    /// A client and a server with a man between them, who relays the handshake and then does as the test likes.
    private struct Relay {
        let client: TLSConnection
        let server: TLSConnection
        /// Where the server's ciphertext comes out.
        let fromServer: TCPConnection
        /// Where the client's ciphertext comes from.
        let toClient: TCPConnection

        init(_ fixture: TLSFixture) async throws {
            let (near, toClient) = try await connectedPair()
            let (fromServer, far) = try await connectedPair()
            let (serverContext, clientContext) = (try fixture.server(), try fixture.client())
            async let server = handshake(far, serverContext)
            async let client = handshake(near, clientContext)
            let relayed = Task {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (source, sink) in [(toClient, fromServer), (fromServer, toClient)] {
                        group.addTask { while true { try await sink.write(try await source.read()) } }
                    }
                    try await group.next()
                }
            }
            (self.client, self.server) = (try await client, try await server)
            relayed.cancel()
            _ = await relayed.result
            (self.fromServer, self.toClient) = (fromServer, toClient)
        }
    }
}
