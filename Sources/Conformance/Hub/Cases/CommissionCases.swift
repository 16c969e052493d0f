import HubControl
import MatterNode

/// One commissioning from code to device: commissioning-session.md, hub-control.md §4, §8.
enum CommissionCases {
    /// The stages, in their order (commissioning-session.md, "Stages").
    static let stages = [
        "discover", "pase", "readInfo", "armFailSafe", "regulatory", "attestation", "csr", "addRoot", "addNOC",
        "operational", "complete",
    ]

    static let all: [HubCase] = [
        HubCase(
            "commission.flow", "prepare, commission, complete: the device is there, and can be removed",
            ["commission.result", "complete"], needs: [.device]
        ) {
            hub in
            let home = try await hub.commissioned()
            let listed = try await home.client.call("devices.list").listed("devices")
            let device = try listed.first { $0["id"] == .string(home.device) }.orFail("the device in devices.list")
            try checkShape(of: device)
            try expectEqual(
                try await home.client.call("devices.get", ["id": .string(home.device)]), device, "devices.get")
            let removed = try await home.client.call("devices.remove", ["id": .string(home.device)])
            try expectEqual(removed["removed"], .array([.string(home.device)]), "removed")
            try expectEqual(removed["orphaned"], [], "orphaned")
            try await home.client.refusal(of: "devices.get", ["id": .string(home.device)], .notFound, "noDevice")
        },
        HubCase(
            "commission.result", "commission answers what was commissioned, and when each stage began",
            ["commission.result"], needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            let result = try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            _ = try result.text("provisionalId")
            _ = try result.number("vendorId")
            _ = try result.number("productId")
            _ = try result.text("productName")
            let total = try result.number("elapsedMs")
            let stages = try result.listed("stages")
            let names = try stages.map { try $0.text("stage", of: "a stage") }
            try expectEqual(names, CommissionCases.stages.filter(names.contains), "the stages, in their order")
            for required in ["discover", "pase", "addNOC", "complete"] {
                try expect(names.contains(required), "a stage \(required)", seen: names.joined(separator: ", "))
            }
            let times = try stages.map { try $0.number("elapsedMs", of: "a stage") }
            try expect(
                times == times.sorted() && times.allSatisfy { $0 >= 0 && $0 <= total },
                "times that grow up to elapsedMs", seen: "\(times), in all \(total)")
            if let path = result["operationalPath"] {
                try expect(["knownAddress", "browse"].contains(path), "a known operationalPath", seen: path.text())
            }
        },
        HubCase(
            "commission.stage-events", "Each stage that takes place gives one event when it begins, before the answer",
            ["event.session.stage"], needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            try await run.client.call("events.subscribe")
            let result = try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            let done = try result.listed("stages").compactMap { $0["stage"]?.string }
            // Events and answers have no order between them, but all stages were numbered by now.
            try await run.client.barrier()
            let events = await run.client.allEvents.filter { $0.name == "session.stage" }
            let names = events.compactMap { $0.data["stage"]?.string }
            try expectEqual(names, done, "the stages of the events, as the answer has them")
            var last: Int64 = 0
            for event in events {
                try expectEqual(event.data["session"], .string(run.session), "the session of session.stage")
                let (index, total) = (
                    try event.data.number("index", of: "session.stage"),
                    try event.data.number("total", of: "session.stage")
                )
                try expect(
                    index > last && index <= total, "index to grow from 1 to total",
                    seen: "\(index) of \(total) after \(last)")
                last = index
                _ = try event.data.number("elapsedMs", of: "session.stage")
            }
        },
        HubCase(
            "commission.provisional", "Before complete a device is seen by its owner's session only",
            ["commission.provisional"], needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            let before = try await run.client.call("devices.list").listed("devices").count
            let result = try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            try expectEqual(
                try await run.client.call("devices.list").listed("devices").count, before, "the number of devices")
            let shown = try await run.client.call("session.get")
            try expectEqual(shown["state"], "prepared", "the session's state")
            let provisional = try shown.listed("provisional")
            try expectEqual(
                provisional.map { $0["provisionalId"] }, [result["provisionalId"]], "the provisional devices")
            let cancelled = try await run.client.call("session.cancel")
            try expectEqual(cancelled["device"], "cleaning", "device of the answer to cancel")
        },
        HubCase(
            "commission.complete-visible",
            "Ids are in devices.list when complete is answered, and device.added is an event",
            ["complete", "event.device"], needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            try await run.client.call("events.subscribe")
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            // Sent at once behind complete, on the same connection: both run side by side, so ask after the answer.
            let ids = try await run.client.call("session.complete", ["clientKey": "b"]).list("deviceIds")
            try expectEqual(ids.count, 1, "the number of device ids")
            let listed = try await run.client.call("devices.list", ["limit": 1000]).listed("devices").map { $0["id"] }
            try expect(listed.contains(ids[0]), "the device in devices.list", seen: "it is not there")
            _ = try await run.client.event("device.added") { $0.data["id"] == ids[0] }
            try await run.client.refusal(of: "session.get", .notFound)
        },
        HubCase(
            "commission.ended-event", "complete ends the session: session.ended completed", ["event.session.ended"],
            needs: [.device]
        ) { hub in
            let run = try await hub.prepared()
            try await run.client.call("events.subscribe")
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            try await run.client.call("session.complete", ["clientKey": "b"])
            let ended = try await run.client.event("session.ended")
            try expectEqual(ended.data["reason"], "completed", "the reason")
            try expectEqual(ended.data["session"], .string(run.session), "the session")
        },
        HubCase(
            "commission.configure", "configure names the newest device and puts it into the room of that name",
            ["configure", "names.room-by-name"], needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            let room = try await run.client.call("rooms.create", ["name": "Conformance Kitchen"]).id("id")
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            let configured: JSONObject = ["deviceName": "Conformance Lamp", "roomName": "Conformance Kitchen"]
            try await run.client.call("session.configure", configured)
            try expectEqual(
                try await run.client.call("session.get").listed("provisional").first?["name"], "Conformance Lamp",
                "the provisional device's name")
            let device = try await run.completed()
            try expectEqual(device["name"], "Conformance Lamp", "the device's name")
            try expectEqual(device["room"], .string(room), "the device's room")
        },
        HubCase(
            "commission.configure-rooms",
            "roomName finds a room by the table of §8, and changes nothing when it does not", ["names.room-by-name"],
            needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            let first = try await run.client.call("rooms.create", ["name": "Conformance Den"]).id("id")
            try await run.client.call("rooms.create", ["name": "Conformance Den"])
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            let configure = "session.configure"
            try await run.client.call(configure, ["deviceName": "One", "roomName": "CONFORMANCE DEN"])
            try await run.client.refusal(
                of: configure, ["deviceName": "Two", "roomName": "Conformance Attic"], .notFound, "noRoom")
            try await run.client.refusal(
                of: configure, ["deviceName": "Two", "roomName": "a\u{202E}"], .invalidArgument, "badName")
            try await run.client.refusal(of: configure, ["deviceName": "a\u{0}"], .invalidArgument, "badName")
            let device = try await run.completed()
            try expectEqual(device["name"], "One", "the device's name")
            try expectEqual(device["room"], .string(first), "the room that was created first")
        },
        HubCase(
            "commission.configure-blank-room", "A blank or null roomName means no room", ["names.room-by-name"],
            needs: [.device]
        ) { hub in
            let run = try await hub.prepared()
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            for room: JSONValue in ["", "  ", .null] {
                try await run.client.call("session.configure", ["deviceName": "Lamp", "roomName": room])
            }
            try expectEqual(try await run.completed()["room"], .null, "the device's room")
        },
        HubCase(
            "commission.client-key", "A repeat of the client key gets the first answer again", ["client-key"],
            needs: [.device]
        ) { hub in
            let run = try await hub.prepared()
            let first = try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            let again = try await run.client.call("session.commission", run.device.params("a"))
            try expectEqual(again, first, "the answer to the repeat")
            try expectEqual(
                try await run.client.call("session.get").listed("provisional").count, 1,
                "the number of provisional devices")
            let done = try await run.client.call("session.complete", ["clientKey": "b"])
            try expectEqual(
                try await run.client.call("session.complete", ["clientKey": "b"]), done,
                "the answer to a repeated complete")
        },
        HubCase(
            "commission.client-key-other-connection", "So it does on another connection: a lost answer loses nothing",
            ["client-key"], needs: [.device]
        ) {
            hub in
            let run = try await hub.prepared()
            let first = try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            await run.client.close()
            let next = try await hub.client(run.app.grant)
            try expectEqual(
                try await next.call("session.commission", run.device.params("a")), first, "the answer to the repeat")
            let done = try await next.call("session.complete", ["clientKey": "b"])
            let other = try await hub.client(run.app.grant)
            try expectEqual(
                try await other.call("session.complete", ["clientKey": "b"]), done, "the answer to a repeated complete")
        },
        HubCase(
            "commission.two-devices", "A session may commission several devices; complete makes all of them devices",
            ["commission.several"], needs: [.virtualDevice]
        ) {
            hub in
            let run = try await hub.prepared()
            let other = try await hub.device()
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            try await run.client.call("session.commission", other.params("b"), within: .seconds(60))
            try expectEqual(
                try await run.client.call("session.get").listed("provisional").count, 2,
                "the number of provisional devices")
            let ids = try await run.client.call("session.complete", ["clientKey": "c"]).list("deviceIds")
            try expectEqual(Set(ids).count, 2, "the number of device ids")
        },
        HubCase(
            "commission.by-manual-code", "blanks and dashes in a code mean nothing", ["commission.result"],
            needs: [.virtualDevice]
        ) { hub in
            let run = try await hub.prepared()
            let spaced = " \(run.device.code) "
            try await run.client.call(
                "session.commission", run.device.params("a", code: spaced), within: .seconds(60))
        },
    ]

    /// A device as hub-control.md §4 describes it.
    static func checkShape(of device: JSONObject) throws {
        _ = try device.id("id", of: "a device")
        _ = try device.id("nodeId", of: "a device")
        for name in ["endpoint", "vendorId", "productId", "commissionedAt"] {
            _ = try device.number(name, of: "a device")
        }
        for name in ["name", "vendorName", "productName", "serialNumber"] { _ = try device.text(name, of: "a device") }
        for name in ["reachable", "bridged"] { _ = try device.truth(name, of: "a device") }
        _ = try device.need("room", of: "a device")
        try expect(
            try device.list("deviceTypes", of: "a device").allSatisfy { $0.integer != nil },
            "deviceTypes to be integers",
            seen: device["deviceTypes"]?.text() ?? "")
    }
}

/// An app with a session, and a device that waits.
struct PreparedRun: Sendable {
    let app: HubContext.App
    let client: HubDialogue
    let session: String
    let device: CaseDevice

    /// Completes, and gives the only device.
    func completed() async throws -> JSONObject {
        let ids = try await client.call("session.complete", ["clientKey": "completed"]).list("deviceIds")
        return try await client.call("devices.get", ["id": try ids.first.orFail("an id in deviceIds")])
    }
}

/// An app with a device.
struct DeviceRun: Sendable {
    let app: HubContext.App
    let client: HubDialogue
    /// The device's id.
    let device: String
    let behind: CaseDevice

    /// Params that name the device and its light's cluster OnOff.
    func onOff(_ more: JSONObject = [:]) -> JSONObject {
        var params: JSONObject = ["id": .string(device), "endpoint": 1, "cluster": 6]
        for member in more.members { params[member.name] = member.value }
        return params
    }
}

extension HubContext {
    static let appScopes = ["structure.read", "device.control", "commissioning"]

    /// Prepares a session for a device with these faults.
    func prepared(
        _ faults: [String] = [], kind: DeviceKind = .onOffLight, named name: String? = nil
    ) async throws -> PreparedRun {
        let app = try await app(Self.appScopes, by: try await admin())
        let client = try await client(app.grant)
        let device = try await device(faults, kind: kind, named: name)
        let session = try await client.call("session.prepare").text("session")
        return PreparedRun(app: app, client: client, session: session, device: device)
    }

    /// Commissions a device and completes.
    func commissioned() async throws -> DeviceRun {
        let run = try await prepared()
        try await run.client.call("session.commission", run.device.params("commissioned"), within: .seconds(60))
        let device = try await run.completed().id("id")
        return DeviceRun(app: run.app, client: run.client, device: device, behind: run.device)
    }
}
