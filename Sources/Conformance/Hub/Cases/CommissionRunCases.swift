import HubControl
import NetIO

/// What may be asked while a commission runs: the rows "commissioning" of commissioning-session.md.
enum CommissionRunCases {
    /// A device that takes its time in the middle of a commission.
    private static let slow = ["attestation:slow=2500"]

    static let all: [HubCase] = [
        HubCase(
            "commissioning.owner",
            "While a commission runs its owner is refused prepare, commission, configure and complete",
            ["commissioning.one"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, id) = try await hub.running(slow, until: "attestation")
            let rows: [(String, JSONObject)] = [
                ("session.prepare", [:]), ("session.commission", run.device.params("second")),
                ("session.configure", ["deviceName": "x"]), ("session.complete", ["clientKey": "c"]),
            ]
            for (method, params) in rows {
                try await run.client.refusal(of: method, params, .failedPrecondition, "commissionRunning")
            }
            try await run.client.result(of: id, "session.commission", within: .seconds(60))
        },
        HubCase(
            "commissioning.other-app", "While a commission runs another app is refused prepare: sessionActive",
            ["session.single"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, id) = try await hub.running(slow, until: "attestation")
            let other = try await hub.client(scopes: ["commissioning"])
            try await other.refusal(of: "session.prepare", .failedPrecondition, "sessionActive")
            try await other.refusal(of: "session.cancel", .failedPrecondition, "notOwner")
            try await run.client.result(of: id, "session.commission", within: .seconds(60))
        },
        HubCase(
            "commissioning.get", "get shows the stage while a commission runs", ["session.get"], needs: [.virtualDevice]
        ) { hub in
            let (run, id) = try await hub.running(slow, until: "attestation")
            let shown = try await run.client.call("session.get")
            try expectEqual(shown["state"], "commissioning", "the state")
            try expectEqual(shown["stage"], "attestation", "the stage")
            try await run.client.result(of: id, "session.commission", within: .seconds(60))
        },
        HubCase(
            "commissioning.repeat-waits", "The same client key while the first runs waits for that answer",
            ["client-key"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, id) = try await hub.running(slow, until: "attestation")
            let second = try await hub.client(run.app.grant)
            let again = try await second.begin("session.commission", run.device.params("a"))
            let first = try await run.client.result(of: id, "session.commission", within: .seconds(60))
            try expectEqual(
                try await second.result(of: again, "session.commission", within: .seconds(60)), first,
                "the answer to the repeat")
        },
        HubCase(
            "commissioning.connection-lost",
            "A commission goes on when its connection is lost; the owner gets its answer by the client key",
            ["session.owner", "client-key"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, _) = try await hub.running(slow, until: "attestation")
            await run.client.close()
            let next = try await hub.client(run.app.grant)
            let answer = try await next.call("session.commission", run.device.params("a"), within: .seconds(60))
            let shown = try await next.call("session.get")
            try expectEqual(
                try shown.listed("provisional").map { $0["provisionalId"] }, [answer["provisionalId"]],
                "the provisional devices")
        },
        HubCase(
            "commissioning.owner-away-prepare", "When the owner has no connection its prepare cancels the commission",
            ["session.supersede"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, _) = try await hub.running(["attestation:slow=5000"], until: "attestation")
            await run.client.close()
            let next = try await hub.prepareWhenAway(run)
            let session = try await next.call("session.get")
            try expectEqual(session["state"], "prepared", "the state")
            try expect(session["session"] != .string(run.session), "a new session", seen: "the old one")
        },
        HubCase(
            "commissioning.revoked", "Revoking the owner's grant stops its commission and frees the home at once",
            ["session.revoked"], needs: [.virtualDevice]
        ) {
            hub in
            let (run, _) = try await hub.running(slow, until: "attestation")
            let admin = try await hub.admin()
            try await admin.call("grants.revoke", ["id": .string(run.app.grantID)])
            let other = try await hub.client(scopes: ["commissioning"])
            try await other.call("session.prepare")
            try await run.client.goaway(.unauthenticated)
        },
        HubCase(
            "commissioning.lengthens", "Finished stages lengthen a session's life to at least 10 min",
            ["session.lifetime-extended"],
            needs: [.virtualDevice]
        ) { hub in
            let app = try await hub.app(HubContext.appScopes, by: try await hub.admin())
            let client = try await hub.client(app.grant)
            let device = try await hub.device()
            try await client.call("session.prepare", ["lifetimeMs": 20_000])
            try await client.call("session.commission", device.params("a"), within: .seconds(60))
            let left = try await client.call("session.get").number("expiresInMs")
            try expect((590_000...1_800_000).contains(left), "expiresInMs of at least 10 min", seen: "\(left)")
        },
    ]
}

extension HubContext {
    /// A commission that has come to a stage.
    ///
    /// - Returns: the run, and the id of the request.
    func running(_ faults: [String], until stage: String) async throws -> (PreparedRun, Int64) {
        let run = try await prepared(faults)
        try await run.client.call("events.subscribe")
        let id = try await run.client.begin("session.commission", run.device.params("a"))
        try await run.client.reach(stage, id)
        return (run, id)
    }

    /// Prepares for the owner of a run whose connection is gone. The hub may learn of that a little later.
    func prepareWhenAway(_ run: PreparedRun) async throws -> HubDialogue {
        let deadline = clock.now + setup.times.answer
        while true {
            let next = try await client(run.app.grant)
            let answer = try await next.answer(to: try await next.begin("session.prepare"))
            switch answer {
            case .result: return next
            case .refused(let refusal) where refusal.reason == "commissionRunning" && clock.now < deadline:
                // This connection is one of the owner's: with it open, the refusal is right.
                await next.close()
            case .refused(let refusal):
                throw ConformanceFailure(expected: "prepare to cancel the old session", seen: refusal.words)
            }
        }
    }
}

extension HubDialogue {
    /// Waits until a commission begins a stage.
    func reach(_ stage: String, _ id: Int64) async throws {
        let answered: HubAnswer? = try await wait(for: "a stage \(stage)", within: .seconds(30)) { dialogue in
            if dialogue.hasBegun(stage) { return .some(nil) }
            return dialogue.peek(id).map { .some($0) }
        }
        if let answered {
            throw ConformanceFailure(
                expected: "the commission to come to the stage \(stage)", seen: "it was answered: \(answered.words)")
        }
    }

    private func hasBegun(_ stage: String) -> Bool {
        allEvents.contains { $0.name == "session.stage" && $0.data["stage"] == .string(stage) }
    }
}
