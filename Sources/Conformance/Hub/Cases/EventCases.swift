import HubControl

/// Events of a structure: hub-control.md §5.
enum EventCases {
    static let all: [HubCase] = [
        HubCase("events.numbers", "Events are numbered without gaps, from next on", ["events.numbering"]) { hub in
            let admin = try await hub.admin()
            let next = try await admin.call("events.subscribe").number("next")
            for _ in 0..<4 { try await makeEvents(admin) }
            try await admin.barrier()
            let last = try await settle(admin)
            let numbers = await admin.allEvents.compactMap(\.number)
            try expect(!numbers.isEmpty, "events of rooms", seen: "none")
            try expectEqual(numbers, Array(next..<next + Int64(numbers.count)), "the numbers of the events")
            try expect(last >= next, "events from next on", seen: "the last has number \(last)")
        },
        HubCase("events.replay", "from replays the events from that number", ["events.replay"]) { hub in
            let admin = try await hub.admin()
            let next = try await admin.call("events.subscribe").number("next")
            for _ in 0..<3 { try await makeEvents(admin) }
            _ = try await settle(admin)
            let live = await admin.allEvents.filter { $0.number.map { $0 < next + 6 } == true }
            let late = try await hub.admin()
            let replay = try await late.call("events.subscribe", ["from": .integer(next)])
            try expectEqual(replay["next"], .integer(next), "next")
            try expectEqual(replay["gap"], false, "gap")
            let last = live.last?.number ?? next
            _ = try await late.wait(for: "the events that were replayed") { dialogue in
                dialogue.allEvents.contains { $0.number == last } ? true : nil
            }
            let replayed = await late.allEvents.prefix(live.count)
            try expectEqual(replayed.map(\.number), live.map(\.number), "the numbers of the replayed events")
            try expectEqual(replayed.map(\.name), live.map(\.name), "the names of the replayed events")
            try expectEqual(replayed.map(\.data), live.map(\.data), "the data of the replayed events")
        },
        HubCase(
            "events.gap", "from beyond what was given out, or before what is kept, answers gap and begins at oldest",
            ["events.gap"]
        ) { hub in
            let admin = try await hub.admin()
            try await makeEvents(admin)
            let events = try await hub.admin().welcome.record("events", of: "welcome")
            let (oldest, newest) = (
                try events.number("oldest", of: "events"), try events.number("newest", of: "events")
            )
            for from in [newest + 1000] + (oldest > 1 ? [oldest - 1] : []) {
                let late = try await hub.admin()
                let answer = try await late.call("events.subscribe", ["from": .integer(from)])
                try expectEqual(answer["gap"], true, "gap for from \(from)")
                try expectEqual(answer["next"], .integer(oldest), "next, which is oldest")
            }
        },
        HubCase("events.no-gap-at-newest", "from one beyond the newest is no gap: nothing was missed", ["events.gap"]) {
            hub in
            let admin = try await hub.admin()
            let next = try await admin.call("events.subscribe").number("next")
            let again = try await admin.call("events.subscribe", ["from": .integer(next)])
            try expectEqual(again["gap"], false, "gap")
            try expectEqual(again["next"], .integer(next), "next")
        },
        HubCase(
            "events.second-subscription", "A second subscription takes the first one's place: no event comes twice",
            ["events.one-subscription"]
        ) {
            hub in
            let admin = try await hub.admin()
            try await admin.call("events.subscribe")
            try await admin.call("events.subscribe")
            try await makeEvents(admin)
            _ = try await settle(admin)
            let numbers = await admin.allEvents.compactMap(\.number)
            try expectEqual(Set(numbers).count, numbers.count, "the number of distinct events")
        },
        HubCase(
            "events.per-connection", "A subscription counts for its connection; others get none",
            ["events.one-subscription"]
        ) { hub in
            let (admin, other) = (try await hub.admin(), try await hub.admin())
            try await admin.call("events.subscribe")
            try await makeEvents(admin)
            _ = try await settle(admin)
            try await other.barrier()
            try expectEqual(await other.allEvents.count, 0, "the number of events on a connection that did not ask")
        },
        HubCase("events.epoch", "The epoch is the same in welcome and in every subscription", ["events.epoch"]) { hub in
            let (one, two) = (try await hub.admin(), try await hub.admin())
            let epoch = try await one.welcome.record("events", of: "welcome")["epoch"]
            for client in [one, two, one] {
                try expectEqual(try await client.call("events.subscribe")["epoch"], epoch, "the epoch")
            }
        },
        HubCase("events.order", "Events come in the order of their numbers on every connection", ["events.numbering"]) {
            hub in
            let (one, two) = (try await hub.admin(), try await hub.admin())
            try await one.call("events.subscribe")
            try await two.call("events.subscribe")
            for _ in 0..<3 {
                try await makeEvents(one)
                try await makeEvents(two)
            }
            for client in [one, two] {
                _ = try await settle(client)
                let numbers = await client.allEvents.compactMap(\.number)
                try expectEqual(numbers, numbers.sorted(), "the numbers in the order in which they came")
            }
        },
    ]

    /// A room comes and goes: two events.
    private static func makeEvents(_ admin: HubDialogue) async throws {
        let id = try await admin.call("rooms.create", ["name": "Conformance event"])["id"]
        try await admin.call("rooms.delete", ["id": id])
    }

    /// Makes one more event and waits until it has come: between events and answers there is no order.
    ///
    /// - Returns: its number.
    private static func settle(_ admin: HubDialogue) async throws -> Int64 {
        let id = try await admin.call("rooms.create", ["name": "Conformance last"])["id"]
        try await admin.call("rooms.delete", ["id": id])
        let event = try await admin.event("room.removed") { $0.data["id"] == id }
        return try event.number.orFail("a number of room.removed")
    }
}
