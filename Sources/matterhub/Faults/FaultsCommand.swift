import HubControl
import MatterProtocol

/// `matterhub faults`
enum FaultsCommand: CommandGroup {
    static let name = "faults"
    static let summary = "Say what devices and hubs can do wrong on purpose."
    static var help: CommandHelp {
        CommandHelp(
            usage: "--list [--json]",
            text: """
                A rule is STAGE:KIND[=ARGUMENT][@N][xM]: from the Nth request of the stage on (default 1), M times (default 1, x* for
                always). Stages: \(CommissioningStage.allCases.map(\.rawValue).joined(separator: ", ")), and any.
                “matterhub device --fault RULE” and “--faults FILE” take rules; FILE is {"faults": [RULE, …]}, where a rule is
                such a text or an object with stage, kind and optionally argument, from and times (a number or "always").

                --json prints one object a line: kind, argument, meaning, stages.
                """,
            options: [.flag("list", "list the kinds of faults and where each is possible"), .json])
    }
    static var subcommands: [any Command.Type] { [] }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        guard invocation.options.flag("list") else { throw UsageError("say --list") }
        var table = TextTable("KIND", "ARGUMENT", "WHAT THE DEVICE DOES", "STAGES")
        for entry in FaultKind.catalogue {
            let stages = CommissioningStage.allCases.filter { entry.example.applies(at: $0) }.map(\.rawValue)
            if invocation.isJSON {
                invocation.console.print([
                    "kind": .string(entry.name), "argument": entry.argument.map { .string($0) },
                    "meaning": .string(entry.meaning), "stages": .array(stages.map { .string($0) }),
                ])
            } else {
                table.add(entry.name, entry.argument ?? "", entry.meaning, words(stages))
            }
        }
        if !invocation.isJSON { invocation.console.print(table.text) }
        return .ok
    }

    private static func words(_ stages: [String]) -> String {
        let all = CommissioningStage.allCases.map(\.rawValue)
        let missing = all.filter { !stages.contains($0) }
        if missing.isEmpty { return "all" }
        return missing.count <= 3 ? "all but " + missing.joined(separator: ", ") : stages.joined(separator: ", ")
    }
}
