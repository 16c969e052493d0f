import HubControl
import NetIO

/// Requests, answers, deadlines, cancelling, limits: hub-control.md §1, §4.
enum RequestCases {
    static let all: [HubCase] = identifiers + answers + deadlines + cancelling + inFlight

    private static let identifiers: [HubCase] = [
        badID("zero", "0"), badID("negative", "-1"), badID("too-large", "9007199254740992"), badID("fraction", "1.5"),
        badID("text", "\"1\""), badID("null", "null"), badID("absent", nil),
        HubCase("request.id-largest", "2^53−1 is an id", ["request.id"]) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.request, "{\"id\": 9007199254740991, \"method\": \"hub.info\"}")
            try await dialogue.result(of: 9_007_199_254_740_991, "hub.info")
        },
        HubCase("request.id-again", "An id that was answered may be used again", ["request.id"]) { hub in
            let dialogue = try await hub.stranger()
            for _ in 0..<2 {
                try await dialogue.send(.request, "{\"id\": 70, \"method\": \"hub.info\"}")
                try await dialogue.result(of: 70, "hub.info")
            }
        },
        HubCase(
            "request.id-in-use", "An id that another request has ends the connection: invalidArgument", ["request.id"]
        ) { hub in
            let dialogue = try await hub.admin()
            try await dialogue.send(.request, request(71, HubContext.wish()))
            try await dialogue.send(.request, "{\"id\": 71, \"method\": \"hub.info\"}")
            try await dialogue.goaway(.invalidArgument)
        },
    ]

    private static func request(_ id: Int64, _ params: JSONObject) -> [UInt8] {
        let request: JSONObject = ["id": .integer(id), "method": "grants.request", "params": .object(params)]
        return request.encoded()
    }

    private static func badID(_ name: String, _ id: String?) -> HubCase {
        HubCase(
            "request.id-\(name)", "A request whose id is \(id ?? "absent") ends the connection: invalidArgument",
            ["request.id"]
        ) {
            hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.request, "{" + (id.map { "\"id\": \($0), " } ?? "") + "\"method\": \"hub.info\"}")
            try await dialogue.goaway(.invalidArgument)
        }
    }

    private static let answers: [HubCase] = [
        HubCase("request.answered-once", "Each request gets exactly one answer", ["request.one-answer"]) { hub in
            let admin = try await hub.admin()
            var ids: [Int64] = []
            for method in ["hub.info", "structures.list", "grants.list", "nothing.here", "devices.get"] {
                ids.append(try await admin.begin(method))
            }
            for id in ids { _ = try await admin.answer(to: id) }
            try await admin.barrier()
            for id in ids {
                try expectEqual(await admin.untakenAnswers(to: id), 0, "the number of further answers to one request")
            }
        },
        HubCase(
            "request.answered-once-when-cancelled", "So does one that is stopped while it ends",
            ["request.one-answer", "cancel"]
        ) {
            hub in
            let admin = try await hub.admin()
            for _ in 0..<8 {
                let id = try await admin.begin("structures.list")
                try await admin.call("cancel", ["id": .integer(id)])
                _ = try await admin.answer(to: id)
                try await admin.barrier()
                try expectEqual(await admin.untakenAnswers(to: id), 0, "the number of further answers")
            }
        },
        HubCase(
            "request.side-by-side", "A request that waits does not hold up those after it", ["request.side-by-side"]
        ) { hub in
            let dialogue = try await hub.stranger()
            let waiting = try await dialogue.begin("grants.request", HubContext.wish())
            try await dialogue.call("hub.info")
            try await dialogue.call("cancel", ["id": .integer(waiting)])
        },
        HubCase("request.unknown-method", "An unknown method is refused with unimplemented", ["request.unknown-method"])
        { hub in
            let admin = try await hub.admin()
            for method in ["future.method", "devices", "", "hub.info ", "HUB.INFO"] {
                try await admin.refusal(of: method, .unimplemented)
            }
        },
        HubCase("request.without-params", "Empty params may be left out or given", ["request.params"]) { hub in
            let admin = try await hub.admin()
            for method in ["hub.info", "structures.list", "rooms.list", "grants.list", "devices.list"] {
                try await admin.call(method)
                try await admin.call(method, [:])
            }
        },
        HubCase(
            "request.params-no-object", "Params that are no object are refused with invalidArgument", ["request.params"]
        ) { hub in
            let admin = try await hub.admin()
            for (number, params) in ["[]", "\"text\"", "7", "true"].enumerated() {
                let id = Int64(300 + number)
                try await admin.send(.request, "{\"id\": \(id), \"method\": \"rooms.list\", \"params\": \(params)}")
                try await admin.refusal(of: id, "rooms.list", .invalidArgument)
            }
        },
        HubCase("params.missing", "A missing param is refused with invalidArgument that names it", ["params.named"]) {
            hub in
            try await refuse(hub, missing)
        },
        HubCase(
            "params.wrong-type", "A param of another type is refused with invalidArgument that names it",
            ["params.named"]
        ) { hub in
            try await refuse(hub, wrongType)
        },
        HubCase(
            "params.out-of-range", "A param out of its range is refused with invalidArgument that names it",
            ["params.range"]
        ) { hub in
            try await refuse(hub, outOfRange)
        },
    ]

    private struct Row: Sendable {
        let method: String
        let member: String
        let params: JSONObject
    }

    private static let someID: JSONValue = "00000000000000aa"

    private static let missing: [Row] = [
        Row(method: "rooms.create", member: "name", params: [:]),
        Row(method: "rooms.rename", member: "name", params: ["id": someID]),
        Row(method: "rooms.delete", member: "id", params: [:]),
        Row(method: "cancel", member: "id", params: [:]),
        Row(method: "grants.create", member: "scopes", params: ["appId": "a", "appGroup": "b"]),
        Row(method: "grants.create", member: "appId", params: ["appGroup": "b", "scopes": ["structure.read"]]),
        Row(method: "grants.revoke", member: "id", params: [:]),
        Row(method: "devices.get", member: "id", params: [:]),
        Row(method: "devices.rename", member: "id", params: ["name": "x"]),
        Row(method: "devices.read", member: "id", params: [:]),
        Row(method: "devices.remove", member: "id", params: [:]),
        Row(method: "devices.unsubscribe", member: "subscription", params: [:]),
        Row(method: "hub.setReachable", member: "reachable", params: [:]),
    ]

    private static let wrongType: [Row] = [
        Row(method: "rooms.create", member: "name", params: ["name": 5]),
        Row(method: "rooms.delete", member: "id", params: ["id": 5]),
        Row(method: "rooms.delete", member: "id", params: ["id": "aa"]),
        Row(method: "rooms.delete", member: "id", params: ["id": "zzzzzzzzzzzzzzzz"]),
        Row(method: "hub.setReachable", member: "reachable", params: ["reachable": "no"]),
        Row(method: "grants.create", member: "scopes", params: ["appId": "a", "appGroup": "b", "scopes": "admin"]),
        Row(method: "devices.list", member: "limit", params: ["limit": "all"]),
        Row(method: "devices.list", member: "orphans", params: ["orphans": 1]),
        Row(method: "events.subscribe", member: "from", params: ["from": "start"]),
        Row(method: "session.prepare", member: "lifetimeMs", params: ["lifetimeMs": "long"]),
        Row(method: "session.cancel", member: "force", params: ["force": "yes"]),
    ]

    private static let outOfRange: [Row] = [
        Row(method: "devices.list", member: "limit", params: ["limit": 0]),
        Row(method: "devices.list", member: "limit", params: ["limit": 1001]),
        Row(method: "session.prepare", member: "lifetimeMs", params: ["lifetimeMs": 999]),
        Row(method: "session.prepare", member: "lifetimeMs", params: ["lifetimeMs": 1_800_001]),
        Row(method: "grants.create", member: "scopes", params: ["appId": "a", "appGroup": "b", "scopes": []]),
        Row(
            method: "grants.create", member: "scopes",
            params: ["appId": "a", "appGroup": "b", "scopes": ["everything"]]),
        Row(method: "grants.create", member: "appId", params: ["appId": "", "appGroup": "b", "scopes": ["admin"]]),
    ]

    private static func refuse(_ hub: HubContext, _ rows: [Row]) async throws {
        let admin = try await hub.admin()
        for row in rows {
            let refusal = try await admin.refusal(of: row.method, row.params, .invalidArgument)
            try expect(
                refusal.message.contains(row.member), "the message to name \(row.member) of \(row.method)",
                seen: "“\(refusal.message)”")
        }
    }

    // MARK: - Time

    private static let deadlines: [HubCase] = [
        HubCase(
            "deadline.fires", "A request that takes longer than its deadlineMs is answered deadlineExceeded",
            ["deadline"]
        ) { hub in
            let dialogue = try await hub.stranger()
            let start = hub.clock.now
            let id = try await dialogue.begin("grants.request", HubContext.wish(), deadlineMs: 300)
            let answer = try await dialogue.answer(to: id)
            try answer.skipIfDecided()
            guard case .refused(let refusal) = answer, refusal.name == "deadlineExceeded" else {
                throw ConformanceFailure(expected: "deadlineExceeded", seen: answer.words)
            }
            let elapsed = hub.clock.now - start
            try expect(
                elapsed >= .milliseconds(290) && elapsed < .seconds(3) + hub.setup.times.leeway,
                "the answer after 300 ms",
                seen: "after \(elapsed.milliseconds) ms")
        },
        HubCase("deadline.undoes", "What such a request had begun is undone", ["deadline"]) { hub in
            let admin = try await hub.admin()
            let dialogue = try await hub.stranger()
            let wish = HubContext.wish()
            let id = try await dialogue.begin("grants.request", wish, deadlineMs: 100)
            try (try await dialogue.answer(to: id)).skipIfDecided()
            let pending = try await admin.call("grants.list").listed("pending")
            try expect(
                !pending.contains { $0["appId"] == wish["appId"] }, "the request to be gone from grants.list",
                seen: "it is still pending")
        },
        HubCase("deadline.range", "deadlineMs is 1 to 86,400,000", ["deadline.range"]) { hub in
            let dialogue = try await hub.stranger()
            for deadline: Int64 in [0, -1, 86_400_001] {
                let id = try await dialogue.begin("hub.info", deadlineMs: deadline)
                let refusal = try await dialogue.refusal(of: id, "hub.info", .invalidArgument)
                try expect(
                    refusal.message.contains("deadlineMs"), "the message to name deadlineMs",
                    seen: "“\(refusal.message)”")
            }
            for deadline: Int64 in [60_000, 86_400_000] {
                try await dialogue.result(of: try await dialogue.begin("hub.info", deadlineMs: deadline), "hub.info")
            }
        },
    ]

    private static let cancelling: [HubCase] = [
        HubCase("cancel.running", "cancel stops a request that runs; it is answered cancelled", ["cancel"]) { hub in
            let dialogue = try await hub.stranger()
            let waiting = try await dialogue.begin("grants.request", HubContext.wish())
            let answer = try await dialogue.call("cancel", ["id": .integer(waiting)])
            // The two answers may come in any order.
            if let early = await dialogue.peek(waiting) { try early.skipIfDecided() }
            try expectEqual(answer["cancelled"], true, "cancelled")
            try await dialogue.refusal(of: waiting, "the stopped request", .cancelled)
        },
        HubCase("cancel.unknown", "cancel of a request that does not run answers false", ["cancel"]) { hub in
            let dialogue = try await hub.stranger()
            let done = try await dialogue.begin("hub.info")
            try await dialogue.result(of: done, "hub.info")
            for id in [done, 424_242] {
                try expectEqual(
                    try await dialogue.call("cancel", ["id": .integer(id)])["cancelled"], false, "cancelled")
            }
        },
        HubCase("cancel.of-another-connection", "cancel does not reach requests of another connection", ["cancel"]) {
            hub in
            let (one, other) = (try await hub.stranger(), try await hub.stranger())
            let waiting = try await one.begin("grants.request", HubContext.wish())
            try await one.barrier()
            if await one.untakenAnswers(to: waiting) > 0 { try (try await one.answer(to: waiting)).skipIfDecided() }
            let answer = try await other.call("cancel", ["id": .integer(waiting)])
            try expectEqual(answer["cancelled"], false, "cancelled")
            try expectEqual(
                try await one.call("cancel", ["id": .integer(waiting)])["cancelled"], true,
                "cancelled, on the request's own connection")
        },
    ]

    private static let inFlight: [HubCase] = [
        HubCase(
            "limits.in-flight", "The 33rd request in flight is refused with resourceExhausted, the others go on",
            ["limits.in-flight"]
        ) {
            hub in
            let dialogue = try await hub.stranger()
            var waiting: [Int64] = []
            for _ in 0..<32 { waiting.append(try await dialogue.begin("grants.request", HubContext.wish())) }
            let beyond = try await dialogue.begin("hub.info")
            let answer = try await dialogue.answer(to: beyond)
            if await dialogue.untakenAnswers(to: waiting[0]) > 0 {
                try (try await dialogue.answer(to: waiting[0])).skipIfDecided()
            }
            guard case .refused(let refusal) = answer, refusal.name == "resourceExhausted" else {
                throw ConformanceFailure(expected: "resourceExhausted for the 33rd request", seen: answer.words)
            }
            for id in waiting {
                try expectEqual(await dialogue.untakenAnswers(to: id), 0, "answers to a request that still waits")
            }
        },
        HubCase("limits.in-flight-frees", "When one of 32 has ended there is room for another", ["limits.in-flight"]) {
            hub in
            let dialogue = try await hub.stranger()
            // The first of them ends by its deadline: a cancel would be the 33rd.
            let first = try await dialogue.begin("grants.request", HubContext.wish(), deadlineMs: 300)
            for _ in 0..<31 { _ = try await dialogue.begin("grants.request", HubContext.wish()) }
            try (try await dialogue.answer(to: first)).skipIfDecided()
            try await dialogue.call("hub.info")
        },
    ]
}

extension HubAnswer {
    /// Skips the case when a request for a grant was decided at once: by a hub that approves or refuses all of them.
    func skipIfDecided() throws(ConformanceSkip) {
        switch self {
        case .result: throw ConformanceSkip("the hub approves every request for a grant at once")
        case .refused(let refusal) where refusal.reason == "grantRefused":
            throw ConformanceSkip("the hub refuses every request for a grant at once")
        case .refused: return
        }
    }
}
