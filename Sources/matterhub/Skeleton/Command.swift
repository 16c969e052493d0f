/// A subcommand: its name and help, and what it does once its options are parsed.
protocol Command: SendableMetatype {
    /// The word on the command line.
    static var name: String { get }
    /// One line for the list of subcommands.
    static var summary: String { get }
    /// Usage, explanation and options.
    static var help: CommandHelp { get }
    /// - Throws: ``UsageError``, ``CommandFailure``, `ControlError`, or any error whose description explains it.
    static func run(_ invocation: Invocation) async throws -> ExitStatus
}

/// A subcommand that has subcommands.
protocol CommandGroup: Command {
    static var subcommands: [any Command.Type] { get }
}

extension CommandGroup {
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        throw UsageError("a subcommand is missing")
    }
}

/// What `--help` says beside the name and the summary.
struct CommandHelp {
    /// The command line after the subcommand's name.
    let usage: String
    /// Paragraphs between usage and options; may be empty.
    let text: String
    /// Options, without `--help`, which every command has.
    let options: [CommandOption]
    init(usage: String, text: String = "", options: [CommandOption] = []) {
        self.usage = usage
        self.text = text
        self.options = options
    }
}

/// One call of a command.
struct Invocation {
    /// Words from the program's name to the subcommand's.
    let path: [String]
    let options: ParsedOptions
    let console: Console
    /// Whether output is for machines.
    var isJSON: Bool { options.flag("json") }
}
