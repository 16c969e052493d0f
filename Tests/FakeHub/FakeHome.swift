import HubControl

/// What a ``FakeHub`` answers without a script: one structure with rooms, devices and a commissioning session.
///
/// The payload `MT:BAD` is refused at once, `MT:LOST` fails in PASE; any other one is a light.
struct FakeHome: Sendable {
    static let light = FakeDevice.light(id: "0000000000000d01", name: "Lamp", room: "0000000000000a01")
    static let stages = ["discover", "pase", "complete"]

    private var session: UInt64?
    private var lastSession: UInt64 = 0x5000
    private var provisional = 0
    private var lastDevice: UInt64 = 0xD01
    var devices = [FakeHome.light]
    var rooms: [(id: String, name: String)] = [("0000000000000a01", "Kitchen"), ("0000000000000a02", "Hall")]
    private var lastRoom: UInt64 = 0xA02
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
        if let reply = deviceReply(request) ?? roomReply(request) { return reply }
        switch request.method {
        case .cancel: return .result(["cancelled": true])
        case .hubInfo: return .result(["id": FakeHub.id.json, "name": "Fake hub", "version": "0.0", "reachable": true])
        case .structuresList:
            return .result(["structures": [["id": FakeHub.structure.json, "name": "Home"]]])
        case .devicesList: return .result(["devices": .array(devices.map { .object($0.row) })])
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
        let room = rooms.first { $0.name == configured?.room }?.id
        for _ in 0..<provisional {
            lastDevice += 1
            devices.append(
                .light(id: DeviceID(rawValue: lastDevice).text, name: configured?.name ?? "Light", room: room))
            ids.append(DeviceID(rawValue: lastDevice).json)
        }
        session = nil
        return .events(ids.map { ("device.added", ["id": $0]) }, then: .result(["deviceIds": .array(ids)]))
    }

    private mutating func roomReply(_ request: ControlRequest) -> FakeHub.Reply? {
        let methods: [ControlMethod] = [.roomsList, .roomsCreate, .roomsRename, .roomsDelete]
        guard methods.contains(request.method) else { return nil }
        func row(_ room: (id: String, name: String)) -> JSONObject {
            ["id": .string(room.id), "name": .string(room.name)]
        }
        let (id, name) = (request.params["id"]?.string ?? "", request.params["name"]?.string ?? "")
        switch request.method {
        case .roomsList: return .result(["rooms": .array(rooms.map { .object(row($0)) })])
        case .roomsCreate:
            guard !name.isEmpty else { return Self.badName() }
            lastRoom += 1
            let room = (id: RoomID(rawValue: lastRoom).text, name: name)
            rooms.append(room)
            return .events([("room.added", ["id": .string(room.id)])], then: .result(row(room)))
        default:
            guard let index = rooms.firstIndex(where: { $0.id == id }) else { return Self.missing("room", id) }
            guard request.method == .roomsRename else {
                rooms.remove(at: index)
                for device in devices where device.row["room"]?.string == id {
                    change(device.id) { $0.row["room"] = .null }
                }
                return .events([("room.removed", ["id": .string(id)])], then: .result([:]))
            }
            guard !name.isEmpty else { return Self.badName() }
            rooms[index].name = name
            return .events([("room.changed", ["id": .string(id)])], then: .result(row(rooms[index])))
        }
    }
}
