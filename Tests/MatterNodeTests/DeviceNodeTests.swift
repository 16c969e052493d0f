import MatterModel
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import MatterNode

@Suite("DeviceNode (Core §5.5, §8, §11.10)", .timeLimit(.minutes(1)))
struct DeviceNodeTests {
    private let home: Home

    init() throws { home = try Home() }

    @Test func `is commissioned by a controller, described and switched`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                let report = try #require(outcome.report, "\(outcome)")
                #expect(report.description.productName == "MatterHub Light")
                #expect(report.description.endpoints.map(\.deviceTypes) == [[.onOffLight]])
                _ = try await controller.invoke(home.command(2), on: NodeID(rawValue: 0x77))
                #expect(await light.node.value(of: Home.onOff) == .bool(true))
                #expect(light.events.all.contains(.attributeChanged(Home.onOff, .bool(true))))
                #expect(await light.node.fabrics.map(\.nodeID) == [NodeID(rawValue: 0x77)])
            }
        }
    }

    @Test func `tells what happens in its order`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let fabric = try #require(await light.node.fabrics.first)
                let discriminator = home.identity.discriminator.rawValue
                #expect(
                    light.events.all.filter { if case .attributeChanged = $0 { false } else { true } } == [
                        .windowOpened(kind: .initial, discriminator: discriminator), .commissionerArrived,
                        .windowClosed, .commissioned(fabric),
                    ])
            }
        }
    }

    @Test func `announces the window, then the fabric, then nothing`() async throws {
        let advertiser = try await home.withLight { light in
            let first = await light.events.next { if case .windowOpened = $0 { true } else { false } }
            #expect(first != nil)
            #expect(light.advertiser.services.map(\.type) == ["_matterc._udp"])
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                let fabric = try #require(await light.node.fabrics.first)
                #expect(
                    light.advertiser.services.map(\.name)
                        == [operationalInstanceName(fabric: fabric.compressedFabricID, node: fabric.nodeID)])
            }
            return light.advertiser
        }
        #expect(advertiser.services == [])
    }

    @Test func `stores what a command changed before it answers`() async throws {
        try await home.withLight { _ in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                _ = home.log.take()
                _ = try await controller.invoke(home.command(1), on: NodeID(rawValue: 0x77))
                #expect(home.log.take() == [.persisted, .sent])
            }
        }
    }

    @Test func `ends without an answer when it can't store`() async throws {
        struct DiskFull: Error {}
        let isFull = FlagBox()
        let refuse: @Sendable () async throws -> Void = { if isFull.isSet { throw DiskFull() } }
        try await home.withLight(persisting: refuse) { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                isFull.set()
                let request = Task { try await controller.invoke(home.command(1), on: NodeID(rawValue: 0x77)) }
                let end = await light.end.value
                #expect(throws: DiskFull.self) { try end.get() }
                request.cancel()
                await #expect(throws: (any Error).self) { try await request.value }
            }
        }
    }

    @Test func `keeps its fabric and its light over a restart`() async throws {
        try await home.withController(port: 41) { controller in
            let snapshot = try await home.withLight { light in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                _ = try await controller.invoke(home.command(1), on: NodeID(rawValue: 0x77))
                return light.stored.withLock { $0 }
            }
            try await home.withLight(restoring: snapshot) { light in
                _ = try await controller.invoke(home.command(0), on: NodeID(rawValue: 0x77))
                #expect(await light.node.fabrics.count == 1)
                #expect(await !light.node.isCommissionable)
                // It was on when it stopped.
                #expect(light.events.all.contains(.attributeChanged(Home.onOff, .bool(false))))
            }
        }
    }

    @Test func `refuses PASE while no window is open`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                try await home.withController(port: 42) { stranger in
                    let outcome = await stranger.commission(home.order(0x78), observer: StageObserver())
                    guard case .notFound(let failure) = outcome, case .refused = failure.cause else {
                        Issue.record("\(outcome)")
                        return
                    }
                }
                #expect(await light.node.fabrics.count == 1)
            }
        }
    }

    @Test func `counts wrong passcodes, and closes the window at the limit`() async throws {
        let wrong = try #require(Passcode(rawValue: home.identity.passcode.rawValue == 1 ? 2 : 1))
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                for attempt in 1...CommissioningWindowMachine.attemptLimit {
                    let outcome = await controller.commission(
                        home.order(0x77, passcode: wrong), observer: StageObserver())
                    guard case .notFound(let failure) = outcome, failure.cause == .wrongPasscode else {
                        Issue.record("attempt \(attempt): \(outcome)")
                        return
                    }
                }
                _ = await light.events.next { $0 == .windowClosed }
                #expect(await !light.node.isCommissionable)
                let outcome = await controller.commission(home.order(0x77), observer: StageObserver())
                guard case .notFound(let failure) = outcome, case .refused = failure.cause else {
                    Issue.record("\(outcome)")
                    return
                }
            }
        }
    }

    @Test func `lets a second fabric in through a window, and forgets it alone`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { first in
                _ = await first.commission(home.order(0x77), observer: StageObserver())
                let window = try await first.openWindow(on: NodeID(rawValue: 0x77), timeout: .seconds(180))
                #expect(light.advertiser.services.map(\.type) == ["_matterc._udp", "_matter._tcp"])
                try await home.withController(port: 42) { second in
                    let outcome = await second.commission(home.order(0x78, payload: window), observer: StageObserver())
                    #expect(outcome.report != nil, "\(outcome)")
                    #expect(await light.node.fabrics.count == 2)
                    #expect(await second.removeFabric(from: NodeID(rawValue: 0x78), known: nil) == .removed)
                }
                #expect(await light.node.fabrics.map(\.nodeID) == [NodeID(rawValue: 0x77)])
                _ = try await first.invoke(home.command(1), on: NodeID(rawValue: 0x77))
            }
        }
    }

    @Test func `opens its window again when its last fabric is removed, and is commissioned again`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                _ = await controller.commission(home.order(0x77), observer: StageObserver())
                #expect(await controller.removeFabric(from: NodeID(rawValue: 0x77), known: nil) == .removed)
                #expect(light.events.all.contains(.factoryReset))
                #expect(await light.node.isCommissionable)
                #expect(light.advertiser.services.map(\.type) == ["_matterc._udp"])
                let outcome = await controller.commission(home.order(0x79), observer: StageObserver())
                #expect(outcome.report != nil, "\(outcome)")
            }
        }
    }

    @Test func `rolls back when the commissioner vanishes after AddNOC`() async throws {
        try await home.withLight { light in
            try await home.withController(port: 41) { controller in
                let (stages, reached) = AsyncStream<Void>.makeStream()
                let observer = StageObserver(stage: .operational) { [network = home.network] in
                    network.cut(port: 41)
                    reached.yield()
                }
                let commission = Task { await controller.commission(home.order(0x77), observer: observer) }
                for await _ in stages { break }
                #expect(await light.node.fabrics.count == 1)
                await home.clock.advance(by: .seconds(61))
                _ = await light.events.next { if case .windowOpened = $0 { true } else { false } }
                _ = await light.events.next { if case .fabricRemoved = $0 { true } else { false } }
                _ = await light.events.next { if case .windowOpened = $0 { true } else { false } }
                #expect(await light.node.fabrics.isEmpty)
                #expect(await light.node.isCommissionable)
                #expect(light.advertiser.services.map(\.type) == ["_matterc._udp"])
                commission.cancel()
                guard case .failed(let failure) = await home.outcome(of: commission) else {
                    Issue.record("a cancelled commissioning did not fail")
                    return
                }
                // Which of the two comes first depends on how the clock was moved.
                #expect([.sessionEnded, .deviceVanished].contains(failure.cause))
            }
        }
    }

    @Test func `starts without the fabric of a commissioning that its stop interrupted`() async throws {
        try await home.withController(port: 41) { controller in
            let (snapshots, reached) = AsyncStream<[UInt8]?>.makeStream()
            let commission: Task<CommissioningOutcome, Never> = try await home.withLight { light in
                let observer = StageObserver(stage: .operational) { [network = home.network] in
                    network.cut(port: 41)
                    reached.yield(light.stored.withLock { $0 })
                }
                let commission = Task { await controller.commission(home.order(0x77), observer: observer) }
                var snapshot: [UInt8]?
                for await stored in snapshots {
                    snapshot = stored
                    break
                }
                let restored = try #require(snapshot)
                reached.finish()
                try await Home().withLight(restoring: restored) { fresh in
                    _ = await fresh.events.next { if case .windowOpened = $0 { true } else { false } }
                    #expect(await fresh.node.fabrics.isEmpty)
                }
                return commission
            }
            await controller.close()
            guard case .failed(let failure) = await home.outcome(of: commission) else {
                Issue.record("a commissioning outlived its controller")
                return
            }
            #expect(failure.cause == .sessionEnded)
        }
    }
}

/// A flag that a closure reads.
private final class FlagBox: Sendable {
    private let flag = Locked(false)
    var isSet: Bool { flag.withLock { $0 } }
    func set() { flag.withLock { $0 = true } }
}
