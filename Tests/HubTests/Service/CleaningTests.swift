import HubControl
import MatterWire
import TestSupport
import Testing

@testable import Hub

@Suite("HubService: cancel and cleaning (Protocols/commissioning-session.md)", .timeLimit(.minutes(1)))
struct CleaningTests {
    // MARK: - What cancel says

    @Test(arguments: [
        ("discover", DeviceCondition.untouched), ("pase", .untouched), ("readInfo", .untouched),
        ("armFailSafe", .clean), ("regulatory", .clean), ("attestation", .clean), ("csr", .clean), ("addRoot", .clean),
        ("addNOC", .clean), ("operational", .cleaning), ("complete", .unknown),
    ])
    func `cancel in each stage passes on what the Matter side says`(_ stage: String, _ condition: DeviceCondition)
        async throws
    {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(
                Script.hold(at: stage, door, condition: condition, failSafeLeft: .seconds(60)))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            let (had, device) = try await hub.service.cancel(by: phone, force: false)
            #expect(had)
            #expect(device == condition)
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.code == .cancelled)
            #expect(error?.reason == "sessionEnded")
            // Idempotent, and the structure is free at once.
            #expect(try await hub.service.cancel(by: phone, force: false).hadSession == false)
            _ = try await hub.prepare(phone)
            #expect(await hub.devices.isEmpty)
        }
    }

    @Test(arguments: [
        ("discover", DeviceCondition.untouched), ("pase", .untouched), ("readInfo", .untouched),
        ("armFailSafe", .cleaning), ("csr", .cleaning), ("addNOC", .cleaning), ("operational", .cleaning),
        ("complete", .unknown),
    ])
    func `cancel answers within its patience when the Matter side does not`(
        _ stage: String, _ expected: DeviceCondition
    )
        async throws
    {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let (door, late) = (Door(), Door())
            await hub.matter.script(Script.hold(at: stage, door, answer: late))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            let cancel = Task { try await hub.service.cancel(by: phone, force: false) }
            await eventually("the session is free at once") { await !hub.sessionIsActive }
            await hub.sleeper(within: .milliseconds(800))
            await hub.clock.advance(by: .milliseconds(800))
            #expect(try await cancel.value.device == expected)
            _ = try await hub.prepare(phone)
            late.open()
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.reason == "sessionEnded")
            #expect(await hub.sessionIsActive)
        }
    }

    @Test func `a cancel with provisional devices says that they are being cleaned`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            #expect(try await hub.service.cancel(by: phone, force: false).device == .cleaning)
            await eventually("the device is removed") { await hub.nodes.isEmpty }
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "cancelled")
        }
    }

    // MARK: - Late results

    @Test func `a commission that succeeds after the cancel leaves no device and its key says so`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.holdStubbornly(at: "complete", door))
            let running = Task { try await hub.commission(phone, key: "a") }
            await door.reached()
            let cancel = Task { try await hub.service.cancel(by: phone, force: false) }
            await eventually("the session is free at once") { await !hub.sessionIsActive }
            door.open()
            _ = try await cancel.value
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.reason == "sessionEnded")
            await eventually("the device is removed") { await hub.nodes.isEmpty }
            #expect(await hub.devices.isEmpty)
            #expect(await hub.matter.settled.count == 1)
            _ = try await hub.prepare(phone)
            #expect(try await hub.commissionError(phone, key: "a").reason == "sessionEnded")
        }
    }

    @Test func `a late end of an old commission does not disturb the new session's`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let (first, late, second) = (Door(), Door(), Door())
            await hub.matter.script(
                Script.hold(at: "csr", first, condition: .clean, answer: late), Script.hold(at: "pase", second))
            let old = Task { try await hub.commission(phone, 0) }
            await first.reached()
            let cancel = Task { try await hub.service.cancel(by: phone, force: false) }
            await eventually("the session is free at once") { await !hub.sessionIsActive }
            _ = try await hub.prepare(phone)
            let new = Task { try await hub.commission(phone, 1) }
            await second.reached()
            late.open()
            _ = await old.result
            #expect(try await cancel.value.device == .clean)
            #expect(try await hub.service.sessionInfo(for: phone)["state"]?.string == "commissioning")
            #expect(try await hub.service.sessionInfo(for: phone)["stage"]?.string == "pase")
            // And the new one can still be cancelled, with its own answer.
            let device = try await hub.service.cancel(by: phone, force: false).device
            #expect(device == .clean)
            _ = await new.result
        }
    }

    @Test func `stages of a stopped commission are no events of the next session`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script { order, observer in
                try await Script.pass(to: "pase", order, observer)
                door.arrive()
                await Task { _ = await door.wait() }.value
                try await Script.pass(to: "csr", order, observer)
                throw Script.failure(at: "csr", .cancelled, "sessionEnded")
            }
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            let cancel = Task { try await hub.service.cancel(by: phone, force: false) }
            await eventually("the session is free at once") { await !hub.sessionIsActive }
            _ = try await hub.prepare(phone)
            let before = await hub.events(named: "session.stage").count
            door.open()
            _ = await running.result
            _ = try await cancel.value
            #expect(await hub.events(named: "session.stage").count == before)
        }
    }

    // MARK: - The same device again

    @Test func `a device that is being cleaned is refused with the time that is left`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.onSettle { _, _ in .unreachable("silent") }
            await hub.matter.script(Script.fail(at: "csr", condition: .cleaning, failSafeLeft: .seconds(60)))
            _ = try await hub.commissionError(phone, 0, key: "a")
            await hub.clock.advance(by: .seconds(10))
            let error = try await hub.commissionError(phone, 0, key: "b", limit: .seconds(30))
            #expect(error.code == .unavailable)
            #expect(error.reason == "stillCleaning")
            #expect(error.retryAfterMs == 50_000)
            #expect(error.suggestedUserActions == [.tryAgainLater])
            // Another device is not held up, and the session is as it was.
            _ = try await hub.commission(phone, 1)
            // The refusal is not the answer to keep: the same key works once the time is over.
            await hub.clock.advance(by: .seconds(50))
            await eventually("nothing is left to clean") { await hub.nodes.count == 1 }
            _ = try await hub.commission(phone, 0, key: "b")
        }
    }

    @Test func `a manual code and a QR code of one device are one device, other discriminators are not`() throws {
        func payload(_ text: String) throws -> OnboardingPayload { try ParsedOnboardingPayload(text).validated() }
        let qr = try payload(TestHub.payload(1))
        var manual = qr
        manual.discriminator = .short(qr.discriminator.short)
        #expect(qr.isOfSameDevice(as: manual))
        #expect(try !qr.isOfSameDevice(as: payload(TestHub.payload(2))))
        #expect(try manual.isOfSameDevice(as: payload(TestHub.payload(2))))
    }

    @Test func `a commission waits for a device that is clean within its time`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.onSettle { _, _ in .unreachable("silent") }
            await hub.matter.script(Script.fail(at: "addNOC", condition: .cleaning, failSafeLeft: .seconds(60)))
            _ = try await hub.commissionError(phone, 0, key: "a")
            let again = Task { try await hub.commission(phone, 0, key: "b", limit: .seconds(90)) }
            await eventually("it waits") { await hub.isCommissioning }
            #expect(await hub.matter.orders.count == 1)
            await hub.clock.advance(by: .seconds(60))
            _ = try await again.value
            let order = try #require(await hub.matter.orders.last)
            #expect(order.timeLimit == .seconds(30))
        }
    }

    @Test func `a commission that waits for cleaning is cancelled at once`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let never = Door()
            await hub.matter.onSettle { _, _ in
                await Task { _ = await never.wait() }.value
                return .removed
            }
            await hub.matter.script(Script.fail(at: "addNOC", condition: .cleaning, failSafeLeft: .seconds(60)))
            _ = try await hub.commissionError(phone, 0, key: "a")
            let again = Task { try await hub.commission(phone, 0, key: "b", limit: .seconds(90)) }
            await eventually("it waits") { await hub.isCommissioning }
            #expect(try await hub.service.cancel(by: phone, force: false).device == .untouched)
            let error = await #expect(throws: ControlError.self) { try await again.value }
            #expect(error?.reason == "sessionEnded")
            never.open()
        }
    }

    @Test func `a commission does not wait longer than its time for a cleaning that does not end`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let never = Door()
            await hub.matter.onSettle { _, _ in
                await Task { _ = await never.wait() }.value
                return .removed
            }
            await hub.matter.script(Script.fail(at: "complete", condition: .unknown, failSafeLeft: .seconds(20)))
            _ = try await hub.commissionError(phone, 0, key: "a")
            let again = Task { try await hub.commission(phone, 0, key: "b", limit: .seconds(90)) }
            await eventually("it waits") { await hub.isCommissioning }
            await hub.clock.advance(by: .seconds(90))
            let error = await #expect(throws: ControlError.self) { try await again.value }
            #expect(error?.reason == "stillCleaning")
            #expect(await hub.sessionIsActive)
            never.open()
        }
    }

    @Test func `a provisional device that is being removed holds up only itself`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 0, key: "a")
            let door = Door()
            await hub.matter.onSettle { _, _ in
                door.arrive()
                await Task { _ = await door.wait() }.value
                return .removed
            }
            _ = try await hub.service.cancel(by: phone, force: false)
            await door.reached()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 1, key: "b")
            let again = Task { try await hub.commission(phone, 0, key: "c") }
            await eventually("it waits") { await hub.isCommissioning }
            #expect(await hub.matter.orders.count == 2)
            door.open()
            _ = try await again.value
            #expect(await hub.matter.orders.count == 3)
        }
    }

    // MARK: - Orphans

    @Test func `a device that cannot be reached stays as an orphan, is tried again and forgotten`() async throws {
        try await withHub(settleAttempts: 3) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.onSettle { _, _ in .unreachable("nobody answers") }
            await hub.matter.script(Script.fail(at: "complete", condition: .unknown, failSafeLeft: .seconds(60)))
            _ = try await hub.commissionError(phone)
            for attempt in 1...3 {
                await eventually("try \(attempt)") { await hub.nodes.first?.attempts == attempt }
                await hub.clock.advance(by: .seconds(60))
            }
            let orphan = try #require(await hub.nodes.first)
            #expect(orphan.state == .orphan)
            #expect(orphan.lastError == "nobody answers")
            await hub.clock.advance(by: .seconds(3_600))
            #expect(await hub.nodes.first?.attempts == 3)
            try await hub.service.retryOrphan(orphan.id, in: TestHub.structure)
            await eventually("the try on request") { await hub.nodes.first?.attempts == 4 }
            try await hub.service.forgetOrphan(orphan.id, in: TestHub.structure)
            #expect(await hub.nodes.isEmpty)
            #expect(
                await hub.refusal { try await hub.service.forgetOrphan(orphan.id, in: TestHub.structure) }
                    == "noOrphan")
            #expect(
                await hub.refusal { try await hub.service.retryOrphan(orphan.id, in: TestHub.structure) }
                    == "noOrphan")
        }
    }

    @Test func `an orphan that answers at last is gone`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.onSettle { _, _ in .unreachable("nobody answers") }
            await hub.matter.script(Script.fail(at: "complete", condition: .unknown))
            _ = try await hub.commissionError(phone)
            await eventually("the first try") { await hub.nodes.first?.attempts == 1 }
            await hub.matter.onSettle { _, _ in .removed }
            try await hub.service.retryOrphan(try #require(await hub.nodes.first).id, in: TestHub.structure)
            await eventually("it is gone") { await hub.nodes.isEmpty }
        }
    }

    @Test func `a retry that takes over from a running one ends in one removal`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.onSettle { _, _ in
                door.arrive()
                return await door.wait() ? .removed : .unreachable("stopped")
            }
            await hub.matter.script(Script.fail(at: "complete", condition: .unknown))
            _ = try await hub.commissionError(phone)
            await door.reached()
            let node = try #require(await hub.nodes.first).id
            await hub.matter.onSettle { _, _ in .unreachable("still nobody") }
            try await hub.service.retryOrphan(node, in: TestHub.structure)
            await eventually("the new try counts") { await hub.nodes.first?.lastError == "still nobody" }
            #expect(await hub.service.runtimes[TestHub.structure]?.cleaning[node] != nil)
        }
    }

    @Test func `before CommissioningComplete the end of the fail-safe is the end of the row`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.onSettle { _, _ in .unreachable("nobody answers") }
            await hub.matter.script(Script.fail(at: "operational", condition: .cleaning, failSafeLeft: .seconds(45)))
            _ = try await hub.commissionError(phone)
            await eventually("the first try") { await hub.nodes.first?.attempts == 1 }
            await hub.clock.advance(by: .seconds(60))
            await eventually("the row is gone") { await hub.nodes.isEmpty }
        }
    }

    // MARK: - remove

    @Test func `remove of an unreachable device is refused with the reason, and force makes it an orphan`() async throws
    {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            for number: UInt16 in 0..<2 {
                _ = try await hub.prepare(phone)
                _ = try await hub.commission(phone, number)
                _ = try await hub.service.complete(by: phone, clientKey: "k\(number)")
            }
            await hub.matter.onSettle { _, _ in .unreachable("nobody answers") }
            let device = try #require(await hub.devices.first)
            let keeps = try #require(await hub.devices.last)
            let error = try await #require(throws: ControlError.self) {
                try await hub.service.remove(device.id, force: false, by: phone)
            }
            #expect(error.code == .unavailable)
            #expect(error.reason == "deviceUnreachable")
            #expect(error.message.contains("nobody answers"))
            #expect(error.message.contains("force"))
            #expect(error.suggestedUserActions == [.checkDeviceAvailability])
            #expect(await hub.devices.count == 2)
            let (removed, orphaned) = try await hub.service.remove(device.id, force: true, by: phone)
            #expect(removed == [device.id])
            #expect(orphaned == [device.node])
            #expect(await hub.devices.map(\.id) == [keeps.id])
            #expect(await hub.nodes.filter { $0.state == .orphan }.map(\.id) == [device.node])
            let gone = await #expect(throws: ControlError.self) {
                try await hub.service.remove(device.id, force: false, by: phone)
            }
            #expect(gone?.code == .notFound)
        }
    }

    @Test func `two removals of one device take it away once`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await hub.devices.first)
            let door = Door()
            await hub.matter.onSettle { _, _ in
                door.arrive()
                await Task { _ = await door.wait() }.value
                return .removed
            }
            let tasks = (0..<2).map { _ in
                Task { try await hub.service.remove(device.id, force: false, by: phone).removed }
            }
            await eventually("both ask the device") { await hub.matter.settled.count == 2 }
            door.open()
            await hub.matter.onSettle { _, _ in .removed }
            door.open()
            var removed: [DeviceID] = []
            var errors: [ControlErrorCode] = []
            for task in tasks {
                do { removed += try await task.value } catch let error as ControlError { errors.append(error.code) }
            }
            #expect(removed == [device.id])
            #expect(errors == [.notFound])
            #expect(await hub.events(named: "device.removed").count == 1)
        }
    }

    // MARK: - Restart

    @Test func `a device of a session that began before the hub served is no leftover`() async throws {
        let hub = try await TestHub(store: MemoryStore())
        let phone = try await hub.connectedApp()
        _ = try await hub.prepare(phone)
        _ = try await hub.commission(phone)
        let serving = Task { await hub.service.run() }
        await eventually("the hub serves") { await hub.matter.isRunning }
        _ = try await hub.service.complete(by: phone, clientKey: "k")
        #expect(await hub.devices.count == 1)
        #expect(await hub.matter.settled.isEmpty)
        serving.cancel()
        await serving.value
    }

    @Test func `rows that a crash left are settled at the next start, and none stays active`() async throws {
        let folder = TemporaryFolder()
        let clock = ManualClock()
        var kept: NodeID?
        try await withHub(store: try SQLiteStore(directory: folder.path), clock: clock) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 0)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            kept = await hub.nodes.first?.id
            // What `kill -9` leaves: one provisional, one journalled before AddNOC, one before CommissioningComplete.
            let rows: [(NodeRecord.State, String, Int64?)] = [
                (.provisional, "complete", nil), (.journalled, "addNOC", 60), (.journalled, "complete", 60),
            ]
            try await hub.ledger.commit(
                rows.enumerated().map { index, row in
                    .putNode(
                        NodeRecord(
                            id: NodeID(rawValue: UInt64(index + 1)), structure: TestHub.structure, state: row.0,
                            session: CommissioningSessionID(rawValue: 9), address: "127.0.0.1:5540", stage: row.1,
                            failSafeEnds: row.2.map { EpochSeconds(rawValue: TestHub.epoch + $0) },
                            info: Script.info, createdAt: EpochSeconds(rawValue: TestHub.epoch)))
                })
            await hub.ledger.close()
        }
        let matter = ScriptedOperator()
        await matter.onSettle { node, _ in
            switch node.rawValue {
            case 1: .removed
            case 2: .unreachable("silent")
            default: .unreachable("also silent")
            }
        }
        try await withHub(store: try SQLiteStore(directory: folder.path), clock: clock, matter: matter, seed: 2) {
            hub in
            await eventually("the provisional one is removed") { await !hub.nodes.contains { $0.id.rawValue == 1 } }
            await eventually("the others are orphans") {
                await hub.nodes.filter { $0.state == .orphan && $0.attempts == 1 }.count == 2
            }
            #expect(await matter.isRunning)
            #expect(await !hub.sessionIsActive)
            _ = try await hub.prepare(try await hub.connectedApp())
            await clock.advance(by: .seconds(61))
            // Without CommissioningComplete the fail-safe undid everything; after it only the device can tell.
            await eventually("the one before addNOC is gone") {
                await hub.nodes.filter { $0.state == .orphan }.map(\.id.rawValue) == [3]
            }
            #expect(await hub.devices.map(\.node) == [try #require(kept)])
            await hub.ledger.close()
        }
    }

    @Test func `answers and ids survive a restart`() async throws {
        let folder = TemporaryFolder()
        let clock = ManualClock()
        var first: JSONObject?
        try await withHub(store: try SQLiteStore(directory: folder.path), clock: clock) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            first = try await hub.service.complete(by: phone, clientKey: "k")
            await hub.ledger.close()
        }
        try await withHub(store: try SQLiteStore(directory: folder.path), clock: clock, seed: 2) { hub in
            let phone = try await hub.connectedApp()
            #expect(try await hub.service.complete(by: phone, clientKey: "k") == first)
            await hub.ledger.close()
        }
    }

    @Test func `a hub that stops gives its running commission a moment to clean`() async throws {
        let hub = try await TestHub(store: MemoryStore())
        let serving = Task { await hub.service.run() }
        let phone = try await hub.connectedApp()
        _ = try await hub.prepare(phone)
        let (door, answer) = (Door(), Door())
        await eventually("the Matter side runs") { await hub.matter.isRunning }
        await hub.matter.script(Script.hold(at: "csr", door, answer: answer))
        let running = Task { try await hub.commission(phone) }
        await door.reached()
        serving.cancel()
        await hub.sleeper(within: .seconds(1))
        #expect(await hub.matter.isRunning)
        answer.open()
        _ = await running.result
        await serving.value
        #expect(await !hub.matter.isRunning)
    }

    @Test func `a hub that stops does not wait for a Matter side that never answers`() async throws {
        let hub = try await TestHub(store: MemoryStore())
        let serving = Task { await hub.service.run() }
        let phone = try await hub.connectedApp()
        _ = try await hub.prepare(phone)
        let (door, answer) = (Door(), Door())
        await hub.matter.script(Script.hold(at: "csr", door, answer: answer))
        let running = Task { try await hub.commission(phone) }
        await door.reached()
        serving.cancel()
        await hub.sleeper(within: .seconds(1))
        await hub.clock.advance(by: .seconds(1))
        await serving.value
        answer.open()
        _ = await running.result
    }
}
