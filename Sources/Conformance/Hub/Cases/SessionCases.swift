import HubControl
import NetIO

/// The session of one app, as far as no device is needed: commissioning-session.md.
enum SessionCases {
    static let all: [HubCase] = none + prepared + time

    /// A code that is well-formed and of no device.
    static let someCode = "MT:Y.K90AFN00KA0648G00"

    private static let none: [HubCase] = [
        HubCase(
            "session.none.commission", "commission without a session: failedPrecondition noSession", ["session.none"]
        ) { hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.refusal(
                of: "session.commission", ["payload": .string(someCode), "clientKey": "a"], .failedPrecondition,
                "noSession")
        },
        HubCase("session.none.configure", "configure without a session: failedPrecondition noSession", ["session.none"])
        { hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.refusal(of: "session.configure", ["deviceName": "x"], .failedPrecondition, "noSession")
        },
        HubCase("session.none.complete", "complete without a session: failedPrecondition noSession", ["session.none"]) {
            hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.refusal(of: "session.complete", ["clientKey": "a"], .failedPrecondition, "noSession")
        },
        HubCase("session.none.cancel", "cancel without a session answers none", ["session.none", "session.cancel"]) {
            hub in
            let app = try await hub.client(scopes: ["commissioning"])
            let answer = try await app.call("session.cancel")
            try expectEqual(answer["session"], "none", "session")
            try expectEqual(answer["device"], "untouched", "device")
        },
        HubCase("session.none.get", "get without a session: notFound", ["session.none"]) { hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.refusal(of: "session.get", .notFound)
        },
    ]

    private static let prepared: [HubCase] = [
        HubCase("session.prepare", "prepare gives a session that lives 10 minutes", ["session.prepare"]) { hub in
            let app = try await hub.client(scopes: ["commissioning", "structure.read"])
            try await app.call("events.subscribe")
            let session = try await app.call("session.prepare")
            let id = try session.text("session")
            let lifetime = try session.number("expiresInMs")
            try expect((590_000...600_000).contains(lifetime), "expiresInMs of 600000", seen: "\(lifetime)")
            let event = try await app.event("session.prepared")
            try expectEqual(event.data["session"], .string(id), "the session in session.prepared")
        },
        HubCase("session.get", "get shows the session to its owner", ["session.get"]) { hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["commissioning"], by: admin)
            let client = try await hub.client(app.grant)
            let session = try await client.call("session.prepare").text("session")
            let shown = try await client.call("session.get")
            try expectEqual(shown["session"], .string(session), "session")
            try expectEqual(shown["state"], "prepared", "state")
            let owner = try shown.record("owner")
            try expectEqual(owner["appId"], .string(app.appID), "owner.appId")
            try expectEqual(owner["appGroup"], .string(app.appGroup), "owner.appGroup")
            _ = try shown.number("startedAt")
            _ = try shown.number("expiresInMs")
            try expectEqual(try shown.list("provisional").count, 0, "the number of provisional devices")
            try expect(shown["stage"] == nil, "no stage while nothing runs", seen: shown["stage"]?.text() ?? "")
        },
        HubCase("session.prepare.lifetime", "lifetimeMs sets the session's life, 1 s to 30 min", ["session.lifetime"]) {
            hub in
            let app = try await hub.client(scopes: ["commissioning"])
            for lifetime: Int64 in [60_000, 1_800_000] {
                let left = try await app.call("session.prepare", ["lifetimeMs": .integer(lifetime)]).number(
                    "expiresInMs")
                try expect(
                    left <= lifetime && left > lifetime - 5_000, "expiresInMs of \(lifetime)", seen: "\(left)")
            }
        },
        HubCase("session.prepare.supersedes", "prepare by the owner supersedes its session", ["session.supersede"]) {
            hub in
            let app = try await hub.client(scopes: ["commissioning", "structure.read"])
            try await app.call("events.subscribe")
            let first = try await app.call("session.prepare").text("session")
            let second = try await app.call("session.prepare").text("session")
            try expect(first != second, "another session", seen: "the same one")
            let ended = try await app.event("session.ended")
            try expectEqual(ended.data["session"], .string(first), "the session that ended")
            try expectEqual(ended.data["reason"], "superseded", "the reason")
            try expectEqual(try await app.call("session.get")["session"], .string(second), "the session now")
        },
        HubCase(
            "session.prepared.complete", "complete with nothing commissioned is refused, and the session stays",
            ["session.nothing"]
        ) {
            hub in
            let app = try await hub.client(scopes: ["commissioning"])
            let session = try await app.call("session.prepare")["session"]
            try await app.refusal(
                of: "session.complete", ["clientKey": "a"], .failedPrecondition, "nothingCommissioned")
            try expectEqual(try await app.call("session.get")["session"], session, "the session")
        },
        HubCase("session.prepared.configure", "configure with nothing commissioned is refused", ["session.nothing"]) {
            hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.call("session.prepare")
            try await app.refusal(
                of: "session.configure", ["deviceName": "x"], .failedPrecondition, "nothingCommissioned")
        },
        HubCase("session.prepared.cancel", "cancel ends the session; a second one answers none", ["session.cancel"]) {
            hub in
            let app = try await hub.client(scopes: ["commissioning", "structure.read"])
            try await app.call("events.subscribe")
            let session = try await app.call("session.prepare").text("session")
            let answer = try await app.call("session.cancel")
            try expectEqual(answer["session"], "cancelled", "session")
            try expectEqual(answer["device"], "untouched", "device")
            let ended = try await app.event("session.ended")
            try expectEqual(ended.data["session"], .string(session), "the session that ended")
            try expectEqual(ended.data["reason"], "cancelled", "the reason")
            try expectEqual(try await app.call("session.cancel")["session"], "none", "session of a second cancel")
            try await app.refusal(of: "session.get", .notFound)
            try await app.refusal(of: "session.complete", ["clientKey": "b"], .failedPrecondition, "noSession")
        },
        HubCase("session.prepare-after-cancel", "After a cancel the next prepare succeeds at once", ["session.cancel"])
        { hub in
            let app = try await hub.client(scopes: ["commissioning"])
            for _ in 0..<5 {
                try await app.call("session.prepare")
                try await app.call("session.cancel")
            }
            try await app.call("session.prepare")
        },
        HubCase(
            "session.invalid-payload", "A code that is none: invalidArgument invalidPayload, with where and why",
            ["failure.invalidPayload"]
        ) {
            hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.call("session.prepare")
            for code in ["MT:Y.K90AFN00KA0648G0$", "12345", "MT:", "34970112333"] {
                let refusal = try await app.refusal(
                    of: "session.commission", ["payload": .string(code), "clientKey": "same"], .invalidArgument,
                    "invalidPayload")
                let payload = try refusal.details.record("payload", of: "details")
                _ = try payload.need("code", of: "details.payload")
                _ = try payload.text("message", of: "details.payload")
            }
            try expectEqual(try await app.call("session.get")["state"], "prepared", "the session's state")
        },
        HubCase("session.client-key", "A client key has 1 to 64 characters", ["client-key.form"]) { hub in
            let app = try await hub.client(scopes: ["commissioning"])
            try await app.call("session.prepare")
            for key in ["", String(repeating: "k", count: 65)] {
                let rows: [(String, JSONObject)] = [
                    ("session.commission", ["payload": .string(someCode), "clientKey": .string(key)]),
                    ("session.complete", ["clientKey": .string(key)]),
                ]
                for (method, params) in rows {
                    let refusal = try await app.refusal(of: method, params, .invalidArgument)
                    try expect(
                        refusal.message.contains("clientKey"), "the message to name clientKey",
                        seen: "“\(refusal.message)”")
                }
            }
            try await app.refusal(
                of: "session.complete", ["clientKey": .string(String(repeating: "k", count: 64))], .failedPrecondition,
                "nothingCommissioned")
        },
    ]

    private static let time: [HubCase] = [
        HubCase(
            "session.expires", "A session whose lifetime is over ends, and prepare works again", ["session.lifetime"]
        ) { hub in
            let app = try await hub.client(scopes: ["commissioning", "structure.read"])
            try await app.call("events.subscribe")
            let start = hub.clock.now
            let session = try await app.call("session.prepare", ["lifetimeMs": 1000]).text("session")
            let ended = try await app.event("session.ended") { $0.data["session"] == .string(session) }
            let elapsed = hub.clock.now - start
            try expectEqual(ended.data["reason"], "expired", "the reason")
            try expect(
                elapsed > .milliseconds(900) && elapsed < .seconds(4) + hub.setup.times.leeway, "the end after 1 s",
                seen: "after \(elapsed.milliseconds) ms")
            try await app.refusal(of: "session.get", .notFound)
            try await app.call("session.prepare")
        },
        HubCase(
            "session.survives-disconnect", "A dropped connection does not end a session; its owner resumes it",
            ["session.owner"]
        ) { hub in
            let app = try await hub.app(["commissioning"], by: try await hub.admin())
            let first = try await hub.client(app.grant)
            let session = try await first.call("session.prepare")["session"]
            await first.close()
            let second = try await hub.client(app.grant)
            try expectEqual(try await second.call("session.get")["session"], session, "the session")
        },
    ]
}
