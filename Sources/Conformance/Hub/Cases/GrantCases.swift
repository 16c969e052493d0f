import HubControl
import NetIO

/// Grants, from the request to the revocation: hub-control.md §2, §3, §4.
enum GrantCases {
    static let all: [HubCase] = requests + others

    private static let requests: [HubCase] = [
        HubCase(
            "grants.request-approved",
            "A request waits, is listed as pending, and is answered with a grant when it is approved",
            ["grants.request"]
        ) {
            hub in
            let (admin, stranger) = (try await hub.admin(), try await hub.stranger())
            let wish = HubContext.wish(["structure.read", "commissioning"])
            let id = try await stranger.begin("grants.request", wish)
            let pending = try await admin.pending(wish, of: stranger, id)
            try expectEqual(pending["appName"], wish["appName"], "appName of the pending request")
            try expectEqual(pending["scopes"], wish["scopes"], "scopes of the pending request")
            try await admin.call("grants.approve", ["id": .string(try pending.id("id"))])
            let granted = try await stranger.result(of: id, "grants.request")
            try expectEqual(granted["scopes"], wish["scopes"], "scopes of the grant")
            _ = try granted.id("structure")
            let welcome = await (try hub.client(try granted.text("grant"))).welcome
            try expectEqual(
                try welcome.record("grant", of: "welcome").id("id"), try granted.id("grantId"), "the grant's id")
        },
        HubCase(
            "grants.request-denied", "A request that is denied is answered permissionDenied grantRefused",
            ["grants.request"]
        ) { hub in
            let (admin, stranger) = (try await hub.admin(), try await hub.stranger())
            let wish = HubContext.wish()
            let id = try await stranger.begin("grants.request", wish)
            let pending = try await admin.pending(wish, of: stranger, id)
            try await admin.call("grants.deny", ["id": .string(try pending.id("id"))])
            try await stranger.refusal(of: id, "grants.request", .permissionDenied, "grantRefused")
        },
        HubCase(
            "grants.request-ends-with-connection", "A request ends when its connection does",
            ["request.connection-ends"]
        ) { hub in
            let (admin, stranger) = (try await hub.admin(), try await hub.stranger())
            let wish = HubContext.wish()
            let id = try await stranger.begin("grants.request", wish)
            _ = try await admin.pending(wish, of: stranger, id)
            await stranger.close()
            try await admin.untilTrue("the request to be gone from grants.list") { admin in
                try await !admin.call("grants.list").listed("pending").contains { $0["appId"] == wish["appId"] }
            }
        },
        HubCase(
            "grants.request-other-structure", "A request for a structure that is not there: notFound noStructure",
            ["reason.noStructure"]
        ) {
            hub in
            var wish = HubContext.wish()
            wish["structure"] = "00000000000000aa"
            try await hub.stranger().refusal(of: "grants.request", wish, .notFound, "noStructure")
        },
        HubCase(
            "grants.approve-unknown", "Approving, denying and revoking what is not there: notFound noGrant",
            ["reason.noGrant"]
        ) { hub in
            let admin = try await hub.admin()
            for method in ["grants.approve", "grants.deny", "grants.revoke"] {
                try await admin.refusal(of: method, ["id": "00000000000000aa"], .notFound, "noGrant")
            }
        },
    ]

    private static let others: [HubCase] = [
        HubCase(
            "grants.create", "grants.create gives a grant at once, and grants.list shows it without its secret",
            ["grants.create", "grants.list"]
        ) {
            hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read"], by: admin)
            let list = try await admin.call("grants.list")
            let row = try list.listed("grants").first { $0["id"] == .string(app.grantID) }.orFail(
                "the grant in grants.list")
            try expectEqual(row["appId"], .string(app.appID), "appId")
            try expectEqual(row["appGroup"], .string(app.appGroup), "appGroup")
            try expectEqual(row["scopes"], ["structure.read"], "scopes")
            try expectEqual(row["revoked"], false, "revoked")
            _ = try row.number("createdAt")
            let secret = app.grant.split(separator: ".").last.map(String.init) ?? app.grant
            try expect(
                !JSONValue.object(list).text().contains(secret), "no secret in grants.list", seen: "the grant's secret",
                rule: "hub-control.md §2", meaning: "The hub must keep only a hash of it.")
        },
        HubCase("grants.form", "A grant is mh1, the authority's hash, the id and 32 octets", ["grants.form"]) { hub in
            let app = try await hub.app(["structure.read"], by: try await hub.admin())
            let token: GrantToken
            do throws(GrantToken.Failure) { token = try GrantToken(parsing: app.grant) } catch {
                throw ConformanceFailure(expected: "mh1.HASH.ID.SECRET", seen: "a text with a wrong \(error)")
            }
            try expectEqual(token.authorityHash, hub.setup.grant.authorityHash, "the hash of the control CA's key")
            try expectEqual(token.id.text, app.grantID, "the id in the grant")
        },
        HubCase(
            "grants.revoke-disconnects", "Revocation ends open connections: goaway unauthenticated", ["grants.revoke"]
        ) { hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read"], by: admin)
            let (one, two) = (try await hub.client(app.grant), try await hub.client(app.grant))
            try await admin.call("grants.revoke", ["id": .string(app.grantID)])
            for client in [one, two] { try await client.goaway(.unauthenticated) }
        },
        HubCase(
            "grants.revoke-answers", "Requests that run are answered before the goaway",
            ["grants.revoke", "request.one-answer"]
        ) { hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read"], by: admin)
            let client = try await hub.client(app.grant)
            let waiting = try await client.begin("grants.request", HubContext.wish())
            try await client.barrier()
            if await client.untakenAnswers(to: waiting) > 0 {
                try (try await client.answer(to: waiting)).skipIfDecided()
            }
            try await admin.call("grants.revoke", ["id": .string(app.grantID)])
            try await client.goaway(.unauthenticated)
            try expectEqual(await client.untakenAnswers(to: waiting), 1, "answers to the request that ran")
        },
        HubCase(
            "grants.revoked-hello", "A revoked grant is refused at hello, and listed as revoked",
            ["grant.checked", "grants.list"]
        ) { hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read"], by: admin)
            try await admin.call("grants.revoke", ["id": .string(app.grantID)])
            let dialogue = try await hub.prefaced()
            try await dialogue.hello(app.grant)
            try await dialogue.goaway(.unauthenticated)
            let row = try await admin.call("grants.list").listed("grants").first { $0["id"] == .string(app.grantID) }
            try expect(row == nil || row?["revoked"] == true, "the grant to be gone or revoked", seen: "it is not")
        },
        HubCase("grants.revoke-event", "Revocation is an event grant.revoked", ["event.grant.revoked"]) { hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read"], by: admin)
            try await admin.call("events.subscribe")
            try await admin.call("grants.revoke", ["id": .string(app.grantID)])
            let id = app.grantID
            _ = try await admin.event("grant.revoked") { $0.data["id"] == .string(id) }
        },
        HubCase("grants.revoke-spares-others", "Revocation of one app leaves the others alone", ["grants.revoke"]) {
            hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read"], by: admin)
            let other = try await hub.client(scopes: ["structure.read"])
            try await admin.call("grants.revoke", ["id": .string(app.grantID)])
            try await other.call("structures.list")
        },
    ]
}

extension HubDialogue {
    /// The pending request for a grant that a wish became.
    func pending(_ wish: JSONObject, of stranger: HubDialogue, _ id: Int64) async throws -> JSONObject {
        let deadline = clock.now + times.answer
        while clock.now < deadline {
            let list = try await call("grants.list").listed("pending")
            if let found = list.first(where: { $0["appId"] == wish["appId"] }) { return found }
            try await stranger.barrier()
            if await stranger.untakenAnswers(to: id) > 0 { try (try await stranger.answer(to: id)).skipIfDecided() }
        }
        throw ConformanceFailure(expected: "the request in pending of grants.list", seen: "it did not come")
    }

    /// Asks again and again until it is true.
    func untilTrue(
        _ what: String, within limit: Duration? = nil, _ isTrue: @Sendable (HubDialogue) async throws -> Bool
    ) async throws {
        let deadline = clock.now + (limit ?? times.answer)
        while try await !isTrue(self) {
            guard clock.now < deadline else { throw ConformanceFailure(expected: what, seen: "it did not happen") }
            try await clock.sleep(until: clock.now + .milliseconds(20))
        }
    }
}
