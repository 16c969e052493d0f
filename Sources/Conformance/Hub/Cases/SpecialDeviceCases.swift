import HubControl
import MatterNode
import MatterWire

/// Bridges, devices that were reset, and odd ones: hub-control.md §4, §8, commissioning-session.md.
enum SpecialDeviceCases {
    static let all: [HubCase] = [
        HubCase(
            "bridge.devices", "Each endpoint behind a bridge is a device of its own, named and moved one by one",
            ["bridge"],
            needs: [.virtualDevice]
        ) { hub in
            let (run, ids) = try await hub.bridged()
            try expect(ids.count >= 2, "a device for each endpoint behind the bridge", seen: "\(ids.count)")
            var nodes: Set<JSONValue> = []
            var endpoints: Set<JSONValue> = []
            for id in ids {
                let device = try await run.client.call("devices.get", ["id": id])
                try CommissionCases.checkShape(of: device)
                try expectEqual(device["bridged"], true, "bridged")
                nodes.insert(try device.need("nodeId"))
                endpoints.insert(try device.need("endpoint"))
            }
            try expectEqual(nodes.count, 1, "the number of nodes")
            try expectEqual(endpoints.count, ids.count, "the number of endpoints")
            let before = try await run.client.call("devices.get", ["id": ids[1]])["name"]
            try await run.client.call("devices.rename", ["id": ids[0], "name": "Only this one"])
            try expectEqual(
                try await run.client.call("devices.get", ["id": ids[1]])["name"], before, "the name of another one")
        },
        HubCase(
            "bridge.removed", "Devices behind a bridge leave together; removed lists them all", ["bridge"],
            needs: [.virtualDevice]
        ) { hub in
            let (run, ids) = try await hub.bridged()
            let removed = try await run.client.call("devices.remove", ["id": ids[0]], within: .seconds(30))
            try expectEqual(Set(try removed.list("removed")), Set(ids), "removed")
            for id in ids { try await run.client.refusal(of: "devices.get", ["id": id], .notFound, "noDevice") }
        },
        HubCase(
            "reset.requests",
            "A device that was reset is told from one that does not answer: failedPrecondition deviceReset",
            ["reason.deviceReset"], needs: [.virtualDevice], timeLimit: .seconds(100)
        ) { hub in
            let home = try await hub.commissioned()
            _ = try await hub.reset(home.behind)
            try await home.client.refusal(
                of: "devices.read", home.onOff(["attribute": 0]), .failedPrecondition, "deviceReset",
                within: .seconds(60))
        },
        HubCase(
            "reset.commissioned-again",
            "A device that was reset takes its old record's place: a new id, the old name and room, and a warning",
            ["commission.reset-device"], needs: [.virtualDevice], timeLimit: .seconds(100)
        ) { hub in
            let home = try await hub.commissioned()
            let room = try await home.client.call("rooms.create", ["name": "Conformance"])["id"]
            try await home.client.call("devices.rename", ["id": .string(home.device), "name": "Old name"])
            try await home.client.call("devices.move", ["id": .string(home.device), "room": room])
            let device = try await hub.reset(home.behind)
            try await home.client.call("session.prepare")
            let result = try await home.client.call(
                "session.commission", device.params("again"), within: .seconds(90))
            try expect(result["warnings"]?.array?.isEmpty == false, "a warning", seen: "none")
            let ids = try await home.client.call("session.complete", ["clientKey": "done"], within: .seconds(30))
                .list("deviceIds")
            try expect(ids != [.string(home.device)], "a new id", seen: "the old one")
            let renewed = try await home.client.call("devices.get", ["id": try ids.first.orFail("an id in deviceIds")])
            try expectEqual(renewed["name"], "Old name", "the name")
            try expectEqual(renewed["room"], room, "the room")
            try await home.client.refusal(of: "devices.get", ["id": .string(home.device)], .notFound, "noDevice")
        },
        HubCase(
            "names.of-devices", "What a device calls itself is cleaned: no character stays that a name must not have",
            ["names.of-devices"], needs: [.virtualDevice]
        ) { hub in
            let run = try await hub.prepared(named: " La\u{202E}mp\u{1B}[2J\u{0} ")
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            let device = try await run.completed()
            for member in ["name", "productName"] {
                let name = try device.text(member)
                try expect(
                    !name.isEmpty && !name.unicodeScalars.contains { $0.value < 32 || $0 == "\u{202E}" },
                    "\(member) without forbidden characters",
                    seen: name.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " "))
            }
        },
        HubCase(
            "devices.values", "Attribute values have the JSON forms of TLV", ["values"], needs: [.device]
        ) { hub in
            let home = try await hub.commissioned()
            let rows = try await home.client.call("devices.read", ["id": .string(home.device)], within: .seconds(30))
                .listed("attributes")
            for row in rows {
                guard let value = row["value"] else { continue }
                try check(value, "\(row["cluster"]?.text() ?? "")/\(row["attribute"]?.text() ?? "")")
            }
            func value(_ endpoint: Int64, _ cluster: Int64, _ attribute: Int64) -> JSONValue? {
                rows.first {
                    $0["endpoint"] == .integer(endpoint) && $0["cluster"] == .integer(cluster)
                        && $0["attribute"] == .integer(attribute)
                }?["value"]
            }
            // CapabilityMinima is a structure, PartsList a list of integers, NOCs holds octets.
            try expect(
                value(0, 40, 19)?.object?["0"]?.integer != nil, "CapabilityMinima by its tags",
                seen: value(0, 40, 19)?.text() ?? "nothing")
            try expect(
                value(0, 29, 3)?.array?.allSatisfy { $0.integer != nil } == true, "PartsList as integers",
                seen: value(0, 29, 3)?.text() ?? "nothing")
        },
        HubCase(
            "failure.onlyBluetooth",
            "A code that names radio only, of a device that is not on the network: notFound onlyBluetooth",
            ["failure.onlyBluetooth"], timeLimit: .seconds(100)
        ) { hub in
            let payload = OnboardingPayload(
                vendorID: VendorID(rawValue: 0xFFF1), productID: ProductID(rawValue: 0x8000),
                discoveryCapabilities: .ble,
                discriminator: .long(try Discriminator(rawValue: 0x0FA).orFail("a discriminator")),
                passcode: try Passcode(rawValue: 34_567_890).orFail("a passcode"))
            let app = try await hub.client(scopes: HubContext.appScopes)
            try await app.call("session.prepare")
            let params: JSONObject = [
                "payload": .string(try payload.qrCode.orFail("a code")), "clientKey": "a", "deadlineMs": 80_000,
            ]
            try await app.refusal(of: "session.commission", params, .notFound, "onlyBluetooth", within: .seconds(90))
        },
    ]

    /// One of the documented forms.
    private static func check(_ value: JSONValue, _ place: String) throws {
        switch value {
        case .null, .bool, .string: return
        case .integer(let number):
            try expect(
                (-(1 << 53)...(1 << 53)).contains(number), "integers beyond 2^53 as u64 or i64",
                seen: "\(place): \(number)")
        case .number: throw ConformanceFailure(expected: "numbers with a fraction as f32 or f64", seen: place)
        case .array(let elements): for element in elements { try check(element, place) }
        case .object(let object):
            let names = object.members.map(\.name)
            if names.count == 1, ["octets", "u64", "i64", "f32", "f64"].contains(names[0]) { return }
            for member in object.members {
                try expect(
                    UInt8(member.name) != nil, "members named by context tags", seen: "\(place): “\(member.name)”")
                try check(member.value, place)
            }
        }
    }
}

extension HubContext {
    /// Commissions a bridge and completes.
    func bridged() async throws -> (PreparedRun, [JSONValue]) {
        let run = try await prepared(kind: .bridge)
        try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
        return (run, try await run.client.call("session.complete", ["clientKey": "b"]).list("deviceIds"))
    }
}
