/// One option of a command line.
struct CommandOption {
    /// The name after `--`.
    let name: String
    /// The letter after `-`; `nil` for none.
    let letter: Character?
    /// What stands for the value in the help; `nil` for a flag.
    let placeholder: String?
    let help: String
    /// Whether the environment and the configuration file may give the value too.
    let isConfigurable: Bool

    static func flag(_ name: String, letter: Character? = nil, _ help: String) -> CommandOption {
        CommandOption(name: name, letter: letter, placeholder: nil, help: help, isConfigurable: false)
    }

    static func value(
        _ name: String, _ placeholder: String, letter: Character? = nil, configurable: Bool = false, _ help: String
    ) -> CommandOption {
        CommandOption(name: name, letter: letter, placeholder: placeholder, help: help, isConfigurable: configurable)
    }

    /// Machine-readable output, the same words in every command.
    static let json = flag("json", "print JSON, one value a line")
    static let help = flag("help", letter: "h", "print this help and exit")

    /// The environment variable that gives the value, for example `MATTERHUB_STATE_DIR`.
    var environmentName: String {
        "MATTERHUB_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The option's lines in the help.
    var helpLine: String {
        let names = (letter.map { "-\($0), " } ?? "    ") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
        let environment = isConfigurable ? " [\(environmentName)]" : ""
        let column = 30
        let start = "  " + names
        let gap =
            start.count < column - 1
            ? String(repeating: " ", count: column - start.count) : "\n" + String(repeating: " ", count: column)
        return start + gap + help + environment
    }
}
