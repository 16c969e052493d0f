import HubControl

/// A hub that plays an offline one: hub-control.md §4, commissioning-session.md.
enum OfflineCases {
    static let all: [HubCase] = [
        HubCase(
            "offline.told", "setReachable is answered, shown by hub.info, and an event",
            ["offline", "event.hub.reachable"]
        ) { hub in
            let admin = try await hub.admin()
            try await admin.call("events.subscribe")
            for isReachable in [false, true] {
                let answer = try await admin.call("hub.setReachable", ["reachable": .bool(isReachable)])
                try expectEqual(answer["reachable"], .bool(isReachable), "reachable in the answer")
                let event = try await admin.event("hub.reachable")
                try expectEqual(event.data["reachable"], .bool(isReachable), "reachable in the event")
                try expectEqual(
                    try await admin.call("hub.info")["reachable"], .bool(isReachable), "reachable in hub.info")
            }
        },
        HubCase("offline.refuses", "Offline, prepare is refused with unavailable hubOffline", ["offline"]) { hub in
            let admin = try await hub.admin()
            let app = try await hub.client(scopes: HubContext.appScopes)
            try await admin.call("hub.setReachable", ["reachable": false])
            try await app.refusal(of: "session.prepare", .unavailable, "hubOffline")
            try await admin.call("hub.setReachable", ["reachable": true])
            try await app.call("session.prepare")
        },
        HubCase("offline.goes-on", "Offline, lists, rooms, grants and names go on", ["offline"]) { hub in
            let admin = try await hub.admin()
            try await admin.call("hub.setReachable", ["reachable": false])
            for method in ["structures.list", "rooms.list", "devices.list", "grants.list", "events.subscribe"] {
                try await admin.call(method)
            }
            let room = try await admin.call("rooms.create", ["name": "Conformance"])["id"]
            try await admin.call("rooms.delete", ["id": room])
            _ = try await hub.app(["structure.read"], by: admin)
        },
        HubCase(
            "offline.session-goes-on", "Offline, a session stays; complete and cancel work as always",
            ["offline", "session.prepare-order"]
        ) { hub in
            let admin = try await hub.admin()
            let app = try await hub.client(scopes: HubContext.appScopes)
            let session = try await app.call("session.prepare")["session"]
            try await admin.call("hub.setReachable", ["reachable": false])
            try expectEqual(try await app.call("session.get")["session"], session, "the session")
            let params: JSONObject = ["payload": .string(SessionCases.someCode), "clientKey": "a"]
            try await app.refusal(of: "session.commission", params, .unavailable, "hubOffline")
            try await app.refusal(
                of: "session.complete", ["clientKey": "b"], .failedPrecondition, "nothingCommissioned")
            try expectEqual(try await app.call("session.cancel")["session"], "cancelled", "session")
        },
        HubCase(
            "offline.order-of-checks", "prepare checks the permission before it says that it is offline",
            ["session.prepare-order"]
        ) { hub in
            let admin = try await hub.admin()
            let reader = try await hub.client(scopes: ["structure.read"])
            try await admin.call("hub.setReachable", ["reachable": false])
            try await reader.refusal(of: "session.prepare", .permissionDenied, "missingScope")
        },
        HubCase(
            "offline.other-session-later", "prepare says that it is offline before it says who has the session",
            ["session.prepare-order"]
        ) { hub in
            let (owner, other) = try await hub.twoApps()
            let admin = try await hub.admin()
            try await owner.client.call("session.prepare")
            try await admin.call("hub.setReachable", ["reachable": false])
            try await other.refusal(of: "session.prepare", .unavailable, "hubOffline")
        },
        HubCase(
            "offline.mid-commission",
            "A commission that runs when the hub goes offline answers hubOffline; the session stays and the key tries anew",
            ["offline.commission", "client-key"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, id) = try await hub.running(["csr:slow=5000"], until: "csr")
            let admin = try await hub.admin()
            try await admin.call("hub.setReachable", ["reachable": false])
            try await run.client.refusal(of: id, "session.commission", .unavailable, "hubOffline")
            try expectEqual(try await run.client.call("session.get")["state"], "prepared", "the session's state")
            try await admin.call("hub.setReachable", ["reachable": true])
            try await run.client.call(
                "session.commission", run.device.params("a", deadlineMs: 90_000), within: .seconds(95))
        },
        HubCase(
            "offline.devices",
            "Offline, read, write, invoke, openWindow and remove are refused; the list shows the device", ["offline"],
            needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let admin = try await hub.admin()
            try await admin.call("hub.setReachable", ["reachable": false])
            let rows: [(String, JSONObject)] = [
                ("devices.read", home.onOff()), ("devices.invoke", home.onOff(["command": 2])),
                ("devices.write", home.onOff(["attribute": 0x4001, "value": 1])),
                ("devices.openWindow", ["id": .string(home.device)]), ("devices.remove", ["id": .string(home.device)]),
            ]
            for (method, params) in rows {
                try await admin.refusal(of: method, params, .unavailable, "hubOffline")
            }
            try await admin.call("devices.get", ["id": .string(home.device)])
            try await admin.call("devices.rename", ["id": .string(home.device), "name": "Offline"])
        },
        HubCase(
            "offline.complete", "Offline, complete makes provisional devices devices", ["offline", "complete"],
            needs: [.device]
        ) { hub in
            let run = try await hub.prepared()
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            let admin = try await hub.admin()
            try await admin.call("hub.setReachable", ["reachable": false])
            try expectEqual(
                try await run.client.call("session.complete", ["clientKey": "b"]).list("deviceIds").count, 1,
                "the number of device ids")
        },
    ]
}
