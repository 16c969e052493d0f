import HubControl
import NetIO

/// hello and welcome: hub-control.md §2, §3, §7.
enum HelloCases {
    static let all: [HubCase] = [
        HubCase(
            "hello.without-grant", "A client without a grant is welcomed and covers no structure",
            ["welcome", "grant.optional"]
        ) {
            hub in
            let welcome = await (try hub.stranger()).welcome
            try checkShape(of: welcome)
            try expectEqual(welcome["structures"], JSONValue.array([]), "structures of welcome without a grant")
            try expect(welcome["grant"] == nil, "no member grant in welcome", seen: "there is one")
        },
        HubCase("hello.with-grant", "A client with a grant is told its structures, app and scopes", ["welcome"]) {
            hub in
            let admin = try await hub.admin()
            let app = try await hub.app(["structure.read", "commissioning"], by: admin)
            let welcome = await (try hub.client(app.grant)).welcome
            try checkShape(of: welcome)
            let structures = try welcome.listed("structures", of: "welcome")
            try expect(!structures.isEmpty, "at least one structure in welcome", seen: "none")
            for structure in structures {
                _ = try structure.id("id", of: "a structure")
                _ = try structure.text("name", of: "a structure")
            }
            let grant = try welcome.record("grant", of: "welcome")
            try expectEqual(try grant.id("id", of: "grant"), app.grantID, "the grant's id")
            try expectEqual(try grant.text("appId", of: "grant"), app.appID, "the grant's app id")
            try expectEqual(try grant.text("appGroup", of: "grant"), app.appGroup, "the grant's app group")
            let scopes = Set(try grant.list("scopes", of: "grant").compactMap(\.string))
            try expectEqual(scopes, ["structure.read", "commissioning"], "the grant's scopes")
            let events = try welcome.record("events", of: "welcome")
            _ = try events.text("epoch", of: "events of welcome")
            let (oldest, newest) = (
                try events.number("oldest", of: "events"), try events.number("newest", of: "events")
            )
            try expect(
                oldest >= 1 && newest >= oldest - 1, "oldest from 1, newest at least oldest − 1",
                seen: "oldest \(oldest), newest \(newest)")
        },
        HubCase(
            "hello.identity-from-grant", "App id and app group come from the grant, never from hello",
            ["grant.identity"]
        ) { hub in
            let app = try await hub.app(["structure.read"], by: try await hub.admin())
            let dialogue = try await hub.prefaced()
            let hello: JSONObject = [
                "client": "liar", "grant": .string(app.grant), "appId": "org.example.admin", "scopes": ["admin"],
            ]
            try await dialogue.send(.hello, hello.encoded())
            let grant = try await dialogue.welcomed().record("grant", of: "welcome")
            try expectEqual(grant["appId"], .string(app.appID), "the app id")
            try expectEqual(grant["scopes"], ["structure.read"], "the scopes")
        },
        wrongGrant("wrong-secret", "A grant with another secret") { grant in
            GrantToken(authorityHash: grant.authorityHash, id: grant.id, secret: grant.secret.map { $0 ^ 1 }).text
        },
        wrongGrant("last-bit", "A grant whose secret differs in its last bit") { grant in
            var secret = grant.secret
            secret[secret.count - 1] ^= 1
            return GrantToken(authorityHash: grant.authorityHash, id: grant.id, secret: secret).text
        },
        wrongGrant("unknown-grant", "A grant that the hub never gave") { grant in
            GrantToken(
                authorityHash: grant.authorityHash, id: GrantID(rawValue: .random(in: 1 ... .max)), secret: grant.secret
            ).text
        },
        wrongGrant("no-grant-at-all", "A text that is no grant") { _ in "letmein" },
        HubCase("hello.versions", "protocol has the major version of the preface", ["versions"]) { hub in
            let version = try await hub.stranger().welcome.text("protocol", of: "welcome")
            let parts = version.split(separator: ".", omittingEmptySubsequences: false)
            try expect(
                parts.count == 2 && parts[0] == "1" && UInt16(parts[1]) != nil, "protocol to be 1.N",
                seen: "“\(version)”")
        },
        HubCase("hello.same-hub", "hub.info and welcome agree on who the hub is", ["welcome", "method.hub.info"]) {
            hub in
            let stranger = try await hub.stranger()
            let info = try await stranger.call("hub.info")
            let welcomed = try await stranger.welcome.record("hub", of: "welcome")
            for name in ["id", "name", "version"] {
                try expectEqual(info[name], welcomed[name], "\(name) of hub.info, as welcome has it")
            }
            _ = try info.truth("reachable")
        },
        HubCase(
            "hello.late", "A client that says no hello within 10 s is sent away with deadlineExceeded",
            ["limits.hello"],
            needs: [.patience]
        ) { hub in
            let start = hub.clock.now
            let dialogue = try await hub.prefaced()
            try await dialogue.goaway(.deadlineExceeded, within: .seconds(20))
            let elapsed = hub.clock.now - start
            try expect(
                elapsed > .seconds(9) && elapsed < .seconds(15) + hub.setup.times.leeway, "the goaway after 10 s",
                seen: "after \(elapsed.milliseconds) ms")
        },
        HubCase(
            "hello.silent-tcp", "A TCP connection that says nothing is closed after 10 s", ["limits.hello"],
            needs: [.patience]
        ) { hub in
            let tcp = try await hub.tcp()
            let start = hub.clock.now
            _ = try await withTimeout(.seconds(20), clock: hub.clock, "the end") { () async throws(NetError) in
                while try await !tcp.read(atMost: 4096).isEmpty {}
            }
            try expect(
                hub.clock.now - start > .seconds(9), "the end after 10 s",
                seen: "after \((hub.clock.now - start).milliseconds) ms")
        },
        HubCase(
            "hello.ping-after-30-s", "The hub asks a silent client for a sign of life after 30 s", ["limits.silence"],
            needs: [.patience], timeLimit: .seconds(60)
        ) { hub in
            let start = hub.clock.now
            let dialogue = try await hub.stranger()
            _ = try await dialogue.wait(for: "a ping", within: .seconds(40)) { $0.pings > 0 ? true : nil }
            let elapsed = hub.clock.now - start
            try expect(elapsed > .seconds(29), "the ping after 30 s", seen: "after \(elapsed.milliseconds) ms")
            try await dialogue.call("hub.info")
        },
    ]

    private static func checkShape(of welcome: JSONObject) throws {
        _ = try welcome.text("protocol", of: "welcome")
        let hub = try welcome.record("hub", of: "welcome")
        _ = try hub.id("id", of: "hub")
        _ = try hub.text("name", of: "hub")
        _ = try hub.text("version", of: "hub")
        let limit = try welcome.record("limits", of: "welcome").number("maxPayload", of: "limits")
        try expect(
            (1...1 << 20).contains(limit), "maxPayload of at most 1 MiB", seen: "\(limit)", rule: "hub-control.md §1")
    }

    private static func wrongGrant(
        _ name: String, _ what: String, _ forge: @escaping @Sendable (GrantToken) -> String
    ) -> HubCase {
        HubCase("hello.\(name)", "\(what) is refused: goaway unauthenticated", ["grant.checked"]) { hub in
            let dialogue = try await hub.prefaced()
            try await dialogue.hello(forge(hub.setup.grant))
            try await dialogue.goaway(.unauthenticated)
        }
    }
}
