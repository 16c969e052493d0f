import Glibc

/// The program: finds the subcommand, lets it run, exits with its status.
@main
struct MatterHubCommand: CommandGroup {
    static let name = "matterhub"
    static let summary = "A smart-home hub for Matter: commissions real devices, plays virtual ones."
    static let version = "0.1.0"
    static var help: CommandHelp {
        CommandHelp(
            usage: "SUBCOMMAND [OPTION]… [ARGUMENT]…",
            text: """
                Options come from the command line, then from MATTERHUB_… environment variables, then from the JSON
                file that MATTERHUB_CONFIG names (else $XDG_CONFIG_HOME/matterhub/config.json). NO_COLOR is respected.

                \(ExitStatus.documentation)
                """,
            options: [.flag("version", "print the version and exit")])
    }

    /// Every subcommand, in the order of the help.
    static var subcommands: [any Command.Type] {
        [
            ServeCommand.self, HubCommand.self, DeviceCommand.self, DiscoverCommand.self, PrepareCommand.self,
            CommissionCommand.self,
            CompleteCommand.self, CancelCommand.self, DevicesCommand.self, RoomsCommand.self, ReadCommand.self,
            WriteCommand.self, InvokeCommand.self, SubscribeCommand.self, OpenWindowCommand.self, RemoveCommand.self,
            GrantsCommand.self,
            PayloadCommand.self, AttestationCommand.self, FaultsCommand.self,
            ConformanceCommand.self, TranscriptCommand.self,
        ]
    }

    static func main() async {
        let console = Console()
        let status = await CommandRunner.run(Self.self, Array(CommandLine.arguments.dropFirst()), console)
        exit(status.rawValue)
    }
}
