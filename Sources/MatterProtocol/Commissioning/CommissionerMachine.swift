public import MatterCrypto
public import MatterWire

/// Commissions one device whose PASE session is open (Core §5.5), without input or output of its own.
///
///     idle ── start ──▶ requesting(readInfo … addRoot) ──▶ awaitingJournal? ──▶ requesting(addNOC)
///                        │      ▲                                                  │
///                        │      ├─ rearm, whenever the fail-safe is too short      │
///                        │      └─ decided ── deciding, after attestation, if asked▼
///                        │                                     connecting ◀── backingOff (busy)
///                        │                                        │  ▲
///                        │                         awaitingJournal?  └── answer lost ──┐
///                        │                                        ▼                    │
///                        │                               requesting(complete) ── recheck ──▶ done: finished
///                        ▼
///     failure or cancel in every state ──▶ cleaning ─┬─ nothing armed ─────────────▶ done: failed, settled
///                                                    ├─ ArmFailSafe(0) over PASE ──▶ done
///                                                    ├─ else the fail-safe's end ──▶ done
///                                                    └─ CommissioningComplete sent: CASE, RemoveFabric ──▶ done
///
/// One request is in flight at a time. Every request, journal entry and session attempt has a ``RequestID``; results
/// with another one are late and ignored. The driver performs actions in order, hands results back, and calls
/// ``timerFired(now:)`` at ``deadline``. It ends in exactly one of: `finished`; or `failed`, followed (possibly much
/// later) by `settled`. After either end the driver closes the PASE session.
public struct CommissionerMachine: Sendable {
    /// Names one thing that the machine waits for.
    public struct RequestID: RawRepresentable, Hashable, Sendable {
        /// Counts from 1.
        public var rawValue: Int
        /// Wraps a number.
        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    /// Which session carries a request.
    public enum Channel: Hashable, Sendable {
        /// The PASE session that was open at the start.
        case pase
        /// The session that ``Action/establishOperationalSession(_:_:)`` asked for last.
        case operational
    }

    /// What the driver must do.
    public enum Action: Hashable, Sendable {
        /// A stage began; each at most once, in order.
        case entered(CommissioningStage)
        /// Read these, unfiltered by fabric.
        case read(RequestID, [AttributePath], over: Channel)
        /// Invoke this.
        case invoke(RequestID, ClusterCommand, over: Channel)
        /// Let the owner judge the device, then call ``CommissionerMachine/decided(_:proceeds:now:)``; our own verdict is advice.
        case decide(RequestID, AttestationEvidence, AttestationVerdict)
        /// Make this durable, then call ``CommissionerMachine/journalled(_:now:)``. Replaces the entry before.
        case journal(RequestID, CommissioningJournalEntry)
        /// Find the node and open a CASE session; the address of the PASE session is worth a first try.
        case establishOperationalSession(RequestID, NodeID)
        /// Drop this request or attempt; its result is no longer wanted.
        case abandon(RequestID)
        /// Something worth telling.
        case note(CommissioningNote)
        /// The device is commissioned.
        case finished(CommissionedDevice)
        /// It is not; told within ``CommissioningTimeouts/report`` of the failure or cancel.
        case failed(CommissioningFailure)
        /// Cleaning is over; only ``DeviceState/unknown`` leaves something to do.
        case settled(DeviceState)
    }

    /// A step is a request of its own, or (`connect`) the operational session.
    indirect enum Step: Hashable, Sendable {
        case readBasics, readFabrics, arm
        case removeStaleFabric(FabricDescriptor)
        case regulatory(country: String)
        case utcTime, pai, dac, attestation, csr, addRoot, addNOC
        case connect, complete, recheck
        case rearm(then: Step)
    }

    struct Request: Hashable, Sendable {
        var id: RequestID
        var step: Step
        var sent: MonotonicInstant
        var deadline: MonotonicInstant
    }

    enum State: Sendable {
        case idle
        case requesting(Request)
        case deciding(RequestID, deadline: MonotonicInstant)
        case awaitingJournal(next: Step, deadline: MonotonicInstant)
        case connecting(RequestID, deadline: MonotonicInstant)
        case backingOff(until: MonotonicInstant)
        case cleaning(Cleaning)
        case done
    }

    /// What the device may think of CommissioningComplete.
    enum Completion: Hashable, Sendable { case notSent, unknown, refused }

    /// When the device's fail-safe ends: not before, and not after.
    struct FailSafe: Hashable, Sendable {
        var earliest: MonotonicInstant
        var latest: MonotonicInstant
    }

    let plan: CommissioningPlan
    let authority: any CommissioningAuthority
    var state = State.idle
    var stage = CommissioningStage.readInfo
    var info = CommissioningInfo()
    var started = MonotonicInstant(sinceStart: .zero)
    var isPASEOpen = true
    var isOperationalOpen = false
    /// The fail-safe can be extended over PASE, as far as we know.
    var isExtensible = true
    /// `nil` while the device has no fail-safe of ours.
    var failSafe: FailSafe?
    var firstArmed: MonotonicInstant?
    var pendingJournal: RequestID?
    var pai: [UInt8] = []
    var dac: [UInt8] = []
    var nonce: [UInt8] = []
    var verdict: AttestationVerdict?
    var evidence: AttestationEvidence?
    var certificates = IssuedCertificates(noc: [])
    var fabricIndex: FabricIndex?
    var replacedNode: NodeID?
    var completion = Completion.notSent
    var operationalAttempts = 0
    var operationalDeadline: MonotonicInstant?
    private var lastRequest = 0

    /// Makes a machine.
    public init(plan: CommissioningPlan, authority: any CommissioningAuthority) {
        self.plan = plan
        self.authority = authority
    }

    /// When ``timerFired(now:)`` is next due; `nil` before the start and after the end.
    public var deadline: MonotonicInstant? {
        switch state {
        case .idle, .done: nil
        case .requesting(let request): request.deadline
        case .deciding(_, let deadline), .awaitingJournal(_, let deadline), .connecting(_, let deadline): deadline
        case .backingOff(let until): until
        case .cleaning(let cleaning): cleaning.deadline
        }
    }

    /// The stage that was entered last.
    public var currentStage: CommissioningStage { stage }

    /// Whether nothing more happens.
    public var isDone: Bool { if case .done = state { true } else { false } }

    // MARK: - Events

    /// Begins; call once, when the PASE session is open.
    public mutating func start(now: MonotonicInstant) -> [Action] {
        guard case .idle = state else { return [] }
        started = now
        return [.entered(.readInfo)] + perform(.readBasics, now: now)
    }

    /// A read ended.
    public mutating func readCompleted(
        _ id: RequestID, _ result: Result<ReadResult, InteractionFailure>, now: MonotonicInstant
    ) -> [Action] {
        switch state {
        case .requesting(let request) where request.id == id:
            switch result {
            case .success(let result): return took(result, of: request, now: now)
            case .failure(let failure): return took(failure, of: request, now: now)
            }
        case .cleaning(let cleaning):
            return cleaning.awaits(id) ? cleaningRead(cleaning, result, now: now) : []
        case .idle, .requesting, .deciding, .awaitingJournal, .connecting, .backingOff, .done:
            return []
        }
    }

    /// An invoke ended.
    public mutating func invokeCompleted(
        _ id: RequestID, _ result: Result<InvokeResult, InteractionFailure>, now: MonotonicInstant
    ) -> [Action] {
        switch state {
        case .requesting(let request) where request.id == id:
            switch result {
            case .success(let result): return took(result, of: request, now: now)
            case .failure(let failure): return took(failure, of: request, now: now)
            }
        case .cleaning(let cleaning):
            return cleaning.awaits(id) ? cleaningInvoke(cleaning, result, now: now) : []
        case .idle, .requesting, .deciding, .awaitingJournal, .connecting, .backingOff, .done:
            return []
        }
    }

    /// The owner judged the device.
    public mutating func decided(_ id: RequestID, proceeds: Bool, now: MonotonicInstant) -> [Action] {
        guard case .deciding(id, _) = state else { return [] }
        return proceeds ? letIn(now: now) : refuseAttestation(now: now)
    }

    /// A journal entry is durable.
    public mutating func journalled(_ id: RequestID, now: MonotonicInstant) -> [Action] {
        guard pendingJournal == id else { return [] }
        pendingJournal = nil
        guard case .awaitingJournal(let next, _) = state else { return [] }
        return perform(next, now: now)
    }

    /// A journal entry could not be written.
    public mutating func journalFailed(_ id: RequestID, reason: String, now: MonotonicInstant) -> [Action] {
        guard pendingJournal == id else { return [] }
        pendingJournal = nil
        return abandonCurrent() + fail(.internalError, "the journal could not be written: \(reason)", now: now)
    }

    /// The operational session is there.
    public mutating func operationalSessionEstablished(_ id: RequestID, now: MonotonicInstant) -> [Action] {
        switch state {
        case .connecting(id, _):
            isOperationalOpen = true
            return afterJournal(.complete, now: now)
        case .cleaning(let cleaning) where cleaning.awaits(id):
            isOperationalOpen = true
            return remove(cleaning, now: now)
        case .idle, .requesting, .deciding, .awaitingJournal, .connecting, .backingOff, .cleaning, .done:
            return []
        }
    }

    /// The attempt at an operational session failed.
    public mutating func operationalSessionFailed(
        _ id: RequestID, _ failure: OperationalFailure, now: MonotonicInstant
    ) -> [Action] {
        switch state {
        case .connecting(id, _): return connectFailed(failure, now: now)
        case .cleaning(let cleaning) where cleaning.awaits(id): return reconnect(cleaning, after: failure, now: now)
        case .idle, .requesting, .deciding, .awaitingJournal, .connecting, .backingOff, .cleaning, .done: return []
        }
    }

    /// A session of this commissioning ended; results of requests on it still come, or came.
    public mutating func sessionClosed(_ channel: Channel, now: MonotonicInstant) -> [Action] {
        switch channel {
        case .operational:
            isOperationalOpen = false
            return []
        case .pase:
            isPASEOpen = false
            guard case .requesting(let request) = state, request.step.channel == .pase else { return [] }
            return took(InteractionFailure(.sessionClosed), of: request, now: now)
        }
    }

    /// The owner wants no device any more. Works in every state; answered by `failed` within a second.
    ///
    /// After `finished` there is nothing to cancel: the device is removed like any other.
    public mutating func cancel(now: MonotonicInstant) -> [Action] {
        stop(.sessionEnded, "commissioning was cancelled", now: now)
    }

    /// The time that the owner allowed for the whole is over; else like ``cancel(now:)``.
    public mutating func timeOver(now: MonotonicInstant) -> [Action] {
        stop(.deadline, "the time allowed for commissioning is over", now: now)
    }

    private mutating func stop(
        _ cause: CommissioningCause, _ message: String, now: MonotonicInstant
    ) -> [Action] {
        switch state {
        case .cleaning, .done: []
        case .idle, .requesting, .deciding, .awaitingJournal, .connecting, .backingOff:
            abandonCurrent() + fail(cause, message, now: now)
        }
    }

    /// Gives up what is in flight.
    private func abandonCurrent() -> [Action] {
        switch state {
        case .requesting(let request): [.abandon(request.id)]
        case .deciding(let id, _), .connecting(let id, _): [.abandon(id)]
        case .idle, .awaitingJournal, .backingOff, .cleaning, .done: []
        }
    }

    /// ``deadline`` came.
    public mutating func timerFired(now: MonotonicInstant) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch state {
        case .idle, .done:
            return []
        case .requesting(let request):
            return [.abandon(request.id)] + took(InteractionFailure(.timedOut), of: request, now: now)
        case .deciding(let id, _):
            return [.abandon(id)] + fail(.deadline, "nobody decided on the device's attestation in time", now: now)
        case .awaitingJournal:
            pendingJournal = nil
            return fail(.internalError, "the journal was not written in time", now: now)
        case .connecting(let id, _):
            return [.abandon(id)] + connectFailed(.noAnswer, now: now)
        case .backingOff:
            return perform(.connect, now: now)
        case .cleaning(let cleaning):
            return cleaningTimer(cleaning, now: now)
        }
    }

    // MARK: - Steps

    mutating func newRequest() -> RequestID {
        lastRequest += 1
        return RequestID(rawValue: lastRequest)
    }

    /// Does a step, after extending the fail-safe when it might end within the step.
    mutating func perform(_ step: Step, now: MonotonicInstant) -> [Action] {
        if let failSafe, isPASEOpen, isExtensible, step.channel == .pase || step == .connect,
            canExtendFailSafe(now: now),
            failSafe.earliest < now.advanced(by: timeout(of: step) + .seconds(5))
        {
            return begin(.rearm(then: step), now: now)
        }
        return begin(step, now: now)
    }

    /// Does a step whose entry must be durable first.
    mutating func afterJournal(_ step: Step, now: MonotonicInstant) -> [Action] {
        guard pendingJournal != nil else { return perform(step, now: now) }
        state = .awaitingJournal(next: step, deadline: now.advanced(by: plan.timeouts.journal))
        return []
    }

    private mutating func begin(_ step: Step, now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        if let next = step.stage, next > stage {
            stage = next
            actions.append(.entered(next))
        }
        if step == .connect { return actions + connect(now: now) }
        do {
            if step == .attestation || step == .csr { nonce = try authority.nonce() }
        } catch {
            return actions + fail(.internalError, "no nonce could be drawn: \(error.reason)", now: now)
        }
        if step == .addRoot { actions.append(journal(.addNOC, now: now)) }
        if step == .complete { completion = .unknown }
        let id = newRequest()
        state = .requesting(
            Request(id: id, step: step, sent: now, deadline: now.advanced(by: timeout(of: step))))
        switch step {
        case .readBasics: actions.append(.read(id, CommissioningInfo.reads[0], over: .pase))
        case .readFabrics: actions.append(.read(id, CommissioningInfo.reads[1], over: .pase))
        case .recheck: actions.append(.read(id, [.root(.operationalCredentials, 1)], over: .operational))
        case .arm, .rearm, .removeStaleFabric, .regulatory, .utcTime, .pai, .dac, .attestation, .csr, .addRoot,
            .addNOC, .connect, .complete:
            if let command = command(step, now: now) {
                if isArming(step) { willArm(now: now) }
                actions.append(.invoke(id, command, over: step.channel))
            }
        }
        return actions
    }

    /// The command of a step; `nil` for reads and the session.
    func command(_ step: Step, now: MonotonicInstant) -> ClusterCommand? {
        let breadcrumb = UInt64(stage.index)
        switch step {
        case .arm, .rearm:
            return .armFailSafe(seconds: failSafeSeconds(now: now), breadcrumb: breadcrumb)
        case .removeStaleFabric(let fabric): return .removeFabric(fabric.fabricIndex)
        case .regulatory(let country):
            return .setRegulatoryConfig(wantedLocation, country: country, breadcrumb: breadcrumb)
        case .utcTime: return .setUTCTime(wallClock(now))
        case .pai: return .paiRequest
        case .dac: return .dacRequest
        case .attestation: return .attestationRequest(nonce: nonce)
        case .csr: return .csrRequest(nonce: nonce)
        case .addRoot: return .addTrustedRoot(plan.rootCertificate)
        case .addNOC:
            return .addNOC(
                noc: certificates.noc, icac: certificates.icac, ipk: plan.ipkEpochKey,
                adminSubject: plan.adminSubject, adminVendor: plan.adminVendor)
        case .complete: return .commissioningComplete
        case .readBasics, .readFabrics, .recheck, .connect: return nil
        }
    }

    func timeout(of step: Step) -> Duration {
        switch step {
        case .csr, .addNOC, .complete: plan.timeouts.slowRequest
        case .connect: plan.timeouts.operationalAttempt
        case .readBasics, .readFabrics, .arm, .removeStaleFabric, .regulatory, .utcTime, .pai, .dac, .attestation,
            .addRoot, .recheck, .rearm:
            plan.timeouts.request
        }
    }

    private func isArming(_ step: Step) -> Bool {
        switch step {
        case .arm, .rearm: true
        case .readBasics, .readFabrics, .removeStaleFabric, .regulatory, .utcTime, .pai, .dac, .attestation, .csr,
            .addRoot, .addNOC, .connect, .complete, .recheck:
            false
        }
    }

    /// Where the device is to be used.
    var wantedLocation: RegulatoryLocation {
        switch info.locationCapability {
        case .indoor: .indoor
        case .outdoor: .outdoor
        case .indoorOutdoor, nil: plan.location ?? info.location ?? .indoorOutdoor
        }
    }

    func wallClock(_ now: MonotonicInstant) -> EpochSeconds {
        EpochSeconds(rawValue: plan.wallClock.rawValue + started.duration(to: now).components.seconds)
    }

    // MARK: - Fail-safe and journal

    /// The length that the fail-safe gets now, seconds.
    func failSafeSeconds(now: MonotonicInstant) -> UInt16 {
        let wanted = plan.failSafeSeconds ?? max(info.failSafeSeconds ?? 60, 60)
        return min(wanted, UInt16(clamping: max(cumulativeRest(now: now), 1)))
    }

    /// Seconds for which the fail-safe may still be kept.
    private func cumulativeRest(now: MonotonicInstant) -> Int64 {
        let used = firstArmed?.duration(to: now).components.seconds ?? 0
        return Int64(info.maximumFailSafeSeconds) - used
    }

    /// Whether arming again would end later than the fail-safe does now.
    func canExtendFailSafe(now: MonotonicInstant) -> Bool {
        guard let failSafe else { return false }
        return now.advanced(by: .seconds(Int64(failSafeSeconds(now: now))))
            > failSafe.earliest.advanced(by: .seconds(1))
    }

    /// The device may take the new length from now on, or keep the old one.
    private mutating func willArm(now: MonotonicInstant) {
        firstArmed = firstArmed ?? now
        let end = now.advanced(by: .seconds(Int64(failSafeSeconds(now: now))) + plan.timeouts.request)
        failSafe = FailSafe(earliest: failSafe?.earliest ?? now, latest: max(failSafe?.latest ?? end, end))
    }

    /// The device took the length that was sent.
    mutating func didArm(_ request: Request, now: MonotonicInstant) {
        let length = Duration.seconds(Int64(failSafeSeconds(now: request.sent)))
        failSafe = FailSafe(earliest: request.sent.advanced(by: length), latest: now.advanced(by: length))
    }

    /// Asks for an entry that must be durable before `stage`.
    mutating func journal(_ stage: CommissioningStage, now: MonotonicInstant) -> Action {
        let id = newRequest()
        pendingJournal = id
        let end = failSafe?.latest ?? now
        let entry = CommissioningJournalEntry(
            nodeID: plan.nodeID, stage: stage, failSafeEnds: EpochSeconds(rawValue: wallClock(end).rawValue + 1))
        return .journal(id, entry)
    }

    // MARK: - Operational session

    private mutating func connect(now: MonotonicInstant) -> [Action] {
        operationalAttempts += 1
        isOperationalOpen = false
        let until = operationalDeadline ?? now.advanced(by: plan.timeouts.operational)
        operationalDeadline = until
        let id = newRequest()
        state = .connecting(id, deadline: min(now.advanced(by: plan.timeouts.operationalAttempt), until))
        return [.establishOperationalSession(id, plan.nodeID)]
    }

    /// Tries again while there is time: at once after silence, after a moment when the device says what is wrong.
    private mutating func connectFailed(_ failure: OperationalFailure, now: MonotonicInstant) -> [Action] {
        let wait: Duration
        switch failure {
        case .noAnswer: wait = .zero
        case .busy(let time): wait = max(time, .milliseconds(100))
        case .noSharedTrustRoots:
            if completion == .unknown {
                completion = .refused
                failSafe = nil
                return fail(
                    .deadline, "the device gave the commissioning up before it was complete", now: now)
            }
            wait = .milliseconds(500)
        case .handshake: wait = .milliseconds(500)
        }
        let next = now.advanced(by: wait)
        let isLate = next >= (operationalDeadline ?? next) || next >= (failSafe?.latest ?? next)
        guard operationalAttempts < 3 || failure.isBusy, !isLate else {
            return fail(.init(failure), failure.explanation, now: now)
        }
        guard wait > .zero else { return perform(.connect, now: now) }
        state = .backingOff(until: next)
        return []
    }
}

extension CommissionerMachine.Step {
    /// The stage that the step belongs to; `nil` for one that belongs to the next step's.
    var stage: CommissioningStage? {
        switch self {
        case .readBasics, .readFabrics: .readInfo
        case .arm, .removeStaleFabric: .armFailSafe
        case .regulatory, .utcTime: .regulatory
        case .pai, .dac, .attestation: .attestation
        case .csr: .csr
        case .addRoot: .addRoot
        case .addNOC: .addNOC
        case .connect: .operational
        case .complete, .recheck: .complete
        case .rearm: nil
        }
    }

    /// The session that carries the step.
    var channel: CommissionerMachine.Channel {
        switch self {
        case .connect, .complete, .recheck: .operational
        case .readBasics, .readFabrics, .arm, .removeStaleFabric, .regulatory, .utcTime, .pai, .dac, .attestation,
            .csr, .addRoot, .addNOC, .rearm:
            .pase
        }
    }
}

extension OperationalFailure {
    var isBusy: Bool { if case .busy = self { true } else { false } }

    var explanation: String {
        switch self {
        case .noAnswer: "the device took its certificate, but did not answer on this home's fabric"
        case .noSharedTrustRoots: "the device took its certificate, but does not know this home's fabric"
        case .busy: "the device stayed too busy for a session on this home's fabric"
        case .handshake(let words): "the device's session on this home's fabric failed: \(words)"
        }
    }
}

extension CommissioningCause {
    init(_ failure: OperationalFailure) {
        self =
            switch failure {
            case .noAnswer: .deviceVanished
            case .noSharedTrustRoots: .deviceRefused
            case .busy: .deviceBusy
            case .handshake: .protocolError
            }
    }
}
