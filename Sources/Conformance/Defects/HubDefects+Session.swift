import HubControl

extension HubDefects {
    static let session: [HubDefect] = [
        HubDefect(
            "keeps-session", "answers cancel and keeps the session",
            failing: [
                "session.prepared.cancel", "session.second-app.prepare", "session.second-app.gets-it-after",
                "session.shared-by-connections", "session.second-app.cancel",
            ], of: ["session.prepared", "session.second-app", "session.shared-by-connections", "session.prepare"]
        ) {
            $0.request = { _, request in
                // Not with force: whoever tidies up must get rid of it.
                guard request.method == "session.cancel", request["params"]?.object?["force"] == nil else { return nil }
                return [response(to: request, ["session": "cancelled", "device": "untouched"])]
            }
        },
        HubDefect(
            "second-session", "lets a second app prepare",
            failing: ["session.second-app.prepare", "session.owner-is-app-and-group"],
            of: ["session.second-app", "session.owner-is-app-and-group", "session.shared-by-connections"]
        ) {
            $0.response = { _, request, response in
                guard response.failureReason == "sessionActive" else { return nil }
                return [Self.response(to: request, ["session": "00000000000000aa", "expiresInMs": 600_000])]
            }
        },
        HubDefect(
            "hides-holder", "does not say who holds the session",
            failing: [
                "session.second-app.prepare", "session.second-app.commission", "session.second-app.configure",
                "session.second-app.complete", "session.second-app.cancel", "session.second-app.get",
                "session.admin-cancel",
            ], of: ["session.second-app", "session.admin-get", "session.admin-cancel"]
        ) {
            $0.response = { _, _, response in
                guard let details = response.failure?["details"]?.object, details["heldBy"] != nil else { return nil }
                return error(response) { $0["details"] = .object(details.with("heldBy", nil)) }
            }
        },
        HubDefect(
            "other-reason", "calls noSession sessionMissing",
            failing: [
                "session.none.commission", "session.none.configure", "session.none.complete", "session.prepared.cancel",
            ], of: ["session.none", "session.prepared"]
        ) {
            $0.response = { _, _, response in
                guard response.failureReason == "noSession", let details = response.failure?["details"]?.object else {
                    return nil
                }
                return error(response) { $0["details"] = .object(details.with("reason", "sessionMissing")) }
            }
        },
        HubDefect(
            "slow-cancel", "waits before it answers a cancel", failing: ["session.cancel.in-csr"],
            of: ["session.cancel.in-csr", "session.none.cancel"]
        ) {
            $0.response = { _, request, response in
                request.method == "session.cancel"
                    ? [.later(.milliseconds(1300), ControlFrame(.response, response))] : nil
            }
        },
        HubDefect(
            "omits-stage", "has no event for the stage attestation", failing: ["commission.stage-events"],
            of: ["commission.stage-events", "commission.result"]
        ) {
            $0.event = { _, event in event["data"]?.object?["stage"] == "attestation" ? [] : nil }
        },
        HubDefect(
            "stages-in-disorder", "tells the stages' numbers from the end", failing: ["commission.stage-events"],
            of: ["commission.stage-events", "commission.result"]
        ) {
            $0.event = { _, event in
                guard let data = event["data"]?.object, let index = data["index"]?.integer,
                    let total = data["total"]?.integer
                else { return nil }
                return [
                    .toClient(
                        ControlFrame(
                            .event, event.with("data", .object(data.with("index", .integer(total + 1 - index))))))
                ]
            }
        },
        HubDefect(
            "forgets-keys", "does not know a client key again",
            failing: ["commission.client-key", "commission.client-key-other-connection"],
            of: ["commission.client-key", "commission.client-key-other-connection", "commission.flow"]
        ) {
            $0.request = { _, request in
                guard let key = request["params"]?.object?["clientKey"]?.string else { return nil }
                let mark = "\(UInt32.random(in: .min ... .max))"
                return params(request) { $0["clientKey"] = .string(key.prefix(40) + mark) }
            }
        },
        HubDefect(
            "hides-devices", "lists devices a while after complete",
            failing: ["commission.flow", "commission.complete-visible"],
            of: ["commission.flow", "commission.complete-visible", "commission.ended-event"]
        ) {
            $0.response = { _, request, response in
                request.method == "devices.list" ? result(response) { $0["devices"] = [] } : nil
            }
        },
        HubDefect(
            "hides-cause", "answers every failed commission with internal",
            failing: ["failure.wrongPasscode", "failure.fabricTableFull", "failure.attestationRefused"],
            of: [
                "failure.wrongPasscode", "failure.fabricTableFull", "failure.attestationRefused",
                "failure.protocolError",
            ]
        ) {
            $0.response = { _, request, response in
                guard request.method == "session.commission", response.failure?["stage"] != nil,
                    response.failureReason != "protocolError"
                else { return nil }
                return error(response) {
                    $0["code"] = 13
                    $0["name"] = "internal"
                }
            }
        },
    ]

    static let rest: [HubDefect] = [
        HubDefect(
            "event-gap", "leaves out every third event", failing: ["events.numbers"],
            of: ["events.numbers", "events.replay", "events.epoch"]
        ) {
            $0.event = { memory, event in
                memory.count += 1
                // The last one of a case is waited for: it stays.
                return memory.count % 3 == 0 && event["event"] == "room.added" ? [] : nil
            }
        },
        HubDefect(
            "events-twice", "sends every event twice",
            failing: ["events.numbers", "events.replay", "events.second-subscription"],
            of: ["events.numbers", "events.replay", "events.second-subscription", "events.order", "events.epoch"]
        ) {
            $0.event = { _, event in
                let frame = ControlFrame(.event, event)
                return [.toClient(frame), .toClient(frame)]
            }
        },
        HubDefect("no-gap", "never says that events are missing", failing: ["events.gap"], of: ["events"]) {
            $0.response = { _, request, response in
                request.method == "events.subscribe" ? result(response) { $0["gap"] = false } : nil
            }
        },
        HubDefect("new-epoch", "has another epoch for each subscription", failing: ["events.epoch"], of: ["events"]) {
            $0.response = { memory, request, response in
                guard request.method == "events.subscribe" else { return nil }
                memory.count += 1
                let count = memory.count
                return result(response) { $0["epoch"] = .string("epoch-\(count)") }
            }
        },
        HubDefect(
            "decomposed-names", "keeps decomposed characters", failing: ["names.normal-form"], of: ["names", "rooms"]
        ) {
            $0.response = { _, request, response in
                guard request.method == "rooms.create", let given = request["params"]?.object?["name"]?.string,
                    given == response["result"]?.object?["name"]?.string
                else { return nil }
                return result(response) { $0["name"] = .string(given) }
            }
        },
        HubDefect(
            "turning-names", "takes names that turn the text beside them",
            failing: ["names.bidi", "names.rename-refused"],
            of: ["names", "rooms"]
        ) {
            $0.request = { _, request in
                guard let name = request["params"]?.object?["name"]?.string else { return nil }
                let turning: [ClosedRange<Unicode.Scalar>] = ["\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}"]
                let kept = name.unicodeScalars.filter { scalar in !turning.contains { $0.contains(scalar) } }
                return params(request) { $0["name"] = .string(String(String.UnicodeScalarView(kept))) }
            }
        },
        HubDefect(
            "always-online", "shows itself online when it is not", failing: ["offline.told"],
            of: ["offline.told", "offline.refuses"]
        ) {
            $0.response = { _, request, response in
                request.method == "hub.info" ? result(response) { $0["reachable"] = true } : nil
            }
        },
        HubDefect(
            "unread-changes", "sends no change of a device that is followed",
            failing: ["subscribe.values", "subscribe.by-others"],
            of: ["subscribe.values", "subscribe.by-others", "subscribe.removed"]
        ) {
            $0.event = { _, event in event["event"] == "device.attributes" ? [] : nil }
        },
        HubDefect(
            "endless-subscriptions", "says of no subscription that it ended",
            failing: ["subscribe.removed", "subscribe.offline"],
            of: ["subscribe.removed", "subscribe.offline", "subscribe.numbers"]
        ) {
            $0.event = { _, event in event["event"] == "subscription.ended" ? [] : nil }
        },
    ]
}
