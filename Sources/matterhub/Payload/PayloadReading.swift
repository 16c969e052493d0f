import HubControl
import MatterWire

/// What came of reading one payload, for people and for machines.
struct PayloadReading {
    /// The text as it was given.
    let source: String
    /// What its structure says; `nil` when it has none.
    let payload: OnboardingPayload?
    /// Why it must not be used; `nil` for a valid payload.
    let error: OnboardingPayloadError?

    init(_ source: String, blanks: ParsedOnboardingPayload.Blanks) {
        self.source = source
        var payload: OnboardingPayload?
        do throws(OnboardingPayloadError) {
            let parsed = try ParsedOnboardingPayload(source, blanks: blanks)
            payload = parsed.payload
            _ = try parsed.validated()
            error = nil
        } catch {
            self.error = error
        }
        self.payload = payload
    }

    var isValid: Bool { error == nil }

    /// The object that `payload decode --json` prints.
    var json: JSONObject {
        var object: JSONObject = ["payload": .string(source), "valid": .bool(isValid)]
        if let payload {
            object["version"] = JSONValue(payload.version)
            object["vendorId"] = payload.vendorID.map { JSONValue($0.rawValue) }
            object["productId"] = payload.productID.map { JSONValue($0.rawValue) }
            object["flow"] = JSONValue(payload.flow.rawValue)
            switch payload.discriminator {
            case .long(let discriminator): object["discriminator"] = JSONValue(discriminator.rawValue)
            case .short(let discriminator): object["shortDiscriminator"] = JSONValue(discriminator.rawValue)
            }
            object["passcode"] = JSONValue(payload.passcode.rawValue)
        }
        object["error"] = error.map { error in
            [
                "code": .string(error.code.rawValue), "message": .string(error.message),
                "offset": error.offset.map { JSONValue($0) },
            ]
        }
        return object
    }

    /// A few lines for people.
    var text: String {
        var lines = [isValid ? "\(printable): a valid payload" : "\(printable): not a valid payload"]
        if let error {
            lines.append("  " + error.message)
            if let offset = error.offset {
                lines += ["  " + printable, "  " + String(repeating: " ", count: offset) + "^"]
            }
        }
        if let payload { lines += rows(payload).map { "  " + $0.padded(to: 16) + $1 } }
        return lines.joined(separator: "\n")
    }

    /// The source with a dot for each character that a terminal might obey.
    private var printable: String {
        String(
            String.UnicodeScalarView(source.unicodeScalars.map { $0.properties.generalCategory == .control ? "·" : $0 })
        )
    }

    private func rows(_ payload: OnboardingPayload) -> [(String, String)] {
        var rows = [("version", String(payload.version))]
        if let vendorID = payload.vendorID { rows.append(("vendor", vendorID.rawValue.hexadecimal)) }
        if let productID = payload.productID { rows.append(("product", productID.rawValue.hexadecimal)) }
        rows.append(("flow", payload.flow.plainWords))
        if let capabilities = payload.discoveryCapabilities { rows.append(("found by", capabilities.plainWords)) }
        switch payload.discriminator {
        case .long(let discriminator):
            rows.append(("discriminator", "\(discriminator.rawValue) (short: \(discriminator.short.rawValue))"))
        case .short(let discriminator): rows.append(("discriminator", "upper 4 bits are \(discriminator.rawValue)"))
        }
        rows.append(("passcode", String(payload.passcode.rawValue).leftPadded(to: 8)))
        if let serialNumber = payload.serialNumber { rows.append(("serial number", serialNumber)) }
        if isValid, payload.qrCode != nil, let manualCode = payload.manualCode {
            rows.append(("manual code", OnboardingPayload.grouped(manualCode: manualCode)))
        }
        return rows
    }
}

extension OnboardingPayload.Flow {
    var plainWords: String {
        switch self {
        case .standard: "standard"
        case .userIntent: "user intent"
        case .custom: "custom"
        case .reserved: "reserved"
        }
    }
}

extension OnboardingPayload.DiscoveryCapabilities {
    /// The ways with the names that `payload encode --discovery` takes.
    static let names: [(name: String, capability: Self, words: String)] = [
        ("soft-ap", .softAP, "Wi-Fi access point"), ("ble", .ble, "Bluetooth LE"),
        ("on-network", .onNetwork, "IP network"),
        ("wifi-paf", .wifiPAF, "Wi-Fi PAF"), ("nfc", .nfc, "NFC"),
    ]
    var plainWords: String {
        let words = Self.names.filter { contains($0.capability) }.map(\.words)
        return words.isEmpty ? "nothing said" : words.joined(separator: ", ")
    }
}

extension UInt16 {
    fileprivate var hexadecimal: String { "0x" + String(self, radix: 16, uppercase: true).leftPadded(to: 4) }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: "0", count: max(0, width - count)) + self }
}
