package import HubControl
import MatterNode
import MatterWire

/// Performs the requests of the control protocol on a hub service: checks scopes, reads params, writes results.
package struct ControlRouter: Sendable {
    let service: HubService
    /// The structure of callers without a grant, where the hub serves just one.
    let defaultStructure: StructureID
    let name: String
    let version: String

    package init(service: HubService, defaultStructure: StructureID, name: String, version: String) {
        self.service = service
        self.defaultStructure = defaultStructure
        self.name = name
        self.version = version
    }

    /// Performs one request; every error becomes one of the protocol.
    ///
    /// - Parameter caller: `nil` without a grant.
    package func perform(_ request: ControlRequest, by caller: Caller?) async -> Result<JSONObject, ControlError> {
        do {
            return .success(try await result(of: request, by: caller))
        } catch {
            return .failure(Self.controlError(error))
        }
    }

    /// The protocol's form of any error.
    static func controlError(_ error: any Error) -> ControlError {
        switch error {
        case let error as ControlError: error
        case let error as ControlProtocolError: ControlError(error)
        default: ControlError(.internal, "the request failed: \(ControlError.words(for: error))")
        }
    }

    private func result(of request: ControlRequest, by caller: Caller?) async throws -> JSONObject {
        switch request.method {
        case .hubInfo: return await info()
        case .grantsRequest: return try await requestGrant(request.params)
        default: break
        }
        let caller = try await authorize(request, by: caller)
        if let result = try await sessionResult(request, caller) { return result }
        if let result = try await deviceResult(request, caller) { return result }
        return try await administrationResult(request, caller)
    }

    /// Checks that the caller may make a request that needs a grant.
    ///
    /// - Returns: the caller.
    func authorize(_ request: ControlRequest, by caller: Caller?) async throws -> Caller {
        guard let requirement = request.method.requirement else {
            throw ControlError(.unimplemented, "there is no method \(request.method.rawValue)")
        }
        guard let caller else {
            throw ControlError(
                .unauthenticated, "\(request.method.rawValue) needs a grant: ask for one with grants.request",
                details: ["reason": "noGrant"])
        }
        guard await service.isValid(caller.grant) else { throw ControlError.grantRevoked }
        if case .scope(let scope) = requirement, !caller.scopes.allows(scope) {
            throw ControlError(
                .permissionDenied, "\(request.method.rawValue) needs the scope \(scope.names.joined(separator: ", "))",
                details: ["reason": "missingScope"])
        }
        if let structure = try request.params.optionalIdentifier("structure", as: StructureID.self),
            structure != caller.structure
        {
            throw ControlError(
                .permissionDenied, "the grant does not cover the structure \(structure)",
                details: ["reason": "otherStructure"])
        }
        return caller
    }

    // MARK: - Sessions

    private func sessionResult(_ request: ControlRequest, _ caller: Caller) async throws -> JSONObject? {
        let params = request.params
        switch request.method {
        case .sessionPrepare:
            let lifetime = try params.optionalInteger("lifetimeMs", as: Int64.self, in: 1_000...1_800_000)
            let (session, left) = try await service.prepare(
                by: caller, lifetime: lifetime.map { .milliseconds($0) })
            return ["session": session.json, "expiresInMs": JSONValue(left.milliseconds)]
        case .sessionCommission:
            let address = try params.optionalString("address").map { text throws(ControlError) in
                guard let address = PeerAddress(text: text) else {
                    throw ControlError(.invalidArgument, "address is not host:port or [host]:port with a numeric host")
                }
                return address
            }
            let limits = [
                request.deadlineMs,
                try params.optionalInteger("deadlineMs", in: 1...ControlRequest.maximumDeadlineMs),
            ]
            return try await service.commission(
                CommissionRequest(
                    payload: try params.string("payload", length: 1...4_096),
                    clientKey: try params.string("clientKey", length: 1...64), address: address,
                    timeLimit: limits.compactMap(\.self).min().map { .milliseconds($0) } ?? .seconds(120)),
                by: caller)
        case .sessionConfigure:
            let room = params["roomName"]?.isNull == true ? nil : try params.optionalString("roomName")
            try await service.configure(by: caller, deviceName: try params.string("deviceName"), roomName: room)
            return [:]
        case .sessionComplete:
            return try await service.complete(by: caller, clientKey: try params.string("clientKey", length: 1...64))
        case .sessionCancel:
            let force = try params.optionalBool("force") ?? false
            if force, !caller.scopes.allows(.admin) {
                throw ControlError(
                    .permissionDenied, "force needs the scope admin", details: ["reason": "missingScope"])
            }
            let (hadSession, device) = try await service.cancel(by: caller, force: force)
            return ["session": hadSession ? "cancelled" : "none", "device": .string(device.rawValue)]
        case .sessionGet: return try await service.sessionInfo(for: caller)
        default: return nil
        }
    }

    // MARK: - Devices

    private func deviceResult(_ request: ControlRequest, _ caller: Caller) async throws -> JSONObject? {
        let params = request.params
        func id() throws -> DeviceID { try params.identifier("id") }
        switch request.method {
        case .devicesList: return try await list(params, caller)
        case .devicesGet: return await service.json(of: try await service.device(try id(), for: caller))
        case .devicesRename:
            let device = try await service.rename(try id(), to: try params.string("name"), by: caller)
            return await service.json(of: device)
        case .devicesMove:
            let room: RoomID? = params["room"]?.isNull == true ? nil : try params.identifier("room")
            return await service.json(of: try await service.move(try id(), to: room, by: caller))
        case .devicesRead:
            let reports = try await service.read(try selection(params), of: try id(), by: caller)
            return ["attributes": .array(reports.map { .object($0.json) })]
        case .devicesWrite:
            let path = AttributePath(
                endpoint: EndpointID(rawValue: try params.integer("endpoint")),
                cluster: ClusterID(rawValue: try params.integer("cluster")),
                attribute: AttributeID(rawValue: try params.integer("attribute")))
            guard let json = params["value"] else { throw ControlProtocolError(.missing, path: "value") }
            let value = try AttributeValue(json: json)
            try await service.write(AttributeWrite(path: path, value: value.tlv), to: try id(), by: caller)
            return [:]
        case .devicesInvoke:
            let path = CommandPath(
                endpoint: EndpointID(rawValue: try params.integer("endpoint")),
                cluster: ClusterID(rawValue: try params.integer("cluster")),
                command: CommandID(rawValue: try params.integer("command")))
            let fields = try params["fields"].map { try AttributeValue(json: $0) } ?? .structure([:])
            let outcome = try await service.invoke(
                path, fields: fields.tlv,
                timeout: try params.optionalInteger("timedMs", as: UInt16.self, in: 1...60_000), on: try id(),
                by: caller)
            guard case .response(let command, let answer) = outcome else { return [:] }
            return ["command": JSONValue(command.rawValue), "fields": AttributeValue(answer).json]
        case .devicesOpenWindow:
            let seconds = try params.optionalInteger("timeoutSeconds", as: Int64.self, in: 180...900) ?? 300
            let window = try await service.openWindow(on: try id(), timeout: .seconds(seconds), by: caller)
            return [
                "manualCode": window.payload.manualCode.map { .string($0) },
                "qrCode": window.payload.qrCode.map { .string($0) },
                "passcode": JSONValue(window.payload.passcode.rawValue),
                "discriminator": window.payload.discriminator.long.map { JSONValue($0.rawValue) },
                "expiresInMs": JSONValue(window.timeout.milliseconds),
            ]
        case .devicesRemove:
            let (removed, orphaned) = try await service.remove(
                try id(), force: try params.optionalBool("force") ?? false, by: caller)
            return [
                "removed": .array(removed.map(\.json)),
                "orphaned": .array(orphaned.map { HubID(rawValue: $0.rawValue).json }),
            ]
        case .orphansRetry:
            try await service.retryOrphan(try nodeID(params), in: caller.structure)
            return [:]
        case .orphansForget:
            try await service.forgetOrphan(try nodeID(params), in: caller.structure)
            return [:]
        default: return nil
        }
    }

    /// Which attributes `devices.read` and `devices.subscribe` mean; an absent member is a wildcard.
    private func selection(_ params: JSONObject) throws -> AttributePath {
        AttributePath(
            endpoint: try params.optionalInteger("endpoint").map { EndpointID(rawValue: $0) },
            cluster: try params.optionalInteger("cluster").map { ClusterID(rawValue: $0) },
            attribute: try params.optionalInteger("attribute").map { AttributeID(rawValue: $0) })
    }

    /// Performs `devices.subscribe` as far as the hub is concerned; the connection numbers the feed.
    func follow(_ request: ControlRequest, by caller: Caller?) async throws -> (device: DeviceID, feed: DeviceFeed) {
        let caller = try await authorize(request, by: caller)
        let id: DeviceID = try request.params.identifier("id")
        return (id, try await service.follow(try selection(request.params), of: id, by: caller))
    }

    private func nodeID(_ params: JSONObject) throws -> NodeID {
        NodeID(rawValue: try params.identifier("id", as: HubID.self).rawValue)
    }

    /// Lists in the order of commissioning; `cursor` is the `next` of the page before.
    private func list(_ params: JSONObject, _ caller: Caller) async throws -> JSONObject {
        let limit = try params.optionalInteger("limit", as: Int.self, in: 1...1_000) ?? 200
        let start = try params.optionalString("cursor").map { text throws(ControlProtocolError) in
            guard let place = ListPlace(text: text) else {
                throw ControlProtocolError(.wrongType, path: "cursor", reason: "the next of an earlier answer")
            }
            return place
        }
        let state = await service.ledger.state
        if try params.optionalBool("orphans") ?? false {
            let orphans = state.nodes(of: caller.structure, in: [.orphan])
            let (page, next) = ListPlace.page(of: orphans, after: start, limit) {
                ListPlace(time: $0.createdAt.rawValue, id: $0.id.rawValue)
            }
            return ["devices": .array(page.map { .object($0.orphanJSON) }), "next": next.map { .string($0.text) }]
        }
        let (page, next) = ListPlace.page(of: state.devices(of: caller.structure), after: start, limit) {
            ListPlace(time: $0.commissionedAt.rawValue, id: $0.id.rawValue)
        }
        var devices: [JSONValue] = []
        for device in page { devices.append(.object(await service.json(of: device))) }
        return ["devices": .array(devices), "next": next.map { .string($0.text) }]
    }

    // MARK: - Administration

    private func administrationResult(_ request: ControlRequest, _ caller: Caller) async throws -> JSONObject {
        let params = request.params
        switch request.method {
        case .structuresList:
            let home = await service.ledger.state.structures[caller.structure]
            return ["structures": .array(home.map { [["id": $0.id.json, "name": .string($0.name)]] } ?? [])]
        case .roomsList:
            let rooms = await service.ledger.state.rooms(of: caller.structure)
            return ["rooms": .array(rooms.map { ["id": $0.id.json, "name": .string($0.name)] })]
        case .roomsCreate:
            let room = try await service.createRoom(named: try params.string("name"), by: caller)
            return ["id": room.id.json, "name": .string(room.name)]
        case .roomsRename:
            let room = try await service.renameRoom(
                try params.identifier("id"), to: try params.string("name"), by: caller)
            return ["id": room.id.json, "name": .string(room.name)]
        case .roomsDelete:
            try await service.deleteRoom(try params.identifier("id"), by: caller)
            return [:]
        case .hubSetReachable:
            let reachable = try params.bool("reachable")
            await service.setReachable(reachable)
            return ["reachable": .bool(reachable)]
        case .grantsList: return await grants(of: caller.structure)
        case .grantsApprove, .grantsDeny:
            try await service.decideGrant(
                try params.identifier("id"), approved: request.method == .grantsApprove, in: caller.structure)
            return [:]
        case .grantsCreate:
            let (app, scopes) = try identity(params)
            let token = try await service.createGrant(app: app, structure: caller.structure, scopes: scopes)
            return ["grant": .string(token.text), "grantId": token.id.json]
        case .grantsRevoke:
            try await service.revokeGrant(try params.identifier("id"), in: caller.structure)
            return [:]
        case .faultsList, .faultsSet: return try faults(request)
        default:
            throw ControlError(.unimplemented, "there is no method \(request.method.rawValue)")
        }
    }

    /// What the hub does wrong on purpose.
    private func faults(_ request: ControlRequest) throws -> JSONObject {
        let faults = service.environment.faults
        if request.method == .faultsSet {
            guard faults.isAllowed else {
                throw ControlError(
                    .failedPrecondition, "the hub was not started with --allow-faults",
                    details: ["reason": "faultsNotAllowed"])
            }
            let texts = try request.params.strings("rules")
            guard texts.count <= HubFaults.limit else {
                throw ControlError(.invalidArgument, "rules has at most \(HubFaults.limit) faults")
            }
            faults.set(try texts.map { try HubFaultRule($0) })
        }
        return [
            "faults": .array(
                faults.list.map { ["rule": .string("\($0.rule)"), "met": JSONValue($0.met)] })
        ]
    }

    private func info() async -> JSONObject {
        let state = await service.ledger.state
        return [
            "id": state.hub?.json, "name": .string(name), "version": .string(version),
            "reachable": .bool(await service.isReachable),
        ]
    }

    private func requestGrant(_ params: JSONObject) async throws -> JSONObject {
        let (app, scopes) = try identity(params)
        let structure = try params.optionalIdentifier("structure", as: StructureID.self) ?? defaultStructure
        let token = try await service.requestGrant(
            app: app, appName: try params.optionalString("appName", length: 0...128).map(cleaned), structure: structure,
            scopes: scopes)
        return [
            "grant": .string(token.text), "grantId": token.id.json, "structure": structure.json,
            "scopes": .array(scopes.names.map { .string($0) }),
        ]
    }

    private func identity(_ params: JSONObject) throws -> (AppIdentity, GrantScopes) {
        guard let scopes = GrantScopes(names: try params.strings("scopes")), !scopes.isEmpty else {
            throw ControlProtocolError(.wrongType, path: "scopes", reason: "a list of known scopes, not empty")
        }
        return (
            AppIdentity(appID: try identifier("appId", params), appGroup: try identifier("appGroup", params)), scopes
        )
    }

    /// What an app calls itself or its group: it is shown to whoever decides on its grant, so it must be what it looks like.
    private func identifier(_ name: String, _ params: JSONObject) throws -> String {
        let text = try params.string(name, length: 1...256)
        guard !text.unicodeScalars.contains(where: \.isForbiddenInNames) else {
            throw ControlProtocolError(.wrongType, path: name, reason: "a text without control characters")
        }
        return text
    }

    /// A name for people, without what could pass for something else on their screen.
    private func cleaned(_ text: String) -> String { DisplayName(cleaning: text)?.text ?? "" }

    private func grants(of structure: StructureID) async -> JSONObject {
        let records = await service.ledger.state.grants.values.filter { $0.structure == structure }
            .sorted { ($0.createdAt.rawValue, $0.id.rawValue) < ($1.createdAt.rawValue, $1.id.rawValue) }
        let pending = await service.pendingGrants.filter { $0.structure == structure }
        return [
            "grants": .array(
                records.map { record in
                    [
                        "id": record.id.json, "appId": .string(record.app.appID),
                        "appGroup": .string(record.app.appGroup), "structure": record.structure.json,
                        "scopes": .array(record.scopes.names.map { .string($0) }),
                        "createdAt": JSONValue(record.createdAt.unixSeconds), "revoked": .bool(record.isRevoked),
                    ]
                }),
            "pending": .array(
                pending.map { request in
                    [
                        "id": request.id.json, "appId": .string(request.app.appID),
                        "appGroup": .string(request.app.appGroup), "appName": request.appName.map { .string($0) },
                        "scopes": .array(request.scopes.names.map { .string($0) }),
                    ]
                }),
        ]
    }
}
