import HubClient
import HubControl

/// `matterhub grants`
enum GrantsCommand: CommandGroup {
    static let name = "grants"
    static let summary = "Say which apps may do what."
    static var help: CommandHelp {
        CommandHelp(
            usage: "list | request | approve ID | deny ID | create | revoke ID [OPTION]…",
            text: """
                An app needs a grant. It asks for one itself (Home.connect, or matterhub grants request), and somebody with the admin
                grant approves. Scopes: structure.read, device.control, commissioning, automation, admin.
                """)
    }
    static var subcommands: [any Command.Type] {
        [
            GrantsListCommand.self, GrantsRequestCommand.self, GrantsApproveCommand.self, GrantsDenyCommand.self,
            GrantsCreateCommand.self, GrantsRevokeCommand.self,
        ]
    }
}

/// `matterhub grants list`
enum GrantsListCommand: Command {
    static let name = "list"
    static let summary = "List the grants, and the requests that wait."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]…",
            text: """
                --json prints one object a line: id, appId, appGroup, scopes and "state": granted, revoked or pending.
                """, options: HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        return try await invocation.withHub { hub in
            let list = try await hub.call(.grants)
            let rows =
                list.grants.map { Row($0.id, $0.app, $0.scopes, $0.isRevoked ? "revoked" : "granted") }
                + list.pending.map { Row($0.id, $0.app, $0.scopes, "pending") }
            if invocation.isJSON {
                for row in rows { invocation.console.print(row.json) }
            } else {
                var table = TextTable("ID", "STATE", "APP", "GROUP", "SCOPES")
                for row in rows {
                    table.add(
                        row.id.text, row.state, row.app.appID, row.app.appGroup, row.scopes.joined(separator: ","))
                }
                invocation.console.print(table.text)
            }
            return .ok
        }
    }

    private struct Row {
        let id: GrantID, app: AppIdentity, scopes: [String], state: String
        init(_ id: GrantID, _ app: AppIdentity, _ scopes: [String], _ state: String) {
            self.id = id
            self.app = app
            self.scopes = scopes
            self.state = state
        }
        var json: JSONObject {
            [
                "id": id.json, "appId": .string(app.appID), "appGroup": .string(app.appGroup),
                "scopes": .array(scopes.map { .string($0) }), "state": .string(state),
            ]
        }
    }
}

/// `matterhub grants request`
enum GrantsRequestCommand: Command {
    static let name = "request"
    static let summary = "Ask a hub for a grant, and wait until somebody approves it."
    static var help: CommandHelp {
        CommandHelp(
            usage: "--app-id ID [OPTION]…",
            text: """
                Prints the grant, which is a secret: whoever has it may do what it says. Needs no grant itself. --json prints
                {"grant", "grantId"}.
                """, options: GrantForm.options + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        let (app, scopes) = try GrantForm.read(invocation.options)
        return try await invocation.reportingErrors {
            let access = try HubAccess(invocation)
            let hub = try await access.connectWithoutGrant()
            invocation.console.note("Asked “\(hub.welcome.hub.name)”; waiting for approval (matterhub grants list).")
            let issued = try await hub.call(.requestGrant(for: app, scopes: scopes))
            await hub.close()
            if let authority = hub.authorityHash, authority != issued.token.authorityHash {
                throw CommandFailure("the grant names another authority than this hub has: it is not used")
            }
            try GrantForm.give(issued, to: app, access, invocation)
            return .ok
        }
    }
}

/// `matterhub grants create`
enum GrantsCreateCommand: Command {
    static let name = "create"
    static let summary = "Make a grant without a request."
    static var help: CommandHelp {
        CommandHelp(
            usage: "--app-id ID [OPTION]…",
            text: "Prints the grant, which is a secret. --json prints {\"grant\", \"grantId\"}.",
            options: GrantForm.options + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        let (app, scopes) = try GrantForm.read(invocation.options)
        let access = try HubAccess(invocation)
        return try await invocation.withHub { hub in
            let issued = try await hub.call(.createGrant(for: app, scopes: scopes))
            try GrantForm.give(issued, to: app, access, invocation)
            return .ok
        }
    }
}
