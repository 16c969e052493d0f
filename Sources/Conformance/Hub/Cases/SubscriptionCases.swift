import HubControl

/// Following a device: hub-control.md §4, §5.
enum SubscriptionCases {
    static let all: [HubCase] = [
        HubCase(
            "subscribe.values", "subscribe gives the present values, then every change", ["subscribe"],
            needs: [.virtualDevice]
        ) { hub in
            let home = try await hub.commissioned()
            let begun = try await home.client.call("devices.subscribe", home.onOff(["attribute": 0]))
            let number = try begun.number("subscription")
            let present = try begun.listed("attributes")
            try expectEqual(present.count, 1, "the number of attributes")
            try expectEqual(present[0]["value"], false, "OnOff")
            for (command, isOn) in [(1, true), (0, false)] as [(Int64, Bool)] {
                try await home.client.call("devices.invoke", home.onOff(["command": .integer(command)]))
                let change = try await home.client.event("device.attributes") { $0.subscription == number }
                try expectEqual(change.data["id"], .string(home.device), "the device")
                let attributes = try change.data.listed("attributes", of: "device.attributes")
                try expectEqual(attributes, [["attribute": 0, "value": .bool(isOn)]], "the change")
                try expect(change.number == nil, "no number of its own", seen: "it has one")
            }
        },
        HubCase("subscribe.by-others", "Changes by another app come too", ["subscribe"], needs: [.virtualDevice]) {
            hub in
            let home = try await hub.commissioned()
            let other = try await hub.client(scopes: ["device.control"])
            try await other.call("devices.subscribe", home.onOff(["attribute": 0]))
            try await home.client.call("devices.invoke", home.onOff(["command": 1]))
            let change = try await other.event("device.attributes")
            try expectEqual(
                try change.data.listed("attributes", of: "device.attributes").first?["value"], true, "OnOff")
        },
        HubCase(
            "subscribe.numbers", "A subscription's number was not used before on the connection", ["subscribe.numbers"],
            needs: [.virtualDevice]
        ) { hub in
            let home = try await hub.commissioned()
            var seen: Set<Int64> = []
            for _ in 0..<4 {
                let number = try await home.client.call("devices.subscribe", home.onOff(["attribute": 0])).number(
                    "subscription")
                try expect(seen.insert(number).inserted, "a new number", seen: "\(number) again")
                try await home.client.call("devices.unsubscribe", ["subscription": .integer(number)])
            }
        },
        HubCase("subscribe.end", "After unsubscribe no event follows", ["unsubscribe"], needs: [.virtualDevice]) {
            hub in
            let home = try await hub.commissioned()
            let number = try await home.client.call("devices.subscribe", home.onOff(["attribute": 0])).number(
                "subscription")
            let witness = try await home.client.call("devices.subscribe", home.onOff(["attribute": 0])).number(
                "subscription")
            try await home.client.call("devices.unsubscribe", ["subscription": .integer(number)])
            try await home.client.call("devices.invoke", home.onOff(["command": 1]))
            _ = try await home.client.event("device.attributes") { $0.subscription == witness }
            try await home.client.barrier()
            let stray = await home.client.allEvents.filter { $0.subscription == number }
            try expectEqual(stray.count, 0, "the number of events of a subscription that was ended")
            try await home.client.refusal(
                of: "devices.unsubscribe", ["subscription": .integer(number)], .notFound, "noSubscription")
        },
        HubCase(
            "subscribe.limit", "The 65th subscription of a connection is refused with resourceExhausted",
            ["limits.subscriptions"], needs: [.virtualDevice]
        ) {
            hub in
            let home = try await hub.commissioned()
            for _ in 0..<64 { try await home.client.call("devices.subscribe", home.onOff(["attribute": 0])) }
            try await home.client.refusal(of: "devices.subscribe", home.onOff(["attribute": 0]), .resourceExhausted)
            let other = try await hub.client(home.app.grant)
            try await other.call("devices.subscribe", home.onOff(["attribute": 0]))
        },
        HubCase(
            "subscribe.removed", "When the device is removed the subscription ends: deviceRemoved", ["subscribe.ended"],
            needs: [.virtualDevice]
        ) { hub in
            let home = try await hub.commissioned()
            let number = try await home.client.call("devices.subscribe", home.onOff()).number("subscription")
            try await home.client.call("devices.remove", ["id": .string(home.device)], within: .seconds(30))
            let ended = try await home.client.event("subscription.ended") { $0.subscription == number }
            try expectEqual(ended.data["reason"], "deviceRemoved", "the reason")
            try expectEqual(ended.data["id"], .string(home.device), "the device")
        },
        HubCase(
            "subscribe.offline", "When the hub goes offline the subscription ends: hubOffline",
            ["subscribe.ended", "offline"], needs: [.virtualDevice]
        ) { hub in
            let home = try await hub.commissioned()
            let number = try await home.client.call("devices.subscribe", home.onOff()).number("subscription")
            let admin = try await hub.admin()
            try await admin.call("hub.setReachable", ["reachable": false])
            let ended = try await home.client.event("subscription.ended") { $0.subscription == number }
            try expectEqual(ended.data["reason"], "hubOffline", "the reason")
            try await home.client.refusal(of: "devices.subscribe", home.onOff(), .unavailable, "hubOffline")
            try await admin.call("hub.setReachable", ["reachable": true])
            try await home.client.call("devices.subscribe", home.onOff())
        },
    ]
}
