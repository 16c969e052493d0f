import MatterWire

/// Leaving a device as it was found.
extension CommissionerMachine {
    /// A failure whose device is being cleaned.
    struct Cleaning: Hashable, Sendable {
        enum Phase: Hashable, Sendable {
            /// ArmFailSafe(0) is on its way.
            case disarming(RequestID)
            /// The device cleans itself when its fail-safe ends.
            case waitingOut
            /// A session is sought, to find out and remove.
            case connecting(RequestID)
            /// A session is sought again then.
            case backingOff(until: MonotonicInstant)
            /// CurrentFabricIndex is on its way.
            case readingIndex(RequestID)
            /// RemoveFabric is on its way.
            case removing(RequestID)
        }
        var failure: CommissioningFailure
        /// When the failure is reported if cleaning takes longer; `nil` once it is.
        var reportBy: MonotonicInstant?
        /// When this phase ends for want of an answer, or cleaning as a whole.
        var giveUp: MonotonicInstant
        var phase: Phase

        var deadline: MonotonicInstant {
            var deadline = giveUp
            if case .backingOff(let until) = phase { deadline = min(deadline, until) }
            return reportBy.map { min($0, deadline) } ?? deadline
        }

        func awaits(_ id: RequestID) -> Bool {
            switch phase {
            case .disarming(id), .connecting(id), .readingIndex(id), .removing(id): true
            case .disarming, .waitingOut, .connecting, .backingOff, .readingIndex, .removing: false
            }
        }
    }

    // MARK: - Failing

    mutating func fail(
        _ cause: CommissioningCause, _ message: String, _ peer: CommissioningPeerStatus? = nil, now: MonotonicInstant
    ) -> [Action] {
        fail(CommissioningFailure(stage: stage, cause: cause, message: message, peerStatus: peer), now: now)
    }

    /// Ends the commissioning and begins to clean.
    mutating func fail(_ failure: CommissioningFailure, now: MonotonicInstant) -> [Action] {
        var failure = failure
        pendingJournal = nil
        let reportBy = now.advanced(by: plan.timeouts.report)
        guard completion != .unknown else {
            failure.deviceState = .unknown
            failure.failSafeEnds = failSafe?.latest
            let giveUp = max(failSafe?.latest ?? now, now).advanced(by: plan.timeouts.settling)
            let cleaning = Cleaning(
                failure: failure, reportBy: reportBy, giveUp: giveUp, phase: .waitingOut)
            return isOperationalOpen ? remove(cleaning, now: now) : seek(cleaning, now: now)
        }
        guard let failSafe, failSafe.latest > now else {
            state = .done
            failure.deviceState = firstArmed == nil ? .untouched : .clean
            return [.failed(failure), .settled(failure.deviceState)]
        }
        failure.deviceState = .cleaning
        failure.failSafeEnds = failSafe.latest
        var cleaning = Cleaning(
            failure: failure, reportBy: reportBy, giveUp: failSafe.latest, phase: .waitingOut)
        guard isPASEOpen else { return waitOut(cleaning) }
        let id = newRequest()
        cleaning.phase = .disarming(id)
        state = .cleaning(cleaning)
        return [.invoke(id, .armFailSafe(seconds: 0, breadcrumb: 0), over: .pase)]
    }

    private mutating func settle(_ cleaning: Cleaning, _ deviceState: DeviceState) -> [Action] {
        state = .done
        var actions: [Action] = []
        if cleaning.reportBy != nil {
            var failure = cleaning.failure
            failure.deviceState = deviceState
            if deviceState == .clean { failure.failSafeEnds = nil }
            actions.append(.failed(failure))
        }
        return actions + [.settled(deviceState)]
    }

    private mutating func report(_ cleaning: inout Cleaning) -> [Action] {
        guard cleaning.reportBy != nil else { return [] }
        cleaning.reportBy = nil
        return [.failed(cleaning.failure)]
    }

    // MARK: - Before CommissioningComplete: the fail-safe undoes everything

    /// Nobody can end the fail-safe any more: there is nothing to report sooner.
    private mutating func waitOut(_ cleaning: Cleaning) -> [Action] {
        var cleaning = cleaning
        cleaning.phase = .waitingOut
        let actions = report(&cleaning)
        state = .cleaning(cleaning)
        return actions
    }

    private mutating func disarmed(
        _ cleaning: Cleaning, _ result: Result<InvokeResult, InteractionFailure>
    ) -> [Action] {
        guard case .success(let result) = result, case .response(_, let fields) = result.outcome else {
            return waitOut(cleaning)
        }
        do {
            let code = try GeneralCommissioningResponse(fields: fields).errorCode
            // No fail-safe, or another's: ours is gone, and with it what we changed.
            let isGone = code == .ok || code == .noFailSafe || code == .busyWithOtherAdmin
            return isGone ? settle(cleaning, .clean) : waitOut(cleaning)
        } catch {
            return waitOut(cleaning)
        }
    }

    // MARK: - After CommissioningComplete: only the operational session tells and undoes

    private mutating func seek(_ cleaning: Cleaning, now: MonotonicInstant) -> [Action] {
        var cleaning = cleaning
        let id = newRequest()
        cleaning.phase = .connecting(id)
        state = .cleaning(cleaning)
        return [.establishOperationalSession(id, plan.nodeID)]
    }

    /// An attempt failed: a device without our fabric is clean, one that is silent is sought until the time is over.
    mutating func reconnect(
        _ cleaning: Cleaning, after failure: OperationalFailure, now: MonotonicInstant
    ) -> [Action] {
        if failure == .noSharedTrustRoots { return settle(cleaning, .clean) }
        var cleaning = cleaning
        let wait: Duration = if case .busy(let time) = failure { max(time, .seconds(1)) } else { .seconds(2) }
        cleaning.phase = .backingOff(until: now.advanced(by: wait))
        state = .cleaning(cleaning)
        return []
    }

    /// Removes our fabric over the operational session.
    mutating func remove(_ cleaning: Cleaning, now: MonotonicInstant) -> [Action] {
        var cleaning = cleaning
        let id = newRequest()
        guard let fabricIndex else {
            cleaning.phase = .readingIndex(id)
            state = .cleaning(cleaning)
            return [.read(id, [.root(.operationalCredentials, 5)], over: .operational)]
        }
        cleaning.phase = .removing(id)
        state = .cleaning(cleaning)
        return [.invoke(id, .removeFabric(fabricIndex), over: .operational)]
    }

    private mutating func removed(
        _ cleaning: Cleaning, _ result: Result<InvokeResult, InteractionFailure>, now: MonotonicInstant
    ) -> [Action] {
        if case .success(let result) = result, case .response(_, let fields) = result.outcome {
            do {
                let status = try NOCResponse(fields: fields).status
                if status == .ok || status == .invalidFabricIndex { return settle(cleaning, .clean) }
            } catch {
                // As good as no answer: the next session tells.
            }
        }
        isOperationalOpen = false
        return reconnect(cleaning, after: .noAnswer, now: now)
    }

    // MARK: - Events

    mutating func cleaningRead(
        _ cleaning: Cleaning, _ result: Result<ReadResult, InteractionFailure>, now: MonotonicInstant
    ) -> [Action] {
        if case .success(let result) = result,
            let index = result[root: .operationalCredentials, AttributeID(rawValue: 5)]?.unsigned,
            let index = UInt8(exactly: index), index > 0
        {
            fabricIndex = FabricIndex(rawValue: index)
            return remove(cleaning, now: now)
        }
        isOperationalOpen = false
        return reconnect(cleaning, after: .noAnswer, now: now)
    }

    mutating func cleaningInvoke(
        _ cleaning: Cleaning, _ result: Result<InvokeResult, InteractionFailure>, now: MonotonicInstant
    ) -> [Action] {
        if case .disarming = cleaning.phase { return disarmed(cleaning, result) }
        return removed(cleaning, result, now: now)
    }

    mutating func cleaningTimer(_ cleaning: Cleaning, now: MonotonicInstant) -> [Action] {
        var cleaning = cleaning
        if cleaning.giveUp <= now {
            let abandon: [Action] =
                switch cleaning.phase {
                case .disarming(let id), .connecting(let id), .readingIndex(let id), .removing(let id): [.abandon(id)]
                case .waitingOut, .backingOff: []
                }
            // Without CommissioningComplete the end of the fail-safe is the end of what we changed.
            return abandon + settle(cleaning, completion == .unknown ? .unknown : .clean)
        }
        var actions: [Action] = []
        if let reportBy = cleaning.reportBy, reportBy <= now { actions = report(&cleaning) }
        state = .cleaning(cleaning)
        if case .backingOff(let until) = cleaning.phase, until <= now { actions += seek(cleaning, now: now) }
        return actions
    }
}
