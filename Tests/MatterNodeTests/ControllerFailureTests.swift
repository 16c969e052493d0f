import MatterCrypto
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterNode

/// What a controller says, and leaves behind, when a commissioning goes wrong (Protocols/commissioning-session.md).
@Suite("ControllerNode: failures", .timeLimit(.minutes(1))) struct ControllerFailureTests {
    private let home: Home

    init() throws { home = try Home() }

    /// The light is as it was, and another try works at once.
    private func expectRecovery(
        _ light: Home.Light, _ controller: ControllerNode, _ node: UInt64 = 0x99,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        #expect(await light.node.fabrics.isEmpty, sourceLocation: sourceLocation)
        #expect(await light.node.isCommissionable, sourceLocation: sourceLocation)
        let again = await controller.commission(home.order(node), observer: StageObserver())
        #expect(again.report?.device.nodeID.rawValue == node, "\(again)", sourceLocation: sourceLocation)
        #expect(await controller.cleanings.isEmpty, sourceLocation: sourceLocation)
    }

    // MARK: - The device makes no sense

    @Test(arguments: ["pase:corrupt", "pase:corrupt@2", "pase:corrupt=mic"])
    func `an answer that is no message is told as one, in words`(_ fault: String) async throws {
        try await home.withLight(faults: try FaultPlan([fault])) { light in
            try await home.withController(port: 41) { controller in
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                guard case .broken(let reason)? = outcome.discoveryFailure?.cause else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(reason.contains("at byte"))
                for dump in ["TLVError", "Optional", "MatterWire", "[]"] {
                    #expect(!reason.contains(dump), "\(reason)")
                }
                #expect(outcome.discoveryFailure?.stage == .pase)
                await expectRecovery(light, controller)
            }
        }
    }

    // MARK: - The device vanishes

    @Test(arguments: [
        (CommissioningStage.readInfo, CommissioningCause.deviceVanished), (.armFailSafe, .deviceVanished),
        (.attestation, .deviceVanished), (.csr, .deviceVanished), (.addRoot, .deviceVanished),
        (.addNOC, .deviceVanished), (.operational, .deviceVanished),
    ])
    func `a device that vanishes before CommissioningComplete is clean when its fail-safe is over`(
        _ stage: CommissioningStage, _ cause: CommissioningCause
    ) async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let outcome = await home.commission(controller, home.order(0x77), cuttingAt: stage)
                let failure = try #require(outcome.failure, "\(outcome)")
                #expect(failure.cause == cause)
                #expect(failure.stage == stage)
                #expect(!failure.message.isEmpty && !failure.advice.isEmpty)
                #expect(failure.suggestedUserActions.contains(.checkDeviceAvailability))
                #expect([.untouched, .cleaning, .clean].contains(failure.deviceState), "\(failure.deviceState)")
                await home.whileTimePasses {
                    let rest = await controller.settled(NodeID(rawValue: 0x77))
                    #expect(rest == nil || rest == .clean || rest == .untouched)
                }
                await home.whileTimePasses { await until { await light.isFresh } }
                home.network.heal(port: Home.devicePort)
                await expectRecovery(light, controller)
            }
        }
    }

    @Test func `a device that vanishes in PASE is untouched, and the candidate is named`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let outcome = await home.commission(controller, home.order(0x77), cuttingAt: .pase)
                let failure = try #require(outcome.discoveryFailure, "\(outcome)")
                #expect(failure.cause == .noAnswer)
                #expect(failure.stage == .pase)
                #expect(failure.candidates.map(\.answer) == [.silent])
                home.network.heal(port: Home.devicePort)
                await expectRecovery(light, controller)
            }
        }
    }

    @Test func `a device that vanishes at CommissioningComplete is settled by CASE, never guessed`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let outcome = await home.commission(controller, home.order(0x77), cuttingAt: .complete)
                let failure = try #require(outcome.failure, "\(outcome)")
                #expect(failure.stage == .complete || failure.stage == .operational)
                #expect(failure.deviceState == .unknown)
                #expect(failure.cause == .deviceVanished)
                // Nobody answers in the time that is left: only then the outcome stays open.
                let rest = await home.whileTimePasses { await controller.settled(NodeID(rawValue: 0x77)) }
                #expect(rest == .unknown)
                #expect(await controller.cleanings.isEmpty)
                home.network.heal(port: Home.devicePort)
                #expect(await light.node.fabrics.isEmpty)
                let removal = await home.whileTimePasses {
                    await controller.removeFabric(
                        from: NodeID(rawValue: 0x77), known: MemoryNetwork.address(Home.devicePort))
                }
                #expect(removal == .notOnFabric)
                await expectRecovery(light, controller)
            }
        }
    }

    // MARK: - Refusals

    @Test func `a wrong passcode is told apart, and the right one works at once`() async throws {
        let wrong = try #require(Passcode(rawValue: home.identity.passcode.rawValue == 1 ? 2 : 1))
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let outcome = await controller.commission(
                    home.order(0x77, passcode: wrong), observer: StageObserver())
                let failure = try #require(outcome.discoveryFailure, "\(outcome)")
                #expect(failure.cause == .wrongPasscode)
                #expect(failure.stage == .pase)
                #expect(failure.candidates.map(\.answer) == [.wrongPasscode])
                await expectRecovery(light, controller)
            }
        }
    }

    @Test func `an untrusted attestation authority is named, the device is clean, and warn lets it in`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41, trust: try AttestationTrustStore()) { controller in
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                let failure = try #require(outcome.failure, "\(outcome)")
                #expect(failure.cause == .attestationRefused)
                #expect(failure.stage == .attestation)
                #expect(failure.deviceState == .clean)
                #expect(failure.verdict?.missingAuthority?.count == 20)
                #expect(failure.verdict?.failures.isEmpty == false)
                var order = home.order(0x78)
                order.attestationPolicy = .warn
                let again = await controller.commission(order, observer: StageObserver())
                #expect(again.report?.device.verdict?.accepted == false, "\(again)")
                #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x78])
            }
        }
    }

    @Test func `a device that is on the fabric already is refused and stays as it is`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let window = try await controller.openWindow(on: NodeID(rawValue: 0x77), timeout: .seconds(180))
                var order = home.order(0x78, payload: window)
                order.knownNodes = [NodeID(rawValue: 0x77)]
                let outcome = await controller.commission(order, observer: StageObserver())
                let failure = try #require(outcome.failure, "\(outcome)")
                #expect(failure.cause == .alreadyOnFabric)
                #expect(failure.existingNode == NodeID(rawValue: 0x77))
                #expect(failure.deviceState == .untouched)
                #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x77])
                _ = try await controller.invoke(home.command(1), on: NodeID(rawValue: 0x77))
            }
        }
    }

    @Test func `a membership of the fabric that no longer counts is replaced, and told`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let first = try await controller.openWindow(on: NodeID(rawValue: 0x77), timeout: .seconds(180))
                try await home.withController(port: 42) { other in
                    _ = await other.commission(home.order(0x51, payload: first), observer: StageObserver())
                }
                let second = try await controller.openWindow(on: NodeID(rawValue: 0x77), timeout: .seconds(180))
                let outcome = await controller.commission(home.order(0x78, payload: second), observer: StageObserver())
                let report = try #require(outcome.report, "\(outcome)")
                #expect(report.device.replacedNode == NodeID(rawValue: 0x77))
                #expect(Set(await light.node.fabrics.map(\.nodeID.rawValue)) == [0x51, 0x78])
            }
        }
    }

    @Test func `a device that resets itself with its last membership says which code to use now`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let window = try await controller.openWindow(on: NodeID(rawValue: 0x77), timeout: .seconds(180))
                let outcome = await controller.commission(home.order(0x78, payload: window), observer: StageObserver())
                let failure = try #require(outcome.failure, "\(outcome)")
                #expect(failure.cause == .deviceReset)
                #expect(failure.deviceState == .clean)
                #expect(failure.advice.contains("code that is printed"))
                await until { await light.isFresh }
                await expectRecovery(light, controller)
            }
        }
    }

    @Test func `a device that another commissioner works on is told apart, and free again after`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { first in
                let (arrivals, arrival) = AsyncStream<Void>.makeStream()
                let (permits, permit) = AsyncStream<Void>.makeStream()
                let observer = StageObserver(stage: .csr) {
                    arrival.yield()
                    for await _ in permits { break }
                }
                let running = Task { await first.commission(home.order(0x77), observer: observer) }
                for await _ in arrivals { break }
                try await home.withController(port: 42) { second in
                    let outcome = await second.commission(home.order(0x78), observer: StageObserver())
                    let failure = try #require(outcome.discoveryFailure, "\(outcome)")
                    guard case .refused = failure.cause else {
                        #expect(failure.cause == .busy)
                        return
                    }
                }
                permit.yield()
                #expect(await running.value.report != nil)
                #expect(await light.node.fabrics.map(\.nodeID.rawValue) == [0x77])
            }
        }
    }

    // MARK: - Stopping

    /// All but the one that a device without a radio does not have.
    static let stages = CommissioningStage.allCases.filter { $0 != .regulatory }

    @Test(arguments: stages) func `a cancel in each stage leaves no device and frees it at once`(
        _ stage: CommissioningStage
    ) async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let canceller = Canceller()
                let observer = StageObserver(stage: stage) { canceller.cancel() }
                let running = Task { await controller.commission(home.order(0x77), observer: observer) }
                canceller.task = running
                let outcome = await running.value
                let (cause, state): (CommissioningCause, DeviceState)
                if let failure = outcome.discoveryFailure {
                    #expect(failure.cause == .cancelled, "\(outcome)")
                    #expect(stage <= .pase)
                    (cause, state) = (.sessionEnded, .untouched)
                } else {
                    let failure = try #require(outcome.failure, "\(outcome)")
                    (cause, state) = (failure.cause, failure.deviceState)
                }
                #expect(cause == .sessionEnded)
                #expect(
                    stage < .armFailSafe ? [.untouched].contains(state) : [.clean, .cleaning, .unknown].contains(state))
                await home.whileTimePasses {
                    _ = await controller.settled(NodeID(rawValue: 0x77))
                    await until { await light.isFresh }
                }
                await expectRecovery(light, controller)
            }
        }
    }

    @Test func `the time allowed bounds the search, PASE and the rest, and is told as a deadline`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41, discovery: ScriptedDiscovery()) { controller in
                var order = home.search(0x77)
                order.timeLimit = .seconds(5)
                let search = await home.whileTimePasses {
                    await controller.commission(order, observer: StageObserver())
                }
                #expect(search.discoveryFailure?.cause == .deadline, "\(search)")
                #expect(search.discoveryFailure?.stage == .discover)
                order = home.order(0x78)
                order.timeLimit = .seconds(2)
                home.network.cut(port: Home.devicePort)
                let pase = await home.whileTimePasses {
                    await controller.commission(order, observer: StageObserver())
                }
                #expect(pase.discoveryFailure?.cause == .deadline, "\(pase)")
                #expect(pase.discoveryFailure?.stage == .pase)
                home.network.heal(port: Home.devicePort)
                order = home.order(0x79)
                order.timeLimit = .seconds(3)
                let rest = await home.commission(controller, order, cuttingAt: .attestation)
                #expect(rest.failure?.cause == .deadline, "\(rest)")
                #expect(rest.failure?.message.contains("time") == true)
                _ = light
            }
        }
    }

    @Test func `a controller that closes in the middle answers, and takes nothing more`() async throws {
        try await home.withLight { _ in
            try await home.withController(port: 41) { controller in
                let observer = StageObserver(stage: .csr) { await controller.close() }
                let outcome = await controller.commission(home.order(0x77), observer: observer)
                #expect(outcome.failure != nil, "\(outcome)")
                let later = await controller.commission(home.order(0x78), observer: StageObserver())
                #expect(later.discoveryFailure != nil, "\(later)")
                await #expect(throws: (any Error).self) {
                    try await controller.invoke(home.command(1), on: NodeID(rawValue: 0x77))
                }
            }
        }
    }
}

/// Cancels a task from a callback that begins before the task is known.
private final class Canceller: Sendable {
    private let state = Locked<(task: Task<CommissioningOutcome, Never>?, isCancelled: Bool)>((nil, false))

    var task: Task<CommissioningOutcome, Never>? {
        get { state.withLock { $0.task } }
        set {
            let isCancelled = state.withLock { state in
                state.task = newValue
                return state.isCancelled
            }
            if isCancelled { newValue?.cancel() }
        }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
