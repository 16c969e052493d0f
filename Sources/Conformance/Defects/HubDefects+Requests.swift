import HubControl

extension HubDefects {
    static let requests: [HubDefect] = [
        HubDefect(
            "answers-twice", "answers structures.list twice",
            failing: ["request.answered-once", "request.answered-once-when-cancelled"], of: ["request", "cancel"]
        ) {
            $0.response = { _, request, response in
                guard request.method == "structures.list" else { return nil }
                let frame = ControlFrame(.response, response)
                return [.toClient(frame), .toClient(frame)]
            }
        },
        HubDefect(
            "never-answers", "never answers orphans.retry", failing: ["devices.no-orphan"],
            of: ["devices.no-*", "devices.unknown"]
        ) {
            $0.response = { _, request, _ in request.method == "orphans.retry" ? [] : nil }
        },
        HubDefect(
            "one-at-a-time", "answers requests in their order only",
            failing: ["request.side-by-side", "limits.in-flight"],
            of: ["request.side-by-side", "cancel", "limits.in-flight", "ping"]
        ) {
            $0.request = { memory, request in
                if let id = request["id"]?.integer { memory.texts.append("\(id)") }
                return nil
            }
            $0.response = { memory, request, response in
                memory.frames.append(ControlFrame(.response, response))
                var passages: [Passage] = []
                // Each answer waits until it is the turn of its request.
                while let next = memory.texts.first,
                    let index = memory.frames.firstIndex(where: { Self.id(of: $0) == next })
                {
                    passages.append(.toClient(memory.frames.remove(at: index)))
                    memory.texts.removeFirst()
                }
                return passages
            }
        },
        HubDefect(
            "wrong-code", "answers invalidArgument to an unknown method", failing: ["request.unknown-method"],
            of: ["request", "params"]
        ) {
            $0.response = { _, _, response in
                guard response.failure?["name"] == "unimplemented" else { return nil }
                return error(response) {
                    $0["code"] = 3
                    $0["name"] = "invalidArgument"
                }
            }
        },
        HubDefect(
            "wrong-name", "writes not_found where the code is notFound",
            failing: [
                "rooms.unknown", "grants.approve-unknown", "grants.request-other-structure", "devices.unknown",
                "devices.no-orphan", "devices.no-subscription",
            ],
            of: ["rooms", "grants", "devices.unknown", "devices.no-*"]
        ) {
            $0.response = { _, _, response in
                response.failure?["name"] == "notFound" ? error(response) { $0["name"] = "not_found" } : nil
            }
        },
        HubDefect(
            "unnamed-params", "does not name the param that is wrong",
            failing: [
                "params.missing", "params.wrong-type", "params.out-of-range", "deadline.range", "session.client-key",
            ],
            of: ["params", "deadline", "request", "session.client-key"]
        ) {
            $0.response = { _, _, response in
                guard response.failure?["name"] == "invalidArgument", response.failureReason == nil else { return nil }
                return error(response) { $0["message"] = "the request is wrong" }
            }
        },
        HubDefect(
            "no-deadlines", "takes no notice of deadlineMs",
            failing: ["deadline.fires", "deadline.undoes", "deadline.range", "limits.in-flight-frees"],
            of: ["deadline", "limits.in-flight-frees", "cancel"]
        ) {
            $0.request = { _, request in [.toHub(ControlFrame(.request, request.with("deadlineMs", nil)))] }
        },
        HubDefect(
            "cancel-lies", "answers true to every cancel, and stops nothing",
            failing: ["cancel.running", "cancel.unknown", "cancel.of-another-connection"],
            of: ["cancel", "request.side-by-side"]
        ) {
            $0.request = { _, request in
                request.method == "cancel" ? [response(to: request, ["cancelled": true])] : nil
            }
        },
        HubDefect(
            "no-flight-limit", "serves any number of requests at once", failing: ["limits.in-flight"],
            of: ["limits.in-flight", "limits.in-flight-frees"]
        ) {
            $0.response = { _, request, response in
                response.failure?["name"] == "resourceExhausted" ? [Self.response(to: request, [:])] : nil
            }
        },
    ]

    static let trust: [HubDefect] = [
        HubDefect(
            "any-secret", "takes a grant by its id, whatever the secret",
            failing: ["hello.wrong-secret", "hello.last-bit"],
            of: ["hello"]
        ) {
            $0.clientFrame = { memory, frame in
                // A hello that cannot be read passes as it is: the hub behind refuses it.
                guard frame.kind == .hello, let hello = try? JSONObject(parsing: frame.payload),
                    let text = hello["grant"]?.string, let token = try? GrantToken(parsing: text),
                    let admin = try? GrantToken(parsing: memory.adminGrant), token.id == admin.id
                else {
                    // No grant, or another one: as it is.
                    return nil
                }
                return [.toHub(ControlFrame(.hello, hello.with("grant", .string(memory.adminGrant))))]
            }
        },
        HubDefect(
            "hello-identity", "believes the app id that hello claims", failing: ["hello.identity-from-grant"],
            of: ["hello"]
        ) {
            $0.clientFrame = { memory, frame in
                // The same here.
                guard frame.kind == .hello, let hello = try? JSONObject(parsing: frame.payload) else { return nil }
                memory.texts = hello["appId"]?.string.map { [$0] } ?? []
                return nil
            }
            $0.hubFrame = { memory, frame in
                guard let claimed = memory.texts.first, let welcome = welcome(frame),
                    let grant = welcome["grant"]?.object
                else { return nil }
                let changed = welcome.with("grant", .object(grant.with("appId", .string(claimed))))
                return [.toClient(ControlFrame(.welcome, changed))]
            }
        },
        HubDefect(
            "missing-scope", "lists rooms for every grant",
            failing: ["permissions.device.control", "permissions.commissioning", "permissions.automation"],
            of: ["permissions"]
        ) {
            $0.response = { _, request, response in
                guard request.method == "rooms.list", response.failureReason == "missingScope" else { return nil }
                return [Self.response(to: request, ["rooms": []])]
            }
        },
        HubDefect(
            "force-for-all", "lets every app cancel with force", failing: ["permissions.force-needs-admin"],
            of: ["permissions.force-*", "permissions.own-*"]
        ) {
            $0.response = { _, request, response in
                guard request.method == "session.cancel", response.failureReason == "missingScope" else { return nil }
                return [Self.response(to: request, ["session": "none", "device": "untouched"])]
            }
        },
        HubDefect(
            "late-revocation", "leaves the connections of a revoked grant open",
            failing: ["grants.revoke-disconnects", "grants.revoke-answers"], of: ["grants.revoke-*"]
        ) {
            $0.staysOpen = true
            $0.hubFrame = { _, frame in isGoaway(frame, "unauthenticated") ? [] : nil }
        },
        HubDefect(
            "leaks-secrets", "shows whole grants in grants.list", failing: ["grants.create"],
            of: ["grants.create", "grants.form"]
        ) {
            $0.response = { memory, request, response in
                if request.method == "grants.create", let grant = response["result"]?.object?["grant"]?.string {
                    memory.texts.append(grant)
                }
                guard request.method == "grants.list", let last = memory.texts.last else { return nil }
                return result(response) { $0["newest"] = .string(last) }
            }
        },
        HubDefect(
            "unlimited-grants", "gives what was asked, whatever was approved", failing: ["grants.request-denied"],
            of: ["grants.request-*"]
        ) {
            $0.response = { memory, request, response in
                guard response.failureReason == "grantRefused" else { return nil }
                return [
                    Self.response(
                        to: request,
                        [
                            "grant": .string(memory.adminGrant), "grantId": "00000000000000aa",
                            "structure": "00000000000000aa", "scopes": request["params"]?.object?["scopes"],
                        ])
                ]
            }
        },
    ]

    private static func id(of frame: ControlFrame) -> String? {
        // Made by us from an object.
        (try? JSONObject(parsing: frame.payload))?["id"]?.integer.map { "\($0)" }
    }
}
