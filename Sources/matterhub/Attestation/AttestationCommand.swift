/// `matterhub attestation`
enum AttestationCommand: CommandGroup {
    static let name = "attestation"
    static let summary = "Judge the attestation of devices; export the root of virtual ones."
    static var help: CommandHelp { CommandHelp(usage: "SUBCOMMAND [OPTION]… [ARGUMENT]…") }
    static var subcommands: [any Command.Type] {
        [AttestationVerifyCommand.self, AttestationExportCommand.self]
    }
}
