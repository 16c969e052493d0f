import HubClient
import HubControl

/// `matterhub discover`
enum DiscoverCommand: Command {
    static let name = "discover"
    static let summary = "List the hubs on the local network."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[--timeout SECONDS] [--json]",
            text: """
                Looks for _matter-hub._tcp by DNS-SD. --json prints one object a line: name, id, structures, protocol, state,
                addresses. The exit status is 4 when no hub was found.
                """,
            options: [.value("timeout", "SECONDS", "how long to look (default 3)"), .json])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        let seconds = try invocation.options.integer("timeout", as: Int.self, in: 1...600) ?? 3
        return try await invocation.reportingErrors {
            let hubs = try await HubLocator().hubs(within: .seconds(seconds))
            show(hubs, invocation)
            guard hubs.isEmpty else { return .ok }
            invocation.console.note("No hub announces itself on this network within \(seconds) s.")
            return .unreachable
        }
    }

    private static func show(_ hubs: [DiscoveredHub], _ invocation: Invocation) {
        if invocation.isJSON {
            for hub in hubs { invocation.console.print(hub.json) }
            return
        }
        guard !hubs.isEmpty else { return }
        var table = TextTable("HUB", "ID", "STATE", "STRUCTURES", "ADDRESSES")
        for hub in hubs {
            table.add(
                hub.name, hub.id?.text ?? "–", hub.isReady ? "ready" : "offline",
                hub.structures.map(\.text).joined(separator: ","),
                hub.addresses.map(\.description).joined(separator: " "))
        }
        invocation.console.print(table.text)
    }
}
