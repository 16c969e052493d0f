import Glibc
import NetIO
import Testing

@testable import MatterNode

/// Whether this process runs in a network namespace with a D-Bus and an Avahi of its own.
private let hasPrivateDaemon = getenv("MATTERHUB_TEST_MDNS").map { String(cString: $0) } == "1"

@Suite(
    "DNSServiceAdvertiser", .enabled(if: hasPrivateDaemon, "needs a private Avahi: MATTERHUB_TEST_MDNS=1"), .serialized,
    .timeLimit(.minutes(1)))
struct DNSServiceAdvertiserTests {
    private let directory = DNSServiceDirectory()

    private func service(_ name: String, type: String, port: UInt16) -> ServiceAdvertisement {
        ServiceAdvertisement(name: name, type: type, subtypes: ["_L1"], port: port, txt: TXTRecord(["D": "1"]))
    }

    @Test func `announces what is wished for, and withdraws the rest`() async throws {
        let type = "_mhwish._udp"
        let advertiser = DNSServiceAdvertiser(directory: directory) { Issue.record("\($0.name): \($1)") }
        let running = Task { await advertiser.run() }
        var changes = directory.browse(ServiceType(type, subtype: "_L1")).makeAsyncIterator()
        advertiser.announce([service("one", type: type, port: 1)])
        #expect(try await changes.next().map(Change.init) == Change(added: true, name: "one"))
        advertiser.announce([service("two", type: type, port: 2)])
        let next = [try await changes.next(), try await changes.next()].compactMap { $0.map(Change.init) }
        #expect(Set(next) == [Change(added: false, name: "one"), Change(added: true, name: "two")])
        advertiser.close()
        #expect(try await changes.next().map(Change.init) == Change(added: false, name: "two"))
        await running.value
    }

    @Test func `announces a name anew right after it was withdrawn`() async throws {
        let type = "_mhanew._udp"
        let advertiser = DNSServiceAdvertiser(directory: directory) { Issue.record("\($0.name): \($1)") }
        let running = Task { await advertiser.run() }
        var found = directory.browseAndResolve(ServiceType(type)).makeAsyncIterator()
        advertiser.announce([service("one", type: type, port: 1)])
        while case .found(let instance)? = try await found.next(), instance.port != 1 {}
        advertiser.announce([service("one", type: type, port: 2)])
        while let change = try await found.next() {
            if case .found(let instance) = change, instance.port == 2 { break }
        }
        running.cancel()
        while let change = try await found.next() {
            if case .lost = change { break }
        }
        await running.value
    }

    private struct Change: Hashable {
        var added: Bool
        var name: String
        init(added: Bool, name: String) {
            self.added = added
            self.name = name
        }
        init(_ event: BrowseEvent) {
            switch event {
            case .added(let service): self.init(added: true, name: service.name)
            case .removed(let service): self.init(added: false, name: service.name)
            }
        }
    }
}
