import HubControl

/// Frames and their limits: hub-control.md §1.
enum FramingCases {
    static let all: [HubCase] = order + accepted + refused

    private static let order: [HubCase] = [
        HubCase(
            "order.request-before-hello", "A request before hello ends the connection: failedPrecondition",
            ["order.hello"]
        ) {
            hub in
            let dialogue = try await hub.prefaced()
            try await dialogue.send(.request, "{\"id\": 1, \"method\": \"hub.info\"}")
            try await dialogue.goaway(.failedPrecondition)
        },
        HubCase(
            "order.ping-before-hello", "A ping before hello ends the connection: failedPrecondition", ["order.hello"]
        ) { hub in
            let dialogue = try await hub.prefaced()
            try await dialogue.send(.ping, "{}")
            try await dialogue.goaway(.failedPrecondition)
        },
        HubCase("order.second-hello", "A second hello ends the connection: failedPrecondition", ["order.hello"]) {
            hub in
            let dialogue = try await hub.stranger()
            try await dialogue.hello(nil)
            try await dialogue.goaway(.failedPrecondition)
        },
        hubFrame("welcome", .welcome, "{}"),
        hubFrame("response", .response, "{\"id\": 1, \"result\": {}}"),
        hubFrame(
            "event", .event,
            "{\"structure\": \"00000000000000aa\", \"number\": 1, \"event\": \"room.added\", \"data\": {}}"),
        HubCase("ping.pong", "A ping is answered with a pong and the same payload", ["ping"]) { hub in
            let dialogue = try await hub.stranger()
            let payload = "{\"z\": [1, 2.50, \"\\u00e9\"], \"a\": null}"
            try await dialogue.send(.ping, payload)
            let pongs = try await dialogue.wait(for: "a pong") { $0.pongPayloads.isEmpty ? nil : $0.pongPayloads }
            try expectEqual(String(decoding: pongs[0], as: UTF8.self), payload, "the pong's payload")
        },
        HubCase("ping.during-request", "A ping is answered while a request runs", ["ping", "request.side-by-side"]) {
            hub in
            let dialogue = try await hub.stranger()
            let waiting = try await dialogue.begin("grants.request", HubContext.wish())
            try await dialogue.barrier()
            try await dialogue.call("cancel", ["id": .integer(waiting)])
        },
    ]

    /// A frame that only a hub sends.
    private static func hubFrame(_ name: String, _ kind: ControlFrameKind, _ payload: String) -> HubCase {
        HubCase(
            "order.\(name)-from-client", "A client that sends \(name) is sent away: invalidArgument",
            ["order.direction"]
        ) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(kind, payload)
            try await dialogue.goaway(.invalidArgument)
        }
    }

    // MARK: - What must be taken

    private static let accepted: [HubCase] = [
        HubCase("frame.unknown-kind", "A frame of an unknown kind is skipped", ["frame.unknown"]) { hub in
            let dialogue = try await hub.stranger()
            for kind: UInt8 in [0, 9, 77, 255] { try await dialogue.send(.init(rawValue: kind), "{\"new\": true}") }
            try await dialogue.call("hub.info")
        },
        HubCase("frame.unknown-flags", "Flags that the hub does not know are ignored", ["frame.flags"]) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.request, flags: 0xFF, "{\"id\": 5, \"method\": \"hub.info\"}")
            try await dialogue.result(of: 5, "hub.info")
        },
        HubCase("frame.in-pieces", "A request may come byte by byte, and two at once", ["frame"]) { hub in
            let dialogue = try await hub.stranger()
            func request(_ id: Int) -> [UInt8] {
                ControlFrame(kind: .request, payload: Array("{\"id\": \(id), \"method\": \"hub.info\"}".utf8)).encoded()
            }
            for byte in request(101) { try await dialogue.send([byte]) }
            try await dialogue.send(request(102) + request(103))
            for id in 101...103 { try await dialogue.result(of: Int64(id), "hub.info") }
        },
        HubCase("frame.payload-at-limit", "A payload of exactly limits.maxPayload is served", ["limits.payload"]) {
            hub in
            let dialogue = try await hub.stranger()
            let limit = try await dialogue.maximumPayload
            try await dialogue.send(.request, padded(to: limit))
            try await dialogue.result(of: 6, "hub.info")
        },
        HubCase("frame.depth-at-limit", "32 levels of nesting are served", ["limits.depth"]) { hub in
            let dialogue = try await hub.stranger()
            // The payload, params, and 30 arrays.
            try await dialogue.send(.request, nested(30))
            try await dialogue.result(of: 7, "hub.info")
        },
        HubCase("frame.string-at-limit", "A string of 256 KiB is served", ["limits.string"]) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.request, long(256 << 10))
            try await dialogue.result(of: 8, "hub.info")
        },
        HubCase("frame.members-at-limit", "10,000 members of one object are served", ["limits.entries"]) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.request, members(10_000))
            try await dialogue.result(of: 10, "hub.info")
        },
        HubCase(
            "frame.unknown-members", "Members that the hub does not know are ignored, in every message",
            ["compatibility.members"]
        ) {
            hub in
            let dialogue = try await hub.prefaced()
            try await dialogue.send(.hello, "{\"client\": \"new\", \"later\": {\"a\": [1]}}")
            _ = try await dialogue.welcomed()
            try await dialogue.send(
                .request, "{\"id\": 5, \"method\": \"hub.info\", \"priority\": 3, \"params\": {\"x\": 1}}")
            try await dialogue.result(of: 5, "hub.info")
        },
    ]

    // MARK: - What must be refused

    private static let refused: [HubCase] = [
        HubCase(
            "frame.payload-too-long", "A longer payload is answered with goaway resourceExhausted before it is read",
            ["limits.payload"]
        ) {
            hub in
            let dialogue = try await hub.stranger()
            let length = UInt32(try await dialogue.maximumPayload) + 1
            // The header alone: a hub that waits for the payload never answers.
            try await dialogue.send([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> UInt32($0)) } + [3, 0])
            try await dialogue.goaway(.resourceExhausted)
        },
        HubCase("frame.payload-far-too-long", "So is one of 4 GiB, before hello too", ["limits.payload"]) { hub in
            let dialogue = try await hub.prefaced()
            try await dialogue.send([0xFF, 0xFF, 0xFF, 0xFF, 1, 0])
            try await dialogue.goaway(.resourceExhausted)
        },
        broken("depth", "33 levels of nesting", "limits.depth", nested(31)),
        broken("string", "A string longer than 256 KiB", "limits.string", long((256 << 10) + 1)),
        broken("members", "10,001 members of one object", "limits.entries", members(10_001)),
        broken(
            "elements", "10,001 elements of one array", "limits.entries",
            "{\"id\": 1, \"method\": \"hub.info\", \"params\": {\"x\": ["
                + Array(repeating: "0", count: 10_001).joined(separator: ",") + "]}}"),
        broken(
            "duplicate-member", "A member name that occurs twice", "limits.form",
            "{\"id\": 1, \"method\": \"hub.info\", \"method\": \"hub.info\"}"),
        broken(
            "duplicate-escaped-member", "A member name that occurs twice, once with escapes", "limits.form",
            "{\"id\": 1, \"method\": \"hub.info\", \"\\u006dethod\": \"hub.info\"}"),
        broken(
            "duplicate-inner-member", "A member name that occurs twice in params", "limits.form",
            "{\"id\": 1, \"method\": \"hub.info\", \"params\": {\"a\": 1, \"a\": 1}}"),
        brokenBytes(
            "invalid-utf8", "Invalid UTF-8", "limits.form",
            Array("{\"id\": 1, \"method\": \"hub.info\", \"x\": \"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)),
        brokenBytes(
            "overlong-utf8", "An overlong form of UTF-8", "limits.form",
            Array("{\"id\": 1, \"method\": \"hub.info\", \"x\": \"".utf8) + [0xC0, 0xAF] + Array("\"}".utf8)),
        broken(
            "trailing-bytes", "Bytes after the object", "limits.form", "{\"id\": 1, \"method\": \"hub.info\"} {}"),
        broken("array", "An array in the place of an object", "limits.form", "[{\"id\": 1, \"method\": \"hub.info\"}]"),
        broken("empty", "An empty payload", "limits.form", ""),
        broken("cut-off", "An object that is cut off", "limits.form", "{\"id\": 1, \"method\": \"hub.info\""),
        HubCase("frame.broken-hello", "A broken hello is answered like any broken payload", ["limits.form"]) { hub in
            let dialogue = try await hub.prefaced()
            try await dialogue.send(.hello, "{\"client\": \"x\", \"client\": \"y\"}")
            try await dialogue.goaway(.invalidArgument)
        },
    ]

    private static func broken(_ name: String, _ what: String, _ behaviour: String, _ text: String) -> HubCase {
        brokenBytes(name, what, behaviour, Array(text.utf8))
    }

    private static func brokenBytes(_ name: String, _ what: String, _ behaviour: String, _ bytes: [UInt8]) -> HubCase {
        HubCase("frame.\(name)", "\(what) ends the connection: invalidArgument with the offset", [behaviour]) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.request, bytes)
            let goaway = try await dialogue.goaway(.invalidArgument)
            try expect(
                goaway.message.contains { $0.isNumber }, "the message to say at which byte", seen: "“\(goaway.message)”"
            )
        }
    }

    private static func padded(to length: Int) -> String {
        let (start, end) = ("{\"id\": 6, \"method\": \"hub.info\", \"params\": {\"x\": [", "]}}")
        // Strings of 1,000 bytes with quotes and comma, and one of the rest.
        var parts: [String] = []
        var left = length - start.utf8.count - end.utf8.count
        while left > 2_000 {
            parts.append("\"" + String(repeating: "y", count: 997) + "\"")
            left -= 1_000
        }
        parts.append("\"" + String(repeating: "z", count: left - 2) + "\"")
        return start + parts.joined(separator: ",") + end
    }

    private static func nested(_ arrays: Int) -> String {
        "{\"id\": 7, \"method\": \"hub.info\", \"params\": {\"x\": " + String(repeating: "[", count: arrays)
            + String(repeating: "]", count: arrays) + "}}"
    }

    private static func long(_ count: Int) -> String {
        "{\"id\": 8, \"method\": \"hub.info\", \"params\": {\"x\": \"" + String(repeating: "s", count: count) + "\"}}"
    }

    private static func members(_ count: Int) -> String {
        "{\"id\": 10, \"method\": \"hub.info\", \"params\": {"
            + (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") + "}}"
    }
}

extension HubDialogue {
    /// `limits.maxPayload` of the welcome.
    var maximumPayload: Int {
        get throws { Int(try welcome.record("limits", of: "welcome").number("maxPayload", of: "limits of welcome")) }
    }
}

extension HubContext {
    /// Params of `grants.request` that nobody approves by chance.
    static func wish(_ scopes: [String] = ["structure.read"]) -> JSONObject {
        let mark = "\(UInt32.random(in: .min ... .max))"
        return [
            "appId": .string("conformance.wish.\(mark)"), "appGroup": .string("conformance.wish.\(mark)"),
            "appName": "Conformance", "scopes": .array(scopes.map { .string($0) }),
        ]
    }
}
