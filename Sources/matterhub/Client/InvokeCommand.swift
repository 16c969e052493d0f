import HubClient
import HubControl

/// `matterhub invoke`
enum InvokeCommand: Command {
    static let name = "invoke"
    static let summary = "Invoke a command on a device."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [[ENDPOINT/]CLUSTER/]COMMAND [FIELDS] [OPTION]…",
            text: """
                For example: matterhub invoke Lamp toggle; matterhub invoke Lamp level-control/move-to-level '{"0": 128, "1": 0}'.
                FIELDS are members by tag, in JSON as for matterhub write. The cluster may be left out where only one has a
                command of that name. --json prints {"command", "fields"} of the answer, or {}.
                """,
            options: [.value("timed", "MS", "a timed invoke with this limit, in milliseconds")] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let words = try invocation.arguments(["the device", "the command"], optional: ["the fields"])
        let path = try DevicePath(words[1], .command)
        guard let cluster = path.cluster, let command = path.element else {
            throw UsageError("a command is CLUSTER/COMMAND, without *")
        }
        let fields = try words.count > 2 ? ValueArgument.parse(words[2]) : nil
        if let fields, case .structure = fields {
        } else if fields != nil {
            throw UsageError("fields are an object of members by tag, for example {\"0\": 128}")
        }
        let timed = try invocation.options.integer("timed", as: UInt16.self, in: 1...60_000)
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
