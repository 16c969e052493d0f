import HubControl
import NetIO

/// Limits that take minutes to reach, and floods.
enum LongCases {
    static let all: [HubCase] = [
        HubCase(
            "silence.closed", "A client that gives no sign of life for 90 s is sent away: deadlineExceeded",
            ["limits.silence"],
            needs: [.patience], timeLimit: .seconds(150)
        ) { hub in
            let start = hub.clock.now
            let dialogue = try await hub.stranger()
            await dialogue.playDead()
            try await dialogue.goaway(.deadlineExceeded, within: .seconds(120))
            let elapsed = hub.clock.now - start
            try expect(
                elapsed > .seconds(89) && elapsed < .seconds(100) + hub.setup.times.leeway, "the goaway after 90 s",
                seen: "after \(elapsed.milliseconds) ms")
        },
        HubCase(
            "silence.owner-gone", "A session whose owner has no connection ends after 120 s: ownerGone",
            ["session.owner-gone"], needs: [.patience], timeLimit: .seconds(200)
        ) { hub in
            let (owner, other) = try await hub.twoApps()
            let admin = try await hub.admin()
            try await admin.call("events.subscribe")
            let session = try await owner.client.call("session.prepare").text("session")
            await owner.client.close()
            let start = hub.clock.now
            try await other.refusal(of: "session.prepare", .failedPrecondition, "sessionActive")
            let ended = try await admin.event("session.ended", within: .seconds(160)) {
                $0.data["session"] == .string(session)
            }
            try expectEqual(ended.data["reason"], "ownerGone", "the reason")
            try expect(
                hub.clock.now - start > .seconds(118), "the end after 120 s",
                seen: "after \((hub.clock.now - start).milliseconds) ms")
            // The other app's connection was not read meanwhile: the hub may have given it up.
            try await hub.client(scopes: ["commissioning"]).call("session.prepare")
        },
        HubCase(
            "silence.slow-reader",
            "A client that reads nothing is closed once 4 MiB wait for it, and others are served",
            ["limits.slow-reader"], needs: [.patience], timeLimit: .seconds(150)
        ) { hub in
            let dialogue = try await hub.stranger()
            let text = String(repeating: "x", count: 250_000)
            let payload = Array("{\"a\": [\"\(text)\", \"\(text)\", \"\(text)\"]}".utf8)
            let ping = ControlFrame(kind: .ping, payload: payload).encoded()
            // Far more than the hub and both kernels hold; after the hub's end nothing can be sent any more.
            do throws(NetError) {
                try await withTimeout(.seconds(100), clock: hub.clock, "a flood") { () async throws(NetError) in
                    for _ in 0..<64 { try await dialogue.channel.write(ping) }
                }
            } catch {
                // Closed while we sent, or nothing more is taken.
                guard error.code != .cancelled else { throw CancellationError() }
            }
            try await hub.stranger().call("hub.info")
            // What was sent may still be read; then comes the end.
            _ = try await dialogue.ended(within: .seconds(30))
            let pongs = await dialogue.pongPayloads.count
            try expect(pongs < 64, "an end before all pongs", seen: "\(pongs) pongs")
        },
        HubCase(
            "events.kept", "The last 1,024 events are kept; older ones are a gap", ["events.kept", "events.gap"],
            needs: [.patience], timeLimit: .seconds(300)
        ) { hub in
            let admin = try await hub.admin()
            for _ in 0..<520 {
                let id = try await admin.call("rooms.create", ["name": "Conformance event"])["id"]
                try await admin.call("rooms.delete", ["id": id])
            }
            let events = try await hub.admin().welcome.record("events", of: "welcome")
            let (oldest, newest) = (
                try events.number("oldest", of: "events"), try events.number("newest", of: "events")
            )
            try expectEqual(newest - oldest + 1, 1024, "the number of events that are kept")
            let answer = try await hub.admin().call("events.subscribe", ["from": 1])
            try expectEqual(answer["gap"], true, "gap")
            try expectEqual(answer["next"], .integer(oldest), "next")
        },
    ]
}
