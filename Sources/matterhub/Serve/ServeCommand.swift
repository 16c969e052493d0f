import Foundation
import Hub
import HubClient
import HubControl
import MatterProtocol
import NetIO

/// `matterhub serve`
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "Run the hub."
    static let standardPort: UInt16 = 5543
    static var help: CommandHelp {
        CommandHelp(
            usage: "[OPTION]…",
            text: """
                Serves the control protocol over TLS, announces itself by DNS-SD (_matter-hub._tcp) and commissions Matter devices,
                until Ctrl-C or SIGTERM. The state folder keeps homes, devices and keys; admin.grant in it is what the other
                subcommands use. Attestation authorities (DER) go into its folder paa.

                --json prints one object a line: first ready, with hub, structure, port and adminGrant, then advertised
                with the name under which the hub is found; messages go to standard error.
                """,
            options: [
                .value("state-dir", "FOLDER", configurable: true, "default: $XDG_STATE_HOME/matterhub"),
                .value("port", "N", configurable: true, "TCP port, 0 for any (default \(standardPort))"),
                .value(
                    "name", "TEXT", configurable: true, "the hub's name (default MatterHub and four digits of its id)"),
                .value(
                    "structure-name", "TEXT", configurable: true, "the home's name at the first start (default Home)"),
                .value("attestation", "POLICY", configurable: true, "strict (default), warn or off"),
                .flag("trust-test-devices", "trust the public test attestation authorities too"),
                .value("approve", "POLICY", configurable: true, "requests for grants: ask (default), auto or deny"),
                .flag("plain", "accept connections without TLS from this machine"),
                .flag("no-mdns", "no announcement and no search: devices need an address"),
                .flag("offline", "play a hub that is offline"),
                .value("fault", "RULE", "WHERE:KIND[=MS][@N][xM]: go wrong on purpose; see “matterhub faults --list”"),
                .value("transcript", "FILE", "append every client's dialogue to a file, without secrets"),
                .flag("allow-faults", "let administrators set faults (matterhub faults set)"),
                .value(
                    "tls-key-log", "FILE",
                    "append TLS secrets, for Wireshark: whoever has them can read all connections"),
            ] + CaptureOptions.options + [.json])
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let options = invocation.options
        guard options.arguments.isEmpty else { throw UsageError("“\(options.arguments[0])” is no option") }
        let console = invocation.console
        raiseDescriptorLimit()
        let hub = try await StartedHub.start(try hubOptions(options, console)) { console.log($0) }
        let signals = TerminationSignals()
        announce(hub, invocation)
        let isJSON = invocation.isJSON
        let serving = Task {
            await hub.run { name in
                if isJSON {
                    console.print(["event": "advertised", "name": .string(name)])
                } else {
                    console.print("Announced as “\(name)”.")
                }
            }
        }
        await signals.wait()
        serving.cancel()
        await serving.value
        return .ok
    }

    /// Allows as many open files as the system lets it: the 1,024 that a process has by default are fewer than the connections
    /// that a hub serves. A hub with fewer lets further clients wait until one has gone.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        // Refused: then it stays as it was.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func announce(_ hub: StartedHub, _ invocation: Invocation) {
        if invocation.isJSON {
            invocation.console.print([
                "event": "ready", "hub": hub.hubID.json, "structure": hub.structure.id.json,
                "port": JSONValue(hub.server.port), "adminGrant": .string(hub.adminGrantPath),
            ])
        } else {
            invocation.console.print(
                """
                Hub \(hub.hubID) serves “\(hub.structure.name)” on port \(hub.server.port).
                The admin grant is in \(hub.adminGrantPath).
                """)
        }
    }

    private static func hubOptions(_ options: ParsedOptions, _ console: Console) throws -> HubOptions {
        var hub = HubOptions(
            stateDirectory: try StateFolder.path(options, console),
            hubName: try options.string("name"),
            structureName: try options.string("structure-name") ?? "Home",
            port: try options.integer("port") ?? standardPort, allowsPlain: options.flag("plain"),
            usesMulticast: !options.flag("no-mdns"),
            attestation: try attestation(options), trustsTestDevices: options.flag("trust-test-devices"),
            approval: try approval(options), startsOffline: options.flag("offline"), version: MatterHubCommand.version,
            faults: try faults(options))
        if let path = try options.string("transcript") {
            hub.transcript = try TranscriptFile.log(
                path, about: "What a hub hears from its clients and answers.", console)
        }
        hub.capture = try CaptureOptions.capture(options, of: "hub", console)
        if let path = try options.string("tls-key-log") {
            hub.tlsKeys = try ClientSettings.tlsKeys(path) { console.note($0) }
            console.note("warning: \(path) gets the TLS secrets of every connection, grants can be read with them.")
        }
        return hub
    }

    private static func faults(_ options: ParsedOptions) throws(UsageError) -> HubFaults {
        var rules: [HubFaultRule] = []
        for text in options.strings("fault") {
            do throws(ControlError) {
                rules.append(try HubFaultRule(text))
            } catch {
                throw UsageError("--fault: \(error.message)")
            }
        }
        // SIGKILL, so that nothing is tidied up: a crash is what is tested.
        return HubFaults(rules, isAllowed: options.flag("allow-faults")) { kill(getpid(), SIGKILL) }
    }

    private static func attestation(_ options: ParsedOptions) throws(UsageError) -> CommissioningPlan.AttestationPolicy
    {
        switch try options.string("attestation") ?? "strict" {
        case "strict": return .strict
        case "warn": return .warn
        case "off": return .off
        case let other: throw UsageError("--attestation must be strict, warn or off, not “\(other)”")
        }
    }

    private static func approval(_ options: ParsedOptions) throws(UsageError) -> ApprovalPolicy {
        let text = try options.string("approve") ?? ApprovalPolicy.ask.rawValue
        guard let policy = ApprovalPolicy(rawValue: text) else {
            throw UsageError("--approve must be ask, auto or deny, not “\(text)”")
        }
        return policy
    }
}
