import HubControl
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

/// Rules of design and contract that no other suite holds; Protocols/session-rules.md has the whole table.
@Suite("Session rules", .timeLimit(.minutes(1))) struct SessionRuleTests {
    /// Far enough to end or outlast everything: ten years.
    private static let jumps: [Int64] = [-315_360_000, -700, 700, 315_360_000]

    @Test(arguments: jumps)
    func `a wall clock that jumps neither ends a session nor keeps one`(_ jump: Int64) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            hub.wallJump.withLock { $0 = jump }
            await hub.clock.advance(by: .seconds(599))
            #expect(await hub.sessionIsActive)
            #expect(try await hub.service.sessionInfo(for: phone)["expiresInMs"]?.integer == 1_000)
            await hub.sleeper(within: .seconds(1))
            await hub.clock.advance(by: .seconds(1))
            await eventually("the session ends at its time") { await !hub.sessionIsActive }
        }
    }

    @Test(arguments: jumps)
    func `a wall clock that jumps makes no client key run twice, and keeps no answer for ever`(
        _ jump: Int64
    ) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let first = try await hub.commission(phone, key: "a")
            hub.wallJump.withLock { $0 = jump }
            // Keeping this one drops what the store holds for too old.
            _ = try await hub.commission(phone, 1, key: "b")
            await hub.clock.advance(by: .seconds(500))
            #expect(try await hub.commission(phone, key: "a") == first)
            #expect(await hub.matter.orders.count == 2)
            await hub.clock.advance(by: .seconds(99))
            let ids = try await hub.service.complete(by: phone, clientKey: "c")
            #expect(ids["deviceIds"]?.array?.count == 2)
            await hub.clock.advance(by: .seconds(2))
            #expect(
                await hub.refusal { _ = try await hub.commission(phone, key: "a") } == "noSession")
        }
    }

    @Test(arguments: jumps)
    func `a wall clock that jumps holds no device longer than a fail-safe can last`(_ jump: Int64) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            await hub.matter.onSettle { _, _ in .unreachable("silent") }
            await hub.matter.script(
                Script.fail(at: "addNOC", condition: .cleaning, failSafeLeft: .seconds(60)), Script.succeed())
            _ = try await hub.prepare(phone)
            hub.wallJump.withLock { $0 = 0 }
            let failed = try await hub.commissionError(phone, key: "a")
            #expect(failed.reason == "deviceVanished")
            hub.wallJump.withLock { $0 = jump }
            await eventually("cleaning has looked at its row") { await hub.nodes.first?.attempts == 1 }
            let busy = try await hub.commissionError(phone, key: "b", limit: .seconds(1))
            #expect(busy.reason == "stillCleaning")
            #expect(busy.retryAfterMs.map { $0 <= 900_000 } == true, "\(busy.retryAfterMs ?? -1)")
        }
    }

    @Test func `several devices of one session are provisional apart and become devices together`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            var bridge = Script.info
            bridge.endpoints += (2...3).map {
                EndpointInfo(
                    endpoint: .init(rawValue: $0), deviceTypes: [0x0100], isBridged: true, label: "Lamp \($0)")
            }
            await hub.matter.script(
                Script.succeed(), Script.fail(at: "attestation", .failedPrecondition, "attestationRefused"),
                Script.succeed(bridge), Script.succeed())
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 0)
            try await hub.service.configure(by: phone, deviceName: "First", roomName: nil)
            #expect(try await hub.commissionError(phone, 1).reason == "attestationRefused")
            _ = try await hub.commission(phone, 2)
            _ = try await hub.commission(phone, 3)
            // Its owner sees them, nobody else does, and no list has them.
            #expect(try await hub.service.sessionInfo(for: phone)["provisional"]?.array?.count == 3)
            #expect(await hub.refusal { _ = try await hub.service.sessionInfo(for: other) } == "notOwner")
            #expect(await hub.devices.isEmpty)
            let ids = try await hub.service.complete(by: phone, clientKey: "k")["deviceIds"]?.array ?? []
            #expect(Set(ids.compactMap(\.string)) == Set(await hub.devices.map(\.id.text)))
            #expect(await hub.nodes.map(\.state) == [.commissioned, .commissioned, .commissioned])
            #expect(await hub.devices.contains { $0.name == "First" })
            #expect(await hub.events(named: "device.added").count == ids.count)
        }
    }

    @Test(arguments: Script.stages)
    func `going offline in any stage stops the commission, and the same key tries anew in the same session`(
        _ stage: String
    ) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let door = Door()
            await hub.matter.script(Script.hold(at: stage, door))
            _ = try await hub.prepare(phone)
            async let stopped = hub.commissionError(phone, key: "a")
            await door.reached()
            await hub.service.setReachable(false)
            let error = try await stopped
            #expect(error.reason == "hubOffline")
            #expect(error.stage == stage)
            #expect(await hub.refusal { _ = try await hub.prepare(phone) } == "hubOffline")
            #expect(await hub.refusal { _ = try await hub.commission(phone, 1) } == "hubOffline")
            await hub.service.setReachable(true)
            _ = try await hub.commission(phone, key: "a")
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(await hub.devices.count == 1)
        }
    }

    @Test func `a journal entry that comes after the end of its commission leaves no row`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let (door, late) = (Door(), Locked<Task<Bool, Never>?>(nil))
            await hub.matter.script { order, observer in
                try await Script.pass(to: "addRoot", order, observer)
                let entry = CommissionJournalEntry(
                    stage: "addNOC", address: "127.0.0.1:5540", failSafeEnds: EpochSeconds(rawValue: TestHub.epoch + 60)
                )
                late.withLock {
                    $0 = Task {
                        _ = await door.wait()
                        return (try? await observer.journal(entry)) != nil
                    }
                }
                throw Script.failure(at: "addRoot", condition: .clean)
            }
            _ = try await hub.commissionError(phone)
            door.open()
            #expect(await late.withLock { $0 }?.value == false)
            #expect(await hub.nodes.isEmpty)
        }
    }

    @Test func `a row that could not be dropped is dropped later, without a restart`() async throws {
        let store = MemoryStore()
        try await withHub(store: store) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.script { order, observer in
                try await Script.pass(to: "addNOC", order, observer)
                await store.failNext()
                throw Script.failure(at: "addNOC", condition: .clean)
            }
            _ = try await hub.commissionError(phone)
            await eventually("the journal is settled") { await hub.nodes.isEmpty }
            #expect(await hub.sessionIsActive)
            // A cleaning whose row cannot be dropped tries again too.
            await hub.matter.script { order, observer in
                try await Script.pass(to: "addNOC", order, observer)
                throw Script.failure(at: "addNOC", condition: .cleaning, failSafeLeft: .zero)
            }
            let door = Door()
            await hub.matter.onSettle { _, _ in
                door.arrive()
                await store.failNext()
                return .removed
            }
            _ = try await hub.commissionError(phone, 1)
            await door.reached()
            await hub.matter.onSettle { _, _ in .notOnFabric }
            await hub.sleeper(within: .seconds(60))
            await hub.clock.advance(by: .seconds(60))
            await eventually("the journal is settled") { await hub.nodes.isEmpty }
        }
    }

    @Test func `a commission that ends after the hub has stopped begins nothing more`() async throws {
        let hub = try await TestHub(store: MemoryStore())
        let serving = Task { await hub.service.run() }
        let phone = try await hub.connectedApp()
        let (door, late) = (Door(), Door())
        await hub.matter.script(
            Script.hold(at: "csr", door, condition: .cleaning, failSafeLeft: .seconds(60), answer: late))
        _ = try await hub.prepare(phone)
        let running = Task { await hub.refusal { _ = try await hub.commission(phone) } }
        await door.reached()
        serving.cancel()
        await hub.sleeper(within: .milliseconds(800))
        await hub.clock.advance(by: .milliseconds(800))
        await serving.value
        late.open()
        _ = await running.value
        #expect(await hub.service.load.cleanings == 0)
        #expect(await hub.clock.nextDeadline == nil)
    }
}
