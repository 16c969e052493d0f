package import HubControl
import MatterWire

extension HubService {
    /// Names the device that the caller's session commissioned last; all or nothing.
    ///
    /// - Parameter roomName: a room's display name, see ``HubState/room(named:in:)``; `nil` or blank for no room.
    package func configure(
        by caller: Caller, deviceName: String, roomName: String?
    ) async throws(ControlError) {
        guard let runtime = runtimes[caller.structure] else { throw .noStructure(caller.structure) }
        let node: NodeID
        do throws(SessionRefusal) {
            node = try runtime.machine.configurable(by: caller.app)
        } catch {
            throw refused(error)
        }
        let name = try displayName(deviceName)
        let isBlank = roomName?.allSatisfy(\.isWhitespace) ?? true
        let room = try (isBlank ? nil : roomName).map { text throws(ControlError) in try displayName(text) }
        try await change { state in
            guard var record = state.nodes[.init(caller.structure, node)] else { throw ControlError.sessionEnded }
            record.info.pendingName = name.text
            record.info.pendingRoom = try room.map { room in
                guard let found = state.room(named: room, in: caller.structure) else {
                    throw ControlError(
                        .notFound, "there is no room named \(room.text)", details: ["reason": "noRoom"])
                }
                return found.id
            }
            return ([.putNode(record)], ())
        }
    }

    /// Makes the session's provisional devices devices, in one transaction, and ends the session.
    ///
    /// - Returns: the result member; a repeat of the client key gets the first one.
    package func complete(by caller: Caller, clientKey: String) async throws(ControlError) -> JSONObject {
        guard runtimes[caller.structure] != nil else { throw .noStructure(caller.structure) }
        let key = HubState.AnswerKey(
            structure: caller.structure, app: caller.app, method: ControlMethod.sessionComplete.rawValue,
            clientKey: clientKey)
        if let answer = await givenAnswer(key) { return try answer.get() }
        let session: ActiveSession
        do throws(SessionRefusal) {
            session = try runtimes[caller.structure]!.machine.complete(by: caller.app)
        } catch {
            throw refused(error)
        }
        let task = Task {
            let answer = await self.makeDevices(of: session, key: key)
            self.answered(key)
            return answer
        }
        inFlight[key] = task
        return try await task.value.get()
    }

    private func makeDevices(of session: ActiveSession, key: HubState.AnswerKey) async -> StoredAnswer {
        let structure = key.structure
        let replaced = session.provisional.reduce(into: [:]) { replaced, node in
            replaced[node] = runtimes[structure]?.provisional[node]?.replaces
        }
        do throws(ControlError) {
            let surplus = recentAnswers.surplus(beside: key)
            let (devices, gone) = try await change { [environment] state in
                var (changes, result) = try Self.completion(
                    of: session, replacing: replaced, in: key.structure, of: state, environment)
                changes += Self.answerChanges(
                    Self.answer(result.added), key: key, at: environment.wallClock(), surplus: surplus)
                return (changes, result)
            }
            for node in session.provisional { runtimes[structure]?.provisional[node] = nil }
            emit(
                "session.ended",
                ["session": session.id.json, "reason": .string(SessionEndReason.completed.rawValue)], in: structure)
            for device in gone { emit("device.removed", ["id": device.json], in: structure) }
            for device in devices { emit("device.added", ["id": device.json], in: structure) }
            armTimer()
            let answer = Self.answer(devices)
            remember(answer, key: key)
            return answer
        } catch {
            await bringBack(session, in: structure)
            return .error(error)
        }
    }

    private static func answer(_ devices: [DeviceID]) -> StoredAnswer {
        .result(["deviceIds": .array(devices.map(\.json))])
    }

    /// What completing a session changes, and the ids of the devices that come and go.
    ///
    /// - Parameter replaced: the nodes that a provisional one was before it was reset. A device that was at the same
    ///   endpoint gives its name and its room on, unless `configure` said something else.
    private static func completion(
        of session: ActiveSession, replacing replaced: [NodeID: [NodeID]], in structure: StructureID,
        of state: HubState, _ environment: HubEnvironment
    ) throws -> (changes: [StoreChange], result: (added: [DeviceID], removed: [DeviceID])) {
        let now = environment.wallClock()
        var devices: [DeviceRecord] = []
        var changes: [StoreChange] = []
        var gone: [DeviceID] = []
        for node in Set(replaced.values.joined()) where state.nodes[.init(structure, node)]?.state == .commissioned {
            gone += state.devices(of: structure).filter { $0.node == node }.map(\.id)
            changes.append(.deleteNode(node, of: structure))
        }
        for node in session.provisional {
            guard var record = state.nodes[.init(structure, node)] else { continue }
            let origin = record.info
            record.state = .commissioned
            record.session = nil
            record.info.pendingName = nil
            record.info.pendingRoom = nil
            changes.append(.putNode(record))
            // A room that was deleted meanwhile is none.
            let room = origin.pendingRoom.flatMap { state.rooms[$0] == nil ? nil : $0 }
            let before = state.devices(of: structure).filter { replaced[node]?.contains($0.node) == true }
            for endpoint in origin.deviceEndpoints {
                let former = origin.pendingName == nil ? before.last { $0.endpoint.endpoint == endpoint.endpoint } : nil
                let id = state.unusedDeviceID(random: environment.random, except: Set(devices.map(\.id)))
                devices.append(
                    DeviceRecord(
                        id: id, structure: structure, node: node, endpoint: endpoint,
                        name: former?.name ?? origin.name(of: endpoint), room: former.map(\.room) ?? room,
                        commissionedAt: now))
            }
        }
        changes += devices.map { .putDevice($0) }
        return (changes, (devices.map(\.id), gone))
    }

    /// Gives a session back whose completion could not be stored, as far as it may still stand.
    private func bringBack(_ session: ActiveSession, in structure: StructureID) async {
        guard runtimes[structure]?.machine.restore(session) == true else {
            // Another session began meanwhile: this one is over, like a superseded one.
            stop(EndedSession(session: session, reason: .superseded, running: nil), in: structure)
            return
        }
        if isConnected(session.owner, in: structure) {
            runtimes[structure]?.machine.ownerConnected(session.owner)
        } else {
            runtimes[structure]?.machine.ownerDisconnected(session.owner, now: environment.now)
        }
        armTimer()
        await endIfPermissionIsGone(session.owner, in: structure)
    }

    // MARK: - Changes

    /// Changes the ledger; every error becomes one of the control protocol.
    func change<Result: Sendable>(
        _ body: @Sendable (HubState) throws -> (changes: [StoreChange], result: Result)
    ) async throws(ControlError) -> Result {
        do {
            return try await ledger.change(body)
        } catch let error as ControlError {
            throw error
        } catch {
            throw .storage(error)
        }
    }

    func displayName(_ text: String) throws(ControlError) -> DisplayName {
        do throws(DisplayNameError) {
            return try DisplayName(text)
        } catch {
            var details: JSONObject = ["reason": "badName"]
            if case .forbiddenCharacter(let scalar) = error.code { details["character"] = .string(scalar.plainName) }
            throw ControlError(.invalidArgument, "\(error)", details: details)
        }
    }
}

extension NodeInfo {
    /// The endpoints that become devices: bridged ones and the node's own, or the root when there are none.
    var deviceEndpoints: [EndpointInfo] {
        endpoints.isEmpty
            ? [EndpointInfo(endpoint: .root, deviceTypes: [], isBridged: false, label: "")] : endpoints
    }

    /// What a device is called: what `configure` asked for, its own label, or its product's name.
    func name(of endpoint: EndpointInfo) -> String {
        if endpoint.isBridged, let label = DisplayName(cleaning: endpoint.label) { return label.text }
        if let pendingName { return pendingName }
        return DisplayName(cleaning: productName)?.text ?? "Matter device"
    }
}
