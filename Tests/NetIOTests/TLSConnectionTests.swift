import NetIO
import Testing

@Suite("TLSConnection", .timeLimit(.minutes(1))) struct TLSConnectionTests {
    private let fixture: TLSFixture

    init() throws { fixture = try TLSFixture.shared.get() }

    @Test func `a pinned client and its server exchange bytes and end each direction alone`() async throws {
        let (client, server) = try await fixture.connectedPair()
        #expect(client.authorityPin == fixture.authority.pin)
        #expect(server.authorityPin == nil)
        try await client.write([1, 2, 3])
        #expect(try await server.read(atMost: 2) == [1, 2])
        #expect(try await server.read(atMost: 2) == [3])
        client.finishWriting()
        #expect(try await server.read() == [])
        try await server.write([4, 5])
        server.finishWriting()
        #expect(try await client.readToEnd() == [4, 5])
        await expectNetError(.protocolViolation) { try await client.write([6]) }
    }

    @Test func `a large message arrives whole through a full queue`() async throws {
        let (client, server) = try await fixture.connectedPair(writeQueueLimit: 50_000)
        let message = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        async let received = server.readToEnd()
        for start in stride(from: 0, to: message.count, by: 100_000) {
            try await client.write(Array(message[start..<start + 100_000]))
        }
        client.finishWriting()
        #expect(try await received == message)
    }

    @Test func `a peer that doesn't read fills the queue up to its limit, and every record arrives after`() async throws
    {
        let (client, server) = try await fixture.connectedPair(writeQueueLimit: 100_000)
        let piece = [UInt8](repeating: 7, count: 30_000)
        var sent = 0
        await expectNetError(.wouldBlock) {
            while true {
                try client.enqueue(piece)
                sent += piece.count
            }
        }
        async let more: Void = client.write(piece)
        #expect(try await server.read(exactly: sent + piece.count).count == sent + piece.count)
        try await more
    }

    @Test func `bytes that were read to recognise TLS take part in the handshake`() async throws {
        let tcp = try await connectedPair()
        let (serverContext, clientContext) = (try fixture.server(), try fixture.client())
        async let client = handshake(tcp.client, clientContext)
        let first = try await tcp.server.read(atMost: 1)
        #expect(first == [0x16])
        let server = try await handshake(tcp.server, serverContext, received: first)
        try await server.write([1])
        #expect(try await client.read() == [1])
    }

    // MARK: Whom a client trusts

    @Test func `another authority's pin ends the handshake before anything is sent`() async throws {
        let other = try TLSFixture()
        try await expectRefusal(
            server: fixture.server(),
            client: TLSContext.client(trust: .pinned(other.authority.pin), applicationProtocol: TLSFixture.alpn))
    }

    @Test func `the server's own key is no authority`() async throws {
        // A pin on the leaf would make renewal break every grant.
        let leafOnly = try TLSCredentials(
            chain: [fixture.credentials.chain[0]], privateKey: fixture.credentials.privateKey)
        try await expectRefusal(
            server: TLSContext.server(leafOnly, applicationProtocol: TLSFixture.alpn),
            client: TLSContext.client(trust: .anyAuthority, applicationProtocol: TLSFixture.alpn))
    }

    @Test func `a certificate that the pinned authority didn't issue is refused beside its certificate`() async throws {
        let thief = try TLSFixture()
        let mixed = try TLSCredentials(
            chain: [thief.credentials.chain[0], fixture.authority.certificate],
            privateKey: thief.credentials.privateKey)
        try await expectRefusal(
            server: TLSContext.server(mixed, applicationProtocol: TLSFixture.alpn), client: fixture.client())
    }

    @Test func `an expired certificate is refused`() async throws {
        let expired = try TLSFixture(validity: CertificateValidity(notBefore: 1_500_000_000, notAfter: 1_500_000_100))
        try await expectRefusal(server: expired.server(), client: expired.client(), reason: "expired")
        let earlier = try TLSContext.client(
            trust: .pinned(expired.authority.pin), applicationProtocol: TLSFixture.alpn,
            verificationTime: { 1_500_000_050 })
        let tcp = try await connectedPair()
        async let server = handshake(tcp.server, expired.server())
        _ = try await handshake(tcp.client, earlier)
        _ = try await server
    }

    @Test func `a renewed certificate and another hub of the authority are accepted`() async throws {
        let renewed = try fixture.authority.renewed(commonName: "Renewed", validity: TLSFixture.validity)
        #expect(renewed.pin == fixture.authority.pin)
        let credentials = try renewed.issue(commonName: "Second hub", validity: TLSFixture.validity)
        let tcp = try await connectedPair()
        let context = try TLSContext.server(credentials, applicationProtocol: TLSFixture.alpn)
        async let server = handshake(tcp.server, context)
        _ = try await handshake(tcp.client, fixture.client())
        _ = try await server
    }

    @Test func `without a pin the client learns which authority it met`() async throws {
        let tcp = try await connectedPair()
        let context = try fixture.server()
        async let server = handshake(tcp.server, context)
        let client = try await handshake(
            tcp.client, TLSContext.client(trust: .anyAuthority, applicationProtocol: TLSFixture.alpn))
        #expect(client.authorityPin == fixture.authority.pin)
        _ = try await server
    }

    @Test func `another application protocol ends the handshake on both sides`() async throws {
        let tcp = try await connectedPair()
        let (serverContext, clientContext) = (try fixture.server(), try fixture.client(alpn: "other/1"))
        async let server: Void = expectNetError(.handshakeFailed) {
            _ = try await handshake(tcp.server, serverContext)
        }
        await expectNetError(.handshakeFailed) {
            _ = try await handshake(tcp.client, clientContext)
        }
        await server
    }

    private func expectRefusal(
        server serverContext: TLSContext, client clientContext: TLSContext, reason: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let tcp = try await connectedPair()
        async let server: Void = expectNetError(.handshakeFailed, sourceLocation: sourceLocation) {
            _ = try await handshake(tcp.server, serverContext)
        }
        do {
            _ = try await handshake(tcp.client, clientContext)
            Issue.record("the client accepted the server", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == .untrusted, "\(error)", sourceLocation: sourceLocation)
            #expect(reason.isEmpty || error.description.contains(reason), "\(error)", sourceLocation: sourceLocation)
        }
        await server
    }
}
