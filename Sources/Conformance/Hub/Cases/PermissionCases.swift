import HubControl

/// Which scope a method needs: hub-control.md §2, §4.
enum PermissionCases {
    static let all: [HubCase] =
        [
            HubCase(
                "permissions.without-grant",
                "Without a grant every method but hub.info, cancel and grants.request is refused", ["scope.none"]
            ) {
                hub in
                let stranger = try await hub.stranger()
                for row in table {
                    try await stranger.refusal(of: row.method, row.params, .unauthenticated, "noGrant")
                }
                try await stranger.call("hub.info")
            }
        ]
        + ["structure.read", "device.control", "commissioning", "automation", "admin"].map(scope) + [
            HubCase("permissions.force-needs-admin", "session.cancel with force needs admin", ["scope.force"]) { hub in
                let app = try await hub.client(scopes: ["commissioning"])
                try await app.refusal(of: "session.cancel", ["force": true], .permissionDenied, "missingScope")
                try await app.call("session.cancel")
            },
            HubCase(
                "permissions.other-structure", "A structure that the grant does not cover is refused",
                ["scope.structure"]
            ) { hub in
                let app = try await hub.client(scopes: ["structure.read", "commissioning"])
                for method in ["rooms.list", "devices.list", "events.subscribe", "session.prepare"] {
                    try await app.refusal(
                        of: method, ["structure": "00000000000000aa"], .permissionDenied, "otherStructure")
                }
            },
            HubCase("permissions.own-structure", "structure may be given or left out", ["scope.structure"]) { hub in
                let app = try await hub.client(scopes: ["structure.read"])
                let structure = try (await app.structure).orFail("a structure in welcome")
                for method in ["rooms.list", "devices.list"] {
                    let without = try await app.call(method)
                    try expectEqual(
                        try await app.call(method, ["structure": .string(structure)]), without,
                        "\(method) with the structure")
                }
            },
        ]

    private struct Row: Sendable {
        let method: String
        let scope: String
        var params: JSONObject = [:]
    }

    private static let someID: JSONObject = ["id": "00000000000000aa"]
    private static let somePath: JSONObject = [
        "id": "00000000000000aa", "endpoint": 1, "cluster": 6, "attribute": 0, "command": 2, "value": 1,
    ]

    /// Every method that needs a scope, with params that do nothing on a hub: what they name is not there.
    private static let table: [Row] = [
        Row(method: "hub.setReachable", scope: "admin", params: ["reachable": true]),
        Row(method: "grants.list", scope: "admin"),
        Row(method: "grants.approve", scope: "admin", params: someID),
        Row(method: "grants.deny", scope: "admin", params: someID),
        Row(method: "grants.create", scope: "admin", params: ["appId": "a", "appGroup": "b", "scopes": []]),
        Row(method: "grants.revoke", scope: "admin", params: someID),
        Row(method: "structures.list", scope: "structure.read"),
        Row(method: "rooms.list", scope: "structure.read"),
        Row(method: "rooms.create", scope: "commissioning", params: ["name": ""]),
        Row(method: "rooms.rename", scope: "commissioning", params: ["id": "00000000000000aa", "name": "x"]),
        Row(method: "rooms.delete", scope: "commissioning", params: someID),
        Row(method: "session.prepare", scope: "commissioning", params: ["lifetimeMs": 1]),
        Row(method: "session.commission", scope: "commissioning", params: ["payload": "", "clientKey": "x"]),
        Row(method: "session.configure", scope: "commissioning", params: ["deviceName": "x"]),
        Row(method: "session.complete", scope: "commissioning", params: ["clientKey": "permissions"]),
        Row(method: "session.cancel", scope: "commissioning"),
        Row(method: "session.get", scope: "commissioning"),
        Row(method: "devices.list", scope: "structure.read"),
        Row(method: "devices.get", scope: "structure.read", params: someID),
        Row(method: "devices.rename", scope: "commissioning", params: ["id": "00000000000000aa", "name": "x"]),
        Row(method: "devices.move", scope: "commissioning", params: ["id": "00000000000000aa", "room": .null]),
        Row(method: "devices.read", scope: "device.control", params: somePath),
        Row(method: "devices.write", scope: "device.control", params: somePath),
        Row(method: "devices.subscribe", scope: "device.control", params: somePath),
        Row(method: "devices.unsubscribe", scope: "device.control", params: ["subscription": 4_000_000_000]),
        Row(method: "devices.invoke", scope: "device.control", params: somePath),
        Row(method: "devices.openWindow", scope: "admin", params: someID),
        Row(method: "devices.remove", scope: "commissioning", params: someID),
        Row(method: "orphans.retry", scope: "admin", params: someID),
        Row(method: "orphans.forget", scope: "admin", params: someID),
        Row(method: "faults.list", scope: "admin"),
        Row(method: "faults.set", scope: "admin", params: ["rules": "none"]),
        Row(method: "events.subscribe", scope: "structure.read"),
    ]

    private static func scope(_ scope: String) -> HubCase {
        HubCase("permissions.\(scope)", "A grant of \(scope) alone opens its methods and no other", ["scope.methods"]) {
            hub in
            let app = try await hub.client(scopes: [scope])
            for row in table {
                let answer = try await app.answer(to: try await app.begin(row.method, row.params))
                let isAllowed = scope == "admin" || row.scope == scope
                var isRefused = false
                if case .refused(let refusal) = answer { isRefused = refusal.reason == "missingScope" }
                try expect(
                    isAllowed != isRefused,
                    isAllowed ? "\(scope) to be enough for \(row.method)" : "\(row.method) to need \(row.scope)",
                    seen: answer.words)
                if case .refused(let refusal) = answer, isRefused {
                    try expectEqual(refusal.name, "permissionDenied", "the code beside missingScope")
                }
            }
        }
    }
}

extension Optional where Wrapped: Sendable {
    /// The value, which must be there.
    func orFail(_ what: String) throws(ConformanceFailure) -> Wrapped {
        guard let self else { throw ConformanceFailure(expected: what, seen: "nothing") }
        return self
    }
}
