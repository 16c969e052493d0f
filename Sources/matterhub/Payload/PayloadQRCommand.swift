import MatterWire

/// `matterhub payload qr`
enum PayloadQRCommand: Command {
    static let name = "qr"
    static let summary = "Draw a payload as a QR code in the terminal."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[--invert] PAYLOAD",
            text: """
                PAYLOAD is a QR text (MT:…); a manual code does not hold what a QR code says. In a terminal with colours the code is
                black on white; else it is drawn for light letters on a dark ground.
                """,
            options: [.flag("invert", "without colours: draw for dark letters on a light ground")])
    }

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        guard let text = invocation.options.arguments.first, invocation.options.arguments.count == 1 else {
            throw UsageError("one payload is wanted")
        }
        let payload: OnboardingPayload
        do throws(OnboardingPayloadError) {
            payload = try ParsedOnboardingPayload(text, blanks: .ignored).validated()
        } catch {
            throw CommandFailure(PayloadReading(text, blanks: .ignored).text)
        }
        guard let qrCode = payload.qrCode else {
            throw CommandFailure(
                "a manual code does not hold the whole discriminator and the ways to find the device, so it cannot become a QR code"
            )
        }
        let isInverted = invocation.options.flag("invert")
        invocation.console.print(drawing: try QRDrawing(qrCode).text(for: invocation.console, inverted: isInverted))
        invocation.console.print(qrCode)
        return .ok
    }
}
