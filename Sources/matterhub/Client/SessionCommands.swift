import HubClient
import HubControl

/// `matterhub prepare`
enum PrepareCommand: Command {
    static let name = "prepare"
    static let summary = "Open a commissioning session."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]…",
            text: """
                A home has one session at a time; an older one of this client ends. Without any connection it ends two minutes
                later. --json prints {"session", "expiresInMs"}.
                """,
            options: [.value("lifetime", "SECONDS", "until the session ends by itself, 1 to 1800 (default 600)")]
                + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        let lifetime = try invocation.options.integer("lifetime", as: Int.self, in: 1...1800)
        return try await invocation.withHub { hub in
            let session = try await HubSession(hub).prepare(lifetime: lifetime.map { .seconds($0) })
            if invocation.isJSON {
                invocation.console.print([
                    "session": session.id.json, "expiresInMs": JSONValue(session.expiresIn.milliseconds),
                ])
            } else {
                invocation.console.print("Session \(session.id) is open for \(session.expiresIn.inSeconds).")
                invocation.console.note("Next: matterhub commission CODE")
            }
            return .ok
        }
    }
}

/// `matterhub complete`
enum CompleteCommand: Command {
    static let name = "complete"
    static let summary = "End the session; its devices become devices of the home."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]…", text: "--json prints {\"deviceIds\": […]}.",
            options: [
                .value("client-key", "KEY", "makes a repeat give the first answer, 1 to 64 characters")
            ] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        let key = try clientKey(invocation)
        return try await invocation.withHub { hub in
            let ids = try await HubSession(hub).complete(clientKey: key).sorted { $0.rawValue < $1.rawValue }
            if invocation.isJSON {
                invocation.console.print(["deviceIds": .array(ids.map(\.json))])
            } else {
                for id in ids { invocation.console.print("\(id)  \(try await hub.call(.device(id)).name)") }
            }
            return .ok
        }
    }

    /// The key of `--client-key`, or a new one.
    static func clientKey(_ invocation: Invocation) throws -> ClientKey {
        guard let text = try invocation.options.string("client-key") else { return .random() }
        guard let key = ClientKey(rawValue: text) else { throw UsageError("--client-key has 1 to 64 characters") }
        return key
    }
}

/// `matterhub cancel`
enum CancelCommand: Command {
    static let name = "cancel"
    static let summary = "End the session; its devices are removed."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[--force] [OPTION]…",
            text: """
                Does nothing without a session. --json prints {"session": "cancelled" or "none", "device": what is left on a device
                that was being commissioned: untouched, clean, cleaning or unknown}.
                """,
            options: [.flag("force", "end another app's session too (needs the scope admin)")] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        return try await invocation.withHub { hub in
            let ended = try await HubSession(hub).cancel(force: invocation.options.flag("force"))
            if invocation.isJSON {
                invocation.console.print([
                    "session": ended.hadSession ? "cancelled" : "none", "device": .string(ended.device.rawValue),
                ])
            } else {
                invocation.console.print(
                    ended.hadSession ? "The session is cancelled. \(ended.device.sentence)" : "There was no session.")
            }
            return .ok
        }
    }
}

extension CancelledSession.DeviceState {
    /// What is left on the device, for people.
    var sentence: String {
        switch self {
        case .untouched: "No device was changed."
        case .clean: "The device is as it was before."
        case .cleaning: "The hub goes on cleaning the device."
        case .unknown: "The hub finds out how far the device came, and cleans it then."
        default: "The device: \(rawValue)."
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
    /// For example `1.24 s`.
    var inSeconds: String {
        let hundredths = (milliseconds + 5) / 10
        let fraction = hundredths % 100
        return fraction == 0 ? "\(hundredths / 100) s" : "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
}
