public import HubControl

extension HubCall where Answer == PreparedSession {
    /// Opens a commissioning session.
    ///
    /// - Parameter lifetime: 1 s to 30 min; `nil` for the hub's ten minutes.
    public static func prepareSession(in structure: StructureID? = nil, lifetime: Duration? = nil) -> Self {
        let params: JSONObject = [
            "structure": structure?.json, "lifetimeMs": lifetime.map { JSONValue($0.wholeMilliseconds) },
        ]
        return Self(.sessionPrepare, params) { json throws(ControlProtocolError) in
            PreparedSession(
                id: try json.identifier("session"),
                expiresIn: .milliseconds(try json.integer("expiresInMs", as: Int64.self)))
        }
    }
}

extension HubCall where Answer == ProvisionalDevice {
    /// Commissions a device in the session; see ``HubSession/commission(_:address:clientKey:limit:onStage:)``.
    ///
    /// - Parameter limit: for the whole commissioning; `nil` for the hub's.
    public static func commission(
        _ payload: String, clientKey: ClientKey, address: String? = nil, limit: Duration? = nil,
        in structure: StructureID? = nil
    ) -> Self {
        let params: JSONObject = [
            "structure": structure?.json, "payload": .string(payload), "clientKey": .string(clientKey.rawValue),
            "address": address.map { .string($0) }, "deadlineMs": limit.map { JSONValue($0.wholeMilliseconds) },
        ]
        return Self(.sessionCommission, params) { json throws(ControlProtocolError) in
            try ProvisionalDevice(json: json)
        }
    }
}

extension HubCall where Answer == Void {
    /// Names the device that the session commissioned last.
    public static func configure(
        deviceName: String, roomName: String? = nil, in structure: StructureID? = nil
    ) -> Self {
        Self(
            .sessionConfigure,
            [
                "structure": structure?.json, "deviceName": .string(deviceName),
                "roomName": roomName.map { .string($0) },
            ])
    }
}

extension HubCall where Answer == Set<DeviceID> {
    /// Ends the session; the devices commissioned in it become visible.
    public static func completeSession(clientKey: ClientKey, in structure: StructureID? = nil) -> Self {
        let params: JSONObject = ["structure": structure?.json, "clientKey": .string(clientKey.rawValue)]
        return Self(.sessionComplete, params) { json throws(ControlProtocolError) in
            var ids: Set<DeviceID> = []
            for text in try json.strings("deviceIds") {
                guard let id = DeviceID(text: text) else {
                    throw ControlProtocolError(.wrongType, path: "deviceIds", reason: "16 hexadecimal digits each")
                }
                ids.insert(id)
            }
            return ids
        }
    }
}

extension HubCall where Answer == CancelledSession {
    /// Ends the session; the devices commissioned in it are removed. Idempotent.
    ///
    /// - Parameter force: also another app's session; needs admin.
    public static func cancelSession(force: Bool = false, in structure: StructureID? = nil) -> Self {
        let params: JSONObject = ["structure": structure?.json, "force": force ? true : nil]
        return Self(.sessionCancel, params) { json throws(ControlProtocolError) in
            CancelledSession(
                hadSession: try json.string("session") != "none",
                device: .init(rawValue: try json.string("device")))
        }
    }
}

extension HubCall where Answer == SessionInfo {
    /// The structure's session; `notFound` without one.
    public static func sessionInfo(in structure: StructureID? = nil) -> Self {
        Self(.sessionGet, ["structure": structure?.json]) { json throws(ControlProtocolError) in
            try SessionInfo(json: json)
        }
    }
}
