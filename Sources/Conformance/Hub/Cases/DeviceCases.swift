import HubControl

/// Devices of a home: hub-control.md §4.
enum DeviceCases {
    static let all: [HubCase] = without + with

    private static let someID: JSONValue = "00000000000000aa"

    private static let without: [HubCase] = [
        HubCase("devices.unknown", "A device that is not there: notFound noDevice", ["reason.noDevice"]) { hub in
            let admin = try await hub.admin()
            let rows: [(String, JSONObject)] = [
                ("get", [:]), ("rename", ["name": "x"]), ("move", ["room": .null]), ("read", [:]),
                ("write", ["endpoint": 1, "cluster": 6, "attribute": 0, "value": true]), ("subscribe", [:]),
                ("invoke", ["endpoint": 1, "cluster": 6, "command": 2]), ("openWindow", [:]), ("remove", [:]),
            ]
            for (method, more) in rows {
                var params: JSONObject = ["id": someID]
                for member in more.members { params[member.name] = member.value }
                try await admin.refusal(of: "devices.\(method)", params, .notFound, "noDevice")
            }
        },
        HubCase("devices.no-orphan", "An orphan that is not there: notFound noOrphan", ["reason.noOrphan"]) { hub in
            let admin = try await hub.admin()
            for method in ["orphans.retry", "orphans.forget"] {
                try await admin.refusal(of: method, ["id": someID], .notFound, "noOrphan")
            }
        },
        HubCase(
            "devices.no-subscription", "Ending a subscription that is not there: notFound noSubscription",
            ["reason.noSubscription"]
        ) { hub in
            try await hub.admin().refusal(
                of: "devices.unsubscribe", ["subscription": 4_000_000_000], .notFound, "noSubscription")
        },
        HubCase(
            "faults.set", "faults.set refuses a rule that is none, or every rule where faults are not allowed",
            ["faults"]
        ) { hub in
            let admin = try await hub.admin()
            let before = try await admin.call("faults.list").list("faults")
            let answer = try await admin.answer(to: try await admin.begin("faults.set", ["rules": ["no such rule"]]))
            guard case .refused(let refusal) = answer,
                (refusal.name, refusal.reason) == ("failedPrecondition", "faultsNotAllowed")
                    || (refusal.name, refusal.reason) == ("invalidArgument", "invalidFault")
            else {
                throw ConformanceFailure(
                    expected: "failedPrecondition (faultsNotAllowed) or invalidArgument (invalidFault)",
                    seen: answer.words)
            }
            try expectEqual(try await admin.call("faults.list").list("faults"), before, "the faults afterwards")
        },
    ]

    private static let with: [HubCase] = [
        HubCase(
            "devices.paging", "devices.list gives pages of limit, and next leads to the rest", ["devices.list"],
            needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let whole = try await home.client.call("devices.list", ["limit": 1000])
            try expect(whole["next"] == nil, "no next on the last page", seen: "there is one")
            let all = try whole.listed("devices").map { $0["id"] }
            var (paged, cursor): ([JSONValue?], JSONValue?) = ([], nil)
            repeat {
                let page = try await home.client.call("devices.list", ["limit": 1, "cursor": cursor])
                let devices = try page.listed("devices")
                try expect(devices.count <= 1, "at most one device on a page", seen: "\(devices.count)")
                paged += devices.map { $0["id"] }
                cursor = page["next"]
                try expect(paged.count <= all.count + 1, "the pages to come to an end", seen: "they do not")
            } while cursor != nil
            try expectEqual(paged, all, "the devices of all pages")
        },
        HubCase(
            "devices.rename", "A device is renamed by the rules of §8, and that is an event",
            ["devices.rename", "event.device"], needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            try await home.client.call("events.subscribe")
            let device: JSONValue = .string(home.device)
            let renamed = try await home.client.call("devices.rename", ["id": device, "name": " Lamp \u{1F4A1} "])
            try expectEqual(renamed["name"], "Lamp \u{1F4A1}", "the name")
            _ = try await home.client.event("device.changed") { $0.data["id"] == device }
            try await home.client.refusal(
                of: "devices.rename", ["id": device, "name": "a\u{7}"], .invalidArgument, "badName")
            try expectEqual(
                try await home.client.call("devices.get", ["id": device])["name"], "Lamp \u{1F4A1}",
                "the name afterwards")
        },
        HubCase(
            "devices.move", "A device is moved into a room, and out of it; deleting the room keeps the device",
            ["devices.move"], needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let device: JSONValue = .string(home.device)
            let room: JSONValue = .string(
                try await home.client.call("rooms.create", ["name": "Conformance"]).id("id"))
            let move = "devices.move"
            try expectEqual(
                try await home.client.call(move, ["id": device, "room": room])["room"], room, "the device's room")
            try await home.client.refusal(of: move, ["id": device, "room": someID], .notFound, "noRoom")
            try expectEqual(
                try await home.client.call(move, ["id": device, "room": .null])["room"], .null, "the device's room")
            try await home.client.call(move, ["id": device, "room": room])
            try await home.client.call("rooms.delete", ["id": room])
            try expectEqual(
                try await home.client.call("devices.get", ["id": device])["room"], .null, "the room when it was deleted"
            )
        },
        HubCase(
            "devices.read", "One attribute, a cluster and the whole device can be read; absent members are wildcards",
            ["devices.read"], needs: [.device]
        ) {
            hub in
            let home = try await hub.commissioned()
            let vendor: JSONObject = ["id": .string(home.device), "endpoint": 0, "cluster": 40, "attribute": 2]
            let one = try await home.client.call("devices.read", vendor).listed("attributes")
            try expectEqual(one.count, 1, "the number of attributes")
            let device = try await home.client.call("devices.get", ["id": .string(home.device)])
            try expectEqual(one[0]["value"], device["vendorId"], "VendorID")
            let all = try await home.client.call("devices.read", ["id": .string(home.device)], within: .seconds(30))
                .listed("attributes")
            try expect(all.count > 20, "many attributes for a wildcard", seen: "\(all.count)")
            for row in all {
                for name in ["endpoint", "cluster", "attribute"] { _ = try row.number(name, of: "an attribute") }
                try expect(
                    (row["value"] == nil) != (row["status"] == nil), "value or status",
                    seen: row.members.map(\.name).joined(separator: ", "))
            }
        },
        HubCase(
            "devices.read-unknown", "An attribute that is not there is read as a status", ["devices.read"],
            needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let params: JSONObject = ["id": .string(home.device), "endpoint": 0, "cluster": 40, "attribute": 0xFFF0]
            let rows = try await home.client.call("devices.read", params).listed("attributes")
            try expect(
                rows.count == 1 && rows[0]["status"] != nil && rows[0]["value"] == nil, "one attribute with a status",
                seen: "\(rows.count), \(rows.first?.members.map(\.name).joined(separator: ", ") ?? "")")
        },
        HubCase("devices.write", "An attribute is written, and read back", ["devices.write"], needs: [.device]) { hub in
            let home = try await hub.commissioned()
            var label: JSONObject = ["id": .string(home.device), "endpoint": 0, "cluster": 40, "attribute": 5]
            label["value"] = "Conformance"
            try await home.client.call("devices.write", label)
            label["value"] = nil
            let rows = try await home.client.call("devices.read", label).listed("attributes")
            try expectEqual(rows.first?["value"], "Conformance", "NodeLabel")
        },
        HubCase(
            "devices.write-refused", "A write of another type is refused by the device: its status is told",
            ["reason.deviceRefused"], needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let params: JSONObject = [
                "id": .string(home.device), "endpoint": 0, "cluster": 40, "attribute": 5, "value": 7,
            ]
            let answer = try await home.client.answer(to: try await home.client.begin("devices.write", params))
            guard case .refused(let refusal) = answer, refusal.reason == "deviceRefused" else {
                throw ConformanceFailure(expected: "a refusal deviceRefused", seen: answer.words)
            }
            _ = try refusal.details.number("status", of: "details")
        },
        HubCase("devices.invoke", "A command switches the light", ["devices.invoke"], needs: [.virtualDevice]) { hub in
            let home = try await hub.commissioned()
            for (command, isOn) in [(1, true), (0, false), (2, true)] as [(Int64, Bool)] {
                try await home.client.call("devices.invoke", home.onOff(["command": .integer(command)]))
                let rows = try await home.client.call("devices.read", home.onOff(["attribute": 0])).listed("attributes")
                try expectEqual(rows.first?["value"], .bool(isOn), "OnOff after command \(command)")
            }
        },
        HubCase(
            "devices.invoke-unknown", "A command that is not there: notFound deviceRefused with the status",
            ["reason.deviceRefused"], needs: [.virtualDevice]
        ) {
            hub in
            let home = try await hub.commissioned()
            let refusal = try await home.client.refusal(
                of: "devices.invoke", home.onOff(["command": 200]), .notFound, "deviceRefused")
            _ = try refusal.details.number("status", of: "details")
        },
        HubCase("devices.invoke-timed", "timedMs is 1 to 60,000", ["params.range"], needs: [.virtualDevice]) { hub in
            let home = try await hub.commissioned()
            for timed: Int64 in [0, 60_001] {
                let params = home.onOff(["command": 2, "timedMs": .integer(timed)])
                let refusal = try await home.client.refusal(of: "devices.invoke", params, .invalidArgument)
                try expect(
                    refusal.message.contains("timedMs"), "the message to name timedMs", seen: "“\(refusal.message)”")
            }
            try await home.client.call("devices.invoke", home.onOff(["command": 2, "timedMs": 5_000]))
        },
        HubCase(
            "devices.open-window", "openWindow gives codes for another administrator, for 180 to 900 s",
            ["devices.openWindow"], needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let admin = try await hub.admin()
            let device: JSONValue = .string(home.device)
            for seconds: Int64 in [179, 901] {
                try await admin.refusal(
                    of: "devices.openWindow", ["id": device, "timeoutSeconds": .integer(seconds)], .invalidArgument)
            }
            let window = try await admin.call(
                "devices.openWindow", ["id": device, "timeoutSeconds": 180], within: .seconds(30))
            try expect(try window.text("qrCode").hasPrefix("MT:"), "a QR code", seen: "another text")
            let manual = try window.text("manualCode")
            try expect([11, 21].contains(manual.count), "a manual code of 11 or 21 digits", seen: "\(manual.count)")
            try expect(
                (1...99_999_998).contains(try window.number("passcode")), "a passcode", seen: "a number out of range")
            try expect(
                (0...4095).contains(try window.number("discriminator")), "a discriminator",
                seen: "a number out of range")
            try expect(
                (1...180_000).contains(try window.number("expiresInMs")), "expiresInMs of at most 180000", seen: "more")
        },
        HubCase(
            "devices.remove", "remove takes the device off the fabric, and that is an event",
            ["devices.remove", "event.device"], needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            try await home.client.call("events.subscribe")
            let device: JSONValue = .string(home.device)
            try await home.client.call("devices.remove", ["id": device], within: .seconds(30))
            _ = try await home.client.event("device.removed") { $0.data["id"] == device }
            if let virtual = home.behind.virtual {
                try expectEqual(await virtual.fabricCount, 0, "the number of fabrics that the device is on")
            }
            try await home.client.refusal(of: "devices.remove", ["id": device], .notFound, "noDevice")
        },
        HubCase(
            "devices.remove-unreachable", "An unreachable device is removed with force only, and becomes an orphan",
            ["devices.remove", "orphans", "reason.deviceUnreachable"], needs: [.virtualDevice], timeLimit: .seconds(100)
        ) {
            hub in
            let home = try await hub.commissioned()
            let device: JSONValue = .string(home.device)
            await home.behind.virtual?.stop()
            let remove = "devices.remove"
            try await home.client.refusal(
                of: remove, ["id": device], .unavailable, "deviceUnreachable", within: .seconds(60))
            let removed = try await home.client.call(remove, ["id": device, "force": true], within: .seconds(60))
            let orphan = try removed.list("orphaned").first.orFail("an id in orphaned")
            let admin = try await hub.admin()
            let list = try await admin.call("devices.list", ["orphans": true, "limit": 1000]).listed("devices")
            let row = try list.first { $0["id"] == orphan }.orFail("the orphan in devices.list")
            try expectEqual(row["state"], "orphan", "state")
            for name in ["nodeId", "address"] { _ = try row.text(name, of: "an orphan") }
            try await admin.call("orphans.forget", ["id": orphan])
            try await admin.refusal(of: "orphans.retry", ["id": orphan], .notFound, "noOrphan")
        },
    ]
}
