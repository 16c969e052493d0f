import HubControl

extension FakeHome {
    /// Changes a device.
    mutating func change(_ id: String, _ body: (inout FakeDevice) -> Void) {
        guard let index = devices.firstIndex(where: { $0.id == id }) else { return }
        body(&devices[index])
    }

    /// - Returns: `nil` for a request about something else.
    mutating func deviceReply(_ request: ControlRequest) -> FakeHub.Reply? {
        let methods: [ControlMethod] = [
            .devicesGet, .devicesRename, .devicesMove, .devicesRead, .devicesWrite, .devicesInvoke, .devicesRemove,
        ]
        guard methods.contains(request.method) || request.method.rawValue == "devices.subscribe" else { return nil }
        let id = request.params["id"]?.string ?? ""
        guard let device = devices.first(where: { $0.id == id }) else { return Self.missing("device", id) }
        let event = (name: "device.changed", data: ["id": .string(id)] as JSONObject)
        switch request.method {
        case .devicesGet: return .result(device.row)
        case .devicesRename:
            guard let name = request.params["name"]?.string, !name.isEmpty else { return Self.badName() }
            return .events([event], then: .result(changed(id) { $0["name"] = .string(name) }))
        case .devicesMove:
            let room = request.params["room"] ?? .null
            guard room.isNull || rooms.contains(where: { $0.id == room.string }) else {
                return Self.missing("room", room.string ?? "")
            }
            return .events([event], then: .result(changed(id) { $0["room"] = room }))
        case .devicesRemove:
            let node = device.row["nodeId"]
            let gone = devices.filter { $0.row["nodeId"] == node }.map(\.id)
            devices.removeAll { $0.row["nodeId"] == node }
            return .events(
                gone.map { ("device.removed", ["id": .string($0)]) },
                then: .result(["removed": .array(gone.map { .string($0) }), "orphaned": []]))
        default:
            guard device.answers else { return Self.unreachable() }
            return interaction(request, device)
        }
    }

    private mutating func changed(_ id: String, _ body: (inout JSONObject) -> Void) -> JSONObject {
        var row: JSONObject = [:]
        change(id) { device in
            body(&device.row)
            row = device.row
        }
        return row
    }

    private mutating func interaction(_ request: ControlRequest, _ device: FakeDevice) -> FakeHub.Reply {
        let params = request.params
        func number(_ name: String) -> UInt32? { params[name]?.integer.map { UInt32($0) } }
        let (endpoint, cluster) = (number("endpoint"), number("cluster"))
        switch request.method {
        case .devicesRead:
            let paths = device.attributes.keys.sorted().filter { path in
                (endpoint.map { $0 == UInt32(path.endpoint) } ?? true) && (cluster.map { $0 == path.cluster } ?? true)
            }
            return .result([
                "attributes": .array(
                    paths.map { path in
                        [
                            "endpoint": JSONValue(path.endpoint), "cluster": JSONValue(path.cluster),
                            "attribute": JSONValue(path.attribute), "value": device.attributes[path],
                        ]
                    })
            ])
        case .devicesWrite:
            let path = FakeDevice.Path(UInt16(endpoint ?? 0), cluster ?? 0, number("attribute") ?? 0)
            guard device.attributes[path] != nil else { return Self.refused(0x86, .notFound) }
            change(device.id) { $0.attributes[path] = params["value"] }
            return .result([:])
        case .devicesInvoke:
            let accepted = device.attributes[FakeDevice.Path(1, cluster ?? 0, 0xFFF9)]?.array ?? []
            guard let command = number("command"), accepted.contains(JSONValue(command)) else {
                return Self.refused(0x81, .notFound)
            }
            if cluster == 0x06 {
                let path = FakeDevice.Path(1, 0x06, 0)
                let value = command == 2 ? !(device.attributes[path]?.bool ?? false) : command == 1
                change(device.id) { $0.attributes[path] = .bool(value) }
            }
            return .result([:])
        default: return .result([:])
        }
    }

    static func missing(_ what: String, _ id: String) -> FakeHub.Reply {
        .error(
            ControlError(
                .notFound, "there is no \(what) \(id)",
                details: ["reason": what == "device" ? "noDevice" : "noRoom"]))
    }

    static func badName() -> FakeHub.Reply {
        .error(ControlError(.invalidArgument, "a name has at least one character", details: ["reason": "badName"]))
    }

    private static func unreachable() -> FakeHub.Reply {
        .error(
            ControlError(
                .unavailable, "the device does not answer", details: ["reason": "deviceUnreachable"],
                suggestedUserActions: [.checkDeviceAvailability, .checkWifiNetwork]))
    }

    private static func refused(_ status: Int, _ code: ControlErrorCode) -> FakeHub.Reply {
        .error(
            ControlError(
                code, "the device refused with status 0x\(String(status, radix: 16))",
                details: ["reason": "deviceRefused", "status": JSONValue(status)]))
    }
}
