import HubClient
import HubControl

/// `matterhub remove`
enum RemoveCommand: Command {
    static let name = "remove"
    static let summary = "Take a device off the home."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [--force] [OPTION]…",
            text: """
                All devices of the same node go with it. A device that does not answer is refused (exit status 4); with --force it
                goes from the list and stays as an orphan until the hub has cleaned it. --json prints {"removed", "orphaned"}.
                """,
            options: [.flag("force", "remove a device that does not answer, too")] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let word = try invocation.argument("the device")
        return try await invocation.withHub { hub in
            let device = try await hub.device(word)
            let removal = try await hub.call(.remove(device.id, force: invocation.options.flag("force")))
            if invocation.isJSON {
                invocation.console.print([
                    "removed": .array(removal.removed.map { .string($0) }),
                    "orphaned": .array(removal.orphaned.map { .string($0) }),
                ])
                return .ok
            }
            invocation.console.print("Removed: \(removal.removed.joined(separator: ", "))")
            if !removal.orphaned.isEmpty {
                invocation.console.note(
                    "It did not answer: “matterhub devices --orphans” shows it until the hub has cleaned it.")
            }
            return .ok
        }
    }
}
