import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterNode

/// Finding devices, and finding nodes again.
@Suite("ControllerNode: search and sessions", .timeLimit(.minutes(1))) struct ControllerSearchTests {
    private let home: Home

    init() throws { home = try Home() }

    private func light(_ instance: String = "LIGHT", port: UInt16 = Home.devicePort) -> CommissionableEvent {
        .found(home.record(instance, port: port))
    }

    // MARK: - Candidates

    @Test func `a device is found by what it announces`() async throws {
        let discovery = ScriptedDiscovery()
        try await home.withLight { _ in
            try await home.withController(port: 41, discovery: discovery) { controller in
                discovery.announce(light())
                let outcome = await controller.commission(home.search(0x77), observer: StageObserver())
                #expect(outcome.report != nil, "\(outcome)")
            }
        }
    }

    @Test func `nothing that fits is no device, after the time for the search`() async throws {
        let discovery = ScriptedDiscovery()
        try await home.withLight { _ in
            try await home.withController(port: 41, discovery: discovery) { controller in
                let other = (home.identity.discriminator.rawValue + 1) & 0xFFF
                discovery.announce(.found(home.record(discriminator: other)))
                discovery.announce(.found(home.record("CLOSED", mode: 0)))
                let outcome = await home.whileTimePasses {
                    await controller.commission(home.search(0x77), observer: StageObserver())
                }
                let failure = try #require(outcome.discoveryFailure, "\(outcome)")
                #expect(failure.cause == .noDeviceFound)
                #expect(failure.stage == .discover)
                #expect(failure.candidates.isEmpty)
                // Not before; how much later depends on how often the controller has its turn.
                #expect(home.clock.now.sinceStart >= .seconds(15))
                #expect(home.clock.now.sinceStart < .seconds(60))
            }
        }
    }

    @Test func `a candidate that stays silent past the time for the search ends it`() async throws {
        let discovery = ScriptedDiscovery()
        try await home.withController(port: 41, discovery: discovery) { controller in
            // Announced so late that PASE outlasts the search.
            let running = Task { await controller.commission(home.search(0x77), observer: StageObserver()) }
            let outcome = await home.whileTimePasses {
                await until { home.clock.now.sinceStart >= .seconds(1) }
                discovery.announce(light("GHOST", port: 9))
                return await running.value
            }
            let failure = try #require(outcome.discoveryFailure, "\(outcome)")
            #expect(failure.cause == .noAnswer || failure.cause == .noDeviceFound)
            if failure.cause == .noAnswer { #expect(failure.candidates.map(\.answer) == [.silent]) }
        }
    }

    @Test func `a stale entry gives way to the device itself`() async throws {
        let discovery = ScriptedDiscovery()
        try await home.withLight { light in
            try await home.withController(port: 41, discovery: discovery) { controller in
                // The newest comes first, and nobody is there.
                discovery.announce(self.light())
                discovery.announce(self.light("GHOST", port: 9))
                let running = Task { await controller.commission(home.search(0x77), observer: StageObserver()) }
                await home.whileTimePasses {
                    await until { home.log.take().contains(.sent) }
                }
                let outcome = await running.value
                #expect(outcome.report != nil, "\(outcome)")
                _ = light
            }
        }
    }

    @Test func `a wrong passcode is asked once of each candidate, and the search ends soon`() async throws {
        let discovery = ScriptedDiscovery()
        var payload = home.identity.payload
        payload.passcode = try #require(Passcode(rawValue: home.identity.passcode.rawValue == 1 ? 2 : 1))
        let wrong = payload
        try await home.withLight { light in
            try await home.withController(port: 41, discovery: discovery) { controller in
                discovery.announce(self.light())
                let running = Task {
                    await controller.commission(home.search(0x77, payload: wrong), observer: StageObserver())
                }
                _ = await light.events.next { if case .commissionerRefused = $0 { true } else { false } }
                discovery.announce(self.light())
                let outcome = await home.whileTimePasses { await running.value }
                #expect(outcome.discoveryFailure?.cause == .wrongPasscode, "\(outcome)")
                #expect(
                    light.events.all.filter { if case .commissionerRefused = $0 { true } else { false } }.count == 1)
                #expect(home.clock.now.sinceStart < .seconds(5))
            }
        }
    }

    @Test func `a network that cannot be searched says why in words`() async throws {
        let discovery = ScriptedDiscovery()
        try await home.withController(port: 41, discovery: discovery) { controller in
            discovery.fail(NetError(.serviceMissing, "DNS-SD", reason: "avahi-daemon does not run"))
            let outcome = await controller.commission(home.search(0x77), observer: StageObserver())
            guard case .cannotSearch(let reason)? = outcome.discoveryFailure?.cause else {
                Issue.record("\(outcome)")
                return
            }
            #expect(reason == "DNS-SD: avahi-daemon does not run")
        }
        try await home.withController(port: 42) { controller in
            let outcome = await controller.commission(home.search(0x77), observer: StageObserver())
            guard case .cannotSearch(let reason)? = outcome.discoveryFailure?.cause else {
                Issue.record("\(outcome)")
                return
            }
            #expect(reason.contains("address"))
        }
    }

    // MARK: - Nodes

    @Test func `presence tells a node from one that was reset and one that is silent`() async throws {
        let address = MemoryNetwork.address(Home.devicePort)
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let node = NodeID(rawValue: 0x77)
                #expect(await controller.presence(of: node, known: address) == .onFabric)
                home.network.cut(port: Home.devicePort)
                #expect(
                    await home.whileTimePasses { await controller.presence(of: node, known: address) } == .unreachable)
                home.network.heal(port: Home.devicePort)
                #expect(await controller.removeFabric(from: node, known: address) == .removed)
                let asking = Task { await controller.presence(of: node, known: address) }
                #expect(await home.whileTimePasses { await asking.value } == .notOnFabric)
                _ = light
            }
        }
    }

    @Test func `removal of a silent node says so, and of a reset one that it is gone`() async throws {
        let address = MemoryNetwork.address(Home.devicePort)
        try await home.withLight { _ in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let node = NodeID(rawValue: 0x77)
                home.network.cut(port: Home.devicePort)
                let silent = await home.whileTimePasses { await controller.removeFabric(from: node, known: address) }
                guard case .failed(let reason) = silent else {
                    Issue.record("\(silent)")
                    return
                }
                #expect(!reason.contains("(") && !reason.isEmpty, "\(reason)")
                home.network.heal(port: Home.devicePort)
            }
        }
    }

    @Test func `one caller that gives up does not end the handshake that others wait for`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let node = NodeID(rawValue: 0x77)
                home.network.cut(port: Home.devicePort)
                await controller.dropSessions(with: node)
                let path = home.command(1)
                let first = Task { try await controller.invoke(path, on: node) }
                await until { await controller.connecting[node]?.waiters.count == 1 }
                let second = Task { try await controller.invoke(path, on: node) }
                await until { await controller.connecting[node]?.waiters.count == 2 }
                first.cancel()
                await #expect(throws: CancellationError.self) { try await first.value }
                #expect(await controller.connecting[node]?.waiters.count == 1)
                _ = home.log.take()
                home.network.heal(port: Home.devicePort)
                // The next transmission of Sigma1 arrives.
                await home.whileTimePasses { await until { home.log.take().contains(.sent) } }
                _ = try await second.value
                #expect(await light.node.value(of: Home.onOff) == .bool(true))
                #expect(await controller.connecting.isEmpty)
            }
        }
    }

    @Test func `a handshake that nobody waits for any more ends`() async throws {
        try await home.withLight { _ in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let node = NodeID(rawValue: 0x77)
                home.network.cut(port: Home.devicePort)
                await controller.dropSessions(with: node)
                let path = home.command(1)
                let only = Task { try await controller.invoke(path, on: node) }
                await until { await controller.connecting[node] != nil }
                only.cancel()
                await #expect(throws: CancellationError.self) { try await only.value }
                #expect(await controller.connecting.isEmpty)
            }
        }
    }

    @Test func `a node that nobody knows an address of is unreachable at once`() async throws {
        _ = try await home.withController(port: 41) { controller in
            await #expect(throws: NodeRequestFailure.self) {
                try await controller.invoke(home.command(1), on: NodeID(rawValue: 0x77))
            }
        }
    }
}
