import HubClient
import HubControl

/// `matterhub grants approve`
enum GrantsApproveCommand: Command {
    static let name = "approve"
    static let summary = "Give a grant that was asked for."
    static var help: CommandHelp { CommandHelp(usage: "ID [OPTION]…", options: HubAccess.options) }
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await GrantDecision.run(invocation) { .approveGrant($0) }
    }
}

/// `matterhub grants deny`
enum GrantsDenyCommand: Command {
    static let name = "deny"
    static let summary = "Refuse a grant that was asked for."
    static var help: CommandHelp { CommandHelp(usage: "ID [OPTION]…", options: HubAccess.options) }
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await GrantDecision.run(invocation) { .denyGrant($0) }
    }
}

/// `matterhub grants revoke`
enum GrantsRevokeCommand: Command {
    static let name = "revoke"
    static let summary = "End a grant at once, and what runs with it."
    static var help: CommandHelp { CommandHelp(usage: "ID [OPTION]…", options: HubAccess.options) }
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await GrantDecision.run(invocation) { .revokeGrant($0) }
    }
}

/// What the decisions have in common: one grant's id, and nothing to print.
private enum GrantDecision {
    static func run(
        _ invocation: Invocation, _ call: (GrantID) -> HubCall<Void>
    ) async throws -> ExitStatus {
        let word = try invocation.argument("the grant's id")
        guard let id = GrantID(text: word) else {
            throw UsageError("“\(word)” is no grant id: 16 hexadecimal digits, as matterhub grants list shows them")
        }
        return try await invocation.withHub { hub in
            try await hub.call(call(id))
            if invocation.isJSON { invocation.console.print([:]) }
            return .ok
        }
    }
}
