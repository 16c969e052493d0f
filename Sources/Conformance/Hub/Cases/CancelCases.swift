import HubControl
import NetIO

/// Cancelling a commission in each stage: commissioning-session.md.
enum CancelCases {
    static let all: [HubCase] =
        [
            HubCase(
                "session.cancel.in-discover", "cancel in the stage discover answers within 1 s and frees the session",
                ["session.cancel.stages", "session.cancel"]
            ) {
                hub in
                let app = try await hub.client(scopes: HubContext.appScopes)
                try await app.call("events.subscribe")
                try await app.call("session.prepare")
                // No address, and a code that nobody has: the hub searches until it is stopped.
                let id = try await app.begin(
                    "session.commission", ["payload": .string(SessionCases.someCode), "clientKey": "a"])
                _ = try await app.event("session.stage") { $0.data["stage"] == "discover" }
                try await cancel(app, id, device: ["untouched"], mayNotSearch: true)
            }
        ]
        + CommissionCases.stages.dropFirst().map(inStage) + [
            HubCase(
                "session.cancel.late-result", "After a cancel the commission adds nothing, whatever comes later",
                ["session.cancel.late"], needs: [.virtualDevice]
            ) {
                hub in
                let (run, id) = try await hub.running(["complete:slow=3000"], until: "complete")
                let before = try await run.client.call("devices.list", ["limit": 1000]).listed("devices").count
                try await cancel(run.client, id, device: ["unknown", "cleaning", "clean"])
                try await run.client.call("session.prepare")
                if let virtual = run.device.virtual {
                    try await run.client.untilTrue("the device to be off the home's fabric again", within: .seconds(20))
                    { _ in
                        await virtual.fabricCount == 0
                    }
                }
                try expectEqual(
                    try await run.client.call("session.get").listed("provisional").count, 0,
                    "the number of provisional devices in the new session")
                try expectEqual(
                    try await run.client.call("devices.list", ["limit": 1000]).listed("devices").count, before,
                    "the number of devices")
            },
            HubCase(
                "session.cancel.request", "cancel of the request stops the commission, and the session stays",
                ["cancel", "session.cancel"], needs: [.virtualDevice]
            ) {
                hub in
                let (run, id) = try await hub.running(["attestation:slow=5000"], until: "attestation")
                try expectEqual(
                    try await run.client.call("cancel", ["id": .integer(id)])["cancelled"], true, "cancelled")
                try await run.client.refusal(of: id, "session.commission", .cancelled)
                try await run.client.untilTrue("the session to be prepared again") { client in
                    try await client.call("session.get")["state"] == "prepared"
                }
            },
            HubCase(
                "session.cancel.provisional-goes", "cancel takes provisional devices off the home's fabric",
                ["session.cancel"], needs: [.virtualDevice]
            ) {
                hub in
                let run = try await hub.prepared()
                try await run.client.call("session.commission", run.device.params("a"), within: .seconds(60))
                let answer = try await run.client.call("session.cancel")
                try expectEqual(answer["session"], "cancelled", "session")
                try expectEqual(answer["device"], "cleaning", "device")
                if let virtual = run.device.virtual {
                    try await run.client.untilTrue("the device to be as new", within: .seconds(20)) { _ in
                        await virtual.isFresh
                    }
                }
            },
            HubCase(
                "session.cancel.then-again", "A device whose commission was cancelled can be commissioned",
                ["session.cancel", "failure.stillCleaning"], needs: [.virtualDevice]
            ) {
                hub in
                let (run, id) = try await hub.running(["csr:slow=5000"], until: "csr")
                try await cancel(run.client, id, device: ["clean", "cleaning"])
                try await run.client.call("session.prepare")
                // It waits for the cleaning within its deadline, which may last as long as the fail-safe.
                try await run.client.call(
                    "session.commission", run.device.params("again", deadlineMs: 90_000), within: .seconds(95))
            },
        ]

    private static func inStage(_ stage: String) -> HubCase {
        let states: [String]
        switch stage {
        case "pase", "readInfo": states = ["untouched", "clean", "cleaning"]
        case "complete": states = ["unknown", "cleaning", "clean"]
        default: states = ["clean", "cleaning"]
        }
        return HubCase(
            "session.cancel.in-\(stage)", "cancel in the stage \(stage) answers within 1 s and frees the session",
            ["session.cancel.stages", "session.cancel", "failure.sessionEnded"], needs: [.virtualDevice]
        ) { hub in
            let run = try await hub.prepared(["\(stage):slow=5000"])
            try await run.client.call("events.subscribe")
            let id = try await run.client.begin("session.commission", run.device.params("a"))
            do {
                try await run.client.reach(stage, id)
            } catch let failure as ConformanceFailure where stage == "regulatory" && failure.seen.contains("a result") {
                throw ConformanceSkip("the device wants neither configuration nor time, so that there is no such stage")
            }
            try await cancel(run.client, id, device: states)
        }
    }

    /// Cancels a running commission and checks everything that is promised of that.
    ///
    /// - Parameter mayNotSearch: the hub may have given up before, because it cannot search.
    private static func cancel(
        _ client: HubDialogue, _ id: Int64, device: [String], mayNotSearch: Bool = false
    ) async throws {
        let start = client.clock.now
        let answer = try await client.call("session.cancel")
        let elapsed = client.clock.now - start
        try expect(
            elapsed < .milliseconds(1100) + client.times.leeway, "the answer to cancel within 1 s",
            seen: "after \(elapsed.milliseconds) ms",
            meaning: "Cancelling seems to wait for the device.")
        try expectEqual(answer["session"], "cancelled", "session of the answer to cancel")
        let state = try answer.text("device")
        try expect(
            device.contains(state), "device to be \(device.joined(separator: " or "))", seen: state)
        if mayNotSearch, case .refused(let refusal) = try await client.wait(for: "an answer", { $0.peek(id) }),
            refusal.reason == "cannotSearch"
        {
            throw ConformanceSkip("the hub does not search: \(refusal.message)")
        }
        try await client.refusal(of: id, "session.commission", .cancelled, "sessionEnded")
        try expectEqual(
            try await client.event("session.ended").data["reason"], "cancelled", "the reason of session.ended")
        // At once, whatever is still being cleaned.
        try await client.call("session.prepare", within: .seconds(2))
    }
}
