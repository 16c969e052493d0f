import HubClient
import HubControl
import MatterWire

/// `matterhub open-window`
enum OpenWindowCommand: Command {
    static let name = "open-window"
    static let summary = "Let another home commission a device too."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [OPTION]…",
            text: """
                Opens a commissioning window on the device and shows the code for it. --json prints {"manualCode", "qrCode",
                "passcode", "discriminator", "expiresInMs"}.
                """,
            options: [
                .value("timeout", "SECONDS", "how long it stays open, 180 to 900 (default 300)"),
                .flag("qr", "draw the QR code too"),
            ] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let word = try invocation.argument("the device")
        let timeout = try invocation.options.integer("timeout", as: Int.self, in: 180...900)
        return try await invocation.withHub { hub in
            let device = try await hub.device(word)
            let window = try await hub.call(.openWindow(on: device.id, timeout: timeout.map { .seconds($0) }))
            let console = invocation.console
            if invocation.isJSON {
                console.print([
                    "manualCode": .string(window.manualCode), "qrCode": .string(window.qrCode),
                    "passcode": JSONValue(window.passcode), "discriminator": JSONValue(window.discriminator),
                    "expiresInMs": JSONValue(window.expiresIn.milliseconds),
                ])
                return .ok
            }
            if invocation.options.flag("qr") { console.print(drawing: try QRDrawing(window.qrCode).text(for: console)) }
            console.print("QR text:      \(window.qrCode)")
            console.print("Manual code:  \(OnboardingPayload.grouped(manualCode: window.manualCode))")
            console.note("The window of “\(device.name)” is open for \(window.expiresIn.inSeconds).")
            return .ok
        }
    }
}
