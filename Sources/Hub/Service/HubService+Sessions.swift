package import HubControl
import MatterWire
import NetIO

extension HubService {
    /// Opens a commissioning session (Protocols/commissioning-session.md). Permission was checked by the caller.
    ///
    /// - Returns: the session and its time left.
    package func prepare(
        by caller: Caller, lifetime: Duration?
    ) async throws(ControlError) -> (session: CommissioningSessionID, expiresIn: Duration) {
        guard isReachable else { throw .offline }
        guard runtimes[caller.structure] != nil else { throw .noStructure(caller.structure) }
        let id = CommissioningSessionID(rawValue: environment.random.next())
        let now = environment.now
        let superseded: EndedSession?
        do throws(SessionRefusal) {
            superseded = try runtimes[caller.structure]!.machine.prepare(
                id: id, owner: caller.app, lifetime: lifetime, now: now)
        } catch {
            throw ControlError(error)
        }
        if runtimes[caller.structure]?.connections[caller.app] == nil {
            runtimes[caller.structure]?.machine.ownerDisconnected(caller.app, now: now)
        }
        armTimer()
        let expires = runtimes[caller.structure]?.machine.session?.expiresAt ?? now
        emit("session.prepared", ["session": id.json, "appId": .string(caller.app.appID)], in: caller.structure)
        if let superseded { beginFinish(superseded, in: caller.structure) }
        return (id, now.duration(to: expires))
    }

    /// Cancels the caller's session, or anyone's with `force`. Idempotent; answers within 1 s.
    ///
    /// - Returns: whether there was a session, and what is left on a device that was being commissioned.
    package func cancel(
        by caller: Caller, force: Bool
    ) async throws(ControlError) -> (hadSession: Bool, device: DeviceCondition) {
        guard runtimes[caller.structure] != nil else { throw .noStructure(caller.structure) }
        let ended: EndedSession?
        do throws(SessionRefusal) {
            ended = try runtimes[caller.structure]!.machine.cancel(by: caller.app, force: force)
        } catch {
            throw ControlError(error)
        }
        guard let ended else { return (false, .untouched) }
        return (true, await finish(ended, in: caller.structure))
    }

    /// The session as its owner sees it, in JSON form; `nil` without one.
    package func sessionInfo(for caller: Caller) async throws(ControlError) -> JSONObject {
        guard let runtime = runtimes[caller.structure] else { throw .noStructure(caller.structure) }
        guard let session = runtime.machine.session else {
            throw ControlError(.notFound, "there is no commissioning session", details: ["reason": "noSession"])
        }
        let now = environment.now
        let provisional = await provisionalDevices(session.provisional, in: caller.structure)
        return [
            "session": session.id.json,
            "state": .string(runtime.running == nil ? "prepared" : "commissioning"),
            "owner": ["appId": .string(session.owner.appID), "appGroup": .string(session.owner.appGroup)],
            "startedMsAgo": JSONValue(session.startedAt.duration(to: now).milliseconds),
            "expiresInMs": JSONValue(now.duration(to: session.expiresAt).milliseconds),
            "stage": runtime.running.map { .string($0.stage) },
            "provisional": .array(provisional),
            "lastError": session.lastError.map { .string($0) },
        ]
    }

    private func provisionalDevices(_ nodes: [NodeID], in structure: StructureID) async -> [JSONValue] {
        let state = await ledger.state
        return nodes.compactMap { state.nodes[.init(structure, $0)] }.map { node in
            .object([
                "nodeId": .string(HubID(rawValue: node.id.rawValue).text),
                "vendorId": JSONValue(node.info.vendorID), "productId": JSONValue(node.info.productID),
                "productName": .string(node.info.productName),
                "name": node.info.pendingName.map { .string($0) },
            ])
        }
    }

    /// Ends the session of an app whose permission is gone.
    func permissionRevoked(_ app: AppIdentity, in structure: StructureID) async {
        guard let ended = runtimes[structure]?.machine.grantRevoked(app) else { return }
        _ = await finish(ended, in: structure)
    }

    // MARK: - Ends

    /// Like ``finish(_:in:)``, without waiting for the running commission.
    func beginFinish(_ ended: EndedSession, in structure: StructureID) {
        if let running = runtimes[structure]?.running, running.ticket == ended.running { running.task.cancel() }
        removeProvisional(of: ended, in: structure)
    }

    /// Stops what an ended session left running and removes its provisional devices in the background.
    ///
    /// - Returns: what is left on the device that was being commissioned, or on the provisional ones.
    func finish(_ ended: EndedSession, in structure: StructureID) async -> DeviceCondition {
        armTimer()
        removeProvisional(of: ended, in: structure)
        let rest: DeviceCondition = ended.session.provisional.isEmpty ? .untouched : .cleaning
        guard let ticket = ended.running, let running = runtimes[structure]?.running, running.ticket == ticket else {
            return rest
        }
        running.task.cancel()
        let (outcome, continuation) = AsyncStream<DeviceCondition>.makeStream(bufferingPolicy: .bufferingOldest(1))
        runtimes[structure]?.running?.waiters.append(continuation)
        let limit = Task { [clock = environment.clock, patience = environment.cancelPatience] in
            // Cancelled when the outcome came first.
            try? await clock.sleep(until: clock.now + patience)
            continuation.finish()
        }
        defer { limit.cancel() }
        for await condition in outcome { return condition == .untouched ? rest : condition }
        let stage = runtimes[structure]?.running?.stage ?? running.stage
        return stage == CommissionStageName.complete ? .unknown : .cleaning
    }

    private func removeProvisional(of ended: EndedSession, in structure: StructureID) {
        emit(
            "session.ended", ["session": ended.session.id.json, "reason": .string(ended.reason.rawValue)],
            in: structure)
        for node in ended.session.provisional { startCleaning(node, in: structure, payload: nil, after: .zero) }
    }
}

/// Stage names that the hub itself looks at (Protocols/commissioning-session.md).
enum CommissionStageName {
    static let discover = "discover"
    static let complete = "complete"
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension ControlError {
    static let offline = ControlError(
        .unavailable, "the hub is offline", details: ["reason": "hubOffline"],
        suggestedUserActions: [.checkHubAvailability, .checkWifiNetwork])

    /// Why a session refuses a request.
    init(_ refusal: SessionRefusal) {
        var details: JSONObject = ["reason": .string(refusal.reason.rawValue)]
        var message: String
        switch refusal.reason {
        case .noSession: message = "there is no commissioning session: call prepare first"
        case .sessionActive:
            message = "another app holds the commissioning session"
            if let holder = refusal.heldBy { message += " (\(holder.appID))" }
        case .notOwner: message = "the commissioning session belongs to another app"
        case .commissionRunning: message = "a device is being commissioned in this session"
        case .nothingCommissioned: message = "no device was commissioned in this session"
        }
        if let holder = refusal.heldBy {
            details["heldBy"] = ["appId": .string(holder.appID), "appGroup": .string(holder.appGroup)]
        }
        if let since = refusal.heldFor { details["sinceMsAgo"] = JSONValue(since.milliseconds) }
        if let left = refusal.expiresIn { details["expiresInMs"] = JSONValue(left.milliseconds) }
        self.init(
            .failedPrecondition, message, details: details,
            retryAfterMs: refusal.expiresIn.map { max(0, $0.milliseconds) },
            suggestedUserActions: refusal.reason == .sessionActive ? [.tryAgainLater] : [])
    }
}
