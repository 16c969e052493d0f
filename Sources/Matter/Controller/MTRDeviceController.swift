public import Dispatch
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// A Matter controller on one fabric: commissions devices and talks to them.
///
/// One device is commissioned at a time: ``setupCommissioningSession(with:newNodeID:)``, then, when the delegate heard of the
/// session, ``commissionNode(withID:commissioningParams:)``. Differs from Apple's class in this: devices are reached over IP
/// only. Sendable, since what changes is behind `state`.
public final class MTRDeviceController: NSObject, @unchecked Sendable {
    /// How far the device being commissioned is.
    private enum Phase {
        case idle
        case establishing(NodeID, Task<Void, Never>)
        case established(NodeID, CommissioningSession, OnboardingPayload)
        case commissioning(NodeID, Task<Void, Never>)
    }

    /// A question to the attestation delegate that has no answer yet.
    private struct Question: Sendable {
        var isGood: Bool
        var answer: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var isRunning = true
        var phase = Phase.idle
        var audience: Audience?
        var questions: [UInt: Question] = [:]
        var lastQuestion: UInt = 0
        /// Calls to devices that have not ended.
        var requests: [Int: Task<Void, Never>] = [:]
        var lastRequest = 0
    }

    /// Who follows the controller, and where.
    // Sendable: the delegate is only touched on its queue.
    private final class Audience: @unchecked Sendable {
        weak var delegate: (any MTRDeviceControllerDelegate)?
        let queue: DispatchQueue
        init(_ delegate: any MTRDeviceControllerDelegate, _ queue: DispatchQueue) {
            self.delegate = delegate
            self.queue = queue
        }
    }

    let node: ControllerNode
    private let nodeID: NodeID
    private let deviceAddress: PeerAddress?
    private let shelf: FabricShelf
    private let key: String
    private let ended: @Sendable () -> Void
    private let running: Task<Void, Never>
    private let state = Locked(State())
    /// The attestation delegate is called here.
    private let delegates = DispatchQueue(label: "matter.attestation-delegate")

    init(
        _ node: ControllerNode, nodeID: NodeID, deviceAddress: PeerAddress?, shelf: FabricShelf, key: String,
        ended: @escaping @Sendable () -> Void
    ) {
        self.node = node
        self.nodeID = nodeID
        self.deviceAddress = deviceAddress
        self.shelf = shelf
        self.key = key
        self.ended = ended
        running = Task { await node.run() }
    }

    deinit { running.cancel() }

    /// Whether it was not shut down.
    public var isRunning: Bool { state.withLock { $0.isRunning } }

    /// The controller's own node id; `nil` after ``shutdown()``.
    public var controllerNodeID: NSNumber? { isRunning ? NSNumber(value: nodeID.rawValue) : nil }

    /// Takes the delegate, which is held weakly, and the queue that its methods are called on.
    public func setDeviceControllerDelegate(_ delegate: any MTRDeviceControllerDelegate, queue: DispatchQueue) {
        let audience = Audience(delegate, queue)
        state.withLock { $0.audience = audience }
    }

    /// Stops everything and closes every session; the second call does nothing.
    public func shutdown() {
        let (phase, questions, requests) = state.withLock { state in
            defer {
                state.isRunning = false
                state.phase = .idle
                state.questions = [:]
                state.requests = [:]
            }
            return (state.phase, Array(state.questions.values), Array(state.requests.values))
        }
        switch phase {
        case .idle, .established: break
        case .establishing(_, let task), .commissioning(_, let task): task.cancel()
        }
        for question in questions { question.answer.resume(returning: false) }
        for request in requests { request.cancel() }
        running.cancel()
        ended()
    }

    // MARK: - Commissioning

    /// Finds the payload's device and makes a session for commissioning with it; the delegate hears of the end.
    ///
    /// - Parameter newNodeID: the id that the device gets; never used before on the fabric.
    /// - Throws: ``MTRError``: `invalidState` while another device is commissioned or after ``shutdown()``, `invalidArgument`
    ///   for a payload or an id that is none.
    public func setupCommissioningSession(with payload: MTRSetupPayload, newNodeID: NSNumber) throws {
        let id = NodeID(rawValue: newNodeID.uint64Value)
        guard id.isOperational else { throw MTRError(.invalidArgument, message: "the node id is not operational") }
        guard let code = payload.qrCodeString() ?? payload.manualEntryCode() else {
            throw MTRError(.invalidArgument, message: "the payload makes no code")
        }
        let parsed: OnboardingPayload
        do throws(OnboardingPayloadError) {
            parsed = try ParsedOnboardingPayload(code).validated()
        } catch {
            throw MTRError(.invalidArgument, message: error.message)
        }
        let search = DeviceSearch(payload: parsed, address: deviceAddress)
        try state.withLock { [node] state throws(MTRError) in
            guard state.isRunning else { throw .shutDown }
            var old: CommissioningSession?
            switch state.phase {
            case .establishing, .commissioning: throw .busy
            case .established(_, let session, _): old = session
            case .idle: break
            }
            let task = Task { [weak self, old] in
                // A session that nobody commissioned over holds the device.
                if let old { await node.close(old) }
                let result = await node.openCommissioningSession(search)
                guard let self else {
                    if case .success(let session) = result { await node.close(session) }
                    return
                }
                await self.established(id, parsed, result)
            }
            state.phase = .establishing(id, task)
        }
    }

    private func established(
        _ id: NodeID, _ payload: OnboardingPayload, _ result: Result<CommissioningSession, DiscoveryFailure>
    ) async {
        let isWanted = state.withLock { state in
            guard case .establishing(id, _) = state.phase else { return false }
            switch result {
            case .success(let session): state.phase = .established(id, session, payload)
            case .failure: state.phase = .idle
            }
            return true
        }
        switch result {
        case .success(let session):
            guard isWanted else { return await node.close(session) }
            tell { $0.controller($1, statusUpdate: .success) }
            tell { $0.controller($1, commissioningSessionEstablishmentDone: nil) }
        case .failure(let failure):
            let error = MTRError(failure)
            tell { $0.controller($1, statusUpdate: .failed) }
            tell { $0.controller($1, commissioningSessionEstablishmentDone: error) }
        }
    }

    /// Commissions the device that the session is with; the delegate hears of the end.
    ///
    /// - Throws: ``MTRError`` `invalidState` without a session for this node.
    public func commissionNode(
        withID nodeID: NSNumber, commissioningParams: MTRCommissioningParameters
    ) throws {
        let id = NodeID(rawValue: nodeID.uint64Value)
        let judge = commissioningParams.deviceAttestationDelegate.map { JudgeBox(delegate: $0) }
        let failSafe = commissioningParams.failSafeTimeout.map { $0.uint16Value }
        let country = commissioningParams.countryCode
        guard country == nil || country?.utf8.count == 2 else {
            throw MTRError(.invalidArgument, message: "the countryCode has not two letters")
        }
        try state.withLock { state throws(MTRError) in
            guard state.isRunning else { throw .shutDown }
            guard case .established(id, let session, let payload) = state.phase else { throw .noSession }
            let task = Task { [weak self, node] in
                var order = CommissioningOrder(
                    payload: payload, nodeID: id, attestationPolicy: judge == nil ? .strict : .ask)
                order.failSafeSeconds = failSafe
                order.knownNodes = self?.knownNodes() ?? []
                order.country = country ?? order.country
                let observer = ControllerObserver { [weak self] evidence, verdict in
                    await self?.ask(judge, evidence, verdict) ?? false
                }
                let outcome = await node.commission(order, over: session, observer: observer)
                await self?.commissioned(id, outcome)
            }
            state.phase = .commissioning(id, task)
        }
    }

    private func commissioned(_ id: NodeID, _ outcome: CommissioningOutcome) async {
        state.withLock { state in
            if case .commissioning(id, _) = state.phase { state.phase = .idle }
        }
        do throws(MTRFailure) {
            switch outcome {
            case .commissioned(let report):
                do throws(MTRError) {
                    try shelf.setAddress(report.address.text, of: id, key)
                } catch {
                    // The device is there all the same; without its address it is found by DNS-SD.
                }
                let number = NSNumber(value: id.rawValue)
                tell { $0.controller($1, commissioningComplete: nil, nodeID: number) }
            case .failed(let failure): throw MTRFailure(failure)
            case .notFound(let failure): throw MTRFailure(MTRError(failure))
            }
        } catch {
            tell { $0.controller($1, commissioningComplete: error.error, nodeID: nil) }
        }
    }

    /// Calls the commissioning of a device off, at any stage; the delegate hears `cancelled`, and the device is cleaned.
    ///
    /// - Throws: ``MTRError`` `invalidState` when this node is not being commissioned.
    public func cancelCommissioning(forNodeID nodeID: NSNumber) throws {
        let id = NodeID(rawValue: nodeID.uint64Value)
        let phase = try state.withLock { state throws(MTRError) -> Phase in
            switch state.phase {
            case .establishing(id, _), .commissioning(id, _): return state.phase
            case .established(id, _, _):
                defer { state.phase = .idle }
                return state.phase
            case .idle, .establishing, .established, .commissioning: throw .noSession
            }
        }
        switch phase {
        case .idle: break
        case .establishing(_, let task), .commissioning(_, let task): task.cancel()
        case .established(_, let session, _): start { [node] in await node.close(session) }
        }
    }

    // MARK: - Attestation

    /// Goes on with a device whose attestation the delegate was told of.
    ///
    /// - Parameters:
    ///   - opaqueDeviceHandle: as the delegate got it.
    ///   - ignoreAttestationFailure: `false` lets only a device in that keeps every rule.
    /// - Throws: ``MTRError`` `invalidState` when nobody asks about the device any more.
    public func continueCommissioningDevice(
        _ opaqueDeviceHandle: UnsafeMutableRawPointer, ignoreAttestationFailure: Bool
    ) throws {
        guard answer(opaqueDeviceHandle, { $0 || ignoreAttestationFailure }) else { throw MTRError.noSession }
    }

    /// The answer of a delegate that leaves it to the default.
    func decide(_ handle: UnsafeMutableRawPointer, _ lets: Bool) { _ = answer(handle) { _ in lets } }

    private func answer(_ handle: UnsafeMutableRawPointer, _ lets: (Bool) -> Bool) -> Bool {
        guard let question = state.withLock({ $0.questions.removeValue(forKey: UInt(bitPattern: handle)) }) else {
            return false
        }
        question.answer.resume(returning: lets(question.isGood))
        return true
    }

    private func ask(_ judge: JudgeBox?, _ evidence: AttestationEvidence, _ verdict: AttestationVerdict) async -> Bool {
        guard let judge else { return verdict.accepted }
        let number = state.withLock { state in
            state.lastQuestion += 1
            return state.lastQuestion
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.questions[number] = Question(isGood: verdict.accepted, answer: continuation)
                }
                // Cancelled before the question was noted: nobody else would answer it.
                guard !Task.isCancelled, isRunning else { return withdraw(number) }
                delegates.async { @Sendable [self] in judge.ask(self, number, evidence, verdict) }
            }
        } onCancel: {
            withdraw(number)
        }
    }

    private func withdraw(_ number: UInt) {
        state.withLock { $0.questions.removeValue(forKey: number) }?.answer.resume(returning: false)
    }

    // MARK: - Requests of devices

    /// Runs a request beside everything else; it ends with the controller.
    func start(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard state.isRunning else { return }
            state.lastRequest += 1
            let number = state.lastRequest
            state.requests[number] = Task { [weak self] in
                await body()
                self?.finished(number)
            }
        }
    }

    private func finished(_ number: Int) { state.withLock { _ = $0.requests.removeValue(forKey: number) } }

    /// Nodes that were commissioned and not taken off.
    private func knownNodes() -> Set<NodeID> {
        do throws(MTRError) {
            return Set(try shelf.fabric(key)?.addresses.keys.map { $0 } ?? [])
        } catch {
            // A damaged store has told so when the controller was made; without it every membership counts as stale.
            return []
        }
    }

    func forget(_ node: NodeID) {
        do throws(MTRError) {
            try shelf.setAddress(nil, of: node, key)
        } catch {
            // A stale address only costs the next try a little time.
        }
    }

    private func tell(_ body: @escaping @Sendable (any MTRDeviceControllerDelegate, MTRDeviceController) -> Void) {
        guard let audience = state.withLock({ $0.audience }) else { return }
        audience.queue.async { @Sendable [self] in
            if let delegate = audience.delegate { body(delegate, self) }
        }
    }
}

/// Carries the attestation delegate to the queue that it is called on.
// Sendable: the delegate says that it may be called on any thread.
private struct JudgeBox: @unchecked Sendable {
    let delegate: any MTRDeviceAttestationDelegate

    func ask(
        _ controller: MTRDeviceController, _ number: UInt, _ evidence: AttestationEvidence,
        _ verdict: AttestationVerdict
    ) {
        guard let handle = UnsafeMutableRawPointer(bitPattern: number) else { return }
        let error =
            verdict.accepted
            ? nil : MTRError(.integrityCheckFailed, message: "the attestation is refused: \(verdict.explanation)")
        delegate.deviceAttestationCompleted(
            for: controller, opaqueDeviceHandle: handle,
            attestationDeviceInfo: MTRDeviceAttestationDeviceInfo(evidence), error: error)
    }
}

/// Asks the controller about attestation; nothing needs a journal: the app's ids are its own.
private struct ControllerObserver: CommissioningObserver {
    let ask: @Sendable (AttestationEvidence, AttestationVerdict) async -> Bool

    func entered(_ stage: CommissioningStage) async {}
    func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws {}
    func decide(_ evidence: AttestationEvidence, _ verdict: AttestationVerdict) async -> Bool {
        await ask(evidence, verdict)
    }
}
