import HubControl

/// Two apps and one session: commissioning-session.md.
enum SessionAppCases {
    static let all: [HubCase] =
        [
            HubCase(
                "session.second-app.prepare",
                "prepare by another app: failedPrecondition sessionActive, with who, since when and how long",
                ["session.single"]
            ) {
                hub in
                let (owner, other) = try await hub.twoApps()
                try await owner.client.call("session.prepare")
                let refusal = try await other.call("session.prepare", refused: .failedPrecondition, "sessionActive")
                let details = refusal.details
                try expect(
                    details["heldBy"].map { !$0.isNull } == true, "details.heldBy", seen: "nothing",
                    meaning: "A user cannot be told which app holds the home.")
                _ = try details.number("since", of: "details")
                let left = try details.number("expiresInMs", of: "details")
                try expect((1...600_000).contains(left), "details.expiresInMs of at most 600000", seen: "\(left)")
                try await owner.client.call("session.cancel")
                try await other.call("session.prepare")
            },
            foreign("commission", ["payload": .string(SessionCases.someCode), "clientKey": "a"]),
            foreign("configure", ["deviceName": "x"]), foreign("complete", ["clientKey": "a"]), foreign("cancel", [:]),
            foreign("get", [:]),
            HubCase(
                "session.second-app.gets-it-after", "When the owner's session is over, another app prepares at once",
                ["session.single"]
            ) {
                hub in
                let (owner, other) = try await hub.twoApps()
                for _ in 0..<3 {
                    try await owner.client.call("session.prepare")
                    try await owner.client.call("session.cancel")
                    try await other.call("session.prepare")
                    try await other.call("session.cancel")
                }
            },
            HubCase("session.admin-get", "An app with the scope admin sees another's session", ["session.admin"]) {
                hub in
                let (owner, _) = try await hub.twoApps()
                let session = try await owner.client.call("session.prepare")["session"]
                let shown = try await hub.admin().call("session.get")
                try expectEqual(shown["session"], session, "session")
                try expectEqual(try shown.record("owner")["appId"], .string(owner.app.appID), "owner.appId")
            },
            HubCase("session.admin-cancel", "admin cancels another's session with force only", ["session.admin"]) {
                hub in
                let (owner, _) = try await hub.twoApps()
                try await owner.client.call("events.subscribe")
                try await owner.client.call("session.prepare")
                let admin = try await hub.admin()
                let refusal = try await admin.refusal(of: "session.cancel", .failedPrecondition, "notOwner")
                _ = try refusal.details.need("heldBy", of: "details")
                try expectEqual(
                    try await admin.call("session.cancel", ["force": true])["session"], "cancelled", "session")
                try expectEqual(try await owner.client.event("session.ended").data["reason"], "forced", "the reason")
                try await owner.client.call("session.prepare")
            },
            HubCase(
                "session.shared-by-connections",
                "An app and its extension share a session, on any number of connections", ["session.owner"]
            ) {
                hub in
                let (owner, _) = try await hub.twoApps()
                let session = try await owner.client.call("session.prepare")["session"]
                let second = try await hub.client(owner.app.grant)
                try expectEqual(try await second.call("session.get")["session"], session, "the session")
                try expectEqual(try await second.call("session.cancel")["session"], "cancelled", "session")
                try await owner.client.refusal(of: "session.get", .notFound)
            },
            HubCase(
                "session.owner-is-app-and-group", "Another app of the same group is not the owner", ["session.owner"]
            ) { hub in
                let admin = try await hub.admin()
                let (owner, _) = try await hub.twoApps()
                let sibling = HubContext.App(
                    grant: "", grantID: "", appID: owner.app.appID + ".sibling", appGroup: owner.app.appGroup)
                let other = try await hub.client(
                    try await hub.app(["commissioning"], by: admin, identity: sibling).grant)
                try await owner.client.call("session.prepare")
                try await other.refusal(of: "session.prepare", .failedPrecondition, "sessionActive")
            },
            HubCase("session.revoked", "Revoking the owner's grant ends its session at once", ["session.revoked"]) {
                hub in
                let admin = try await hub.admin()
                let (owner, other) = try await hub.twoApps()
                try await admin.call("events.subscribe")
                let session = try await owner.client.call("session.prepare").text("session")
                try await admin.call("grants.revoke", ["id": .string(owner.app.grantID)])
                let ended = try await admin.event("session.ended") { $0.data["session"] == .string(session) }
                try expectEqual(ended.data["reason"], "revoked", "the reason")
                try await other.call("session.prepare")
            },
            HubCase(
                "grants.renewed", "A new grant of an app, once used, takes the place of its older ones",
                ["grants.renewal"]
            ) { hub in
                let admin = try await hub.admin()
                let app = try await hub.app(["structure.read"], by: admin)
                let old = try await hub.client(app.grant)
                let stranger = try await hub.stranger()
                let wish: JSONObject = [
                    "appId": .string(app.appID), "appGroup": .string(app.appGroup),
                    "scopes": ["structure.read", "commissioning"],
                ]
                let id = try await stranger.begin("grants.request", wish)
                let pending = try await admin.pending(wish, of: stranger, id)
                try await admin.call("grants.approve", ["id": .string(try pending.id("id"))])
                let grant = try await stranger.result(of: id, "grants.request").text("grant")
                try await old.call("structures.list")
                _ = try await hub.client(grant)
                try await old.goaway(.unauthenticated)
            },
        ]

    private static func foreign(_ method: String, _ params: JSONObject) -> HubCase {
        HubCase(
            "session.second-app.\(method)",
            "\(method) of another app's session: failedPrecondition notOwner with heldBy", ["session.foreign"]
        ) {
            hub in
            let (owner, other) = try await hub.twoApps()
            let session = try await owner.client.call("session.prepare")["session"]
            let refusal = try await other.call("session.\(method)", params, refused: .failedPrecondition, "notOwner")
            _ = try refusal.details.need("heldBy", of: "details")
            try expectEqual(try await owner.client.call("session.get")["session"], session, "the owner's session")
        }
    }
}

/// An app with a connection of its own.
struct ConnectedApp: Sendable {
    let app: HubContext.App
    let client: HubDialogue
}

extension HubContext {
    /// Two apps that may commission; the second only by its connection.
    func twoApps() async throws -> (owner: ConnectedApp, other: HubDialogue) {
        let admin = try await admin()
        let scopes = ["structure.read", "commissioning", "device.control"]
        let (first, second) = (try await app(scopes, by: admin), try await app(scopes, by: admin))
        return (ConnectedApp(app: first, client: try await client(first.grant)), try await client(second.grant))
    }
}

extension HubDialogue {
    /// ``refusal(of:_:_:_:within:)`` in the order in which a session case reads.
    @discardableResult
    func call(
        _ method: String, _ params: JSONObject = [:], refused code: ControlErrorCode, _ reason: String
    ) async throws -> HubAnswer.Refusal {
        try await refusal(of: method, params, code, reason)
    }
}
