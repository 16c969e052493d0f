import MatterProtocol
import MatterWire
import NetIO

/// Drives one commissioner machine: performs its actions over the controller's sessions and hands results back.
actor CommissioningRun {
    private enum Event: Sendable {
        case read(CommissionerMachine.RequestID, Result<ReadResult, InteractionFailure>)
        case invoke(CommissionerMachine.RequestID, Result<InvokeResult, InteractionFailure>)
        case decided(CommissionerMachine.RequestID, Bool)
        case journalled(CommissionerMachine.RequestID, (any Error)?)
        case operational(CommissionerMachine.RequestID, Result<SessionHandle, OperationalFailure>)
        case sessionClosed(CommissionerMachine.Channel)
        case timer
        case cancel
        case timeOver
    }

    private let node: ControllerNode
    private let pase: SessionHandle
    private let address: PeerAddress
    private let nodeID: NodeID
    private let observer: any CommissioningObserver
    private let timer: DeadlineTimer
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private var requests: [CommissionerMachine.RequestID: Task<Void, Never>] = [:]
    private var operational: SessionHandle?
    /// What is worth telling although it worked.
    private(set) var notes: [CommissioningNote] = []

    init(
        node: ControllerNode, pase: SessionHandle, address: PeerAddress, nodeID: NodeID,
        observer: any CommissioningObserver
    ) {
        self.node = node
        self.pase = pase
        self.address = address
        self.nodeID = nodeID
        self.observer = observer
        timer = DeadlineTimer(clock: node.environment.clock)
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    /// The owner wants no device any more.
    nonisolated func cancel() { continuation.yield(.cancel) }

    /// The time that the owner allowed is over.
    nonisolated func timeOver() { continuation.yield(.timeOver) }

    /// Runs the machine to its end.
    ///
    /// - Parameter outcome: gets exactly one result, as soon as it is known.
    /// - Returns: what is left on the device.
    func drive(
        _ machine: CommissionerMachine,
        outcome: AsyncStream<Result<CommissionedDevice, CommissioningFailure>>.Continuation
    ) async -> DeviceState {
        var machine = machine
        // Until the machine says otherwise: what a node that stops in the middle leaves.
        var rest = DeviceState.cleaning
        let ticks = Task { [firings = timer.firings, continuation] in
            for await _ in firings { continuation.yield(.timer) }
        }
        await node.watch(pase) { [continuation] in continuation.yield(.sessionClosed(.pase)) }
        await perform(machine.start(now: now), outcome, &rest)
        timer.arm(machine.deadline?.sinceStart)
        for await event in events {
            await perform(handle(event, &machine), outcome, &rest)
            timer.arm(machine.deadline?.sinceStart)
            if machine.isDone { break }
        }
        for task in requests.values { task.cancel() }
        ticks.cancel()
        timer.finish()
        continuation.finish()
        if !machine.isDone {
            // This node is closing. A result that was given before is the one that counts.
            var failure = CommissioningFailure(
                stage: machine.currentStage, cause: .sessionEnded,
                message: "the hub stops in the middle of the commissioning")
            failure.deviceState = rest
            outcome.yield(.failure(failure))
        }
        outcome.finish()
        await node.endPASE(pase)
        return rest
    }

    private var now: MonotonicInstant { MonotonicInstant(sinceStart: node.environment.clock.now) }

    private func handle(_ event: Event, _ machine: inout CommissionerMachine) -> [CommissionerMachine.Action] {
        switch event {
        case .read(let id, let result):
            requests[id] = nil
            return machine.readCompleted(id, result, now: now)
        case .invoke(let id, let result):
            requests[id] = nil
            return machine.invokeCompleted(id, result, now: now)
        case .decided(let id, let proceeds):
            requests[id] = nil
            return machine.decided(id, proceeds: proceeds, now: now)
        case .journalled(let id, nil): return machine.journalled(id, now: now)
        case .journalled(let id, let error?):
            let reason = (error as? any CustomStringConvertible)?.description ?? "the store failed"
            return machine.journalFailed(id, reason: reason, now: now)
        case .operational(let id, .success(let session)):
            requests[id] = nil
            operational = session
            return machine.operationalSessionEstablished(id, now: now)
        case .operational(let id, .failure(let failure)):
            requests[id] = nil
            return machine.operationalSessionFailed(id, failure, now: now)
        case .sessionClosed(let channel): return machine.sessionClosed(channel, now: now)
        case .timer: return machine.timerFired(now: now)
        case .cancel: return machine.cancel(now: now)
        case .timeOver: return machine.timeOver(now: now)
        }
    }

    private func perform(
        _ actions: [CommissionerMachine.Action],
        _ outcome: AsyncStream<Result<CommissionedDevice, CommissioningFailure>>.Continuation, _ rest: inout DeviceState
    ) async {
        for action in actions {
            switch action {
            case .entered(let stage): await observer.entered(stage)
            case .note(let note): notes.append(note)
            case .read(let id, let paths, let channel):
                start(id) { [node] session in
                    .read(
                        id,
                        await node.result(
                            ReadTransaction(paths, isFabricFiltered: false), on: session))
                } over: {
                    channel
                }
            case .invoke(let id, let command, let channel):
                start(id) { [node] session in
                    .invoke(
                        id,
                        await node.result(
                            InvokeTransaction(
                                command.path, fields: command.fields, timeout: command.isTimed ? 5_000 : nil),
                            on: session))
                } over: {
                    channel
                }
            case .decide(let id, let evidence, let verdict):
                requests[id] = Task { [observer, continuation] in
                    continuation.yield(.decided(id, await observer.decide(evidence, verdict)))
                }
            case .journal(let id, let entry):
                requests[id] = Task { [observer, address, continuation] in
                    do {
                        try await observer.journal(entry, address: address)
                        continuation.yield(.journalled(id, nil))
                    } catch {
                        continuation.yield(.journalled(id, error))
                    }
                }
            case .establishOperationalSession(let id, let peer):
                requests[id] = Task { [node, address, continuation] in
                    continuation.yield(.operational(id, await node.freshSession(with: peer, known: address)))
                }
            case .abandon(let id): requests.removeValue(forKey: id)?.cancel()
            case .finished(let device):
                rest = .clean
                outcome.yield(.success(device))
            case .failed(let failure):
                rest = failure.deviceState
                outcome.yield(.failure(failure))
            case .settled(let state): rest = state
            }
        }
    }

    private func start(
        _ id: CommissionerMachine.RequestID, _ body: @escaping @Sendable (SessionHandle) async -> Event,
        over channel: () -> CommissionerMachine.Channel
    ) {
        let session: SessionHandle? =
            switch channel() {
            case .pase: pase
            case .operational: operational
            }
        // Without a session the request fails like one whose session has just ended.
        requests[id] = Task { [continuation] in
            continuation.yield(await body(session ?? SessionHandle(rawValue: .max)))
        }
    }
}

extension ControllerNode {
    /// Runs an interaction and gives its failure as a value; a cancelled one counts as a closed session.
    func result<Transaction: InteractionTransaction>(
        _ transaction: Transaction, on session: SessionHandle
    ) async -> Result<Transaction.Value, InteractionFailure> {
        do {
            // The machine has its own deadline for each request.
            return .success(try await conduct(transaction, on: session, allowance: .seconds(120)))
        } catch let failure as InteractionFailure {
            return .failure(failure)
        } catch {
            return .failure(InteractionFailure(.sessionClosed))
        }
    }

    /// A CASE session made now, whatever sessions there are.
    func freshSession(
        with peer: NodeID, known: PeerAddress
    ) async -> Result<SessionHandle, OperationalFailure> {
        dropSessions(with: peer)
        do {
            return .success(try await operationalSession(with: peer, known: known))
        } catch let failure as RaceFailure {
            return .failure(OperationalFailure(failure))
        } catch {
            return .failure(.noAnswer)
        }
    }

    /// Calls `closed` when the session ends, once.
    func watch(_ session: SessionHandle, closed: @escaping @Sendable () -> Void) { watchers[session] = closed }

    /// Ends a PASE session, if it still lives.
    func endPASE(_ session: SessionHandle) {
        watchers[session] = nil
        process(link.layer.closeSession(session, notifyPeer: true, now: link.now))
    }
}

extension OperationalFailure {
    init(_ failure: RaceFailure) {
        guard let handshake = failure.mostTelling else {
            self = .noAnswer
            return
        }
        switch handshake.code {
        case .noAnswer, .exchangeLost, .timedOut, .cancelled: self = .noAnswer
        case .noSharedTrustRoots: self = .noSharedTrustRoots
        case .busy(let wait): self = .busy(wait)
        case .wrongPasscode, .refused, .malformedMessage, .unexpectedMessage, .invalidParameter, .untrustedIdentity,
            .wrongNode, .authenticationFailed, .cryptography:
            self = .handshake(handshake.reason)
        }
    }
}
