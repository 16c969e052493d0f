import HubClient
import HubControl
import MatterModel

/// `matterhub invoke`
enum InvokeCommand: Command {
    static let name = "invoke"
    static let summary = "Invoke a command on a device."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [[ENDPOINT/]CLUSTER/]COMMAND [FIELD=VALUE]… [OPTION]…",
            text: """
                For example: matterhub invoke Lamp toggle; matterhub invoke Lamp move-to-level level=128 transition-time=20;
                matterhub invoke Door lock-door. Fields are written by name or by tag, values as for matterhub write; one that
                is not given is null, absent, or 0 for options and times, where the command allows it. All fields in one JSON
                object, by tag, work too: '{"0": 128, "1": 0}'. The cluster may be left out where only one has a command of
                that name. --json prints {"command", "fields"} of the answer, or {}.
                """,
            options: [
                .value("timed", "MS", "a timed invoke with this limit (default: 10000 for commands that need one)")
            ] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let words = invocation.options.arguments
        guard words.count >= 2 else {
            throw UsageError(words.isEmpty ? "the device is missing" : "the command is missing")
        }
        let path = try DevicePath(words[1], .command)
        guard let cluster = path.cluster, let command = path.element else {
            throw UsageError("a command is CLUSTER/COMMAND, without *")
        }
        let definition = ClusterName.definition(of: command, in: cluster)
        let fields = try FieldArguments.parse(Array(words.dropFirst(2)), of: definition)
        let timed =
            try invocation.options.integer("timed", as: UInt16.self, in: 1...60_000)
            ?? (definition?.isTimed == true ? 10_000 : nil)
        return try await invocation.withHub { hub in
            let device = try await hub.device(words[0])
            guard let endpoint = path.endpoint(on: device) else {
                throw UsageError("a command goes to one endpoint, not to *")
            }
            let answer = try await hub.call(
                .invoke(
                    command, fields: fields, endpoint: endpoint, cluster: cluster,
                    timed: timed.map { .milliseconds(Int($0)) }, on: device.id))
            if invocation.isJSON {
                invocation.console.print(answer.json)
            } else {
                invocation.console.print(answer.fields.map { $0.json.text() } ?? "done")
            }
            return .ok
        }
    }
}
