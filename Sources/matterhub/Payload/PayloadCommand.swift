/// Everything about onboarding payloads that needs no hub.
enum PayloadCommand: CommandGroup {
    static let name = "payload"
    static let summary = "Read, write and draw onboarding payloads (QR texts and manual pairing codes)."
    static var help: CommandHelp { CommandHelp(usage: "SUBCOMMAND [OPTION]… [ARGUMENT]…") }
    static var subcommands: [any Command.Type] {
        [PayloadDecodeCommand.self, PayloadEncodeCommand.self, PayloadQRCommand.self]
    }
}
