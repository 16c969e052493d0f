import NetIO
import Testing

@Suite("BlockingTCPConnection and DedicatedThread", .timeLimit(.minutes(1)))
struct BlockingTCPConnectionTests {
    private typealias Outcome = Result<[UInt8], NetError>

    /// Runs blocking steps on a thread of their own, so that the servers of these tests keep the pool's.
    private func blocking(
        _ body: @escaping @Sendable (_ deadline: BlockingTCPConnection.Deadline) throws(NetError) -> [UInt8]
    ) async throws -> [UInt8] {
        let outcome = await DedicatedThread.call { @Sendable () -> Outcome in Self.outcome(patience, body) }
        return try #require(outcome).get()
    }

    private static func outcome(
        _ time: Duration, _ body: (BlockingTCPConnection.Deadline) throws(NetError) -> [UInt8]
    ) -> Outcome {
        do throws(NetError) { return .success(try body(.now + time)) } catch { return .failure(error) }
    }

    private static func readToEnd(
        _ connection: BlockingTCPConnection, _ deadline: BlockingTCPConnection.Deadline
    ) throws(NetError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let next = try connection.read(deadline: deadline)
            if next.isEmpty { return bytes }
            bytes += next
        }
    }

    @Test func `a crowd of blocked callers on the pool all get their answers`() async throws {
        let callers = 16
        let server = try ThreadedEchoServer(connections: callers)
        let address = server.address
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<callers {
                group.addTask {
                    let message = [UInt8](repeating: UInt8(index), count: 1000)
                    // Blocks a thread of the pool, as a face's synchronous call does.
                    let answer = DedicatedThread.run(limit: patience) { @Sendable () -> Outcome in
                        Self.outcome(patience) { deadline throws(NetError) in
                            let connection = try BlockingTCPConnection.connect(to: [address], deadline: deadline)
                            try connection.write(message, deadline: deadline)
                            try connection.finishWriting(deadline: deadline)
                            return try Self.readToEnd(connection, deadline)
                        }
                    }
                    return answer == .success(message)
                }
            }
            for await isRight in group { #expect(isRight) }
        }
        await server.finish()
    }

    @Test func `a body past its limit leaves its caller free`() async throws {
        let silent = try SilentListener()
        let address = silent.address
        let outcome = DedicatedThread.run(limit: .milliseconds(1)) { @Sendable () -> Outcome in
            Self.outcome(.milliseconds(50)) { deadline throws(NetError) in
                _ = try BlockingTCPConnection.connect(to: [address], deadline: deadline)
                return []
            }
        }
        #expect(outcome == nil)
        withExtendedLifetime(silent) {}
    }

    @Test func `TLS carries bytes both ways and a pin is checked`() async throws {
        let fixture = try TLSFixture()
        let listener = try TCPListener(addresses: [.loopbackV4])
        let (addresses, context, serverContext) = (listener.localAddresses, try fixture.client(), try fixture.server())
        let message = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        async let answer = blocking { deadline throws(NetError) in
            let connection = try BlockingTCPConnection.connect(to: addresses, deadline: deadline)
            try connection.startTLS(context, deadline: deadline)
            guard connection.authorityPin == fixture.authority.pin else { throw NetError(.untrusted, "test") }
            try connection.write(message, deadline: deadline)
            try connection.finishWriting(deadline: deadline)
            return try Self.readToEnd(connection, deadline)
        }
        let tcp = try #require(await listener.connections.first { _ in true })
        let server = try await handshake(tcp, serverContext)
        try await server.write(try await server.readToEnd())
        server.finishWriting()
        #expect(try await answer == message)
    }

    @Test func `another authority's pin ends the handshake, and the server is told`() async throws {
        let (fixture, other) = (try TLSFixture(), try TLSFixture())
        let listener = try TCPListener(addresses: [.loopbackV4])
        let (addresses, context, serverContext) = (listener.localAddresses, try other.client(), try fixture.server())
        async let refused: Void = expectNetError(.untrusted) {
            _ = try await blocking { deadline throws(NetError) in
                let connection = try BlockingTCPConnection.connect(to: addresses, deadline: deadline)
                try connection.startTLS(context, deadline: deadline)
                return []
            }
        }
        let tcp = try #require(await listener.connections.first { _ in true })
        await expectNetError(.handshakeFailed) { _ = try await handshake(tcp, serverContext) }
        await refused
    }

    @Test func `a stream without TLS's closing mark is truncated`() async throws {
        let fixture = try TLSFixture()
        let listener = try TCPListener(addresses: [.loopbackV4])
        let (addresses, context, serverContext) = (listener.localAddresses, try fixture.client(), try fixture.server())
        async let truncated: Void = expectNetError(.truncated) {
            _ = try await blocking { deadline throws(NetError) in
                let connection = try BlockingTCPConnection.connect(to: addresses, deadline: deadline)
                try connection.startTLS(context, deadline: deadline)
                return try Self.readToEnd(connection, deadline)
            }
        }
        let tcp = try #require(await listener.connections.first { _ in true })
        let server = try await handshake(tcp, serverContext)
        try await server.write([1, 2, 3])
        tcp.finishWriting()
        await truncated
    }

    @Test func `silence ends at the deadline`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4])
        let addresses = listener.localAddresses
        await expectNetError(.timedOut) {
            _ = try await blocking { _ throws(NetError) in
                let connection = try BlockingTCPConnection.connect(to: addresses, deadline: .now + patience)
                return try connection.read(deadline: .now + .milliseconds(20))
            }
        }
        await expectNetError(.timedOut) {
            _ = try await blocking { _ throws(NetError) in
                let connection = try BlockingTCPConnection.connect(to: addresses, deadline: .now + patience)
                let bytes = [UInt8](repeating: 0, count: 30_000_000)
                try connection.write(bytes, deadline: .now + .milliseconds(20))
                return []
            }
        }
        withExtendedLifetime(listener) {}
    }

    @Test func `connecting is refused, times out, or goes to the address that answers`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4])
        let silent = try SilentListener()
        let (good, silentAddress) = (listener.localAddresses[0], silent.address)
        let closedPort = try ClosedPort(.loopbackV6)
        let closed = closedPort.address
        await expectNetError(.refused) {
            _ = try await blocking { deadline throws(NetError) in
                _ = try BlockingTCPConnection.connect(to: [closed], deadline: deadline)
                return []
            }
        }
        await expectNetError(.timedOut) {
            _ = try await blocking { _ throws(NetError) in
                _ = try BlockingTCPConnection.connect(to: [silentAddress], deadline: .now + .milliseconds(20))
                return []
            }
        }
        _ = try await blocking { deadline throws(NetError) in
            let connection = try BlockingTCPConnection.connect(to: [closed, silentAddress, good], deadline: deadline)
            #expect(connection.peerAddress == good)
            return []
        }
        withExtendedLifetime((closedPort, silent, listener)) {}
    }
}
