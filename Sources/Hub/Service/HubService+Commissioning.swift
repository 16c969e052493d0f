package import HubControl
import MatterNode
package import MatterWire

/// What `session.commission` asks for.
package struct CommissionRequest: Hashable, Sendable {
    /// The QR or manual code as the app gave it.
    package var payload: String
    /// Makes the request repeatable, 1 … 64 characters.
    package var clientKey: String
    package var address: PeerAddress?
    /// For the whole commission.
    package var timeLimit: Duration
    package init(payload: String, clientKey: String, address: PeerAddress? = nil, timeLimit: Duration = .seconds(120)) {
        self.payload = payload
        self.clientKey = clientKey
        self.address = address
        self.timeLimit = timeLimit
    }
}

extension HubService {
    /// How long an answer is kept for a repeat of its client key.
    static let answerLifetime: Int64 = 600

    /// Commissions a device in the caller's session. A repeat of the client key gets the first answer.
    ///
    /// Cancelling the calling task, or that of a repeat, stops the commission; a lost connection must not.
    package func commission(_ request: CommissionRequest, by caller: Caller) async throws(ControlError) -> JSONObject {
        guard runtimes[caller.structure] != nil else { throw .noStructure(caller.structure) }
        let key = HubState.AnswerKey(
            structure: caller.structure, app: caller.app, method: ControlMethod.sessionCommission.rawValue,
            clientKey: request.clientKey)
        if let answer = await givenAnswer(key) { return try answer.get() }
        guard isReachable else { throw .offline }
        let ticket: CommissionTicket
        do throws(SessionRefusal) {
            ticket = try runtimes[caller.structure]!.machine.beginCommission(by: caller.app)
        } catch {
            throw refused(error)
        }
        let payload: OnboardingPayload
        do throws(ControlError) {
            payload = try parse(request.payload)
        } catch {
            _ = runtimes[caller.structure]?.machine.commissionFailed(
                ticket, message: error.message, now: environment.now)
            armTimer()
            throw error
        }
        let task = Task {
            await self.runCommission(request, payload: payload, ticket: ticket, key: key)
        }
        inFlight[key] = task
        runtimes[caller.structure]?.commissions[ticket] = RunningCommission(
            ticket: ticket, payload: payload, task: task, stage: CommissionStageName.discover)
        return try await stoppable(task).get()
    }

    /// Waits for a running request; cancelling the waiting task stops it.
    private func stoppable(_ task: Task<StoredAnswer, Never>) async -> StoredAnswer {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func parse(_ text: String) throws(ControlError) -> OnboardingPayload {
        do throws(OnboardingPayloadError) {
            return try ParsedOnboardingPayload(text, blanks: .ignored).validated()
        } catch {
            throw ControlError(
                .invalidArgument, "the onboarding payload is not valid: \(error.message)",
                details: [
                    "reason": "invalidPayload",
                    "payload": [
                        "code": .string(error.code.rawValue), "message": .string(error.message),
                        "offset": error.offset.map { JSONValue($0) },
                    ],
                ])
        }
    }

    // MARK: - Running

    private func runCommission(
        _ request: CommissionRequest, payload: OnboardingPayload, ticket: CommissionTicket, key: HubState.AnswerKey
    ) async -> StoredAnswer {
        let (answer, condition) = await outcome(of: request, payload: payload, ticket: ticket, key: key)
        answered(key)
        let ended = runtimes[key.structure]?.commissions.removeValue(forKey: ticket)
        for waiter in ended?.waiters ?? [] {
            waiter.yield(condition)
            waiter.finish()
        }
        runtimes[key.structure]?.signalSettled()
        armTimer()
        return answer
    }

    /// - Returns: the answer, and what was left on the device.
    private func outcome(
        of request: CommissionRequest, payload: OnboardingPayload, ticket: CommissionTicket, key: HubState.AnswerKey
    ) async -> (StoredAnswer, DeviceCondition) {
        let structure = key.structure
        let start = environment.now
        let deadline = start.advanced(by: request.timeLimit)
        do throws(ControlError) {
            try await waitUntilClean(payload, for: ticket, until: deadline, in: structure)
        } catch {
            // Nothing was begun: a repeat of the key is a new try.
            return (failed(error, ticket, in: structure), .untouched)
        }
        let node = await ledger.state.unusedNodeID(in: structure, random: environment.random)
        guard let matter = runtimes[structure]?.matter, let session = runtimes[structure]?.machine.session?.id,
            runtimes[structure]?.machine.running == ticket
        else { return (.error(.sessionEnded), .untouched) }
        let observer = StageRelay(service: self, structure: structure, session: session, ticket: ticket, node: node)
        let order = CommissionOrder(
            payload: payload, node: node, address: request.address, timeLimit: environment.now.duration(to: deadline))
        var answer: StoredAnswer
        var condition = DeviceCondition.clean
        do {
            let commissioned = try await matter.commission(order, observer: observer)
            await observer.close()
            let kept = KeptCommission(
                node: commissioned, payload: payload, session: session, ticket: ticket, stages: await observer.stages,
                start: start)
            answer = await keep(kept, key: key)
            if case .error = answer { condition = .cleaning }
        } catch {
            await observer.close()
            let failure = error as? CommissionFailure ?? .unexpected(error)
            condition = failure.condition
            answer = failed(await naming(failure.error, in: structure), ticket, in: structure)
            await clean(failure, node: node, payload: payload, in: structure)
        }
        // A stop by the hub says nothing of the device: a repeat of the key is a new try.
        if case .error = answer, runtimes[structure]?.commissions[ticket]?.stopReason == nil {
            await store(answer, key: key)
        }
        return (answer, condition)
    }

    /// An error that names a node of the home also names its devices, which is what people know.
    private func naming(_ error: ControlError, in structure: StructureID) async -> ControlError {
        guard let id = error.details?["existingNode"]?.string.flatMap({ HubID(text: $0) }) else { return error }
        let state = await ledger.state
        let devices = state.devices(of: structure).filter { $0.node.rawValue == id.rawValue }
        guard !devices.isEmpty else { return error }
        var error = error
        error.message += ": " + devices.map { "“\($0.name)” (\($0.id))" }.joined(separator: ", ")
        error.details?["devices"] = .array(devices.map { ["id": $0.id.json, "name": .string($0.name)] })
        return error
    }

    /// Tells the session that its commission failed.
    ///
    /// - Returns: what to answer: for a late failure, that the session ended.
    private func failed(_ error: ControlError, _ ticket: CommissionTicket, in structure: StructureID) -> StoredAnswer {
        var error = error
        if error.code == .cancelled, let reason = runtimes[structure]?.commissions[ticket]?.stopReason {
            error = reason
        }
        let isOurs =
            runtimes[structure]?.machine.commissionFailed(ticket, message: error.message, now: environment.now) ?? false
        return .error(isOurs ? error : .sessionEnded)
    }

    /// Makes a commissioned node provisional, durably, together with the answer.
    private func keep(_ kept: KeptCommission, key: HubState.AnswerKey) async -> StoredAnswer {
        let structure = key.structure
        let commissioned = kept.node
        func drop() {
            startCleaning(commissioned.node, in: structure, payload: kept.payload, after: .zero)
        }
        let stale = await staleNodes(replacedBy: commissioned, in: structure)
        guard runtimes[structure]?.machine.running == kept.ticket else {
            drop()
            return .error(.sessionEnded)
        }
        let result = kept.result(stale: stale, now: environment.now)
        let record = NodeRecord(
            id: commissioned.node, structure: structure, state: .provisional, session: kept.session,
            address: commissioned.address, stage: CommissionStageName.complete, failSafeEnds: nil,
            info: commissioned.info, createdAt: environment.wallClock())
        let answer = StoredAnswer.result(result)
        let answered = Self.answerChanges(
            answer, key: key, at: environment.wallClock(), surplus: recentAnswers.surplus(beside: key))
        do throws(ControlError) {
            try await change { state in
                var changes: [StoreChange] = [.putNode(record)]
                if let old = commissioned.replaced, state.nodes[.init(structure, old)]?.state == .orphan {
                    // The device itself said that it was this node, and has forgotten it.
                    changes.append(.deleteNode(old, of: structure))
                }
                return (changes + answered, ())
            }
        } catch {
            drop()
            var error = error
            error.stage = error.stage ?? CommissionStageName.complete
            return failed(error, kept.ticket, in: structure)
        }
        remember(answer, key: key)
        guard
            runtimes[structure]?.machine.commissionSucceeded(
                kept.ticket, node: commissioned.node, now: environment.now) == true
        else {
            // The session ended while the device was being stored: it goes again.
            drop()
            return .error(.sessionEnded)
        }
        runtimes[structure]?.provisional[commissioned.node] = ProvisionalDevice(
            payload: kept.payload, replaces: stale.map(\.id))
        return .result(result)
    }

    /// Devices of the list that turn out to be the new one before it was reset.
    ///
    /// The same maker, product and serial number, or address, say that it may be one; that the old node does not exist
    /// any more where it was makes it one. A silent one counts only when serial number and host are the same.
    private func staleNodes(replacedBy new: CommissionedNode, in structure: StructureID) async -> [NodeRecord] {
        guard let matter = runtimes[structure]?.matter else { return [] }
        var stale: [NodeRecord] = []
        for old in await ledger.state.nodes(of: structure, in: [.commissioned])
        where old.info.vendorID == new.info.vendorID && old.info.productID == new.info.productID {
            let sameSerial = !old.info.serialNumber.isEmpty && old.info.serialNumber == new.info.serialNumber
            guard sameSerial || old.address == new.address else { continue }
            switch await matter.presence(of: old.id, address: old.address) {
            case .onFabric: continue
            case .notOnFabric: stale.append(old)
            case .unreachable:
                if sameSerial, PeerAddress(text: old.address)?.ip == PeerAddress(text: new.address)?.ip {
                    stale.append(old)
                }
            }
        }
        return stale
    }

    /// Settles what a failed commission left: nothing, or a node that must be cleaned.
    private func clean(
        _ failure: CommissionFailure, node: NodeID, payload: OnboardingPayload, in structure: StructureID
    ) async {
        switch failure.condition {
        case .untouched, .clean:
            // A store that fails once must not leave a row until the next start.
            if await !forget(node, in: structure) { startCleaning(node, in: structure, payload: nil, after: .zero) }
        case .cleaning, .unknown:
            startCleaning(node, in: structure, payload: payload, after: failure.failSafeLeft ?? .zero)
        }
    }

    // MARK: - Stages

    /// The relay's stage began. A stopped commission's stages are no events any more.
    func stageBegan(_ event: JSONObject, stage: String, ticket: CommissionTicket, in structure: StructureID) async {
        runtimes[structure]?.commissions[ticket]?.stage = stage
        guard runtimes[structure]?.machine.running == ticket else { return }
        runtimes[structure]?.machine.stageFinished(ticket, now: environment.now)
        armTimer()
        emit("session.stage", event, in: structure)
        if environment.faults.reached(stage).contains(.offline) { await setReachable(false) }
    }

    // MARK: - Answers

    /// The answer to a request whose client key was used before; waits for it when the first request still runs.
    ///
    /// - Returns: `nil` for a new key; nothing is suspended between that and the return.
    func givenAnswer(_ key: HubState.AnswerKey) async -> StoredAnswer? {
        while true {
            if let running = inFlight[key] { return await stoppable(running) }
            let before = answersGiven
            if let answer = await storedAnswer(key) { return answer }
            // One that began and ended meanwhile is in the store now.
            if before == answersGiven, inFlight[key] == nil { return nil }
        }
    }

    /// The request of a client key has its answer.
    func answered(_ key: HubState.AnswerKey) {
        inFlight[key] = nil
        answersGiven += 1
    }

    private func storedAnswer(_ key: HubState.AnswerKey) async -> StoredAnswer? {
        // What this run gave is counted on its own clock: the wall clock may have jumped.
        switch recentAnswers.answer(key, now: environment.now) {
        case .kept(let answer): return answer
        case .expired: return nil
        case .none: break
        }
        guard let record = await ledger.state.answers[key],
            environment.wallClock().rawValue - record.answeredAt.rawValue <= Self.answerLifetime
        else { return nil }
        // A damaged row is as good as none.
        return StoredAnswer(text: record.answer, isError: record.isError)
    }

    /// Keeps an answer in memory for a repeat.
    func remember(_ answer: StoredAnswer, key: HubState.AnswerKey) {
        recentAnswers.keep(answer, for: key, now: environment.now)
    }

    private func store(_ answer: StoredAnswer, key: HubState.AnswerKey) async {
        let changes = Self.answerChanges(
            answer, key: key, at: environment.wallClock(), surplus: recentAnswers.surplus(beside: key))
        remember(answer, key: key)
        do {
            try await ledger.commit(changes)
        } catch {
            // An answer that cannot be kept is still given; only a repeat would run again, into the same error.
        }
    }

    /// Keeps an answer in the store, and drops those that are too old, and the surplus of the app's.
    static func answerChanges(
        _ answer: StoredAnswer, key: HubState.AnswerKey, at time: EpochSeconds, surplus: [HubState.AnswerKey]
    ) -> [StoreChange] {
        let record = AnswerRecord(
            app: key.app, structure: key.structure, method: key.method, clientKey: key.clientKey, answer: answer.text,
            isError: answer.isError, answeredAt: time)
        return [.putAnswer(record), .deleteAnswers(before: EpochSeconds(rawValue: time.rawValue - answerLifetime))]
            + surplus.map { .deleteAnswer($0) }
    }
}

extension ControlError {
    static let sessionEnded = ControlError(
        .cancelled, "the commissioning session ended", details: ["reason": "sessionEnded"])
}

extension CommissionFailure {
    static func unexpected(_ error: any Error) -> CommissionFailure {
        CommissionFailure(
            error: ControlError(
                .internal, "commissioning failed: \(ControlError.words(for: error))",
                details: ["reason": "protocolError"], suggestedUserActions: [.tryAgainLater]),
            condition: .unknown)
    }
}

/// A commission that worked, before it is stored.
private struct KeptCommission: Sendable {
    let node: CommissionedNode
    let payload: OnboardingPayload
    let session: CommissioningSessionID
    let ticket: CommissionTicket
    let stages: [JSONValue]
    let start: MonotonicInstant

    /// The answer (Protocols/hub-control.md §4).
    func result(stale: [NodeRecord], now: MonotonicInstant) -> JSONObject {
        var warnings = node.warnings
        for old in stale {
            warnings.append(
                "the device was listed before as node \(HubID(rawValue: old.id.rawValue).text) and was reset since; "
                    + "completing the session replaces that record")
        }
        return [
            "provisionalId": .string(HubID(rawValue: node.node.rawValue).text),
            "vendorId": JSONValue(node.info.vendorID), "productId": JSONValue(node.info.productID),
            "productName": .string(node.info.productName), "stages": .array(stages),
            "elapsedMs": JSONValue(start.duration(to: now).milliseconds),
            "operationalPath": node.operationalPath.map { .string($0.rawValue) },
            "warnings": warnings.isEmpty ? nil : .array(warnings.map { .string($0) }),
        ]
    }
}
