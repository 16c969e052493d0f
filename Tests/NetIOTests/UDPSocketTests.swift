import NetIO
import Testing

@Suite("UDPSocket") struct UDPSocketTests {
    @Test(.timeLimit(.minutes(1)), arguments: [IPAddress.loopbackV4, .loopbackV6])
    func `both families reach one socket and hear its answer`(_ ip: IPAddress) async throws {
        let server = try UDPSocket()
        let client = try UDPSocket(address: SocketAddress(ip: ip, port: 0))
        try client.send([1, 2, 3], to: SocketAddress(ip: ip, port: server.localAddress.port))
        let request = try #require(await server.datagrams.first { _ in true })
        #expect(request.bytes == [1, 2, 3])
        #expect(request.source == client.localAddress)
        try server.send([4], to: request.source)
        let answer = try #require(await client.datagrams.first { _ in true })
        #expect(answer.bytes == [4])
        #expect(answer.source == SocketAddress(ip: ip, port: server.localAddress.port))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a closed socket frees its port, ends its stream and refuses to send`() async throws {
        let first = try UDPSocket()
        let port = first.localAddress.port
        #expect { try UDPSocket(port: port) } throws: { ($0 as? NetError)?.code == .addressInUse }
        await first.closeAndWait()
        #expect(await first.datagrams.first { _ in true } == nil)
        #expect { try first.send([1], to: first.localAddress) } throws: { ($0 as? NetError)?.code == .closed }
        let second = try UDPSocket(port: port)
        #expect(second.localAddress.port == port)
    }
}
