package import HubControl

extension DialogueMessage {
    private enum Kind: String { case hello, call, answer, cancel }
    private enum Method: String { case validate, selectWiFi, selectThread, rooms, commission, configure }

    // MARK: - Writing

    /// The message's JSON object.
    package var json: JSONObject {
        switch self {
        case .hello(let version): ["kind": Self.kind(.hello), "version": JSONValue(version)]
        case .cancel: ["kind": Self.kind(.cancel)]
        case .call(let id, let call):
            [
                "kind": Self.kind(.call), "id": JSONValue(id), "method": .string(Self.method(call).rawValue),
                "params": .object(Self.parameters(call)),
            ]
        case .answer(let id, .success(let answer)):
            ["kind": Self.kind(.answer), "id": JSONValue(id), "result": .object(Self.result(answer))]
        case .answer(let id, .failure(let error)):
            ["kind": Self.kind(.answer), "id": JSONValue(id), "error": .object(error.json)]
        }
    }

    private static func kind(_ kind: Kind) -> JSONValue { .string(kind.rawValue) }

    private static func method(_ call: ExtensionCall) -> Method {
        switch call {
        case .validate: .validate
        case .selectWiFi: .selectWiFi
        case .selectThread: .selectThread
        case .rooms: .rooms
        case .commission: .commission
        case .configure: .configure
        }
    }

    private static func parameters(_ call: ExtensionCall) -> JSONObject {
        switch call {
        case .validate(let credential):
            [
                "certificationDeclaration": octets(credential.certificationDeclaration),
                "deviceAttestationCertificate": octets(credential.deviceAttestationCertificate),
                "productAttestationIntermediateCertificate": octets(
                    credential.productAttestationIntermediateCertificate),
            ]
        case .selectWiFi(let results): ["networks": .array(results.map { .object(wifi($0)) })]
        case .selectThread(let results): ["networks": .array(results.map { .object(thread($0)) })]
        case .rooms(let home): ["home": home.map { .string($0.displayName) }]
        case .commission(let home, let payload, let id):
            [
                "home": home.map { .string($0.displayName) }, "payload": .string(payload),
                "commissioningID": .string(id.uuidString),
            ]
        case .configure(let name, let room):
            ["name": .string(name), "room": room.map { .string($0.displayName) }]
        }
    }

    private static func wifi(_ result: MatterAddDeviceExtensionRequestHandler.WiFiScanResult) -> JSONObject {
        [
            "ssid": octets(result.ssid), "rssi": JSONValue(result.rssi),
            "security": JSONValue(result.security.rawValue),
            "band": JSONValue(result.band.rawValue),
        ]
    }

    private static func thread(_ result: MatterAddDeviceExtensionRequestHandler.ThreadScanResult) -> JSONObject {
        [
            "networkName": .string(result.networkName), "panID": JSONValue(result.panID),
            "extendedPANID": .string(String(result.extendedPANID, radix: 16)), "channel": JSONValue(result.channel),
            "extendedAddress": octets(result.extendedAddress), "rssi": JSONValue(result.rssi),
            "version": JSONValue(result.version), "linkQualityIndicator": JSONValue(result.linkQualityIndicator),
        ]
    }

    private static func result(_ answer: ExtensionAnswer) -> JSONObject {
        switch answer {
        case .done: [:]
        case .wifi(let choice):
            [
                "wifi": .object([
                    "ssid": choice.network.map { octets($0.ssid) },
                    "credentials": choice.network.map { octets($0.credentials) },
                ])
            ]
        case .thread(let choice):
            [
                "thread": .object([
                    "extendedPANID": choice.extendedPANID.map { .string(String($0, radix: 16)) }
                ])
            ]
        case .rooms(let rooms): ["rooms": .array(rooms.map { .string($0.displayName) })]
        }
    }

    private static func octets(_ data: Data) -> JSONValue { .string(Base64URL.encode([UInt8](data))) }

    // MARK: - Reading

    /// Reads a message; unknown members are ignored.
    package init(json: JSONObject) throws(ControlProtocolError) {
        let kind = try json.string("kind")
        switch Kind(rawValue: kind) {
        case .hello?: self = .hello(version: try json.integer("version"))
        case .cancel?: self = .cancel
        case .call?:
            let parameters = try json.object("params")
            do throws(ControlProtocolError) {
                self = .call(
                    id: try json.integer("id"), try Self.call(json.string("method"), parameters))
            } catch {
                throw error.within("params")
            }
        case .answer?:
            let id: Int = try json.integer("id")
            if let error = try json.optionalObject("error") {
                self = .answer(id: id, .failure(try PortableError(json: error)))
            } else {
                self = .answer(id: id, .success(try Self.answer(json.object("result"))))
            }
        case nil: throw ControlProtocolError(.wrongType, path: "kind", reason: "hello, call, answer or cancel")
        }
    }

    private static func call(
        _ method: String, _ json: JSONObject
    ) throws(ControlProtocolError) -> ExtensionCall {
        func home() throws(ControlProtocolError) -> MatterAddDeviceRequest.Home? {
            try json.optionalString("home").map { .init(displayName: $0) }
        }
        switch Method(rawValue: method) {
        case .validate?:
            return .validate(
                .init(
                    certificationDeclaration: Data(try json.octets("certificationDeclaration")),
                    deviceAttestationCertificate: Data(try json.octets("deviceAttestationCertificate")),
                    productAttestationIntermediateCertificate: Data(
                        try json.octets("productAttestationIntermediateCertificate"))))
        case .selectWiFi?: return .selectWiFi(try json.objects("networks", wifi))
        case .selectThread?: return .selectThread(try json.objects("networks", thread))
        case .rooms?: return .rooms(try home())
        case .commission?:
            guard let id = UUID(uuidString: try json.string("commissioningID")) else {
                throw ControlProtocolError(.wrongType, path: "commissioningID", reason: "a UUID")
            }
            return .commission(try home(), payload: try json.string("payload"), id: id)
        case .configure?:
            return .configure(
                name: try json.string("name"), room: try json.optionalString("room").map { .init(displayName: $0) })
        case nil: throw ControlProtocolError(.wrongType, path: "method", reason: "one of the handler's")
        }
    }

    private static func wifi(
        _ json: JSONObject
    ) throws(ControlProtocolError) -> MatterAddDeviceExtensionRequestHandler.WiFiScanResult {
        guard let band = MTRNetworkCommissioningWiFiBand(rawValue: try json.integer("band")) else {
            throw ControlProtocolError(.wrongType, path: "band", reason: "a band")
        }
        return .init(
            ssid: Data(try json.octets("ssid")), rssi: try json.integer("rssi"),
            security: .init(rawValue: try json.integer("security")), band: band)
    }

    private static func thread(
        _ json: JSONObject
    ) throws(ControlProtocolError) -> MatterAddDeviceExtensionRequestHandler.ThreadScanResult {
        .init(
            networkName: try json.string("networkName"), panID: try json.integer("panID"),
            extendedPANID: try hexadecimal(json.string("extendedPANID")), channel: try json.integer("channel"),
            extendedAddress: Data(try json.octets("extendedAddress")), rssi: try json.integer("rssi"),
            version: try json.integer("version"), linkQualityIndicator: try json.integer("linkQualityIndicator"))
    }

    private static func answer(_ json: JSONObject) throws(ControlProtocolError) -> ExtensionAnswer {
        if let wifi = try json.optionalObject("wifi") {
            guard wifi["ssid"] != nil else { return .wifi(.defaultSystemNetwork) }
            return .wifi(
                .network(ssid: Data(try wifi.octets("ssid")), credentials: Data(try wifi.octets("credentials"))))
        }
        if let thread = try json.optionalObject("thread") {
            guard let id = try thread.optionalString("extendedPANID") else { return .thread(.defaultSystemNetwork) }
            return .thread(.network(extendedPANID: try hexadecimal(id)))
        }
        guard json["rooms"] != nil else { return .done }
        return .rooms(try json.strings("rooms").map { .init(displayName: $0) })
    }

    private static func hexadecimal(_ text: String) throws(ControlProtocolError) -> UInt64 {
        guard let value = UInt64(text, radix: 16) else {
            throw ControlProtocolError(.wrongType, path: "extendedPANID", reason: "hexadecimal digits")
        }
        return value
    }
}
