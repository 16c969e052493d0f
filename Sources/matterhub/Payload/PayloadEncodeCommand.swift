import HubControl
import MatterWire

/// `matterhub payload encode`
enum PayloadEncodeCommand: Command {
    static let name = "encode"
    static let summary = "Make the QR text and the manual code of a device."
    static var help: CommandHelp {
        CommandHelp(
            usage: "--passcode N --discriminator N [OPTION]…",
            text: """
                Prints the QR text and the manual pairing code; --json prints {"qrCode", "manualCode"}. Numbers are decimal, or
                hexadecimal after 0x.
                """,
            options: [
                .value("passcode", "N", "the passcode, 1 to 99999998"),
                .value("discriminator", "N", "the discriminator, 0 to 4095"),
                .value("vendor-id", "N", "the vendor id (default 0: not said)"),
                .value("product-id", "N", "the product id (default 0: not said)"),
                .value("flow", "FLOW", "standard (default), user-intent or custom"),
                .value(
                    "discovery", "LIST", "soft-ap, ble, on-network, wifi-paf, nfc, with commas (default on-network)"),
                .value("serial-number", "TEXT", "a serial number of at most 32 bytes"),
                .flag("allow-invalid", "make a payload that must be refused, for a test"),
                .flag("qr", "draw the QR code too"), .json,
            ])
    }

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        let payload = try payload(invocation.options)
        if !invocation.options.flag("allow-invalid") {
            do throws(OnboardingPayloadError) {
                _ = try payload.validated()
            } catch {
                throw CommandFailure(error.message + "; --allow-invalid makes the payload all the same")
            }
        }
        guard let qrCode = payload.qrCode else { throw CommandFailure("this payload has no QR form") }
        if invocation.isJSON {
            invocation.console.print(["qrCode": .string(qrCode), "manualCode": payload.manualCode.map { .string($0) }])
            return .ok
        }
        if invocation.options.flag("qr") {
            invocation.console.print(drawing: try QRDrawing(qrCode).text(for: invocation.console))
        }
        invocation.console.print("QR text:      \(qrCode)")
        if let manualCode = payload.manualCode {
            invocation.console.print("Manual code:  \(OnboardingPayload.grouped(manualCode: manualCode))")
        }
        return .ok
    }

    private static func payload(_ options: ParsedOptions) throws(UsageError) -> OnboardingPayload {
        guard let number = try options.integer("passcode", as: UInt32.self, in: 0...134_217_727),
            let passcode = Passcode(rawValue: number)
        else { throw UsageError("--passcode is missing") }
        guard let number = try options.integer("discriminator", as: UInt16.self, in: 0...4095),
            let discriminator = Discriminator(rawValue: number)
        else { throw UsageError("--discriminator is missing") }
        var payload = OnboardingPayload(
            vendorID: VendorID(rawValue: try options.integer("vendor-id") ?? 0),
            productID: ProductID(rawValue: try options.integer("product-id") ?? 0),
            flow: try flow(options.string("flow")),
            discoveryCapabilities: try discovery(options.string("discovery")),
            discriminator: .long(discriminator), passcode: passcode)
        if let serialNumber = try options.string("serial-number") {
            guard serialNumber.utf8.count <= 32 else { throw UsageError("--serial-number is longer than 32 bytes") }
            payload.data = [TLVElement(0, .utf8(serialNumber))]
        }
        return payload
    }

    private static func flow(_ text: String?) throws(UsageError) -> OnboardingPayload.Flow {
        switch text {
        case nil, "standard"?: .standard
        case "user-intent"?: .userIntent
        case "custom"?: .custom
        case let text?: throw UsageError("--flow is standard, user-intent or custom, not “\(text)”")
        }
    }

    private static func discovery(_ text: String?) throws(UsageError) -> OnboardingPayload.DiscoveryCapabilities {
        guard let text else { return .onNetwork }
        let names = OnboardingPayload.DiscoveryCapabilities.names
        var capabilities: OnboardingPayload.DiscoveryCapabilities = []
        for word in text.split(separator: ",") {
            guard let capability = names.first(where: { $0.name == word })?.capability else {
                throw UsageError("--discovery knows \(names.map(\.name).joined(separator: ", ")), not “\(word)”")
            }
            capabilities.insert(capability)
        }
        return capabilities
    }
}
