package import HubControl
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
    /// Cancelling the calling task stops the commission; a lost connection must not.
    package func commission(_ request: CommissionRequest, by caller: Caller) async throws(ControlError) -> JSONObject {
        guard runtimes[caller.structure] != nil else { throw .noStructure(caller.structure) }
        let key = HubState.AnswerKey(
            structure: caller.structure, app: caller.app, method: ControlMethod.sessionCommission.rawValue,
            clientKey: request.clientKey)
        if let answer = await storedAnswer(key) { return try answer.get() }
        if let running = inFlight[key] { return try await running.value.get() }
        let ticket: CommissionTicket
        do throws(SessionRefusal) {
            ticket = try runtimes[caller.structure]!.machine.beginCommission(by: caller.app)
        } catch {
            throw ControlError(error)
        }
        let payload: OnboardingPayload
        do throws(ControlError) {
            payload = try parse(request.payload)
            try requireClean(payload, within: request.timeLimit, in: caller.structure)
        } catch {
            _ = runtimes[caller.structure]?.machine.commissionFailed(ticket, message: error.message)
            armTimer()
            throw error
        }
        let task = Task {
            await self.runCommission(request, payload: payload, ticket: ticket, caller: caller, key: key)
        }
        inFlight[key] = task
        runtimes[caller.structure]?.running = RunningCommission(
            ticket: ticket, task: task, stage: CommissionStageName.discover)
        let answer = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try answer.get()
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

    /// Refuses a device that is still being cleaned, unless that ends within the request's time.
    private func requireClean(
        _ payload: OnboardingPayload, within limit: Duration, in structure: StructureID
    ) throws(ControlError) {
        let now = environment.now
        guard let device = cleaningDevice(payload, in: structure) else { return }
        let left = now.duration(to: device.failSafeEnds)
        guard left > limit else { return }
        throw ControlError(
            .unavailable, "this device is still being cleaned after an earlier try",
            details: ["reason": "stillCleaning"], retryAfterMs: max(0, left.milliseconds),
            suggestedUserActions: [.tryAgainLater])
    }

    private func cleaningDevice(_ payload: OnboardingPayload, in structure: StructureID) -> CleaningDevice? {
        runtimes[structure]?.cleaning.values.first { device in
            guard let other = device.payload else { return false }
            return other.passcode == payload.passcode && other.discriminator.short == payload.discriminator.short
        }
    }

    // MARK: - Running

    private func runCommission(
        _ request: CommissionRequest, payload: OnboardingPayload, ticket: CommissionTicket, caller: Caller,
        key: HubState.AnswerKey
    ) async -> StoredAnswer {
        let structure = caller.structure
        var condition = DeviceCondition.untouched
        var answer: StoredAnswer
        defer {
            inFlight[key] = nil
            for waiter in runtimes[structure]?.running?.waiters ?? [] {
                waiter.yield(condition)
                waiter.finish()
            }
            if runtimes[structure]?.running?.ticket == ticket { runtimes[structure]?.running = nil }
            armTimer()
        }
        if let device = cleaningDevice(payload, in: structure) { await device.task.value }
        let node = await ledger.state.unusedNodeID(in: structure, random: environment.random)
        guard let matter = runtimes[structure]?.matter, let session = runtimes[structure]?.machine.session?.id,
            runtimes[structure]?.machine.running == ticket
        else { return .error(.sessionEnded) }
        let observer = StageRelay(
            service: self, structure: structure, session: session, ticket: ticket, node: node,
            start: environment.now)
        let order = CommissionOrder(
            payload: payload, node: node, address: request.address, timeLimit: request.timeLimit)
        do {
            let commissioned = try await matter.commission(order, observer: observer)
            answer = await keep(commissioned, stages: await observer.stages, session: session, ticket: ticket, key: key)
            if case .error = answer { condition = .cleaning }
        } catch {
            let failure = error as? CommissionFailure ?? .unexpected(error)
            condition = failure.condition
            let ours = runtimes[structure]?.machine.commissionFailed(ticket, message: failure.error.message) ?? false
            answer = .error(ours ? failure.error : .sessionEnded)
            await clean(failure, node: node, payload: payload, in: structure)
            await store(answer, key: key)
        }
        return answer
    }

    /// Makes a commissioned node provisional, durably, together with the answer.
    private func keep(
        _ commissioned: CommissionedNode, stages: [JSONValue], session: CommissioningSessionID,
        ticket: CommissionTicket, key: HubState.AnswerKey
    ) async -> StoredAnswer {
        let structure = key.structure
        let elapsed = stages.last?.object?["elapsedMs"] ?? 0
        let result: JSONObject = [
            "provisionalId": .string(HubID(rawValue: commissioned.node.rawValue).text),
            "vendorId": JSONValue(commissioned.info.vendorID), "productId": JSONValue(commissioned.info.productID),
            "productName": .string(commissioned.info.productName), "stages": .array(stages), "elapsedMs": elapsed,
            "warnings": commissioned.warnings.isEmpty ? nil : .array(commissioned.warnings.map { .string($0) }),
        ]
        let record = NodeRecord(
            id: commissioned.node, structure: structure, state: .provisional, session: session,
            address: commissioned.address, stage: CommissionStageName.complete, failSafeEnds: nil,
            info: commissioned.info, createdAt: environment.wallClock())
        do {
            try await ledger.commit([
                .putNode(record), .putAnswer(record: result, key: key, at: environment.wallClock()),
            ])
        } catch {
            startCleaning(commissioned.node, in: structure, payload: nil, after: .zero)
            _ = runtimes[structure]?.machine.commissionFailed(ticket, message: "\(error)")
            return .error(.storage(error))
        }
        guard runtimes[structure]?.machine.commissionSucceeded(ticket, node: commissioned.node) == true else {
            // The session ended while the device was being stored: it goes again.
            startCleaning(commissioned.node, in: structure, payload: nil, after: .zero)
            return .error(.sessionEnded)
        }
        return .result(result)
    }

    /// Settles what a failed commission left: nothing, or a node that must be cleaned.
    private func clean(
        _ failure: CommissionFailure, node: NodeID, payload: OnboardingPayload, in structure: StructureID
    ) async {
        switch failure.condition {
        case .untouched, .clean:
            guard await ledger.state.nodes[.init(structure, node)] != nil else { return }
            await forget(node, in: structure)
        case .cleaning, .unknown:
            startCleaning(node, in: structure, payload: payload, after: failure.failSafeLeft ?? .zero)
        }
    }

    // MARK: - Stages

    /// The relay's stage began.
    func stageBegan(_ event: JSONObject, stage: String, ticket: CommissionTicket, in structure: StructureID) {
        guard runtimes[structure]?.running?.ticket == ticket else { return }
        runtimes[structure]?.running?.stage = stage
        runtimes[structure]?.machine.stageFinished(ticket, now: environment.now)
        armTimer()
        emit("session.stage", event, in: structure)
    }

    // MARK: - Answers

    func storedAnswer(_ key: HubState.AnswerKey) async -> StoredAnswer? {
        guard let record = await ledger.state.answers[key],
            environment.wallClock().rawValue - record.answeredAt.rawValue <= Self.answerLifetime
        else { return nil }
        do throws(ControlProtocolError) {
            let json = try JSONObject(parsing: Array(record.answer.utf8))
            return record.isError ? .error(try ControlError(json: json)) : .result(json)
        } catch {
            // Written by this program; a damaged row is as good as none.
            return nil
        }
    }

    private func store(_ answer: StoredAnswer, key: HubState.AnswerKey) async {
        guard case .error(let error) = answer else { return }
        let now = environment.wallClock()
        let record = AnswerRecord(
            app: key.app, structure: key.structure, method: key.method, clientKey: key.clientKey,
            answer: JSONValue.object(error.json).text(), isError: true, answeredAt: now)
        // An answer that cannot be kept is still given; only a repeat would run again, into the same error.
        try? await ledger.commit([
            .putAnswer(record), .deleteAnswers(before: EpochSeconds(rawValue: now.rawValue - Self.answerLifetime)),
        ])
    }
}

extension StoreChange {
    static func putAnswer(record: JSONObject, key: HubState.AnswerKey, at time: EpochSeconds) -> StoreChange {
        .putAnswer(
            AnswerRecord(
                app: key.app, structure: key.structure, method: key.method, clientKey: key.clientKey,
                answer: JSONValue.object(record).text(), isError: false, answeredAt: time))
    }
}

extension ControlError {
    static let sessionEnded = ControlError(
        .cancelled, "the commissioning session ended", details: ["reason": "sessionEnded"])
}

extension CommissionFailure {
    static func unexpected(_ error: any Error) -> CommissionFailure {
        CommissionFailure(
            error: ControlError(.internal, "commissioning failed: \(error)", details: ["reason": "protocolError"]),
            condition: .unknown)
    }
}

/// Passes a commission's stages on, and its journal to the ledger.
private actor StageRelay: CommissionObserver {
    let service: HubService
    let structure: StructureID
    let session: CommissioningSessionID
    let ticket: CommissionTicket
    let node: NodeID
    let start: MonotonicInstant
    private(set) var stages: [JSONValue] = []

    init(
        service: HubService, structure: StructureID, session: CommissioningSessionID, ticket: CommissionTicket,
        node: NodeID, start: MonotonicInstant
    ) {
        self.service = service
        self.structure = structure
        self.session = session
        self.ticket = ticket
        self.node = node
        self.start = start
    }

    func stageBegan(_ stage: String, index: Int, total: Int, elapsed: Duration) async {
        stages.append(.object(["stage": .string(stage), "elapsedMs": JSONValue(elapsed.milliseconds)]))
        await service.stageBegan(
            [
                "session": session.json, "stage": .string(stage), "index": JSONValue(index), "total": JSONValue(total),
                "elapsedMs": JSONValue(elapsed.milliseconds),
            ], stage: stage, ticket: ticket, in: structure)
    }

    func journal(_ entry: CommissionJournalEntry) async throws {
        let environment = service.environment
        let now = environment.wallClock()
        let record = NodeRecord(
            id: node, structure: structure, state: .journalled, session: session, address: entry.address,
            stage: entry.stage,
            failSafeEnds: entry.failSafeEnds,
            info: NodeInfo(), createdAt: now)
        try await service.ledger.commit([.putNode(record)])
    }
}
