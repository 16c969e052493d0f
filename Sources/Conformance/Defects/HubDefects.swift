import HubControl

/// The defects, by what they are about.
enum HubDefects {
    typealias Memory = HubMutation.Memory
    typealias Passage = HubMutation.Passage

    // MARK: - Connections

    static let connection: [HubDefect] = [
        HubDefect(
            "no-close-notify", "ends TLS without its closing mark", failing: ["transport.close-notify"],
            of: ["transport", "preface"]
        ) { $0.endsRudely = true },
        HubDefect(
            "no-version-answer", "says nothing to another major version, and only closes",
            failing: ["preface.other-major"], of: ["preface", "order"]
        ) {
            $0.hubFrame = { _, frame in isGoaway(frame, "unimplemented") ? [] : nil }
        },
        HubDefect(
            "other-version", "says in welcome that it speaks 2.0", failing: ["hello.versions"],
            of: ["hello", "preface"]
        ) {
            $0.hubFrame = { _, frame in
                welcome(frame).map { [.toClient(ControlFrame(.welcome, $0.with("protocol", "2.0")))] }
            }
        },
        HubDefect(
            "no-hello-needed", "serves requests that come before hello",
            failing: ["order.request-before-hello", "order.ping-before-hello"],
            of: ["order", "ping", "frame.unknown-kind"]
        ) {
            $0.clientFrame = { memory, frame in
                defer { memory.isMarked = true }
                guard !memory.isMarked, frame.kind != .hello else { return nil }
                return [.toHub(ControlFrame(.hello, ["client": "defect"])), .toHub(frame)]
            }
        },
        HubDefect(
            "second-hello", "takes no notice of a second hello",
            failing: ["order.second-hello", "transport.close-notify"],
            of: ["order", "transport", "hello.with-grant"]
        ) {
            $0.clientFrame = { memory, frame in
                guard frame.kind == .hello else { return nil }
                defer { memory.isMarked = true }
                return memory.isMarked ? [] : nil
            }
        },
        HubDefect(
            "takes-hub-frames", "skips frames that only a hub sends",
            failing: ["order.welcome-from-client", "order.response-from-client", "order.event-from-client"],
            of: ["order"]
        ) {
            $0.clientFrame = { _, frame in [.welcome, .response, .event].contains(frame.kind) ? [] : nil }
        },
    ]

    // MARK: - Frames

    static let frames: [HubDefect] = [
        HubDefect(
            "no-frame-limit", "waits for payloads of any length",
            failing: ["frame.payload-too-long", "frame.payload-far-too-long"], of: ["frame.payload-*", "frame.depth"]
        ) { $0.maximumPayload = .max },
        HubDefect(
            "strict-kinds", "ends the connection for a frame of an unknown kind", failing: ["frame.unknown-kind"],
            of: ["frame.unknown-*", "ping"]
        ) {
            $0.clientFrame = { _, frame in
                frame.kind.isKnown ? nil : [.toClient(goaway(.invalidArgument, "no such kind")), .end]
            }
        },
        HubDefect(
            "strict-flags", "ends the connection for a flag that it does not know", failing: ["frame.unknown-flags"],
            of: ["frame.unknown-*", "ping"]
        ) {
            $0.clientFrame = { _, frame in
                frame.flags == 0 ? nil : [.toClient(goaway(.invalidArgument, "no such flag")), .end]
            }
        },
        lenient(
            "duplicate-members", "takes objects in which a name occurs twice",
            [
                "frame.duplicate-member", "frame.duplicate-escaped-member", "frame.duplicate-inner-member",
                "frame.broken-hello",
            ]
        ) { $0 == .duplicateName },
        lenient("any-depth", "takes objects of any depth", ["frame.depth"]) {
            $0 == .tooDeep
        },
        lenient("long-strings", "takes strings of any length", ["frame.string"]) {
            $0 == .stringTooLong
        },
        lenient("invalid-utf8", "takes invalid UTF-8", ["frame.invalid-utf8", "frame.overlong-utf8"]) {
            $0 == .invalidUTF8
        },
        lenient("trailing-bytes", "takes bytes after the object", ["frame.trailing-bytes"]) {
            $0 == .trailingBytes
        },
        HubDefect(
            "no-offset", "does not say at which byte a payload is broken",
            failing: Set(
                [
                    "depth", "string", "members", "elements", "duplicate-member", "duplicate-escaped-member",
                    "duplicate-inner-member", "invalid-utf8", "overlong-utf8", "trailing-bytes", "array", "empty",
                    "cut-off",
                ].map { "frame.\($0)" }),
            of: [
                "frame.depth", "frame.string", "frame.members", "frame.elements", "frame.duplicate-*", "frame.*utf8",
                "frame.trailing-bytes", "frame.array", "frame.empty", "frame.cut-off", "frame.in-pieces", "order",
            ]
        ) {
            $0.hubFrame = { _, frame in
                isGoaway(frame, "invalidArgument") ? [.toClient(goaway(.invalidArgument, "broken"))] : nil
            }
        },
        HubDefect(
            "empty-pong", "answers a ping without its payload", failing: ["ping.pong", "ping.during-request"],
            of: ["ping", "order"]
        ) {
            $0.hubFrame = { _, frame in frame.kind == .pong ? [.toClient(ControlFrame(.pong, [:]))] : nil }
        },
    ]

    /// A hub that serves what the limits of §1 forbid: the request goes on without what is wrong with it.
    private static func lenient(
        _ name: String, _ meaning: String, _ failing: Set<String>,
        _ isTaken: @escaping @Sendable (ControlProtocolError.Code) -> Bool
    ) -> HubDefect {
        HubDefect(
            name, meaning, failing: failing,
            of: [
                "frame.depth", "frame.string", "frame.duplicate-*", "frame.invalid-utf8", "frame.overlong-utf8",
                "frame.trailing-bytes", "frame.array", "frame.broken-hello", "frame.in-pieces",
            ]
        ) {
            $0.clientFrame = { _, frame in
                do throws(ControlProtocolError) {
                    _ = try JSONObject(parsing: frame.payload)
                    return nil
                } catch {
                    guard isTaken(error.code) else { return nil }
                    let sound: JSONObject =
                        frame.kind == .hello ? ["client": "x"] : ["id": 1, "method": "hub.info"]
                    return [.toHub(ControlFrame(frame.kind, sound))]
                }
            }
        }
    }

    // MARK: - Helpers

    static func goaway(_ code: ControlErrorCode, _ message: String) -> ControlFrame {
        ControlFrame(
            .goaway, ["code": JSONValue(code.rawValue), "name": .string(code.name), "message": .string(message)])
    }

    static func isGoaway(_ frame: ControlFrame, _ name: String) -> Bool {
        guard frame.kind == .goaway else { return false }
        // Written by a hub that is right; what is no JSON is no such goaway.
        return (try? JSONObject(parsing: frame.payload))?["name"] == .string(name)
    }

    static func welcome(_ frame: ControlFrame) -> JSONObject? {
        guard frame.kind == .welcome else { return nil }
        // Written by a hub that is right; what is no JSON stays as it is.
        return try? JSONObject(parsing: frame.payload)
    }

    static func response(to request: JSONObject, _ result: JSONObject) -> Passage {
        .toClient(ControlFrame(.response, ["id": request["id"], "result": .object(result)]))
    }

    /// A response whose error is changed.
    static func error(_ response: JSONObject, _ change: (inout JSONObject) -> Void) -> [Passage]? {
        guard var failure = response.failure else { return nil }
        change(&failure)
        return [.toClient(ControlFrame(.response, response.with("error", .object(failure))))]
    }

    /// A response whose result is changed.
    static func result(_ response: JSONObject, _ change: (inout JSONObject) -> Void) -> [Passage]? {
        guard var result = response["result"]?.object else { return nil }
        change(&result)
        return [.toClient(ControlFrame(.response, response.with("result", .object(result))))]
    }

    /// A request that goes on with other params.
    static func params(_ request: JSONObject, _ change: (inout JSONObject) -> Void) -> [Passage] {
        var params = request["params"]?.object ?? JSONObject()
        change(&params)
        return [.toHub(ControlFrame(.request, request.with("params", .object(params))))]
    }
}
