import HubClient
import HubControl

/// `matterhub hub`
enum HubCommand: CommandGroup {
    static let name = "hub"
    static let summary = "Ask a hub for itself, or make it play one that is offline."
    static var help: CommandHelp { CommandHelp(usage: "info | offline | online [OPTION]…") }
    static var subcommands: [any Command.Type] { [Info.self, Offline.self, Online.self] }

    enum Info: Command {
        static let name = "info"
        static let summary = "Show the hub's id, name and version, and whether it is online. Needs no grant."
        static var help: CommandHelp {
            CommandHelp(
                usage: "[OPTION]…", text: "--json prints {\"id\", \"name\", \"version\", \"reachable\"}.",
                options: HubAccess.options)
        }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            _ = try invocation.arguments([])
            return try await invocation.reportingErrors {
                let hub = try await HubAccess(invocation).connectWithoutGrant()
                let outcome: Result<HubInfo, ControlError>
                do throws(ControlError) { outcome = .success(try await hub.call(.hubInfo)) } catch {
                    outcome = .failure(error)
                }
                await hub.close()
                let info = try outcome.get()
                if invocation.isJSON {
                    invocation.console.print([
                        "id": info.id.json, "name": .string(info.name), "version": .string(info.version),
                        "reachable": .bool(info.isReachable),
                    ])
                } else {
                    invocation.console.print(
                        "Hub \(info.id) “\(info.name)”, version \(info.version), \(info.isReachable ? "online" : "offline")"
                    )
                }
                return .ok
            }
        }
    }

    enum Offline: Command {
        static let name = "offline"
        static let summary = "Make the hub refuse everything that needs the network, as if it were offline."
        static var help: CommandHelp {
            CommandHelp(
                usage: "[OPTION]…",
                text: """
                    A running commission ends with unavailable (hubOffline), and its device is cleaned; the session stays. Needs
                    the scope admin. matterhub serve --offline starts a hub so.
                    """, options: HubAccess.options)
        }
        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            try await HubCommand.set(false, invocation)
        }
    }

    enum Online: Command {
        static let name = "online"
        static let summary = "End that."
        static var help: CommandHelp { CommandHelp(usage: "[OPTION]…", options: HubAccess.options) }
        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            try await HubCommand.set(true, invocation)
        }
    }

    private static func set(_ isReachable: Bool, _ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        return try await invocation.withHub { hub in
            try await hub.call(.setReachable(isReachable))
            if invocation.isJSON { invocation.console.print(["reachable": .bool(isReachable)]) }
            return .ok
        }
    }
}
