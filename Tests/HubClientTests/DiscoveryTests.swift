import HubControl
import Testing

@testable import HubClient
@testable import NetIO

@Suite("Finding hubs (dns-sd.md)") struct DiscoveryTests {
    @Test(arguments: [
        ("hub.local", "hub.local", 5543), ("hub.local:1", "hub.local", 1), ("10.0.0.1:77", "10.0.0.1", 77),
        ("[fe80::1%eth0]:77", "fe80::1%eth0", 77), ("[::1]", "::1", 5543), ("::1", "::1", 5543),
    ])
    func `an address is read`(text: String, host: String, port: Int) throws {
        let address = try #require(HubAddress(text))
        #expect(address == HubAddress(host: host, port: UInt16(port)))
        #expect(HubAddress(address.description) == address)
    }

    @Test(arguments: ["", ":1", "a b", "[::1", "[::1]x", "host:", "host:65536", "host:-1", "host:1x"])
    func `another text is none`(text: String) {
        #expect(HubAddress(text) == nil)
    }

    private func instance(
        _ name: String, _ txt: TXTRecord, interface: UInt32 = 2, addresses: [SocketAddress]
    ) -> ServiceInstance {
        ServiceInstance(
            service: ServiceName(name: name, type: HubLocator.serviceType, interface: interface), host: "h.local.",
            port: 5543, txt: txt, interface: interface, addresses: addresses)
    }

    @Test func `the announcement's attributes`() {
        let txt = TXTRecord([
            "txtvers": "1", "id": "00000000000000ab", "name": "Hub",
            "st": "0000000000000001,0000000000000002,nonsense", "proto": "1.0", "state": "offline",
        ])
        let address = SocketAddress(ip: .loopbackV4, port: 5543)
        let hub = DiscoveredHub(instance("Hub (2)", txt, addresses: [address]))
        #expect(hub.name == "Hub (2)")
        #expect(hub.id == HubID(rawValue: 0xAB))
        #expect(hub.structures.map(\.rawValue) == [1, 2])
        #expect(hub.version == "1.0")
        #expect(!hub.isReady)
        #expect(hub.addresses == [HubAddress(host: "127.0.0.1", port: 5543)])
        #expect(hub.json["state"] == "offline")
        let bare = DiscoveredHub(instance("Hub", TXTRecord(), addresses: [address]))
        #expect(bare.id == nil)
        #expect(bare.structures.isEmpty)
        #expect(bare.isReady)
    }

    @Test func `a hub on two interfaces is one, with the addresses of both`() {
        let (v4, v6) = (SocketAddress(ip: .loopbackV4, port: 5543), SocketAddress(ip: .loopbackV6, port: 5543))
        let first = instance("Hub", TXTRecord(), interface: 2, addresses: [v4])
        let second = instance("Hub", TXTRecord(), interface: 3, addresses: [v4, v6])
        let other = instance("Attic", TXTRecord(), interface: 3, addresses: [v6])
        var directory = HubDirectory()
        directory.apply(.found(second))
        directory.apply(.found(other))
        directory.apply(.found(first))
        #expect(directory.hubs.map(\.name) == ["Hub", "Attic"])
        #expect(directory.hubs.first?.addresses.map(\.host) == ["127.0.0.1", "::1"])
        directory.apply(.lost(second.service))
        #expect(directory.hubs.first?.addresses.map(\.host) == ["127.0.0.1"])
        directory.apply(.lost(first.service))
        #expect(directory.hubs.map(\.name) == ["Attic"])
    }

    @Test func `a search that gave no connection says why`() {
        let hubs = [
            DiscoveredHub(name: "Attic", id: nil, structures: [], addresses: [.local]),
            DiscoveredHub(name: "Other", id: nil, structures: [], addresses: [.local]),
        ]
        let nothing = ControlError.notFound(among: [], nil)
        #expect(nothing.code == .unavailable)
        #expect(nothing.reason == ClientReason.noHubFound)
        let wrong = ControlError(.unauthenticated, "", details: ["reason": .string(ClientReason.wrongHub)])
        let strangers = ControlError.notFound(among: hubs, wrong)
        #expect(strangers.code == .unavailable)
        #expect(strangers.message.contains("(“Attic”, “Other”)"))
        let refused = ControlError(.unauthenticated, "revoked", details: ["reason": .string(ClientReason.badGrant)])
        #expect(ControlError.notFound(among: hubs, refused) == refused)
    }
}
