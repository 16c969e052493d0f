import HubControl

/// What a ``FakeHub`` answers without a script: one structure with rooms, devices and a commissioning session.
///
/// The payload `MT:BAD` is refused at once, `MT:LOST` fails in PASE; any other one is a light.
struct FakeHome: Sendable {
    static let light: JSONObject = [
        "id": "0000000000000d01", "nodeId": "00000000000000a1", "endpoint": 1, "name": "Lamp",
        "room": "0000000000000a01", "vendorId": 65521, "productId": 32769, "vendorName": "Test",
        "productName": "Light", "serialNumber": "1", "deviceTypes": [256], "reachable": true, "bridged": false,
        "commissionedAt": 1_790_000_000,
    ]
    static let stages = ["discover", "pase", "complete"]

    private var session: UInt64?
    private var lastSession: UInt64 = 0x5000
    private var provisional = 0
    private var lastDevice: UInt64 = 0xD01
    private var devices: [JSONObject] = [FakeHome.light]
    private var answers: [String: FakeHub.Reply] = [:]
    private var configured: (name: String, room: String?)?

    mutating func answer(_ request: ControlRequest) -> FakeHub.Reply {
        let key = request.params["clientKey"]?.string.map { "\(request.method.rawValue) \($0)" }
        if let key, let first = answers[key] { return first }
        let reply = fresh(request)
        if let key { answers[key] = reply }
        return reply
    }

    private mutating func fresh(_ request: ControlRequest) -> FakeHub.Reply {
        switch request.method {
        case .cancel: return .result(["cancelled": true])
        case .hubInfo: return .result(["id": FakeHub.id.json, "name": "Fake hub", "version": "0.0", "reachable": true])
        case .structuresList:
            return .result(["structures": [["id": FakeHub.structure.json, "name": "Home"]]])
        case .roomsList:
            return .result([
                "rooms": [
                    ["id": "0000000000000a01", "name": "Kitchen"], ["id": "0000000000000a02", "name": "Hall"],
                ]
            ])
        case .devicesList: return .result(["devices": .array(devices.map { .object($0) })])
        case .eventsSubscribe: return .result(["epoch": "1", "next": 1, "gap": false])
        case .sessionPrepare:
            lastSession += 1
            session = lastSession
            provisional = 0
            return .result(["session": CommissioningSessionID(rawValue: lastSession).json, "expiresInMs": 600_000])
        case .sessionCommission: return commission(request.params["payload"]?.string ?? "")
        case .sessionConfigure: return configure(request.params)
        case .sessionComplete: return complete()
        case .sessionCancel:
            defer { session = nil }
            return .result(["session": session == nil ? "none" : "cancelled", "device": "untouched"])
        default: return .error(ControlError(.unimplemented, "the fake hub has no \(request.method.rawValue)"))
        }
    }

    private static func noSession() -> FakeHub.Reply {
        .error(ControlError(.failedPrecondition, "call prepare first", details: ["reason": "noSession"]))
    }

    private mutating func commission(_ payload: String) -> FakeHub.Reply {
        guard let session else { return Self.noSession() }
        switch payload {
        case "MT:BAD":
            return .error(
                ControlError(.invalidArgument, "the payload is not valid", details: ["reason": "invalidPayload"]))
        case "MT:LOST":
            return .error(
                ControlError(
                    .unavailable, "the device went away", stage: "pase", details: ["reason": "deviceVanished"],
                    suggestedUserActions: [.checkDeviceAvailability]))
        default: break
        }
        provisional += 1
        let events = Self.stages.enumerated().map { index, stage in
            let data: JSONObject = [
                "session": CommissioningSessionID(rawValue: session).json, "stage": .string(stage),
                "index": JSONValue(index + 1), "total": 3, "elapsedMs": JSONValue(10 * index),
            ]
            return (name: "session.stage", data: data)
        }
        let stages = Self.stages.enumerated().map { index, stage in
            JSONValue.object(["stage": .string(stage), "elapsedMs": JSONValue(10 * index)])
        }
        return .events(
            events,
            then: .result([
                "provisionalId": "00000000000000b1", "vendorId": 65521, "productId": 32769, "stages": .array(stages),
                "elapsedMs": 30,
            ]))
    }

    private mutating func configure(_ params: JSONObject) -> FakeHub.Reply {
        guard session != nil else { return Self.noSession() }
        let room = params["roomName"]?.string
        guard room == nil || room == "Kitchen" || room == "Hall" else {
            return .error(
                ControlError(.notFound, "there is no room named \(room ?? "")", details: ["reason": "noRoom"]))
        }
        configured = (params["deviceName"]?.string ?? "", room)
        return .result([:])
    }

    private mutating func complete() -> FakeHub.Reply {
        guard session != nil else { return Self.noSession() }
        guard provisional > 0 else {
            return .error(
                ControlError(
                    .failedPrecondition, "no device was commissioned", details: ["reason": "nothingCommissioned"]))
        }
        var ids: [JSONValue] = []
        for _ in 0..<provisional {
            lastDevice += 1
            var device = Self.light
            device["id"] = DeviceID(rawValue: lastDevice).json
            device["name"] = .string(configured?.name ?? "Light")
            devices.append(device)
            ids.append(DeviceID(rawValue: lastDevice).json)
        }
        session = nil
        return .result(["deviceIds": .array(ids)])
    }
}
