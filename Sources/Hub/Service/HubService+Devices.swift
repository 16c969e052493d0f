package import HubControl
package import MatterWire

extension HubService {
    /// A device, if it is in the caller's structure.
    package func device(_ id: DeviceID, for caller: Caller) async throws(ControlError) -> DeviceRecord {
        guard let device = await ledger.state.devices[id], device.structure == caller.structure else {
            throw .noDevice(id)
        }
        return device
    }

    /// The JSON form of a device (Protocols/hub-control.md §4).
    package func json(of device: DeviceRecord) async -> JSONObject {
        let info = await ledger.state.nodes[.init(device.structure, device.node)]?.info ?? NodeInfo()
        let isReachable = await runtimes[device.structure]?.matter.isReachable(device.node) ?? true
        return [
            "id": device.id.json, "nodeId": .string(HubID(rawValue: device.node.rawValue).text),
            "endpoint": JSONValue(device.endpoint.endpoint.rawValue), "name": .string(device.name),
            "room": device.room?.json ?? .null, "vendorId": JSONValue(info.vendorID),
            "productId": JSONValue(info.productID), "vendorName": .string(info.vendorName),
            "productName": .string(info.productName), "serialNumber": .string(info.serialNumber),
            "deviceTypes": .array(device.endpoint.deviceTypes.map { JSONValue($0) }),
            "reachable": .bool(isReachable), "bridged": .bool(device.endpoint.isBridged),
            "commissionedAt": JSONValue(device.commissionedAt.unixSeconds),
        ]
    }

    /// Renames a device.
    package func rename(_ id: DeviceID, to text: String, by caller: Caller) async throws(ControlError) -> DeviceRecord {
        let name = try displayName(text)
        return try await changeDevice(id, by: caller) { device, _ in device.name = name.text }
    }

    /// Moves a device into a room, or out of any.
    package func move(_ id: DeviceID, to room: RoomID?, by caller: Caller) async throws(ControlError) -> DeviceRecord {
        try await changeDevice(id, by: caller) { device, state in
            if let room, state.rooms[room]?.structure != device.structure { throw ControlError.noRoom(room) }
            device.room = room
        }
    }

    private func changeDevice(
        _ id: DeviceID, by caller: Caller, _ body: @Sendable (inout DeviceRecord, HubState) throws -> Void
    ) async throws(ControlError) -> DeviceRecord {
        let device = try await change { state in
            guard var device = state.devices[id], device.structure == caller.structure else {
                throw ControlError.noDevice(id)
            }
            try body(&device, state)
            return ([.putDevice(device)], device)
        }
        emit("device.changed", ["id": id.json], in: caller.structure)
        return device
    }

    /// Takes a device's node off the fabric; all its devices go.
    ///
    /// - Parameter force: keep an unreachable node as an orphan instead of refusing.
    package func remove(
        _ id: DeviceID, force: Bool, by caller: Caller
    ) async throws(ControlError) -> (removed: [DeviceID], orphaned: [NodeID]) {
        let (device, matter) = try await reach(id, caller)
        let structure = caller.structure
        let address = await ledger.state.nodes[.init(structure, device.node)]?.address ?? ""
        var orphaned: [NodeID] = []
        let ids: [DeviceID]
        switch await matter.settle(device.node, address: address) {
        case .removed, .notOnFabric:
            ids = try await takeAway(device, makingOrphan: nil)
        case .unreachable(let reason):
            guard force else {
                throw ControlError(
                    .unavailable,
                    "the device cannot be taken off the fabric: \(reason); remove it with force to keep it as an orphan",
                    details: ["reason": "deviceUnreachable"], suggestedUserActions: [.checkDeviceAvailability])
            }
            ids = try await takeAway(device, makingOrphan: reason)
            orphaned = [device.node]
            startCleaning(device.node, in: structure, payload: nil, after: .zero)
        }
        for id in ids { emit("device.removed", ["id": id.json], in: structure) }
        windows[.init(structure, device.node)] = nil
        await endFollowers(reason: "deviceRemoved") { $0.structure == structure && $0.node == device.node }
        return (ids, orphaned)
    }

    /// Takes all devices of a device's node off the list, once.
    ///
    /// - Parameter reason: why the node stays as an orphan; `nil` when it is gone too.
    private func takeAway(
        _ device: DeviceRecord, makingOrphan reason: String?
    ) async throws(ControlError) -> [DeviceID] {
        try await change { state in
            guard state.devices[device.id] != nil else { throw ControlError.noDevice(device.id) }
            let ids = state.devices(of: device.structure).filter { $0.node == device.node }.map(\.id)
            guard let reason, var record = state.nodes[.init(device.structure, device.node)] else {
                return ([.deleteNode(device.node, of: device.structure)], ids)
            }
            record.state = .orphan
            record.lastError = reason
            return (ids.map { .deleteDevice($0) } + [.putNode(record)], ids)
        }
    }

    // MARK: - Interactions

    /// Reads attributes of a device's node.
    package func read(
        _ path: AttributePath, of id: DeviceID, by caller: Caller
    ) async throws(ControlError) -> [AttributeReport] {
        let (device, matter) = try await reach(id, caller)
        return try await controlErrors { try await matter.read([path], of: device.node) }
    }

    /// Writes one attribute of a device's node.
    package func write(_ write: AttributeWrite, to id: DeviceID, by caller: Caller) async throws(ControlError) {
        let (device, matter) = try await reach(id, caller)
        try await controlErrors { try await matter.write(write, to: device.node) }
    }

    /// Invokes one command on a device's node.
    package func invoke(
        _ path: CommandPath, fields: TLVValue, timeout: UInt16?, on id: DeviceID, by caller: Caller
    ) async throws(ControlError) -> InvokeOutcome {
        let (device, matter) = try await reach(id, caller)
        return try await controlErrors {
            try await matter.invoke(path, fields: fields, timeout: timeout, on: device.node)
        }
    }

    func reach(
        _ id: DeviceID, _ caller: Caller
    ) async throws(ControlError) -> (DeviceRecord, any FabricOperator) {
        guard isReachable else { throw .offline }
        let device = try await device(id, for: caller)
        guard let matter = runtimes[caller.structure]?.matter else { throw .noStructure(caller.structure) }
        return (device, matter)
    }

    func controlErrors<Result>(
        _ body: () async throws -> Result
    ) async throws(ControlError) -> Result {
        do {
            return try await body()
        } catch let error as ControlError {
            throw error
        } catch is CancellationError {
            throw ControlError(.cancelled, "the request was stopped")
        } catch {
            throw ControlError(
                .internal, "the request failed: \(ControlError.words(for: error))",
                suggestedUserActions: [.tryAgainLater])
        }
    }
}
