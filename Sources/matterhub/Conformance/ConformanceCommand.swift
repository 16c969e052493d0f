/// `matterhub conformance`
enum ConformanceCommand: CommandGroup {
    static let name = "conformance"
    static let summary =
        "Hold a hub to the contracts in Protocols/, or a device to the Matter specification, case by case."
    static var help: CommandHelp {
        CommandHelp(
            usage: "hub HOST:PORT [OPTION]… | device CODE [OPTION]… | broken-hub DEFECT HOST:PORT [OPTION]…")
    }
    static var subcommands: [any Command.Type] {
        [ConformanceHubCommand.self, ConformanceDeviceCommand.self, ConformanceBrokenHubCommand.self]
    }
}
