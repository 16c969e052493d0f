import NetIO
import Testing

@Suite("IPAddress, SocketAddress, HostAndPort, NetworkInterface") struct SocketAddressTests {
    @Test(
        arguments: [
            ("10.77.0.1:5540", "10.77.0.1", 5540, 0), ("[fd77::1]:5540", "fd77::1", 5540, 0),
            ("[fe80::1%lo]:1", "fe80::1", 1, 1), ("[fe80::1%1]:65535", "fe80::1", 65535, 1),
            ("[::ffff:1.2.3.4]:0", "1.2.3.4", 0, 0), ("[fd77::1%lo]:5", "fd77::1", 5, 0),
        ] as [(String, String, UInt16, UInt32)])
    func `numeric text is read`(_ text: String, _ ip: String, _ port: UInt16, _ scope: UInt32) throws {
        let address = try #require(SocketAddress(text))
        #expect(address.ip == IPAddress(ip))
        #expect(address.port == port)
        #expect(address.scope == scope)
        #expect(SocketAddress(address.description) == address)
    }

    @Test(arguments: [
        "", ":", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:+1", "1.2.3.4: 1", "fe80::1:80",
        "[fe80::1", "[fe80::1]", "[fe80::1]80", "[fe80::1%no-such-interface]:1", "[fe80::1%]:1", "[fe80::1%0]:1",
        "[1.2.3.4%lo]:1", "localhost:80", "[]:80", "256.0.0.1:1", "1.2.3.4\u{0}:1", "[fe80::1%lo\u{0}x]:1",
    ])
    func `other text is refused`(_ text: String) { #expect(SocketAddress(text) == nil) }

    @Test func `descriptions are what people write`() throws {
        #expect(SocketAddress(ip: .loopbackV4, port: 5540).description == "127.0.0.1:5540")
        #expect(SocketAddress(ip: .loopbackV6, port: 5540).description == "[::1]:5540")
        #expect(SocketAddress("[fe80::1%1]:5540")?.description == "[fe80::1%lo]:5540")
        let unknown = SocketAddress(ip: try #require(IPAddress("fe80::1")), port: 1, scope: 4_000_000)
        #expect(unknown.description == "[fe80::1%4000000]:1")
    }

    @Test func `a scope counts at link-local addresses only`() throws {
        let global = try #require(IPAddress("fd77::1"))
        #expect(SocketAddress(ip: global, port: 1, scope: 2) == SocketAddress(ip: global, port: 1))
        let local = try #require(IPAddress("fe80::1"))
        #expect(SocketAddress(ip: local, port: 1, scope: 2) != SocketAddress(ip: local, port: 1, scope: 3))
    }

    @Test func `IPv4 and its mapped form are one address`() throws {
        let plain = try #require(IPAddress(bytes: [10, 0, 0, 1]))
        let mapped = try #require(IPAddress(bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1]))
        #expect(plain == mapped)
        #expect(plain.isV4)
        #expect(plain.bytes == [10, 0, 0, 1])
        #expect(IPAddress(bytes: plain.mappedBytes) == plain)
        #expect(IPAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test(
        arguments: [
            ("fe80::1", [.linkLocal]), ("febf::1", [.linkLocal]), ("fec0::1", []), ("169.254.3.4", [.linkLocal]),
            ("::1", [.loopback]), ("127.9.9.9", [.loopback]), ("::", [.unspecified]), ("0.0.0.0", [.unspecified]),
            ("ff02::fb", [.multicast]), ("224.0.0.251", [.multicast]), ("10.0.0.1", []), ("fd77::1", []),
        ] as [(String, Set<Kind>)])
    func `kinds of addresses are told apart`(_ text: String, _ kinds: Set<Kind>) throws {
        let ip = try #require(IPAddress(text))
        #expect(ip.isLinkLocal == kinds.contains(.linkLocal))
        #expect(ip.isLoopback == kinds.contains(.loopback))
        #expect(ip.isUnspecified == kinds.contains(.unspecified))
        #expect(ip.isMulticast == kinds.contains(.multicast))
        #expect(ip.description == text)
    }

    enum Kind { case linkLocal, loopback, unspecified, multicast }

    @Test(
        arguments: [
            ("hub.local:5543", "hub.local", 5543), ("hub.local", "hub.local", 9), ("::1", "::1", 9),
            ("[::1]", "::1", 9),
            ("[fe80::1%eth9]:7", "fe80::1%eth9", 7),
        ] as [(String, String, UInt16)])
    func `a host may be a name and the port may be left out`(_ text: String, _ host: String, _ port: UInt16) {
        #expect(HostAndPort(text, defaultPort: 9) == HostAndPort(host: host, port: port))
    }

    @Test(arguments: [
        "", "a b:1", ":5", "[::1]x", "host:", "host:x", "host:99999", "A[fe80:171]:5540", "a:b:c", "[hub:x]:1", "hub]",
        "1.2.3.4\u{0}.evil:5", "hub\n:5", "[[::1]]:5",
    ])
    func `a host and port of another form are refused`(_ text: String) {
        #expect(HostAndPort(text, defaultPort: 9) == nil)
    }

    @Test func `the loopback interface is there with its addresses`() throws {
        let loopback = try #require(try NetworkInterface.all().first { $0.isLoopback })
        #expect(loopback.isUp)
        #expect(loopback.index > 0)
        #expect(NetworkInterface.name(index: loopback.index) == loopback.name)
        #expect(loopback.addresses.contains { $0.ip == .loopbackV4 })
        #expect(loopback.hardwareAddress == [])
        #expect(NetworkInterface.name(index: 4_000_000) == nil)
    }
}
