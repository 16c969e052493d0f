import HubControl
import MatterWire

/// `matterhub payload decode`
enum PayloadDecodeCommand: Command {
    static let name = "decode"
    static let summary = "Say what a payload holds, or exactly what is wrong with it."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[--json] PAYLOAD… | -",
            text: """
                A payload is a QR text (MT:…) or a manual pairing code of 11 or 21 digits. With “-” each line of standard
                input is one payload. Blanks in a payload given as an argument mean nothing, as in what people type;
                in a line of standard input they are an error, as for the CHIP SDK.

                --json prints one object a line, in order: payload, valid, version, vendorId, productId, flow (0 standard,
                1 user intent, 2 custom), discriminator or shortDiscriminator, passcode; and, when it must not be used,
                error: code, message, offset. The offset counts characters (Unicode scalars) from 0. Members that the
                payload does not carry are left out.

                The exit status is 1 when a payload given as an argument is not valid; with “-” it is 0 when every line was
                answered.
                """,
            options: [.json])
    }

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        let payloads = invocation.options.arguments
        guard !payloads.isEmpty else { throw UsageError("a payload, or - for standard input, is missing") }
        guard payloads != ["-"] else {
            while let line = readLine() { show(PayloadReading(line, blanks: .refused), invocation) }
            return .ok
        }
        let readings = payloads.map { PayloadReading($0, blanks: .ignored) }
        for reading in readings { show(reading, invocation) }
        return readings.allSatisfy(\.isValid) ? .ok : .failed
    }

    private static func show(_ reading: PayloadReading, _ invocation: Invocation) {
        if invocation.isJSON {
            invocation.console.print(reading.json)
        } else {
            invocation.console.print(reading.text)
        }
    }
}
