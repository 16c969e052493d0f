import HubControl
import MatterWire
import TestSupport
import Testing

@testable import Hub

@Suite("HubService: commission and complete", .timeLimit(.minutes(1))) struct CommissionTests {
    // MARK: - Answers

    @Test func `a device goes through its stages, is provisional, then a device with an id`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let answer = try await hub.commission(phone)
            #expect(answer["vendorId"]?.integer == 0xFFF1)
            #expect(answer["stages"]?.array?.map { $0.object?["stage"]?.string } == Script.stages)
            #expect(answer["elapsedMs"]?.integer == 0)
            #expect(await hub.devices.isEmpty)
            #expect(await hub.nodes.map(\.state) == [.provisional])
            let stages = await hub.events(named: "session.stage")
            #expect(stages.map { $0["stage"]?.string } == Script.stages)
            #expect(stages.map { $0["index"]?.integer } == (1...11).map { Int64($0) })
            #expect(stages.allSatisfy { $0["total"]?.integer == 11 })
            let result = try await hub.service.complete(by: phone, clientKey: "k")
            let ids = result["deviceIds"]?.array?.compactMap(\.string) ?? []
            #expect(ids == (await hub.devices).map(\.id.text))
            #expect(ids.count == 1)
            #expect(await !hub.sessionIsActive)
            #expect(await hub.events().suffix(2) == ["session.ended", "device.added"])
            #expect(await hub.nodes.map(\.state) == [.commissioned])
            #expect(await hub.nodes.map(\.session) == [nil])
        }
    }

    @Test func `the ids are in the ledger before complete answers`() async throws {
        let store = MemoryStore()
        try await withHub(store: store) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 0)
            _ = try await hub.commission(phone, 1)
            let before = await store.committed.count
            let result = try await hub.service.complete(by: phone, clientKey: "k")
            let transactions = await store.committed
            #expect(transactions.count == before + 1)
            let stored = transactions.last?.compactMap { change -> String? in
                if case .putDevice(let device) = change { device.id.text } else { nil }
            }
            #expect(Set(stored ?? []) == Set(result["deviceIds"]?.array?.compactMap(\.string) ?? [""]))
        }
    }

    @Test(arguments: [
        ("MT:Y.K9042C00KA0648G01", "offset"), ("MT:Y.K9042!00KA0648G00", "code"), ("34970112333", "code"), ("", "code"),
        ("MT:", "code"), ("MT:Y.K9042C00KA0648G00*Y.K9042C00KA0648G00", "code"), ("89999999999", "code"),
    ])
    func `a bad payload is refused with what is wrong, and the session stays`(_ text: String, _ member: String)
        async throws
    {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let error = try await #require(throws: ControlError.self) {
                try await hub.service.commission(CommissionRequest(payload: text, clientKey: "k"), by: phone)
            }
            #expect(error.code == .invalidArgument)
            #expect(error.reason == "invalidPayload")
            #expect(error.details?["payload"]?.object?["code"]?.string?.isEmpty == false)
            #expect(await hub.matter.orders.isEmpty)
            _ = try await hub.commission(phone)
        }
    }

    @Test func `a repeat of the client key gets the first answer, of a success and of a failure`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.script(
                Script.succeed(), Script.fail(at: "attestation", .failedPrecondition, "attestationRefused"))
            let first = try await hub.commission(phone, 0, key: "a")
            #expect(try await hub.commission(phone, 0, key: "a") == first)
            let failure = try await hub.commissionError(phone, 1, key: "b")
            #expect(try await hub.commissionError(phone, 1, key: "b") == failure)
            #expect(failure.stage == "attestation")
            #expect(await hub.matter.orders.count == 2)
            let ids = try await hub.service.complete(by: phone, clientKey: "c")
            #expect(try await hub.service.complete(by: phone, clientKey: "c") == ids)
            #expect(await hub.devices.count == 1)
        }
    }

    @Test func `keys are the owner's own, and of one method`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, key: "a")
            _ = try await hub.service.complete(by: phone, clientKey: "a")
            #expect(await hub.refusal { _ = try await hub.commission(other, key: "a") } == "noSession")
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: other, clientKey: "a") } == "noSession")
        }
    }

    @Test func `an answer is kept for ten minutes`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, key: "a")
            let ids = try await hub.service.complete(by: phone, clientKey: "a")
            await hub.clock.advance(by: .seconds(600))
            #expect(try await hub.service.complete(by: phone, clientKey: "a") == ids)
            await hub.clock.advance(by: .seconds(1))
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: phone, clientKey: "a") } == "noSession")
        }
    }

    @Test func `answers that are too old leave the store`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            for round in 0..<3 {
                _ = try await hub.prepare(phone)
                _ = try await hub.commission(phone, key: "c\(round)")
                _ = try await hub.service.complete(by: phone, clientKey: "k\(round)")
                #expect(await hub.ledger.state.answers.count == 2)
                await hub.clock.advance(by: .seconds(601))
            }
        }
    }

    @Test func `of one app the newest 32 answers are kept, and others keep theirs`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            _ = try await hub.prepare(other)
            let foreign = try await hub.commission(other, 100, key: "foreign")
            _ = try await hub.service.complete(by: other, clientKey: "foreign")
            _ = try await hub.prepare(phone)
            var answers: [JSONObject] = []
            for number in 0..<40 {
                answers.append(try await hub.commission(phone, UInt16(number), key: "\(number)"))
            }
            #expect(await hub.service.ledger.state.answers.count == 32 + 2)
            #expect(try await hub.commission(other, 100, key: "foreign") == foreign)
            let before = await hub.matter.orders.count
            for number in 8..<40 {
                #expect(try await hub.commission(phone, UInt16(number), key: "\(number)") == answers[number])
            }
            #expect(await hub.matter.orders.count == before)
            // Older ones run again.
            #expect(try await hub.commission(phone, 7, key: "7") != answers[7])
            #expect(await hub.matter.orders.count == before + 1)
        }
    }

    @Test func `a repeat while the first runs waits for its answer`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let first = Task { try await hub.commission(phone, key: "a") }
            await door.reached()
            let repeats = (0..<3).map { _ in Task { try await hub.commission(phone, key: "a") } }
            door.open()
            let answer = try await first.value
            for task in repeats { #expect(try await task.value == answer) }
            #expect(await hub.matter.orders.count == 1)
        }
    }

    @Test func `repeats at the very end of the first never run it again`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            for round in 0..<40 {
                _ = try await hub.prepare(phone)
                let answers = try await withThrowingTaskGroup(of: JSONObject.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await hub.commission(phone, UInt16(round), key: "a\(round)") }
                    }
                    return try await group.reduce(into: Set<JSONObject>()) { $0.insert($1) }
                }
                #expect(answers.count == 1)
                let ids = try await withThrowingTaskGroup(of: JSONObject.self) { group in
                    for _ in 0..<8 {
                        group.addTask { try await hub.service.complete(by: phone, clientKey: "k\(round)") }
                    }
                    return try await group.reduce(into: Set<JSONObject>()) { $0.insert($1) }
                }
                #expect(ids.count == 1)
            }
            #expect(await hub.matter.orders.count == 40)
            #expect(await hub.devices.count == 40)
        }
    }

    @Test func `stopping a request stops its commission, and the session stays`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            running.cancel()
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.code == .cancelled)
            #expect(await hub.sessionIsActive)
            _ = try await hub.commission(phone, 1)
        }
    }

    // MARK: - Failures

    @Test func `a failed commission leaves the others and tells the session why`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 0)
            await hub.matter.script(Script.fail(at: "addNOC"))
            let error = try await hub.commissionError(phone, 1)
            #expect(error.code == .unavailable)
            #expect(error.stage == "addNOC")
            let info = try await hub.service.sessionInfo(for: phone)
            #expect(info["lastError"]?.string == "scripted")
            #expect(info["provisional"]?.array?.count == 1)
            await eventually("the failed one left no row") { await hub.nodes.count == 1 }
            _ = try await hub.commission(phone, 2)
            let ids = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(ids["deviceIds"]?.array?.count == 2)
        }
    }

    @Test func `an error that nobody foresaw is told in words`() async throws {
        struct Surprise: Error { var inner = [1, 2] }
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.script { _, _ in throw Surprise() }
            let error = try await hub.commissionError(phone)
            #expect(error.code == .internal)
            #expect(!error.message.contains("Surprise"))
        }
    }

    @Test func `a journal that cannot be written stops the commission`() async throws {
        let store = MemoryStore()
        try await withHub(store: store) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.script { order, observer in
                try await Script.pass(to: "addRoot", order, observer)
                await store.failNext()
                try await Script.pass(to: "addNOC", order, observer)
                Issue.record("went on without a journal")
                throw CancellationError()
            }
            let error = try await hub.commissionError(phone)
            #expect(error.code == .internal)
            #expect(await hub.nodes.isEmpty)
            #expect(await hub.sessionIsActive)
        }
    }

    @Test func `a device that cannot be stored is removed again`() async throws {
        let store = MemoryStore()
        try await withHub(store: store) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.script { order, observer in
                try await Script.pass(to: "complete", order, observer)
                await store.failNext()
                return CommissionedNode(node: order.node, address: "127.0.0.1:5540", info: Script.info)
            }
            let error = try await hub.commissionError(phone)
            #expect(error.code == .internal)
            #expect(error.reason == "storage")
            await eventually("the device is removed") { await hub.nodes.isEmpty }
            #expect(await hub.matter.settled == (await hub.matter.orders).map(\.node))
            #expect(await hub.sessionIsActive)
        }
    }

    @Test func `a completion that cannot be stored gives the session back`() async throws {
        let store = MemoryStore()
        try await withHub(store: store) { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            await store.failNext()
            let error = await #expect(throws: ControlError.self) {
                try await hub.service.complete(by: phone, clientKey: "k")
            }
            #expect(error?.code == .internal)
            #expect(await hub.devices.isEmpty)
            #expect(await hub.nodes.map(\.state) == [.provisional])
            let ids = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(ids["deviceIds"]?.array?.count == 1)
        }
    }

    @Test func `node ids are drawn anew for each try and never twice`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.matter.script(Script.fail(at: "addNOC"), Script.fail(at: "complete"), Script.succeed())
            _ = try await hub.commissionError(phone, 0, key: "a")
            _ = try await hub.commissionError(phone, 0, key: "b")
            _ = try await hub.commission(phone, 0, key: "c")
            #expect(Set(await hub.matter.orders.map(\.node)).count == 3)
        }
    }

    @Test func `a bridge's endpoints become devices of their own, and leave together`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            var info = Script.info
            info.endpoints = (1...3).map {
                EndpointInfo(
                    endpoint: .init(rawValue: $0), deviceTypes: [0x0100, 0x0013], isBridged: true, label: "Lamp \($0)")
            }
            await hub.matter.script(Script.succeed(info))
            _ = try await hub.commission(phone)
            let ids = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(ids["deviceIds"]?.array?.count == 3)
            #expect(Set(await hub.devices.map(\.name)) == ["Lamp 1", "Lamp 2", "Lamp 3"])
            let one = try #require(await hub.devices.first)
            let (removed, orphaned) = try await hub.service.remove(one.id, force: false, by: phone)
            #expect(removed.count == 3)
            #expect(orphaned.isEmpty)
            #expect(await hub.devices.isEmpty)
        }
    }

    // MARK: - A device that was reset

    @Test(arguments: [
        (NodePresence.notOnFabric, "S-1", "127.0.0.1:5540", true), (.notOnFabric, "S-1", "127.0.0.2:9", true),
        (.notOnFabric, "", "127.0.0.1:5540", true), (.notOnFabric, "", "127.0.0.2:9", false),
        (.unreachable, "S-1", "127.0.0.1:9", true), (.unreachable, "S-1", "127.0.0.2:5540", false),
        (.onFabric, "S-1", "127.0.0.1:5540", false),
    ])
    func `a device that was reset takes the place of its stale record, and a twin does not`(
        _ presence: NodePresence, _ serial: String, _ address: String, _ replaces: Bool
    ) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            var info = Script.info
            info.serialNumber = serial
            let device = info
            await hub.matter.script(
                Script.succeed(device),
                { order, observer in
                    try await Script.pass(to: "complete", order, observer)
                    return CommissionedNode(node: order.node, address: address, info: device)
                })
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, key: "a")
            _ = try await hub.service.complete(by: phone, clientKey: "a")
            let old = try #require(await hub.devices.first)
            await hub.matter.place(old.node, presence)
            _ = try await hub.prepare(phone)
            let answer = try await hub.commission(phone, key: "b")
            let warning = answer["warnings"]?.array?.first?.string ?? ""
            #expect(warning.contains("reset") == replaces)
            #expect(warning.contains(HubID(rawValue: old.node.rawValue).text) == replaces)
            #expect(await hub.devices.map(\.id) == [old.id])
            _ = try await hub.service.complete(by: phone, clientKey: "b")
            #expect(await hub.devices.contains { $0.id == old.id } == !replaces)
            #expect(await hub.devices.count == (replaces ? 1 : 2))
            let removed = await hub.events(named: "device.removed").map { $0["id"]?.string }
            #expect(removed == (replaces ? [old.id.text] : []))
            #expect(await hub.matter.settled.isEmpty)
        }
    }

    @Test func `a device that was reset keeps the name and room that people gave it, unless configure says other ones`()
        async throws
    {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let den = try await hub.service.createRoom(named: "Den", by: phone)
            let hall = try await hub.service.createRoom(named: "Hall", by: phone)
            var info = Script.info
            info.endpoints = [1, 2].map {
                EndpointInfo(
                    endpoint: EndpointID(rawValue: $0), deviceTypes: [0x0100], isBridged: $0 == 2,
                    label: $0 == 2 ? "Label" : "")
            }
            let bridge = info
            func again(_ key: String, configure: (() async throws -> Void)? = nil) async throws -> [DeviceRecord] {
                for device in await hub.devices { await hub.matter.place(device.node, .notOnFabric) }
                await hub.matter.script(Script.succeed(bridge))
                _ = try await hub.prepare(phone)
                _ = try await hub.commission(phone, key: key)
                try await configure?()
                _ = try await hub.service.complete(by: phone, clientKey: key)
                return await hub.devices.sorted { $0.endpoint.endpoint.rawValue < $1.endpoint.endpoint.rawValue }
            }
            let first = try await again("a")
            #expect(first.map(\.name) == ["Light", "Label"])
            _ = try await hub.service.rename(first[0].id, to: "Desk", by: phone)
            _ = try await hub.service.move(first[0].id, to: den.id, by: phone)
            _ = try await hub.service.rename(first[1].id, to: "Shelf", by: phone)
            let second = try await again("b")
            #expect(second.map(\.name) == ["Desk", "Shelf"])
            #expect(second.map(\.room) == [den.id, nil])
            #expect(Set(second.map(\.id)).isDisjoint(with: first.map(\.id)))
            let third = try await again("c") {
                try await hub.service.configure(by: phone, deviceName: "Floor", roomName: "Hall")
            }
            #expect(third.map(\.name) == ["Floor", "Label"])
            #expect(third.map(\.room) == [hall.id, hall.id])
        }
    }

    @Test func `a device that is there already is named`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, key: "a")
            try await hub.service.configure(by: phone, deviceName: "Desk", roomName: nil)
            _ = try await hub.service.complete(by: phone, clientKey: "a")
            let device = try #require(await hub.devices.first)
            let node = HubID(rawValue: device.node.rawValue).text
            await hub.matter.script { order, observer in
                try await Script.pass(to: "readInfo", order, observer)
                throw CommissionFailure(
                    error: ControlError(
                        .alreadyExists, "the device is in this home already", stage: "readInfo",
                        details: ["reason": "alreadyOnFabric", "existingNode": .string(node)]),
                    condition: .untouched)
            }
            _ = try await hub.prepare(phone)
            let error = try await hub.commissionError(phone, key: "b")
            #expect(error.message == "the device is in this home already: “Desk” (\(device.id))")
            #expect(error.details?["devices"] == [["id": device.id.json, "name": "Desk"] as JSONValue])
        }
    }

    @Test func `a cancelled session leaves the stale record of a device that was reset`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, key: "a")
            _ = try await hub.service.complete(by: phone, clientKey: "a")
            let old = try #require(await hub.devices.first)
            await hub.matter.place(old.node, .notOnFabric)
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, key: "b")
            _ = try await hub.service.cancel(by: phone, force: false)
            await eventually("the new node is gone") { await hub.nodes.count == 1 }
            #expect(await hub.devices.map(\.id) == [old.id])
        }
    }

    @Test func `an orphan that the device says it was is an orphan no longer`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            await hub.matter.onSettle { _, _ in .unreachable("silent") }
            _ = try await hub.prepare(phone)
            await hub.matter.script(Script.fail(at: "complete", condition: .unknown))
            _ = try await hub.commissionError(phone, key: "a")
            await eventually("the orphan") { await hub.nodes.first?.attempts == 1 }
            let orphan = try #require(await hub.nodes.first).id
            await hub.matter.script { order, observer in
                try await Script.pass(to: "complete", order, observer)
                return CommissionedNode(
                    node: order.node, address: "127.0.0.1:5540", info: Script.info, replaced: orphan)
            }
            let again = Task { try await hub.commission(phone, key: "b") }
            await eventually("it waits for the fail-safe") { await hub.isCommissioning }
            await hub.clock.advance(by: .seconds(60))
            _ = try await again.value
            #expect(await hub.nodes.map(\.state) == [.provisional])
        }
    }
}
