import HubControl
import MatterWire
import TestSupport
import Testing

@testable import Hub

/// The table of Protocols/commissioning-session.md, row by row, on the service that joins machine, store and Matter side.
@Suite("HubService: sessions (Protocols/commissioning-session.md)", .timeLimit(.minutes(1)))
struct SessionTableTests {
    // MARK: - none

    @Test func `without a session only prepare works, and cancel is no error`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            #expect(await hub.refusal { _ = try await hub.commission(phone) } == "noSession")
            #expect(
                await hub.refusal {
                    try await hub.service.configure(by: phone, deviceName: "Lamp", roomName: nil)
                } == "noSession")
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: phone, clientKey: "k") } == "noSession")
            let (had, device) = try await hub.service.cancel(by: phone, force: false)
            #expect(!had)
            #expect(device == .untouched)
            let error = await #expect(throws: ControlError.self) { try await hub.service.sessionInfo(for: phone) }
            #expect(error?.code == .notFound)
            _ = try await hub.prepare(phone)
            #expect(await hub.sessionIsActive)
        }
    }

    @Test func `prepare names what is wrong in the documented order`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            _ = try await hub.prepare(other)
            await hub.service.setReachable(false)
            var stranger = phone
            stranger.structure = StructureID(rawValue: 0xDEAD)
            let offline = await #expect(throws: ControlError.self) { try await hub.prepare(stranger) }
            #expect(offline?.code == .unavailable)
            #expect(offline?.suggestedUserActions.contains(.checkWifiNetwork) == true)
            await hub.service.setReachable(true)
            let unknown = await #expect(throws: ControlError.self) { try await hub.prepare(stranger) }
            #expect(unknown?.code == .notFound)
            await hub.clock.advance(by: .seconds(100))
            let held = await #expect(throws: ControlError.self) { try await hub.prepare(phone) }
            #expect(held?.code == .failedPrecondition)
            #expect(held?.reason == "sessionActive")
            #expect(held?.details?["heldBy"]?.object?["appId"]?.string == TestHub.other.appID)
            #expect(held?.details?["since"]?.integer == EpochSeconds(rawValue: TestHub.epoch).unixSeconds)
            #expect(held?.details?["expiresInMs"]?.integer == 500_000)
            #expect(held?.retryAfterMs == 500_000)
        }
    }

    // MARK: - prepared

    @Test func `prepare by the owner supersedes and cleans what the old session had`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let first = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            let node = try #require(await hub.nodes.first?.id)
            let second = try await hub.prepare(phone)
            #expect(first != second)
            await eventually("the old device is removed") { await hub.nodes.isEmpty }
            #expect(await hub.matter.settled == [node])
            let names = await hub.events().filter { $0.hasPrefix("session.") && $0 != "session.stage" }
            #expect(names == ["session.prepared", "session.ended", "session.prepared"])
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "superseded")
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: phone, clientKey: "k") }
                    == "nothingCommissioned")
        }
    }

    @Test func `another app can do nothing in the session, and does not see what is in it`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            #expect(await hub.refusal { _ = try await hub.prepare(other) } == "sessionActive")
            #expect(await hub.refusal { _ = try await hub.commission(other, 1) } == "notOwner")
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: other, clientKey: "k") } == "notOwner")
            #expect(
                await hub.refusal {
                    try await hub.service.configure(by: other, deviceName: "x", roomName: nil)
                } == "notOwner")
            #expect(await hub.refusal { _ = try await hub.service.cancel(by: other, force: false) } == "notOwner")
            #expect(await hub.refusal { _ = try await hub.service.sessionInfo(for: other) } == "notOwner")
            #expect(await hub.devices.isEmpty)
        }
    }

    @Test func `configure names the newest device, and needs one`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            #expect(
                await hub.refusal {
                    try await hub.service.configure(by: phone, deviceName: "x", roomName: nil)
                } == "nothingCommissioned")
            _ = try await hub.commission(phone, 0)
            try await hub.service.configure(by: phone, deviceName: "First", roomName: nil)
            _ = try await hub.commission(phone, 1)
            try await hub.service.configure(by: phone, deviceName: "Second", roomName: nil)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(Set(await hub.devices.map(\.name)) == ["First", "Second"])
        }
    }

    @Test func `a bad name or an unknown room changes nothing, and says what is wrong`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            let bad = await #expect(throws: ControlError.self) {
                try await hub.service.configure(by: phone, deviceName: "a\u{7}", roomName: nil)
            }
            #expect(bad?.code == .invalidArgument)
            #expect(bad?.message.contains("U+0007") == true)
            let room = await #expect(throws: ControlError.self) {
                try await hub.service.configure(by: phone, deviceName: "Lamp", roomName: "Nowhere")
            }
            #expect(room?.code == .notFound)
            #expect(room?.message.contains("Nowhere") == true)
            #expect(await hub.sessionIsActive)
            #expect(await hub.nodes.count == 1)
        }
    }

    @Test func `complete without a device refuses and leaves the session`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: phone, clientKey: "k") }
                    == "nothingCommissioned")
            #expect(await hub.sessionIsActive)
        }
    }

    @Test func `an owner without a connection loses the session after 120 seconds`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            await hub.disconnect(phone)
            await hub.clock.advance(by: .seconds(119))
            #expect(await hub.sessionIsActive)
            await hub.clock.advance(by: .seconds(1))
            await eventually("the session ends") { await !hub.sessionIsActive }
            await eventually("its device is removed") { await hub.nodes.isEmpty }
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "ownerGone")
        }
    }

    @Test func `the extension keeps the session of its app, and so does a second connection`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let second = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.disconnect(phone)
            await hub.clock.advance(by: .seconds(500))
            #expect(await hub.sessionIsActive)
            _ = try await hub.commission(second)
            _ = try await hub.service.complete(by: second, clientKey: "k")
        }
    }

    @Test func `a session whose owner never had a connection ends too`() async throws {
        try await withHub { hub in
            let phone = try await hub.app()
            _ = try await hub.prepare(phone)
            await hub.clock.advance(by: .seconds(120))
            await eventually("the session ends") { await !hub.sessionIsActive }
        }
    }

    @Test func `the life of a session ends it, and each stage lengthens it`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            await hub.clock.advance(by: .seconds(500))
            _ = try await hub.commission(phone)
            await hub.clock.advance(by: .seconds(599))
            #expect(await hub.sessionIsActive)
            await hub.clock.advance(by: .seconds(1))
            await eventually("the session ends") { await !hub.sessionIsActive }
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "expired")
            await eventually("its device is removed") { await hub.nodes.isEmpty }
        }
    }

    // MARK: - commissioning

    @Test func `while a device is commissioned the owner can only look and cancel`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            #expect(await hub.refusal { _ = try await hub.prepare(phone) } == "commissionRunning")
            #expect(await hub.refusal { _ = try await hub.commission(phone, 1) } == "commissionRunning")
            #expect(
                await hub.refusal { _ = try await hub.service.complete(by: phone, clientKey: "k") }
                    == "commissionRunning")
            #expect(
                await hub.refusal {
                    try await hub.service.configure(by: phone, deviceName: "x", roomName: nil)
                } == "commissionRunning")
            #expect(await hub.refusal { _ = try await hub.prepare(other) } == "sessionActive")
            let info = try await hub.service.sessionInfo(for: phone)
            #expect(info["state"]?.string == "commissioning")
            #expect(info["stage"]?.string == "csr")
            door.open()
            _ = try await running.value
            #expect(try await hub.service.sessionInfo(for: phone)["state"]?.string == "prepared")
        }
    }

    @Test func `a dropped connection does not end a commission, and its owner comes back to the answer`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            await hub.disconnect(phone)
            await hub.clock.advance(by: .seconds(300))
            #expect(await hub.sessionIsActive)
            door.open()
            let answer = try await running.value
            // The grace begins when nothing runs any more, else the owner could never come back in time.
            await hub.clock.advance(by: .seconds(119))
            #expect(await hub.sessionIsActive)
            await hub.connect(phone)
            #expect(try await hub.commission(phone) == answer)
            let info = try await hub.service.sessionInfo(for: phone)
            #expect(info["provisional"]?.array?.count == 1)
            #expect(info["provisional"]?.array?.first?.object?["provisionalId"] == answer["provisionalId"])
            _ = try await hub.service.complete(by: phone, clientKey: "k")
        }
    }

    @Test func `prepare by an owner without connection cancels the running commission first`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            await hub.disconnect(phone)
            let session = try await hub.prepare(phone)
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.reason == "sessionEnded")
            await hub.connect(phone)
            #expect(try await hub.service.sessionInfo(for: phone)["session"]?.string == session.text)
        }
    }

    @Test func `the end of the session's life stops the running commission`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            await hub.clock.advance(by: .seconds(600))
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.code == .cancelled)
            #expect(error?.reason == "sessionEnded")
            #expect(await !hub.sessionIsActive)
            _ = try await hub.prepare(phone)
        }
    }

    @Test(arguments: Script.stages)
    func `revoking in any stage answers the commission once and cleans the device`(_ stage: String) async throws {
        try await withServer { server in
            let hub = server.hub
            let client = try await server.client()
            _ = try await client.call(.sessionPrepare)
            let door = Door()
            await hub.matter.script(Script.hold(at: stage, door))
            let id = try await client.send(
                .sessionCommission, ["payload": .string(TestHub.payload()), "clientKey": "c"])
            await door.reached()
            let grant = try #require(await client.welcome?.grant?.id)
            try await hub.service.revokeGrant(grant, in: TestHub.structure)
            let error = await #expect(throws: ControlError.self) { try await client.answer(to: id) }
            #expect(error?.code == .cancelled)
            #expect(error?.reason == "sessionEnded")
            #expect(await client.end()?.code == .unauthenticated)
            #expect(await client.answers[id]?.count == 1)
            #expect(await !hub.sessionIsActive)
            await eventually("nothing is left of the device") { await hub.nodes.isEmpty }
            // The session is free for another app at once.
            _ = try await hub.prepare(try await hub.connectedApp(TestHub.other))
        }
    }

    @Test(arguments: Script.stages)
    func `going offline in any stage answers hubOffline, cleans the device and leaves the session`(
        _ stage: String
    ) async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 1)
            let door = Door()
            await hub.matter.script(Script.hold(at: stage, door))
            let running = Task { try await hub.commission(phone) }
            await door.reached()
            await hub.service.setReachable(false)
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.code == .unavailable)
            #expect(error?.reason == "hubOffline")
            #expect(await hub.sessionIsActive)
            #expect(await hub.refusal { _ = try await hub.commission(phone) } == "hubOffline")
            await hub.service.setReachable(true)
            // The same key is a new try.
            _ = try await hub.commission(phone)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(await hub.devices.count == 2)
        }
    }

    @Test func `an offline hub still names, completes and cancels`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            await hub.service.setReachable(false)
            try await hub.service.configure(by: phone, deviceName: "Lamp", roomName: nil)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            #expect(await hub.devices.map(\.name) == ["Lamp"])
            #expect(await hub.refusal { _ = try await hub.prepare(phone) } == "hubOffline")
            let device = try #require(await hub.devices.first?.id)
            for attempt in [
                { _ = try await hub.service.read(AttributePath(), of: device, by: phone) },
                { _ = try await hub.service.follow(AttributePath(), of: device, by: phone) },
                { _ = try await hub.service.openWindow(on: device, timeout: .seconds(300), by: phone) },
            ] { #expect(await hub.refusal(attempt) == "hubOffline") }
        }
    }

    @Test func `revoking the owner's last grant stops the commission and removes what it made`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone, 0)
            let door = Door()
            await hub.matter.script(Script.hold(at: "csr", door))
            let running = Task { try await hub.commission(phone, 1) }
            await door.reached()
            try await hub.service.revokeGrant(phone.grant, in: TestHub.structure)
            let error = await #expect(throws: ControlError.self) { try await running.value }
            #expect(error?.reason == "sessionEnded")
            #expect(await !hub.sessionIsActive)
            await eventually("the provisional device is removed") { await hub.nodes.isEmpty }
            #expect(await hub.devices.isEmpty)
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "revoked")
        }
    }

    @Test func `revoking one of several grants of an app leaves its session`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let second = try await hub.app()
            _ = try await hub.prepare(phone)
            try await hub.service.revokeGrant(second.grant, in: TestHub.structure)
            #expect(await hub.sessionIsActive)
            try await hub.service.revokeGrant(phone.grant, in: TestHub.structure)
            #expect(await !hub.sessionIsActive)
        }
    }

    @Test func `force ends another app's session`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            let other = try await hub.connectedApp(TestHub.other)
            _ = try await hub.prepare(phone)
            let (had, _) = try await hub.service.cancel(by: other, force: true)
            #expect(had)
            #expect(await hub.events(named: "session.ended").first?["reason"]?.string == "forced")
            _ = try await hub.prepare(other)
        }
    }

    @Test func `an offline hub commissions nothing and removes nothing`() async throws {
        try await withHub { hub in
            let phone = try await hub.connectedApp()
            _ = try await hub.prepare(phone)
            _ = try await hub.commission(phone)
            _ = try await hub.service.complete(by: phone, clientKey: "k")
            let device = try #require(await hub.devices.first)
            _ = try await hub.prepare(phone)
            await hub.service.setReachable(false)
            #expect(await hub.refusal { _ = try await hub.commission(phone, 1) } == "hubOffline")
            #expect(
                await hub.refusal { _ = try await hub.service.remove(device.id, force: true, by: phone) }
                    == "hubOffline")
            #expect(await hub.events(named: "hub.reachable").last?["reachable"]?.bool == false)
            let (had, _) = try await hub.service.cancel(by: phone, force: false)
            #expect(had)
        }
    }
}
