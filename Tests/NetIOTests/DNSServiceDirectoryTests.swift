import Glibc
import NetIO
import TestSupport
import Testing

/// Whether this process runs in a network namespace with a D-Bus and an Avahi of its own.
private let hasPrivateDaemon = getenv("MATTERHUB_TEST_MDNS").map { String(cString: $0) } == "1"

@Suite(
    "DNSServiceDirectory", .enabled(if: hasPrivateDaemon, "needs a private Avahi: MATTERHUB_TEST_MDNS=1"), .serialized,
    .timeLimit(.minutes(1)))
struct DNSServiceDirectoryTests {
    private let directory = DNSServiceDirectory()
    private let type = "_mhtest._udp"

    private func nextFound(
        in stream: AsyncThrowingStream<ServiceChange, any Error>, where matches: (ServiceInstance) -> Bool
    ) async throws -> ServiceInstance {
        for try await case .found(let instance) in stream where matches(instance) { return instance }
        throw NetError(.closed, "test")
    }

    @Test func `a registered service is found with port, attributes and an address, and is lost when withdrawn`()
        async throws
    {
        let type = "_mhfound._udp"
        let changes = directory.browseAndResolve(ServiceType(type))
        let registration = try await directory.register(
            "Küche 1", type: type, port: 5540, txt: TXTRecord(["D": "3840", "CM": "1"]))
        #expect(registration.name == "Küche 1")
        var found: ServiceInstance?
        for try await change in changes {
            switch change {
            case .found(let instance):
                if found == nil {
                    #expect(instance.name == "Küche 1")
                    #expect(instance.service.type == type)
                    #expect(instance.service.domain == "local")
                    #expect(instance.port == 5540)
                    // Avahi hands the attributes out in reverse order.
                    #expect(instance.txt["D"] == "3840")
                    #expect(instance.txt["CM"] == "1")
                    #expect(instance.txt.entries.count == 2)
                    #expect(!instance.addresses.isEmpty)
                    for address in instance.addresses {
                        #expect(address.port == 5540)
                        #expect(!address.ip.isLinkLocal || address.ip.isV4 || address.scope == instance.interface)
                    }
                    await registration.withdraw()
                }
                found = instance
            case .lost(let service):
                #expect(service == found?.service)
                return
            }
        }
        Issue.record("the browse ended by itself")
    }

    @Test func `a subtype finds only its own`() async throws {
        let one = try await directory.register(
            "one", type: type, subtypes: ["_L1", "_CM"], port: 1, txt: TXTRecord(["n": "1"]))
        let two = try await directory.register(
            "two", type: type, subtypes: ["_L2", "_CM"], port: 2, txt: TXTRecord(["n": "2"]))
        let onlyTwo = directory.browse(ServiceType(type, subtype: "_L2"))
        for try await event in onlyTwo {
            guard case .added(let service) = event else { continue }
            #expect(service.name == "two")
            break
        }
        var names: Set<String> = []
        for try await event in directory.browse(ServiceType(type, subtype: "_CM")) {
            if case .added(let service) = event { names.insert(service.name) }
            if names == ["one", "two"] { break }
        }
        await one.withdraw()
        await two.withdraw()
    }

    @Test func `changed attributes are seen by who watches the instance`() async throws {
        let registration = try await directory.register("watched", type: type, port: 7, txt: TXTRecord(["s": "1"]))
        let changes = directory.watch(ServiceName(name: "watched", type: type))
        let first = try await nextFound(in: changes) { _ in true }
        #expect(first.txt["s"] == "1")
        try await registration.update(TXTRecord(["s": "2"]))
        let second = try await nextFound(in: changes) { $0.txt["s"] == "2" }
        #expect(second.port == 7)
        await registration.withdraw()
    }

    @Test func `an instance that comes later is found by who watches for it`() async throws {
        let changes = directory.watch(ServiceName(name: "late", type: type))
        async let found = nextFound(in: changes) { _ in true }
        let registration = try await directory.register("late", type: type, port: 9, txt: TXTRecord())
        #expect(try await found.port == 9)
        await registration.withdraw()
    }

    @Test func `a taken name is a conflict, and renaming finds a free one`() async throws {
        let first = try await directory.register("taken", type: type, port: 1, txt: TXTRecord())
        await expectNetError(.nameConflict) {
            _ = try await directory.register("taken", type: type, port: 2, txt: TXTRecord())
        }
        let second = try await directory.registerRenaming("taken", type: type, port: 2, txt: TXTRecord())
        #expect(second.name == "taken (2)")
        await first.withdraw()
        await second.withdraw()
        let again = try await directory.register("taken", type: type, port: 1, txt: TXTRecord())
        #expect(again.name == "taken")
        await again.withdraw()
    }

    @Test func `more instances than slots are all found`() async throws {
        let count = 40
        var registrations: [DNSServiceRegistration] = []
        try await withThrowingTaskGroup(of: DNSServiceRegistration.self) { group in
            for index in 0..<count {
                group.addTask {
                    try await directory.register(
                        "many \(index)", type: "_mhmany._udp", port: UInt16(100 + index), txt: TXTRecord(),
                        timeout: .seconds(30))
                }
            }
            for try await registration in group { registrations.append(registration) }
        }
        var ports: Set<UInt16> = []
        for try await case .found(let instance) in directory.browseAndResolve(ServiceType("_mhmany._udp")) {
            ports.insert(instance.port)
            if ports.count == count { break }
        }
        for registration in registrations { await registration.withdraw() }
    }

    @Test func `an advertisement is withdrawn when its task is cancelled`() async throws {
        let (states, output) = AsyncStream<AdvertisementState>.makeStream(bufferingPolicy: .unbounded)
        let service = ServiceAdvertisement(name: "ad", type: "_mhad._udp", port: 5, txt: TXTRecord(), mayRename: true)
        let advertising = Task {
            await directory.advertise(service, clock: DriverClock()) { output.yield($0) }
        }
        #expect(await states.first { _ in true } == .announced(name: "ad"))
        let events = directory.browse(ServiceType("_mhad._udp"))
        for try await event in events {
            switch event {
            case .added: advertising.cancel()
            case .removed:
                await advertising.value
                return
            }
        }
    }

    /// Needs a service of this name and type that another machine announces before.
    @Test(.enabled(if: getenv("MATTERHUB_TEST_MDNS_REMOTE") != nil, "no second machine"))
    func `a name that another machine has is a conflict, and renaming finds a free one`() async throws {
        var iterator = directory.browse(ServiceType(type)).makeAsyncIterator()
        while let event = try await iterator.next() {
            if case .added(let service) = event, service.name == "remote" { break }
        }
        await expectNetError(.nameConflict) {
            _ = try await directory.register("remote", type: type, port: 2, txt: TXTRecord())
        }
        let registration = try await directory.registerRenaming("remote", type: type, port: 2, txt: TXTRecord())
        #expect(registration.name == "remote (2)")
        await registration.withdraw()
    }

    @Test(arguments: ["", String(repeating: "ä", count: 32)])
    func `a name has 1 to 63 bytes`(_ name: String) async {
        await expectNetError(.badAddress) {
            _ = try await directory.register(name, type: type, port: 1, txt: TXTRecord())
        }
    }

    @Test func `a malformed type is refused`() async {
        await expectNetError(.badAddress) {
            _ = try await directory.register("x", type: "nonsense", port: 1, txt: TXTRecord())
        }
    }
}

@Suite("DNSServiceDirectory without a daemon", .timeLimit(.minutes(1)))
struct DNSServiceDaemonTests {
    private static let isMissing = DNSServiceAvailability.current() != .available

    @Test(.enabled(if: isMissing, "a daemon runs here"))
    func `a missing daemon is named together with what starts it`() async throws {
        let directory = DNSServiceDirectory()
        do {
            _ = try await directory.register("x", type: "_mhtest._udp", port: 1, txt: TXTRecord())
            Issue.record("registered without a daemon")
        } catch {
            #expect(error.code == .serviceMissing)
            #expect(error.description.contains("sudo"), "\(error)")
        }
        await expectNetError(.serviceMissing) {
            for try await _ in directory.browse(ServiceType("_mhtest._udp")) {}
        }
        await expectNetError(.serviceMissing) {
            for try await _ in directory.watch(ServiceName(name: "x", type: "_mhtest._udp")) {}
        }
    }

    @Test(.enabled(if: isMissing, "a daemon runs here"))
    func `an advertisement without a daemon is tried again and its failure told once`() async throws {
        let manual = ManualClock()
        let (states, output) = AsyncStream<AdvertisementState>.makeStream(bufferingPolicy: .unbounded)
        let service = ServiceAdvertisement(name: "ad", type: "_mhad._udp", port: 5, txt: TXTRecord())
        let advertising = Task {
            await DNSServiceDirectory().advertise(service, clock: DriverClock(manual)) { output.yield($0) }
        }
        let state = await states.first { _ in true }
        guard case .failed(let error) = state else {
            Issue.record("\(state as Any)")
            return
        }
        #expect(error.code == .serviceMissing)
        // Sleeping after the first failure, then after the second.
        for _ in 0..<2 { await manual.advanceToNextDeadline() }
        advertising.cancel()
        await advertising.value
        output.finish()
        #expect(await states.first { _ in true } == nil)
    }

    @Test func `what is missing is explained`() {
        #expect(DNSServiceAvailability.available.explanation == nil)
        #expect(DNSServiceAvailability.noBus(socket: "/x").explanation?.contains("/x") == true)
        #expect(DNSServiceAvailability.noDaemon(installed: true).explanation?.contains("systemctl start avahi") == true)
        #expect(DNSServiceAvailability.noDaemon(installed: false).explanation?.contains("apt install avahi") == true)
    }
}
