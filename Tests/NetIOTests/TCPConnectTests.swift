import NetIO
import Testing

@Suite("TCPConnection connect and TCPListener", .timeLimit(.minutes(1))) struct TCPConnectTests {
    @Test func `a port where nobody listens is refused, with every address named`() async throws {
        let closed = [try ClosedPort(.loopbackV4), try ClosedPort(.loopbackV6)]
        let addresses = closed.map(\.address)
        do {
            _ = try await TCPConnection.connect(to: addresses, timeout: patience)
            Issue.record("connected to a closed port")
        } catch {
            #expect(error.code == .refused)
            for address in addresses { #expect(error.description.contains(address.description)) }
        }
        withExtendedLifetime(closed) {}
    }

    @Test func `the next address is tried when one fails`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4])
        let closed = try ClosedPort(.loopbackV6)
        let client = try await TCPConnection.connect(
            to: [closed.address, listener.localAddresses[0]], timeout: patience)
        #expect(client.peerAddress == listener.localAddresses[0])
    }

    @Test func `no answer ends at the time limit`() async throws {
        // A full accept queue of one that nobody empties makes the kernel ignore further connections.
        let silent = try SilentListener()
        await expectNetError(.timedOut) {
            _ = try await TCPConnection.connect(to: [silent.address], timeout: .milliseconds(50))
        }
    }

    @Test func `an address that doesn't answer holds the next one back by the attempt delay only`() async throws {
        let silent = try SilentListener()
        let listener = try TCPListener(addresses: [.loopbackV4])
        let client = try await TCPConnection.connect(
            to: [silent.address, listener.localAddresses[0]], timeout: patience)
        #expect(client.peerAddress == listener.localAddresses[0])
    }

    @Test func `a name is resolved`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4])
        let client = try await TCPConnection.connect(
            to: HostAndPort(host: "localhost", port: listener.port), timeout: patience)
        #expect(client.peerAddress.ip.isLoopback)
        await expectNetError(.badAddress) {
            _ = try await TCPConnection.connect(
                to: HostAndPort(host: "no such name", port: 1), timeout: patience)
        }
    }

    @Test func `both loopback addresses share one port, and a second listener can't have it`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4, .loopbackV6])
        #expect(Set(listener.localAddresses.map(\.port)).count == 1)
        await expectNetError(.addressInUse) { _ = try TCPListener(port: listener.port, addresses: [.loopbackV6]) }
        await listener.closeAndWait()
        _ = try TCPListener(port: listener.port, addresses: [.loopbackV4, .loopbackV6])
    }

    @Test func `connections beyond what may wait are closed`() async throws {
        let listener = try TCPListener(addresses: [.loopbackV4], pendingConnections: 1)
        let first = try await TCPConnection.connect(to: listener.localAddresses, timeout: patience)
        try await first.write([1])
        let second = try await TCPConnection.connect(to: listener.localAddresses, timeout: patience)
        #expect(try await second.readToEnd() == [])
        let accepted = try #require(await listener.connections.first { _ in true })
        #expect(try await accepted.read() == [1])
    }
}
