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
            throw refused(error)
        }
        if !isConnected(caller.app, in: caller.structure) {
            runtimes[caller.structure]?.machine.ownerDisconnected(caller.app, now: now)
        }
        if let superseded { stop(superseded, in: caller.structure) }
        armTimer()
        let expires = runtimes[caller.structure]?.machine.session?.expiresAt ?? now
        emit("session.prepared", ["session": id.json, "appId": .string(caller.app.appID)], in: caller.structure)
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
            throw refused(error)
        }
        guard let ended else { return (false, .untouched) }
        return (true, await finish(ended, in: caller.structure))
    }

    /// The session as its owner, or an administrator, sees it, in JSON form.
    ///
    /// - Throws: `notFound` without one, `failedPrecondition` `notOwner` for another app.
    package func sessionInfo(for caller: Caller) async throws(ControlError) -> JSONObject {
        guard let runtime = runtimes[caller.structure] else { throw .noStructure(caller.structure) }
        guard let session = runtime.machine.session else {
            throw ControlError(.notFound, "there is no commissioning session", details: ["reason": "noSession"])
        }
        guard session.owner == caller.app || caller.scopes.allows(.admin) else {
            throw refused(SessionRefusal(reason: .notOwner, heldBy: session.owner))
        }
        let now = environment.now
        let provisional = await provisionalDevices(session.provisional, in: caller.structure)
        return [
            "session": session.id.json,
            "state": .string(runtime.machine.running == nil ? "prepared" : "commissioning"),
            "owner": ["appId": .string(session.owner.appID), "appGroup": .string(session.owner.appGroup)],
            "startedAt": JSONValue(unixSeconds(ago: session.startedAt.duration(to: now))),
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
                "provisionalId": .string(HubID(rawValue: node.id.rawValue).text),
                "vendorId": JSONValue(node.info.vendorID), "productId": JSONValue(node.info.productID),
                "productName": .string(node.info.productName),
                "name": node.info.pendingName.map { .string($0) },
            ])
        }
    }

    /// Ends the session of an app that may not commission any more.
    func endIfPermissionIsGone(_ app: AppIdentity, in structure: StructureID) async {
        let isAllowed = await ledger.state.grants.values.contains { grant in
            !grant.isRevoked && grant.app == app && grant.structure == structure && grant.scopes.allows(.commissioning)
        }
        guard !isAllowed, let ended = runtimes[structure]?.machine.grantRevoked(app) else { return }
        stop(ended, in: structure)
    }

    // MARK: - Ends

    /// Stops what an ended session left running and begins to remove its provisional devices; waits for neither.
    ///
    /// - Returns: the commission that was stopped, if one ran.
    @discardableResult func stop(_ ended: EndedSession, in structure: StructureID) -> RunningCommission? {
        armTimer()
        emit(
            "session.ended", ["session": ended.session.id.json, "reason": .string(ended.reason.rawValue)],
            in: structure)
        for node in ended.session.provisional {
            let payload = runtimes[structure]?.provisional[node]?.payload
            startCleaning(node, in: structure, payload: payload, after: .zero)
        }
        guard let ticket = ended.running, let running = runtimes[structure]?.commissions[ticket] else { return nil }
        running.task.cancel()
        return running
    }

    /// Like ``stop(_:in:)``; waits for the stopped commission, at most the patience.
    ///
    /// - Returns: what is left on the device that was being commissioned, or on the provisional ones.
    private func finish(_ ended: EndedSession, in structure: StructureID) async -> DeviceCondition {
        let rest: DeviceCondition = ended.session.provisional.isEmpty ? .untouched : .cleaning
        guard let running = stop(ended, in: structure) else { return rest }
        let (outcome, continuation) = AsyncStream<DeviceCondition>.makeStream(bufferingPolicy: .bufferingOldest(1))
        runtimes[structure]?.commissions[running.ticket]?.waiters.append(continuation)
        let deadline = environment.clock.now + environment.cancelPatience
        let limit = Task { [clock = environment.clock] in
            // Cancelled when the outcome came first.
            try? await clock.sleep(until: deadline)
            continuation.finish()
        }
        defer { limit.cancel() }
        for await condition in outcome { return condition == .untouched ? rest : condition }
        let stage = runtimes[structure]?.commissions[running.ticket]?.stage ?? running.stage
        if CommissionStageName.untouching.contains(stage) { return rest }
        return stage == CommissionStageName.complete ? .unknown : .cleaning
    }

    // MARK: - Refusals

    /// Why a session refuses a request.
    func refused(_ refusal: SessionRefusal) -> ControlError {
        var details: JSONObject = ["reason": .string(refusal.reason.rawValue)]
        var message: String
        switch refusal.reason {
        case .noSession: message = "there is no commissioning session: call prepare first"
        case .sessionActive:
            message = "another app holds the commissioning session"
            if let holder = refusal.heldBy { message += " (\(holder.appID))" }
            if let left = refusal.expiresIn { message += "; it ends within \(left.components.seconds + 1) s" }
        case .notOwner:
            message = "the commissioning session belongs to another app"
            if let holder = refusal.heldBy { message += " (\(holder.appID))" }
        case .commissionRunning: message = "a device is being commissioned in this session: wait for it, or cancel"
        case .nothingCommissioned: message = "no device was commissioned in this session"
        }
        if let holder = refusal.heldBy {
            details["heldBy"] = ["appId": .string(holder.appID), "appGroup": .string(holder.appGroup)]
        }
        if let held = refusal.heldFor { details["since"] = JSONValue(unixSeconds(ago: held)) }
        if let left = refusal.expiresIn { details["expiresInMs"] = JSONValue(left.milliseconds) }
        return ControlError(
            .failedPrecondition, message, details: details,
            retryAfterMs: refusal.expiresIn.map { max(0, $0.milliseconds) },
            suggestedUserActions: refusal.reason == .sessionActive ? [.tryAgainLater] : [])
    }

    /// The wall-clock time, in seconds since 1970, of what happened so long ago.
    private func unixSeconds(ago elapsed: Duration) -> Int64 {
        environment.wallClock().unixSeconds - elapsed.components.seconds
    }
}

/// Stage names that the hub itself looks at (Protocols/commissioning-session.md).
enum CommissionStageName {
    static let discover = "discover"
    static let complete = "complete"
    /// Those in which nothing is sent that changes the device.
    static let untouching: Set<String> = [discover, "pase", "readInfo"]
}

extension Duration {
    /// Whole milliseconds, rounded down.
    var milliseconds: Int64 { components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000 }
}

extension ControlError {
    static let offline = ControlError(
        .unavailable, "the hub is offline", details: ["reason": "hubOffline"],
        suggestedUserActions: [.checkHubAvailability, .checkWifiNetwork])
}
