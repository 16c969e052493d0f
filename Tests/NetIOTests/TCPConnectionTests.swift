import NetIO
import Testing

@Suite("TCPConnection", .timeLimit(.minutes(1))) struct TCPConnectionTests {
    @Test(arguments: [IPAddress.loopbackV4, .loopbackV6])
    func `bytes go both ways and each direction ends alone`(_ ip: IPAddress) async throws {
        let listener = try TCPListener()
        let address = SocketAddress(ip: ip, port: listener.port)
        let client = try await TCPConnection.connect(to: [address], timeout: patience)
        let server = try #require(await listener.connections.first { _ in true })
        #expect(server.peerAddress == client.localAddress)
        #expect(client.peerAddress == address)
        try await client.write([1, 2, 3])
        client.finishWriting()
        #expect(try await server.readToEnd() == [1, 2, 3])
        #expect(try await server.read() == [])
        try await server.write([4, 5])
        server.finishWriting()
        #expect(try await client.readToEnd() == [4, 5])
        await expectNetError(.closed) { try await client.write([9]) }
    }

    @Test func `a read returns what is there, in parts of the size that was asked for`() async throws {
        let (client, server) = try await connectedPair()
        try await client.write([1, 2, 3, 4, 5])
        #expect(try await server.read(atMost: 2) == [1, 2])
        #expect(try await server.read(atMost: 2) == [3, 4])
        #expect(try await server.read(atMost: 2) == [5])
        async let waiting = server.read(atMost: 9)
        try await client.write([6])
        #expect(try await waiting == [6])
    }

    @Test func `a large message arrives whole through a full queue`() async throws {
        let (client, server) = try await connectedPair(writeQueueLimit: 10_000)
        let message = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        async let received = server.readToEnd()
        for start in stride(from: 0, to: message.count, by: 25_000) {
            try await client.write(Array(message[start..<start + 25_000]))
        }
        try await client.drain()
        #expect(client.queuedBytes == 0)
        client.finishWriting()
        #expect(try await received == message)
    }

    @Test func `a peer that doesn't read fills the queue up to its limit and no further`() async throws {
        let (client, server) = try await connectedPair(writeQueueLimit: 100_000)
        let piece = [UInt8](repeating: 7, count: 30_000)
        var sent = 0
        await expectNetError(.wouldBlock) {
            while true {
                try client.enqueue(piece)
                sent += piece.count
                #expect(client.queuedBytes <= 100_000)
            }
        }
        let writer = Task { try await client.write(piece) }
        writer.cancel()
        await expectNetError(.cancelled) { try await writer.value }
        async let more: Void = client.write(piece)
        #expect(try await server.read(exactly: sent + piece.count).count == sent + piece.count)
        try await more
    }

    @Test func `a cancelled read leaves the connection usable`() async throws {
        let (client, server) = try await connectedPair()
        let reader = Task { try await server.read() }
        reader.cancel()
        await expectNetError(.cancelled) { _ = try await reader.value }
        try await client.write([1])
        #expect(try await server.read() == [1])
    }

    @Test func `tasks that read at the same time take turns`() async throws {
        let (client, server) = try await connectedPair()
        async let first = server.read(exactly: 1)
        async let second = server.read(exactly: 1)
        try await client.write([1])
        try await client.write([2])
        #expect(try await (first + second).sorted() == [1, 2])
        let waiting = Task { try await server.read() }
        let behind = Task { try await server.read() }
        behind.cancel()
        await expectNetError(.cancelled) { _ = try await behind.value }
        try await client.write([3])
        #expect(try await waiting.value == [3])
    }

    @Test func `a connection can be closed in order while another task reads it`() async throws {
        let (client, server) = try await connectedPair()
        let reading = Task { try await client.readToEnd() }
        let closing = Task { await client.closeAfterFlush(timeout: patience, clock: DriverClock()) }
        #expect(try await server.readToEnd() == [])
        try await server.write([1])
        server.finishWriting()
        await closing.value
        // Whichever task had the turn took the last byte; neither waits for ever.
        _ = try? await reading.value
    }

    @Test func `closing ends waiting reads and writes on our side and the stream on the peer's`() async throws {
        let (client, server) = try await connectedPair(writeQueueLimit: 1000)
        async let reading: Void = expectNetError(.closed) { _ = try await client.read() }
        try? await withTimeout(.milliseconds(1), clock: DriverClock(), "settle") { () async throws(NetError) in
            while true { try await client.write([UInt8](repeating: 0, count: 100_000)) }
        }
        async let writing: Void = expectNetError(.closed) { try await client.write([1, 2, 3]) }
        await client.closeAndWait()
        await reading
        await writing
        await expectNetError(.closed) { _ = try await client.read() }
        _ = try await server.readToEnd()
    }

    @Test func `a peer that breaks off is reported as reset`() async throws {
        let (client, server) = try await connectedPair()
        try await server.write([1])
        // Closing with unread input makes the kernel send a reset.
        try await client.write([2])
        _ = try await client.read()
        try await client.write([UInt8](repeating: 3, count: 1000))
        await server.closeAndWait()
        await expectNetError(.reset) {
            while try await !client.read().isEmpty {}
            while true { try await client.write([4]) }
        }
    }

    @Test func `last words reach a peer that is still sending`() async throws {
        let (client, server) = try await connectedPair()
        try await client.write([UInt8](repeating: 1, count: 50_000))
        try server.enqueue([9, 9])
        async let closing: Void = server.closeAfterFlush(timeout: patience, clock: DriverClock())
        #expect(try await client.readToEnd() == [9, 9])
        client.close()
        await closing
    }
}
