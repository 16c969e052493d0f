import MatterCrypto
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterNode

/// What a device shows over PASE alone, and how it is left (Core §5.5, §6.2.3).
@Suite("ControllerNode: examination", .timeLimit(.minutes(1))) struct DeviceExaminationTests {
    private let home: Home

    init() throws { home = try Home() }

    private var search: DeviceSearch {
        DeviceSearch(payload: home.identity.payload, address: MemoryNetwork.address(Home.devicePort))
    }

    @Test func `shows the attestation and the network, and the next commissioner gets in at once`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { phone in
                let stages = Locked<[CommissioningStage]>([])
                let outcome = await phone.examine(search) { stage in stages.withLock { $0.append(stage) } }
                let found = try #require(outcome.examination, "\(outcome)")
                #expect(found.attestation?.dac == home.identity.attestation.dac)
                #expect(found.attestation?.pai == home.identity.attestation.pai)
                let elements = try AttestationElements(decoding: try #require(found.attestation).elements)
                #expect(elements.certificationDeclaration == home.identity.attestation.certificationDeclaration)
                #expect(found.verdict?.accepted == true)
                #expect(found.attestationMissing == nil)
                #expect(found.vendorID == DeviceIdentity.vendorID)
                #expect(found.productID == home.identity.productID)
                #expect(found.serialNumber == home.identity.serialNumber)
                #expect(found.network == NetworkFacts(features: 4, isConnected: true))
                #expect(found.address == MemoryNetwork.address(Home.devicePort))
                #expect(stages.withLock { $0 } == [.discover, .pase, .readInfo, .attestation])
                #expect(await light.node.isCommissionable)
                try await home.withController(port: 42) { hub in
                    let joined = await hub.commission(home.order(0x77), observer: StageObserver())
                    #expect(joined.report?.device.nodeID.rawValue == 0x77, "\(joined)")
                    #expect(joined.report?.device.attestation?.dac == found.attestation?.dac)
                    #expect(joined.report?.description.network == found.network)
                }
            }
        }
    }

    @Test func `can be repeated, and costs one of the window's twenty attempts each time`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { phone in
                for turn in 1...19 {
                    let outcome = await phone.examine(search)
                    #expect(outcome.examination != nil, "turn \(turn): \(outcome)")
                }
                let joined = await phone.commission(home.order(0x77), observer: StageObserver())
                #expect(joined.report != nil, "\(joined)")
                #expect(await light.node.fabrics.count == 1)
            }
        }
    }

    @Test(arguments: [CommissioningStage.discover, .pase, .readInfo, .attestation])
    func `stopped at any stage it leaves the device open`(_ stage: CommissioningStage) async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { phone in
                let running = Locked<Task<ExaminationOutcome, Never>?>(nil)
                let (starts, start) = AsyncStream<Void>.makeStream()
                let task = Task { [search] in
                    for await _ in starts { break }
                    return await phone.examine(search) { entered in
                        if entered == stage { running.withLock { $0?.cancel() } }
                    }
                }
                running.withLock { $0 = task }
                start.yield()
                let outcome = await task.value
                switch outcome {
                case .examined: Issue.record("it went on")
                case .failed(let failure):
                    #expect(failure.cause == .sessionEnded)
                    #expect(failure.deviceState == .untouched)
                case .notFound(let failure): #expect(failure.cause == .cancelled)
                }
                await until { await light.isFresh }
                let again = await phone.examine(search)
                #expect(again.examination != nil, "\(again)")
            }
        }
    }

    @Test(arguments: [CommissioningStage.readInfo, .attestation])
    func `a device that vanishes is told as such, and open again when its fail-safe is over`(
        _ stage: CommissioningStage
    ) async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { phone in
                let outcome = await home.whileTimePasses {
                    await phone.examine(search) { entered in
                        if entered == stage { home.network.cut(port: Home.devicePort) }
                    }
                }
                guard case .failed(let failure) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(failure.cause == .deviceVanished)
                #expect(failure.stage == stage)
                #expect(failure.deviceState == .cleaning)
                await home.whileTimePasses { await until { await light.isFresh } }
                home.network.heal(port: Home.devicePort)
                #expect(await phone.examine(search).examination != nil)
            }
        }
    }

    @Test func `a wrong passcode is told apart`() async throws {
        try await home.withLight { _ in
            try await home.withController(port: 41) { phone in
                var wrong = search
                wrong.payload.passcode = try #require(Passcode(rawValue: search.payload.passcode.rawValue == 1 ? 2 : 1))
                guard case .notFound(let failure) = await phone.examine(wrong) else {
                    Issue.record("it was let in")
                    return
                }
                #expect(failure.cause == .wrongPasscode)
            }
        }
    }

    @Test func `the time limit ends it`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { phone in
                var short = search
                // More than the stages before take on a slow machine, less than until a silent peer is given up.
                short.timeLimit = .seconds(3)
                let wanted = short
                let outcome = await home.whileTimePasses {
                    await phone.examine(wanted) { entered in
                        if entered == .attestation { home.network.cut(port: Home.devicePort) }
                    }
                }
                guard case .failed(let failure) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(failure.cause == .deadline)
                await home.whileTimePasses { await until { await light.isFresh } }
            }
        }
    }

    @Test func `a node that is closed examines nothing`() async throws {
        try await home.withController(port: 41) { phone in
            await phone.close()
            guard case .notFound(let failure) = await phone.examine(search) else {
                Issue.record("it went on")
                return
            }
            #expect(failure.cause == .cancelled)
        }
    }
}

extension ExaminationOutcome {
    fileprivate var examination: DeviceExamination? { if case .examined(let found) = self { found } else { nil } }
}
