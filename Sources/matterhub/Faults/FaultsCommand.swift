import Hub
import HubClient
import HubControl
import MatterNode
import MatterProtocol

/// `matterhub faults`
enum FaultsCommand: CommandGroup {
    static let name = "faults"
    static let summary = "Have a hub go wrong on purpose, and say what hubs and devices can do wrong."
    static var help: CommandHelp {
        CommandHelp(
            usage: "list | set RULE… | clear [OPTION]… | --list [--json]",
            text: """
                A device's rule is STAGE:KIND[=ARGUMENT][@N][xM]: from the Nth request of the stage on (default 1), M times (default 1, x* for
                always). Stages: \(CommissioningStage.allCases.map(\.rawValue).joined(separator: ", ")), and any.
                “matterhub device --fault RULE” and “--faults FILE” take rules; FILE is {"faults": [RULE, …]}, where a rule is
                such a text or an object with stage, kind and optionally argument, from and times (a number or "always").

                A hub's rule is WHERE:KIND[=MS][@N][xM]; WHERE is a stage or a method of the control protocol. “matterhub serve --fault
                RULE” takes them, and “matterhub faults set RULE…” when the hub was started with --allow-faults.

                “matterhub device --defect NAME” plays a device that breaks one rule of the specification all the time.

                --list --json prints one object a line: of (device or hub), kind, argument, meaning, stages; of a defect: of,
                defect, meaning.
                """,
            options: [.flag("list", "list the kinds of faults and where each is possible"), .json])
    }
    static var subcommands: [any Command.Type] { [List.self, Set.self, Clear.self] }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        guard invocation.options.flag("list") else { throw UsageError("a subcommand or --list is missing") }
        var table = TextTable("KIND", "ARGUMENT", "WHAT THE DEVICE DOES", "STAGES")
        for entry in FaultKind.catalogue {
            let stages = CommissioningStage.allCases.filter { entry.example.applies(at: $0) }.map(\.rawValue)
            if invocation.isJSON {
                invocation.console.print([
                    "of": "device", "kind": .string(entry.name), "argument": entry.argument.map { .string($0) },
                    "meaning": .string(entry.meaning), "stages": .array(stages.map { .string($0) }),
                ])
            } else {
                table.add(entry.name, entry.argument ?? "", entry.meaning, words(stages))
            }
        }
        var defects = TextTable("DEFECT", "WHAT THE DEVICE DOES ALL THE TIME")
        for defect in DeviceDefect.allCases {
            if invocation.isJSON {
                invocation.console.print([
                    "of": "device", "defect": .string(defect.rawValue), "meaning": .string(defect.meaning),
                ])
            } else {
                defects.add(defect.rawValue, defect.meaning)
            }
        }
        var hubs = TextTable("KIND", "ARGUMENT", "WHAT THE HUB DOES", "WHERE")
        for kind in HubFaultRule.Kind.allCases {
            let argument = kind == .storageSlow ? "MS" : nil
            if invocation.isJSON {
                invocation.console.print([
                    "of": "hub", "kind": .string(kind.rawValue), "argument": argument.map { .string($0) },
                    "meaning": .string(kind.meaning),
                    "stages": .array(
                        kind.needsMethod ? [] : CommissioningStage.allCases.map { .string($0.rawValue) }),
                ])
            } else {
                hubs.add(kind.rawValue, argument ?? "", kind.meaning, kind.needsMethod ? "methods" : "stages, methods")
            }
        }
        if !invocation.isJSON {
            invocation.console.print([table, defects, hubs].map(\.text).joined(separator: "\n\n"))
        }
        return .ok
    }

    private static func show(_ faults: [HubFault], _ invocation: Invocation) {
        if invocation.isJSON {
            for fault in faults { invocation.console.print(fault.json) }
        } else if faults.isEmpty {
            invocation.console.note("The hub has no faults.")
        } else {
            var table = TextTable("RULE", "HAPPENED")
            for fault in faults { table.add(fault.rule, "\(fault.met)") }
            invocation.console.print(table.text)
        }
    }

    /// `matterhub faults list`
    enum List: Command {
        static let name = "list"
        static let summary = "List the hub's faults."
        static var help: CommandHelp {
            CommandHelp(
                usage: "[OPTION]…", text: "--json prints one object a line: rule, met.", options: HubAccess.options)
        }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            _ = try invocation.arguments([])
            return try await invocation.withHub { hub in
                show(try await hub.call(.faults), invocation)
                return .ok
            }
        }
    }

    /// `matterhub faults set`
    enum Set: Command {
        static let name = "set"
        static let summary = "Replace the hub's faults."
        static var help: CommandHelp { CommandHelp(usage: "RULE… [OPTION]…", options: HubAccess.options) }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            let rules = invocation.options.arguments
            guard !rules.isEmpty else { throw UsageError("a rule is missing") }
            return try await invocation.withHub { hub in
                show(try await hub.call(.setFaults(rules)), invocation)
                return .ok
            }
        }
    }

    /// `matterhub faults clear`
    enum Clear: Command {
        static let name = "clear"
        static let summary = "Take all faults from the hub."
        static var help: CommandHelp { CommandHelp(usage: "[OPTION]…", options: HubAccess.options) }

        static func run(_ invocation: Invocation) async throws -> ExitStatus {
            _ = try invocation.arguments([])
            return try await invocation.withHub { hub in
                show(try await hub.call(.setFaults([])), invocation)
                return .ok
            }
        }
    }

    private static func words(_ stages: [String]) -> String {
        let all = CommissioningStage.allCases.map(\.rawValue)
        let missing = all.filter { !stages.contains($0) }
        if missing.isEmpty { return "all" }
        return missing.count <= 3 ? "all but " + missing.joined(separator: ", ") : stages.joined(separator: ", ")
    }
}
