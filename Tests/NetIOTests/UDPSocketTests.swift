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

    @Test(.timeLimit(.minutes(1)))
    func `peers that can't be reached don't harm the socket`() async throws {
        let socket = try UDPSocket()
        let peer = try UDPSocket(address: SocketAddress(ip: .loopbackV4, port: 0))
        let unscoped = SocketAddress(ip: try #require(IPAddress("fe80::1")), port: 5540)
        #expect { try socket.send([1], to: unscoped) } throws: { ($0 as? NetError)?.code == .unreachable }
        let huge = [UInt8](repeating: 0, count: 70_000)
        #expect { try socket.send(huge, to: peer.localAddress) } throws: { ($0 as? NetError)?.code == .tooLarge }
        let nobody = SocketAddress(ip: .loopbackV4, port: 1)
        for _ in 0..<3 { try socket.send([1], to: nobody) }
        try socket.send([2], to: peer.localAddress)
        let datagram = try #require(await peer.datagrams.first { _ in true })
        #expect(datagram.bytes == [2])
        try peer.send([3], to: datagram.source)
        #expect(await socket.datagrams.first { _ in true }?.bytes == [3])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a slow consumer loses the newest datagrams and too long ones, and they are counted`() async throws {
        let socket = try UDPSocket(address: SocketAddress(ip: .loopbackV4, port: 0), bufferedDatagrams: 2)
        let peer = try UDPSocket(address: SocketAddress(ip: .loopbackV4, port: 0))
        try peer.send([UInt8](repeating: 9, count: UDPSocket.maximumDatagramSize + 1), to: socket.localAddress)
        for byte in UInt8(0)..<5 { try peer.send([byte], to: socket.localAddress) }
        while socket.droppedDatagrams < 4 { await Task.yield() }
        var iterator = socket.datagrams.makeAsyncIterator()
        #expect(await iterator.next()?.bytes == [0])
        #expect(await iterator.next()?.bytes == [1])
        try peer.send([], to: socket.localAddress)
        #expect(await iterator.next()?.bytes == [])
    }

    @Test func `an address of another machine can't be bound`() throws {
        let foreign = SocketAddress(ip: try #require(IPAddress("192.0.2.1")), port: 0)
        #expect { try UDPSocket(address: foreign) } throws: { ($0 as? NetError)?.code == .addressUnavailable }
    }
}
