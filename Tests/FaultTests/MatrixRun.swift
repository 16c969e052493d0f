import Hub
import HubControl
import MatterNode
import MatterProtocol
import NetIO
import TestSupport
import VirtualHome

/// One run of the fault matrix: commission, fault, ending, then everything that design and contract promise after it.
final class MatrixRun: Sendable {
    /// What a run showed.
    struct Verdict: Sendable {
        /// How the commission was answered: `ok`, or the reason.
        var outcome = "none"
        /// Broken promises, in words.
        var problems: [String] = []
        /// From the fault to the answer, on the home's clock.
        var time = Duration.zero
    }

    /// One device for all runs, since its attestation takes long to make.
    static let identity = Result {
        try DeviceIdentity(.init(kind: .onOffLight), secrets: SeededSecretSource(seed: 7), random: .seeded(3))
    }

    private let combination: Combination
    private let verdict = Locked(Verdict())
    private let leaks = LeakWatch()

    private init(_ combination: Combination) { self.combination = combination }

    /// Runs one combination in a home of its own.
    static func verdict(on combination: Combination) async -> Verdict {
        let run = MatrixRun(combination)
        do {
            try await run.live()
        } catch {
            run.problem("\(error)")
        }
        await Idleness.reached()
        for name in run.leaks.alive { run.problem("\(name) is kept for ever") }
        return run.verdict.withLock { $0 }
    }

    private func problem(_ text: String) { verdict.withLock { $0.problems.append(text) } }

    private func check(_ holds: Bool, _ text: String) { if !holds { problem(text) } }

    // MARK: - The run

    private func live() async throws {
        let home = try Home(identity: try Self.identity.get())
        leaks.watch(home.clock, "the clock")
        let (moments, moment) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        var plan = FaultPlan()
        if case .device(let kind, let nth) = combination.fault {
            plan.rules = [try FaultRule(stage: combination.stage, kind: kind, from: nth)]
        }
        let advertisers = Locked<RecordingAdvertiser?>(nil)
        let isMet = Locked(false)
        try await home.withLight(
            faults: plan,
            observing: { [combination] event in
                guard case .fault = event else { return }
                isMet.withLock { $0 = true }
                // A wrong announcement is met before the hub looks for it: there the hub's own stage is the moment.
                if combination.stage != .discover { moment.yield() }
            }
        ) { light in
            leaks.watch(light.node, "the device")
            advertisers.withLock { $0 = light.advertiser }
            _ = await home.lapse(limit: .seconds(1)) {
                await light.isFresh && !light.advertiser.services.isEmpty || combination.stage == .discover
            }
            let discovery = AnnouncedDiscovery { advertisers.withLock { $0 } }
            let searches = combination.stage == .discover
            let hub = try await FaultHub(home, port: 41, discovery: discovery)
            watch(hub)
            let isDeviceFault = if case .device = combination.fault { combination.stage != .discover } else { false }
            let stages = isDeviceFault ? nil : try await watchStages(of: hub, moment)
            try await home.lapse { try await hub.prepare() }
            let survivor = try await commission(hub, light, moments, moment, searches: searches, discovery)
            stages?.cancel()
            if case .device = combination.fault { check(isMet.withLock { $0 }, "the fault never happened") }
            try await recover(survivor, light)
            try await survivor.stop()
            advertisers.withLock { $0 = nil }
        }
        await Idleness.reached()
        let next = await home.clock.nextDeadline
        check(next == nil, "somebody still sleeps until \(next.map { "\($0.sinceStart)" } ?? "")")
    }

    private func watch(_ hub: FaultHub) {
        leaks.watch(hub.service, "the hub's service")
        leaks.watch(hub.controller, "the hub's controller")
        leaks.watch(hub.ledger, "the hub's ledger")
    }

    /// Tells the moment when the hub begins the stage.
    private func watchStages(
        of hub: FaultHub, _ moment: AsyncStream<Void>.Continuation
    ) async throws -> Task<Void, Never> {
        let stream = try await hub.service.subscribe(to: FaultHub.structure, from: nil).events
        return Task { [combination] in
            for await event in stream where event.name == "session.stage" {
                if event.data["stage"]?.string == combination.stage.rawValue { moment.yield() }
            }
        }
    }

    /// Commissions, and does at the moment of the fault what the combination says.
    ///
    /// - Returns: the hub that goes on: after a crash a new one.
    private func commission(
        _ hub: FaultHub, _ light: Home.Light, _ moments: AsyncStream<Void>,
        _ moment: AsyncStream<Void>.Continuation, searches: Bool, _ discovery: AnnouncedDiscovery
    ) async throws -> FaultHub {
        let home = hub.home
        let answering = Task { () -> Result<JSONObject, any Error> in
            do {
                return .success(try await hub.commission("a", searching: searches))
            } catch {
                return .failure(error)
            }
        }
        let survivor: FaultHub = try await home.lapse { [self] in
            let end = Task {
                _ = await answering.value
                moment.finish()
            }
            defer { end.cancel() }
            for await _ in moments {
                try await strike(hub)
                break
            }
            let start = home.clock.now
            switch combination.ending {
            case .fail: break
            case .cancel:
                let answer = try await hub.service.cancel(by: hub.caller, force: false)
                let time = start.duration(to: home.clock.now)
                check(time <= .seconds(1), "cancel answered after \(time)")
                if combination.fault != .revoked { check(answer.hadSession, "cancel found no session") }
            case .clientDies: await hub.service.disconnected(hub.connection)
            case .crash:
                let kept = hub.crash()
                answering.cancel()
                return try await FaultHub(home, kept, port: 42, discovery: discovery)
            }
            let answer = await answering.value
            verdict.withLock { $0.time = start.duration(to: home.clock.now) }
            note(answer)
            return hub
        }
        if survivor !== hub {
            try await hub.buried()
            watch(survivor)
            verdict.withLock { $0.outcome = "crashed" }
        } else {
            try await checkAnswer(hub, await answering.value, searches: searches)
        }
        return survivor
    }

    /// What goes wrong in the hub.
    private func strike(_ hub: FaultHub) async throws {
        switch combination.fault {
        case .device, .none: break
        case .storageFails: hub.store.fail(1)
        case .offline: await hub.service.setReachable(false)
        case .revoked: try await hub.service.revokeGrant(hub.caller.grant, in: FaultHub.structure)
        }
    }

    private func note(_ answer: Result<JSONObject, any Error>) {
        let outcome: String
        switch answer {
        case .success: outcome = "ok"
        case .failure(let error as ControlError): outcome = error.reason ?? "\(error.code)"
        case .failure(let error): outcome = "\(error)"
        }
        verdict.withLock { $0.outcome = outcome }
    }

    // MARK: - What must hold

    /// The answer is one of the contract's, and a repeat of the client key gets it again.
    private func checkAnswer(
        _ hub: FaultHub, _ answer: Result<JSONObject, any Error>, searches: Bool
    ) async throws {
        switch answer {
        case .success:
            check([.fail, .clientDies].contains(combination.ending), "a late success was answered")
        case .failure(let error as ControlError):
            check(error.reason != nil, "no reason: \(error.message)")
            check(error.stage != nil || error.reason == "sessionEnded", "no stage: \(error.message)")
            check(Self.reasons.contains(error.reason ?? ""), "the contract has no reason \(error.reason ?? "")")
            for dump in ["MatterWire", "MatterProtocol", "MatterNode", "rawValue", "Optional(", "Error(", "[]"]
            where error.message.contains(dump) {
                problem("not for people: \(error.message)")
            }
        case .failure(let error): problem("no error of the protocol: \(error)")
        }
        // These are no answers about the device, or could not be kept: a repeat is a new try.
        guard ![.revoked, .storageFails, .offline].contains(combination.fault) else { return }
        let again = try await hub.home.lapse { () -> Result<JSONObject, ControlError> in
            do throws(ControlError) {
                return .success(
                    try await hub.service.commission(
                        CommissionRequest(payload: "MT:", clientKey: "a"), by: hub.caller))
            } catch {
                return .failure(error)
            }
        }
        switch (answer, again) {
        case (.success(let first), .success(let second)): check(first == second, "a repeat got another answer")
        case (.failure(let first as ControlError), .failure(let second)):
            check(first == second || first.reason == "sessionEnded", "a repeat got another error: \(second.message)")
        case (.success, _), (.failure, _): problem("a repeat of the client key ended otherwise")
        }
    }

    /// The reasons of Protocols/commissioning-session.md.
    private static let reasons: Set<String> = [
        "noDeviceFound", "deviceVanished", "sessionEnded", "hubOffline", "attestationRefused", "alreadyOnFabric",
        "fabricTableFull", "deviceBusy", "deviceRefused", "protocolError", "deadline", "internalError", "storage",
        "deviceReset", "wrongPasscode",
    ]

    /// The next prepare works at once; the light and the journal become clean; the light can be commissioned again.
    private func recover(_ hub: FaultHub, _ light: Home.Light) async throws {
        let home = hub.home
        if combination.fault == .offline { await hub.service.setReachable(true) }
        try await light.node.setFaults(FaultPlan())
        if combination.fault == .revoked, combination.ending != .crash {
            check(await hub.service.load.sessions == 0, "a revoked app has a session")
        }
        let isWhole = verdict.withLock { $0.outcome } == "ok"
        if isWhole, combination.ending == .fail {
            // A device that was commissioned in spite of the fault is a whole one.
            let ids = try await home.lapse { try await hub.complete("a") }
            check(ids.count == 1, "complete gave \(ids.count) devices")
            check(await hub.devices.count == 1, "the device is not listed")
            check(await light.node.fabrics.count == 1, "the device is not on the fabric")
            let (removed, orphans) = try await home.lapse {
                try await hub.service.remove(ids[0], force: false, by: hub.caller)
            }
            check(removed == ids && orphans.isEmpty, "it could not be removed")
        } else {
            let load = await hub.service.load
            switch combination.ending {
            case .fail:
                check(load.sessions == (combination.fault == .revoked ? 0 : 1), "\(load.sessions) sessions")
            case .cancel, .crash: check(load.sessions == 0, "the session is stuck")
            case .clientDies:
                let isGone = await home.lapse(limit: .seconds(121)) { await hub.service.load.sessions == 0 }
                check(isGone, "the session outlives its owner")
            }
            check(load.requests == 0, "a request is left")
        }
        check(await hub.devices.isEmpty, "a device that nobody completed is listed")
        let before = home.clock.now
        try await home.lapse(limit: .milliseconds(1)) { try await hub.prepare() }
        check(home.clock.now == before, "prepare had to wait")
        let isSettled = await home.lapse(limit: .seconds(2_400)) {
            guard await hub.isSettled, await light.isFresh else { return false }
            // A handshake that a dead hub left half open is the device's to time out.
            return await light.node.load.handshakes == 0
        }
        if !isSettled {
            problem(
                "not clean after 40 min: \(await hub.service.load), \(await hub.nodes.map { "\($0.state) \($0.stage) \($0.lastError)" }), \(await light.node.fabrics.count) fabrics, commissionable \(await light.node.isCommissionable)"
            )
        }
        try await commissionAgain(hub, light)
    }

    private func commissionAgain(_ hub: FaultHub, _ light: Home.Light) async throws {
        let home = hub.home
        let connection = combination.ending == .clientDies ? await hub.service.connected(hub.caller) : nil
        if await hub.service.load.sessions == 0 { try await home.lapse { try await hub.prepare() } }
        _ = try await home.lapse { try await hub.commission("again") }
        _ = try await home.lapse { try await hub.complete("again") }
        check(await hub.devices.count == 1, "after the second try \(await hub.devices.count) devices")
        check(await light.node.fabrics.count == 1, "after the second try \(await light.node.fabrics.count) fabrics")
        if let connection { await hub.service.disconnected(connection) }
        // Acknowledgements that wait for a ride are the last that a commissioning leaves.
        _ = await home.lapse(limit: .seconds(60)) { false }
        check(await hub.service.load == HubLoad(), "the hub keeps \(await hub.service.load)")
        let controller = await hub.controller.load
        check(
            controller.layer.exchanges == 0 && controller.handshakes == 0 && controller.waiting == 0
                && controller.commissionings == 0 && controller.watchers == 0 && controller.layer.secureSessions <= 2,
            "the controller keeps \(controller)")
        let device = await light.node.load
        check(
            device.layer.exchanges == 0 && device.handshakes == 0 && device.waiting == 0 && device.commissionings == 0,
            "the device keeps \(device)")
    }
}

/// Objects that must be gone after a run.
final class LeakWatch: Sendable {
    private struct Entry {
        weak var object: (any AnyObject & Sendable)?
        let name: String
    }
    private let entries = Locked<[Entry]>([])

    func watch(_ object: any AnyObject & Sendable, _ name: String) {
        entries.withLock { $0.append(Entry(object: object, name: name)) }
    }

    /// Those that live.
    var alive: [String] { entries.withLock { $0.filter { $0.object != nil }.map(\.name) } }
}
