import HubControl
import NetIO

/// Commissions that fail, with the reasons of commissioning-session.md.
enum FailureCases {
    static let all: [HubCase] = [
        failing("wrongPasscode", "The passcode of another device", .invalidArgument, code: true) { refusal in
            _ = try refusal.details.listed("candidates", of: "details")
        },
        failing("deviceVanished", "A device that stops answering", .unavailable, faults: ["csr:vanish"]),
        failing(
            "deviceBusy", "A device whose fail-safe another administrator holds", .unavailable,
            faults: ["armFailSafe:busyFailSafex*"]
        ) {
            refusal in
            _ = try refusal.json.number("retryAfterMs", of: "the error")
        },
        failing(
            "fabricTableFull", "A device that is on as many fabrics as it can", .resourceExhausted,
            faults: ["addNOC:fabricTableFull"]
        ) {
            refusal in
            _ = try refusal.details.need("limit", of: "details")
        },
        failing("deviceRefused", "A device that refuses with a status", .failedPrecondition, faults: ["addRoot:error"])
        { refusal in
            _ = try refusal.details.text("status", of: "details")
        },
        failing(
            "attestationRefused", "A device that signs its attestation wrongly", .failedPrecondition,
            faults: ["attestation:wrongSignature"]
        ) {
            refusal in
            let rules = try refusal.details.listed("rules", of: "details")
            try expect(!rules.isEmpty, "at least one rule in details.rules", seen: "none")
            _ = try rules[0].text("rule", of: "a rule")
        },
        failing("protocolError", "A device whose answer makes no sense", .internal, faults: ["csr:corrupt=tlvx*"]),
        HubCase(
            "failure.deadline", "A commission that takes longer than its deadlineMs: deadlineExceeded deadline",
            ["failure.deadline"], needs: [.virtualDevice]
        ) {
            hub in
            let run = try await hub.prepared(["attestation:slow=4000"])
            let start = hub.clock.now
            let refusal = try await run.client.refusal(
                of: "session.commission", run.device.params("a", deadlineMs: 1000), .deadlineExceeded, "deadline",
                within: .seconds(20))
            try expect(refusal.json["stage"] != nil, "the error to name the stage", seen: "it does not")
            try expect(
                hub.clock.now - start < .seconds(4) + hub.setup.times.leeway, "the answer after 1 s",
                seen: "after \((hub.clock.now - start).milliseconds) ms")
        },
        HubCase(
            "failure.nobody-there", "An address where nobody is: the error says so, with the stage",
            ["failure.noDevice"]
        ) { hub in
            let app = try await hub.client(scopes: HubContext.appScopes)
            try await app.call("session.prepare")
            let params: JSONObject = [
                "payload": .string(SessionCases.someCode), "clientKey": "a", "address": "127.0.0.1:9",
                "deadlineMs": 3000,
            ]
            let answer = try await app.answer(
                to: try await app.begin("session.commission", params), within: .seconds(20))
            guard case .refused(let refusal) = answer,
                ["noDeviceFound", "deviceVanished", "deadline"].contains(refusal.reason)
            else {
                throw ConformanceFailure(
                    expected: "noDeviceFound, deviceVanished or, at the deadline, deadline", seen: answer.words)
            }
            try expectEqual(try await app.call("session.get")["state"], "prepared", "the session's state")
        },
        HubCase(
            "failure.touches-that-device-only", "A failed commission leaves the session and its other devices alone",
            ["failure.session-stays"], needs: [.virtualDevice]
        ) {
            hub in
            let run = try await hub.prepared()
            let broken = try await hub.device(["addNOC:fabricTableFull"])
            try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
            try await run.client.refusal(
                of: "session.commission", broken.params("b"), .resourceExhausted, "fabricTableFull",
                within: .seconds(60))
            let shown = try await run.client.call("session.get")
            try expectEqual(shown["state"], "prepared", "the session's state")
            _ = try shown.need("lastError", of: "session.get")
            let ids = try await run.client.call("session.complete", ["clientKey": "c"]).list("deviceIds")
            try expectEqual(ids.count, 1, "the number of device ids")
        },
        HubCase(
            "failure.then-success", "After a failure the same device can be commissioned with another key",
            ["failure.session-stays"], needs: [.virtualDevice]
        ) {
            hub in
            let run = try await hub.prepared(["attestation:error"])
            try await run.client.refusal(
                of: "session.commission", run.device.params("a"), .failedPrecondition, within: .seconds(60))
            try await run.client.call(
                "session.commission", run.device.params("b", deadlineMs: 90_000), within: .seconds(95))
        },
        HubCase(
            "failure.answer-kept", "A failure after the first stage is the answer to a repeat of its client key",
            ["client-key"], needs: [.virtualDevice]
        ) {
            hub in
            let run = try await hub.prepared(["addRoot:error"])
            let params = run.device.params("a")
            let first = try await run.client.refusal(
                of: "session.commission", params, .failedPrecondition, "deviceRefused", within: .seconds(60))
            let again = try await run.client.refusal(
                of: "session.commission", params, .failedPrecondition, "deviceRefused")
            try expectEqual(again.json, first.json, "the answer to the repeat")
        },
        HubCase(
            "failure.shape", "A failed commission names its stage, and what the user can do in known words",
            ["error.members"], needs: [.virtualDevice]
        ) {
            hub in
            let run = try await hub.prepared(["readInfo:vanish"])
            let refusal = try await run.client.refusal(
                of: "session.commission", run.device.params("a"), .unavailable, "deviceVanished", within: .seconds(90))
            let stage = try refusal.json.text("stage", of: "the error")
            try expect(CommissionCases.stages.contains(stage), "a known stage", seen: stage)
            let known = [
                "checkHubAvailability", "checkWifiNetwork", "checkDeviceAvailability", "factoryResetDevice",
                "tryAgainLater",
            ]
            for action in refusal.json["suggestedUserActions"]?.array ?? [] {
                try expect(action.string.map(known.contains) == true, "a known suggested action", seen: action.text())
            }
        },
        HubCase(
            "failure.alreadyOnFabric",
            "A device of this home: alreadyExists alreadyOnFabric, with the node and the devices",
            ["failure.alreadyOnFabric"], needs: [.device]
        ) {
            hub in
            let home = try await hub.commissioned()
            let window = try await hub.admin().call(
                "devices.openWindow", ["id": .string(home.device)], within: .seconds(30))
            try await home.client.call("session.prepare")
            let refusal = try await home.client.refusal(
                of: "session.commission", home.behind.params("again", code: try window.text("qrCode")), .alreadyExists,
                "alreadyOnFabric", within: .seconds(60))
            _ = try refusal.details.need("existingNode", of: "details")
            let devices = try refusal.details.listed("devices", of: "details")
            try expectEqual(devices.map { $0["id"] }, [.string(home.device)], "details.devices")
        },
    ]

    private static func failing(
        _ reason: String, _ what: String, _ code: ControlErrorCode, faults: [String] = [], code isWrong: Bool = false,
        _ check: @escaping @Sendable (HubAnswer.Refusal) throws -> Void = { _ in }
    ) -> HubCase {
        HubCase(
            "failure.\(reason)", "\(what): \(code.name) \(reason)", ["failure.\(reason)", "failure.session-stays"],
            needs: [.virtualDevice], timeLimit: .seconds(100)
        ) { hub in
            let run = try await hub.prepared(faults)
            let params = run.device.params("a", code: isWrong ? run.device.virtual?.wrongCode : nil)
            let refusal = try await run.client.refusal(
                of: "session.commission", params, code, reason, within: .seconds(90))
            try check(refusal)
            try expectEqual(try await run.client.call("session.get")["state"], "prepared", "the session's state")
        }
    }
}
