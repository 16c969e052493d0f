import HubControl
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import Hub

/// Service, store, controller and a light together, down to the datagram.
@Suite("Hub and light", .timeLimit(.minutes(2))) struct LightHubTests {
    private let home: Home
    private let folder = TemporaryFolder()

    init() throws { home = try Home() }

    /// What every error must be: one sentence for people, without the program's own words.
    private func expectPlainWords(
        _ error: ControlError, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = error.message
        for dump in [
            "MatterWire", "MatterProtocol", "MatterNode", "rawValue", "Optional", "NetIO", "Error(",
            "CancellationError", "[]", "nil",
        ] {
            #expect(!text.contains(dump), "\(text)", sourceLocation: sourceLocation)
        }
        #expect(text.count > 20, "\(text)", sourceLocation: sourceLocation)
        #expect(error.reason != nil, sourceLocation: sourceLocation)
        #expect(error.stage != nil, sourceLocation: sourceLocation)
    }

    /// The session goes on, the light is as new, and commissioning it works.
    private func expectRecovery(
        _ hub: LightHub, _ light: Home.Light, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        home.network.heal(port: Home.devicePort)
        await hub.everythingIsClean(light)
        try await hub.prepare()
        _ = try await hub.commission("again")
        _ = try await hub.service.complete(by: hub.caller, clientKey: "again")
        #expect(await hub.devices.count == 1, sourceLocation: sourceLocation)
        #expect(await light.node.fabrics.count == 1, sourceLocation: sourceLocation)
    }

    // MARK: - A code that only names radio

    @Test func `a code for radio only is searched all the same, and says that there is none here`() async throws {
        try await home.withLight { light in
            try await LightHub.run(home, in: folder) { hub in
                var payload = home.identity.payload
                payload.discoveryCapabilities = .ble
                try await hub.prepare()
                let search = CommissionRequest(payload: try #require(payload.qrCode), clientKey: "search")
                let error = try await home.whileTimePasses {
                    try await #require(throws: ControlError.self) {
                        try await hub.service.commission(search, by: hub.caller)
                    }
                }
                #expect(error.code == .notFound)
                #expect(error.reason == "onlyBluetooth")
                #expect(error.message.contains("no radio"))
                expectPlainWords(error)
                #expect(await light.isFresh)
                // On the network it is commissioned with the same code.
                _ = try await hub.commission("there", payload: payload)
                _ = try await hub.service.complete(by: hub.caller, clientKey: "there")
                #expect(await hub.devices.count == 1)
            }
        }
    }

    // MARK: - It works

    @Test func `a light is commissioned, named, switched, kept over a restart and removed`() async throws {
        try await home.withLight { light in
            let id = try await LightHub.run(home, in: folder) { hub in
                try await hub.prepare()
                let answer = try await hub.commission("a")
                #expect(answer["productName"]?.string == "MatterHub Light")
                #expect(answer["stages"]?.array?.count == 10)
                #expect(answer["operationalPath"] == "knownAddress")
                try await hub.service.configure(by: hub.caller, deviceName: "Lamp", roomName: nil)
                _ = try await hub.service.complete(by: hub.caller, clientKey: "a")
                let device = try #require(await hub.devices.first)
                #expect(device.name == "Lamp")
                #expect(device.endpoint.endpoint.rawValue == 1)
                _ = try await hub.service.invoke(
                    home.command(1), fields: .structure([]), timeout: nil, on: device.id, by: hub.caller)
                #expect(await light.node.value(of: Home.onOff) == .bool(true))
                return device.id
            }
            try await LightHub.run(home, in: folder, port: 42) { hub in
                let path = AttributePath(
                    endpoint: Home.onOff.endpoint, cluster: Home.onOff.cluster, attribute: Home.onOff.attribute)
                let reports = try await hub.service.read(path, of: id, by: hub.caller)
                guard case .data(_, _, let value)? = reports.first else {
                    Issue.record("\(reports)")
                    return
                }
                #expect(value == .bool(true))
                let (removed, orphaned) = try await hub.service.remove(id, force: false, by: hub.caller)
                #expect(removed == [id] && orphaned.isEmpty)
                #expect(await light.isFresh)
                #expect(await hub.nodes.isEmpty)
                _ = try await hub.addLight("b")
            }
        }
    }

    // MARK: - It fails

    @Test(arguments: [
        ("pase", ControlErrorCode.unavailable, "deviceVanished"), ("readInfo", .unavailable, "deviceVanished"),
        ("armFailSafe", .unavailable, "deviceVanished"), ("csr", .unavailable, "deviceVanished"),
        ("addRoot", .unavailable, "deviceVanished"), ("addNOC", .unavailable, "deviceVanished"),
        ("operational", .unavailable, "deviceVanished"), ("complete", .unavailable, "deviceVanished"),
    ])
    func `a light that vanishes is told, cleaned, and can be commissioned again`(
        _ stage: String, _ code: ControlErrorCode, _ reason: String
    ) async throws {
        try await home.withLight { light in
            try await LightHub.run(home, in: folder) { hub in
                try await hub.prepare()
                hub.hooks.at(stage) { [network = home.network] in network.cut(port: Home.devicePort) }
                let error = try await hub.commissionError("a")
                #expect(error.code == code)
                #expect(error.reason == reason)
                #expect([stage, "operational"].contains(error.stage))
                #expect(error.suggestedUserActions.contains(.checkDeviceAvailability))
                expectPlainWords(error)
                // The session stands, and its owner may look and go on at once.
                let info = try await hub.service.sessionInfo(for: hub.caller)
                #expect(info["state"]?.string == "prepared")
                #expect(info["lastError"]?.string == error.message)
                #expect(await hub.devices.isEmpty)
                try await expectRecovery(hub, light)
            }
        }
    }

    @Test func `a wrong passcode, an unknown maker and a membership each have their own words`() async throws {
        let wrong = try #require(Passcode(rawValue: home.identity.passcode.rawValue == 1 ? 2 : 1))
        try await home.withLight { light in
            try await LightHub.run(home, in: folder, trust: try AttestationTrustStore()) { hub in
                try await hub.prepare()
                var payload = home.identity.payload
                payload.passcode = wrong
                let passcode = try await hub.commissionError("a", payload: payload)
                #expect(passcode.code == .invalidArgument)
                #expect(passcode.reason == "wrongPasscode")
                #expect(passcode.details?["candidates"]?.array?.count == 1)
                expectPlainWords(passcode)
                let attestation = try await hub.commissionError("b")
                #expect(attestation.code == .failedPrecondition)
                #expect(attestation.reason == "attestationRefused")
                #expect(attestation.stage == "attestation")
                let key = try #require(attestation.details?["missingAuthority"]?.string)
                #expect(key.count == 40)
                #expect(attestation.message.lowercased().filter { $0 != ":" }.contains(key))
                #expect(attestation.message.contains(LightHub.trustFolder))
                #expect(attestation.details?["rules"]?.array?.isEmpty == false)
                expectPlainWords(attestation)
                await hub.everythingIsClean(light)
            }
            try await LightHub.run(home, in: folder, port: 42) { hub in
                let id = try await hub.addLight("c")
                let window = try await hub.service.openWindow(on: id, timeout: .seconds(180), by: hub.caller)
                try await hub.prepare()
                let membership = try await hub.commissionError("d", payload: window.payload)
                #expect(membership.code == .alreadyExists)
                #expect(membership.reason == "alreadyOnFabric")
                let node = try #require(await hub.devices.first?.node)
                #expect(membership.details?["existingNode"]?.string == HubID(rawValue: node.rawValue).text)
                #expect(await hub.devices.map(\.id) == [id])
                #expect(await light.node.fabrics.count == 1)
                expectPlainWords(membership)
            }
        }
    }

    @Test func `a window that is open gives its codes again, until it is used or over`() async throws {
        try await home.withLight { light in
            try await LightHub.run(home, in: folder) { hub in
                let id = try await hub.addLight("a")
                func open() async throws -> OpenedWindow {
                    try await hub.service.openWindow(on: id, timeout: .seconds(180), by: hub.caller)
                }
                async let other = open()
                let first = try await open()
                #expect(try await other.payload == first.payload)
                await home.clock.advance(by: .seconds(100))
                let second = try await open()
                #expect(second.payload == first.payload)
                #expect(second.timeout == .seconds(80))
                await home.clock.advance(by: .seconds(81))
                let third = try await open()
                #expect(third.payload != first.payload)
                #expect(third.timeout == .seconds(180))
                // Another administrator uses it, which closes it.
                try await home.withController(port: 60) { controller in
                    let joined = await controller.commission(
                        home.order(0x77, payload: third.payload), observer: StageObserver())
                    guard case .commissioned = joined else {
                        Issue.record("\(joined)")
                        return
                    }
                    let fourth = try await open()
                    #expect(fourth.payload != third.payload && fourth.timeout == .seconds(180))
                    // And opens one of its own when ours is over.
                    await home.clock.advance(by: .seconds(181))
                    _ = try await controller.openWindow(on: NodeID(rawValue: 0x77), timeout: .seconds(180))
                    let busy = try await #require(throws: ControlError.self) { _ = try await open() }
                    #expect(busy.code == .unavailable, "\(busy)")
                    #expect(busy.message.contains("busy"))
                }
                #expect(await light.node.fabrics.count == 2)
            }
        }
    }

    @Test(arguments: [
        "discover", "pase", "readInfo", "armFailSafe", "attestation", "csr", "addRoot", "addNOC", "operational",
        "complete",
    ])
    func `a cancel in each stage frees the session at once and leaves no device`(_ stage: String) async throws {
        try await home.withLight { light in
            try await LightHub.run(home, in: folder) { hub in
                try await hub.prepare()
                let (cancels, cancel) = AsyncStream<DeviceCondition>.makeStream()
                hub.hooks.at(stage) { [service = hub.service, caller = hub.caller] in
                    Task {
                        let result = try? await service.cancel(by: caller, force: false)
                        cancel.yield(result?.device ?? .unknown)
                    }
                    while await service.runtimes[TestHub.structure]?.machine.session != nil { await Task.yield() }
                }
                let running = Task { try await hub.commission("a") }
                let condition = await home.whileTimePasses { await cancels.first { _ in true } }
                let allowed: [DeviceCondition] =
                    switch stage {
                    case "discover", "pase", "readInfo": [.untouched]
                    case "complete": [.clean, .unknown, .cleaning]
                    default: [.clean, .cleaning]
                    }
                #expect(condition.map { allowed.contains($0) } == true, "\(String(describing: condition))")
                let error = await #expect(throws: ControlError.self) {
                    try await home.whileTimePasses { try await running.value }
                }
                #expect(error?.reason == "sessionEnded")
                try await hub.prepare()
                #expect(await hub.devices.isEmpty)
                try await expectRecovery(hub, light)
            }
        }
    }

    // MARK: - Crashes

    @Test(arguments: [
        "discover", "pase", "readInfo", "armFailSafe", "attestation", "csr", "addRoot", "addNOC", "operational",
        "complete", "done",
    ])
    func `a hub that is killed in any stage settles the light at its next start`(_ stage: String) async throws {
        try await home.withLight { light in
            // The first hub never comes back from the stage, and nobody hears it any more.
            let (crashes, crash) = AsyncStream<Void>.makeStream()
            let forever = Door()
            let victim = Task {
                try await LightHub.run(home, in: folder) { hub in
                    try await hub.prepare()
                    hub.hooks.at(stage) { [network = home.network] in
                        network.cut(port: 41)
                        crash.yield()
                        await Task { _ = await forever.wait() }.value
                    }
                    _ = try await hub.commission("a")
                }
            }
            _ = await crashes.first { _ in true }
            try await LightHub.run(home, in: folder, port: 42) { hub in
                #expect(await hub.service.runtimes[TestHub.structure]?.machine.session == nil)
                #expect(await hub.devices.isEmpty)
                try await expectRecovery(hub, light)
            }
            victim.cancel()
        }
    }

    // MARK: - Reset and removal

    @Test func `a light that was reset takes the place of its stale record`() async throws {
        try await LightHub.run(home, in: folder) { hub in
            let old = try await home.withLight { _ in try await hub.addLight("a") }
            // The same light without its memory, at the same place.
            try await home.withLight { light in
                let path = AttributePath(endpoint: .root, cluster: .basicInformation, attribute: nil)
                let gone = await #expect(throws: ControlError.self) {
                    try await home.whileTimePasses { try await hub.service.read(path, of: old, by: hub.caller) }
                }
                #expect(gone?.reason == "deviceReset")
                try await hub.prepare()
                let answer = try await home.whileTimePasses { try await hub.commission("b") }
                #expect(answer["warnings"]?.array?.first?.string?.contains("reset") == true)
                _ = try await hub.service.complete(by: hub.caller, clientKey: "b")
                #expect(await hub.devices.count == 1)
                #expect(await hub.devices.first?.id != old)
                #expect(await light.node.fabrics.count == 1)
            }
        }
    }

    @Test func `a light that is off is removed only by force, and cleaned when it is back`() async throws {
        try await home.withLight { light in
            try await LightHub.run(home, in: folder) { hub in
                let id = try await hub.addLight("a")
                home.network.cut(port: Home.devicePort)
                let refused = await #expect(throws: ControlError.self) {
                    try await home.whileTimePasses {
                        try await hub.service.remove(id, force: false, by: hub.caller)
                    }
                }
                #expect(refused?.code == .unavailable)
                #expect(refused?.reason == "deviceUnreachable")
                let (removed, orphaned) = try await home.whileTimePasses {
                    try await hub.service.remove(id, force: true, by: hub.caller)
                }
                #expect(removed == [id])
                #expect(await hub.nodes.map(\.state) == [.orphan])
                home.network.heal(port: Home.devicePort)
                try await hub.service.retryOrphan(try #require(orphaned.first), in: TestHub.structure)
                await hub.everythingIsClean(light)
            }
        }
    }

    @Test func `a cancelled session takes its light off the fabric again`() async throws {
        try await home.withLight { light in
            try await LightHub.run(home, in: folder) { hub in
                try await hub.prepare()
                _ = try await hub.commission("a")
                #expect(await light.node.fabrics.count == 1)
                let (_, device) = try await hub.service.cancel(by: hub.caller, force: false)
                #expect(device == .cleaning)
                // The same light again, at once: it waits for the removal.
                try await hub.prepare()
                _ = try await home.whileTimePasses { try await hub.commission("b") }
                #expect(await light.node.fabrics.count == 1)
                #expect(await hub.nodes.map(\.state) == [.provisional])
            }
        }
    }
}
