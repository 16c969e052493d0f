import Conformance
import Foundation
import HubControl
import NetIO

/// `matterhub conformance broken-hub`
enum ConformanceBrokenHubCommand: Command {
    static let name = "broken-hub"
    static let summary =
        "Play a broken hub in front of a good one, so that whoever checks hubs can see that it is noticed."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEFECT HOST[:PORT] --grant FILE|TEXT --grant-out FILE [OPTION]… | --list [--json]",
            text: """
                Serves on 127.0.0.1 until Ctrl-C, passes everything on to the hub at HOST:PORT, and does wrong what DEFECT says. Its
                grants are that hub's with another authority in them: --grant-out gets the admin grant to use with it. “matterhub
                conformance hub” must find the cases that --list shows for the defect.

                --json prints {"event": "ready", "port", "grant"}; --list --json one object a line: defect, meaning, failing
                (names of cases), cases (patterns of those that are worth a run).
                """,
            options: [
                .flag("list", "list the defects and exit"),
                .value("grant", "FILE|TEXT", configurable: true, "the hub's admin grant, or a file that holds it"),
                .value("grant-out", "FILE", "where the broken hub's admin grant is written"),
                .value("port", "N", "TCP port (default: any)"),
                .json,
            ])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        if invocation.options.flag("list") {
            list(invocation)
            return .ok
        }
        let words = try invocation.arguments(["the defect", "the hub's HOST[:PORT]"])
        guard let defect = HubDefect.named(words[0]) else {
            throw UsageError("there is no defect “\(words[0])”; --list shows them all")
        }
        let address = try ConformanceHubCommand.address(words[1])
        let grant = try ConformanceHubCommand.grant(try invocation.options.required("grant"))
        let path = try invocation.options.required("grant-out")
        let hub = try DefectiveHub(
            defect, before: address, grant: grant, port: try invocation.options.integer("port") ?? 0,
            now: Int64(Date().timeIntervalSince1970))
        try write(hub.grant, to: path)
        let signals = TerminationSignals()
        if invocation.isJSON {
            invocation.console.print(["event": "ready", "port": JSONValue(hub.port), "grant": .string(path)])
        } else {
            invocation.console.print(
                "A hub that \(defect.meaning) is on 127.0.0.1:\(hub.port); its admin grant is in \(path).")
        }
        let serving = Task { await hub.run() }
        await signals.wait()
        serving.cancel()
        await serving.value
        return .ok
    }

    private static func list(_ invocation: Invocation) {
        var table = TextTable("DEFECT", "A HUB THAT", "CASES THAT FAIL")
        for defect in HubDefect.all {
            let failing = defect.failing.sorted()
            if invocation.isJSON {
                invocation.console.print([
                    "defect": .string(defect.name), "meaning": .string(defect.meaning),
                    "failing": .array(failing.map { .string($0) }), "cases": .array(defect.cases.map { .string($0) }),
                ])
            } else {
                table.add(defect.name, defect.meaning, failing.joined(separator: " "))
            }
        }
        if !invocation.isJSON { invocation.console.print(table.text) }
    }

    /// For its owner only, like every grant in a file.
    private static func write(_ grant: GrantToken, to path: String) throws {
        let isMade = FileManager.default.createFile(
            atPath: path, contents: Data((grant.text + "\n").utf8), attributes: [.posixPermissions: 0o600])
        guard isMade else { throw CommandFailure("\(path) cannot be written") }
    }
}
