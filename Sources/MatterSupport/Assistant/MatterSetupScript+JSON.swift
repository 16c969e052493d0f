import HubControl

extension MatterSetupScript {
    /// Reads a script:
    ///
    ///     {
    ///       "code": "MT:Y.K90AFN00KA0648G00", "address": "127.0.0.1:5540",
    ///       "home": "Cottage", "room": "Kitchen", "name": "Lamp",
    ///       "cancelAt": "commission", "cancelAfterMs": 50, "phoneFabric": true,
    ///       "wifi": [{ "ssid": "Home", "rssi": -50, "security": ["wpa2Personal"], "band": "2.4GHz" }],
    ///       "thread": [{ "name": "Home", "extendedPANID": "1122334455667788", "panID": 4660, "channel": 15 }]
    ///     }
    ///
    /// Every member may be missing; `"room": null` is to go on without a room.
    ///
    /// - Throws: ``MatterSetupError`` `invalidScript`, naming the member at fault and the allowed ones.
    public init(json text: String) throws {
        try self.init(parsing: Array(text.utf8), from: "the script")
    }

    /// - Parameter source: what the text is, for errors.
    package init(parsing bytes: [UInt8], from source: String) throws(MatterSetupError) {
        do throws(ControlProtocolError) {
            try self.init(JSONObject(parsing: bytes))
        } catch {
            throw MatterSetupError(.invalidScript, "\(source): \(error.message)")
        }
    }

    private static let members = [
        "code", "address", "home", "room", "name", "cancelAt", "cancelAfterMs", "phoneFabric", "wifi", "thread",
    ]
    private static let wifiMembers = ["ssid", "rssi", "security", "band"]
    private static let threadMembers = [
        "name", "extendedPANID", "panID", "channel", "extendedAddress", "rssi", "version", "linkQuality",
    ]
    private static let bands: [(name: String, band: MTRNetworkCommissioningWiFiBand)] = [
        ("2.4GHz", .band2G4), ("3.65GHz", .band3G65), ("5GHz", .band5G), ("6GHz", .band6G), ("60GHz", .band60G),
        ("1GHz", .band1G),
    ]
    private static let securities: [(name: String, security: MTRNetworkCommissioningWiFiSecurity)] = [
        ("unencrypted", .unencrypted), ("wep", .wep), ("wpaPersonal", .wpaPersonal), ("wpa2Personal", .wpa2Personal),
        ("wpa3Personal", .wpa3Personal),
    ]
    /// A year; no test waits longer, and the sum of times stays representable.
    private static let maximumDelay: Int64 = 31_536_000_000

    private init(_ json: JSONObject) throws(ControlProtocolError) {
        try json.allowOnly(Self.members)
        self.init(
            code: try json.optionalString("code"), address: try json.optionalString("address"),
            home: try json.optionalString("home"), name: try json.optionalString("name", length: 1...256),
            phoneFabric: try json.optionalBool("phoneFabric"))
        if json["room"]?.isNull == true {
            room = RoomChoice.none
        } else {
            room = try json.optionalString("room").map { .named($0) }
        }
        if let step = try json.optionalString("cancelAt") {
            cancelAt = try Self.choice(step, "cancelAt", MatterSetupStep.allCases.map { ($0.rawValue, $0) })
        }
        cancelAfter = .milliseconds(try json.optionalInteger("cancelAfterMs", in: 0...Self.maximumDelay) ?? 0)
        if json["wifi"] != nil { wifi = try json.objects("wifi", Self.wifi) }
        if json["thread"] != nil { thread = try json.objects("thread", Self.thread) }
    }

    private static func choice<T>(
        _ text: String, _ path: String, _ choices: [(name: String, value: T)]
    ) throws(ControlProtocolError) -> T {
        guard let choice = choices.first(where: { $0.name == text }) else {
            let names = choices.map(\.name).joined(separator: ", ")
            throw ControlProtocolError(.wrongType, path: path, reason: "one of \(names)")
        }
        return choice.value
    }

    private static func wifi(
        _ json: JSONObject
    ) throws(ControlProtocolError) -> MatterAddDeviceExtensionRequestHandler.WiFiScanResult {
        try json.allowOnly(wifiMembers)
        var security: MTRNetworkCommissioningWiFiSecurity = json["security"] == nil ? .wpa2Personal : []
        if json["security"] != nil {
            for name in try json.strings("security") {
                security.formUnion(try choice(name, "security", securities.map { ($0.name, $0.security) }))
            }
        }
        let band = try json.optionalString("band") ?? bands[0].name
        return .init(
            ssid: Data(try json.string("ssid", length: 1...32).utf8), rssi: try json.optionalInteger("rssi") ?? -50,
            security: security, band: try choice(band, "band", bands.map { ($0.name, $0.band) }))
    }

    private static func thread(
        _ json: JSONObject
    ) throws(ControlProtocolError) -> MatterAddDeviceExtensionRequestHandler.ThreadScanResult {
        try json.allowOnly(threadMembers)
        return .init(
            networkName: try json.string("name", length: 1...16), panID: try json.optionalInteger("panID") ?? 0x1234,
            extendedPANID: try hexadecimal(json.string("extendedPANID"), "extendedPANID"),
            channel: try json.optionalInteger("channel", in: 11...26) ?? 15,
            extendedAddress: bytes(
                of: try json.optionalString("extendedAddress").map { text throws(ControlProtocolError) in
                    try hexadecimal(text, "extendedAddress")
                } ?? 0),
            rssi: try json.optionalInteger("rssi") ?? -50, version: try json.optionalInteger("version") ?? 4,
            linkQualityIndicator: try json.optionalInteger("linkQuality") ?? 255)
    }

    private static func hexadecimal(_ text: String, _ path: String) throws(ControlProtocolError) -> UInt64 {
        guard text.utf8.count == 16, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let value = UInt64(text, radix: 16)
        else { throw ControlProtocolError(.wrongType, path: path, reason: "16 hexadecimal digits") }
        return value
    }

    private static func bytes(of value: UInt64) -> Data { withUnsafeBytes(of: value.bigEndian) { Data($0) } }
}

extension MatterSetupScript {
    /// A Wi-Fi network of which only the name is given.
    static func wifi(named ssid: String) -> MatterAddDeviceExtensionRequestHandler.WiFiScanResult {
        .init(ssid: Data(ssid.utf8), rssi: -50, security: .wpa2Personal, band: .band2G4)
    }

    /// A Thread network from `NAME:EXTENDED_PAN_ID`, the latter 16 hexadecimal digits; `nil` for another form.
    static func thread(_ text: String) -> MatterAddDeviceExtensionRequestHandler.ThreadScanResult? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let json: JSONObject = [
            "name": .string(String(text[..<colon])),
            "extendedPANID": .string(String(text[text.index(after: colon)...])),
        ]
        do throws(ControlProtocolError) {
            return try thread(json)
        } catch {
            return nil  // the caller says which variable is wrong
        }
    }
}

extension JSONObject {
    /// - Throws: ``ControlProtocolError`` when there is a member of another name, naming it and the allowed ones.
    fileprivate func allowOnly(_ names: [String]) throws(ControlProtocolError) {
        guard let stranger = members.first(where: { !names.contains($0.name) }) else { return }
        let reason = "left out: there is no such key; the keys are \(names.joined(separator: ", "))"
        throw ControlProtocolError(.wrongType, path: stranger.name, reason: reason)
    }
}
