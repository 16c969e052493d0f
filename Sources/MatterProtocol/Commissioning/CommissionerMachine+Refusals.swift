import MatterWire

/// What follows when a step fails: some steps may be refused, some outcomes are not known yet, the rest is a failure.
extension CommissionerMachine {
    // MARK: - No answer

    mutating func took(_ failure: InteractionFailure, of request: Request, now: MonotonicInstant) -> [Action] {
        if let status = failure.peerStatus, let command = command(request.step, now: now) {
            return refused(request, command, StatusIB(status), now: now)
        }
        if case .rearm(let next) = request.step, case .connect = next {
            // The certificate is there; what counts now is the operational session, while the old fail-safe lasts.
            return skipRearm(next, now: now)
        }
        if request.step == .complete || request.step == .recheck { return seekOutcome(failure, now: now) }
        switch failure.code {
        case .unreachable:
            return fail(.deviceVanished, "the device stopped answering", now: now)
        case .sessionClosed where hasResetDevice(request):
            // Its fail-safe ended with everything else.
            failSafe = nil
            return fail(
                .deviceReset, "the device reset itself when its old membership of this home was removed", now: now)
        case .sessionClosed:
            isPASEOpen = isPASEOpen && request.step.channel != .pase
            return fail(.deviceVanished, "the device closed the session", now: now)
        case .timedOut:
            return fail(
                .deadline, "the device took the request and gave no answer in \(timeout(of: request.step))", now: now)
        case .status(let status):
            return fail(.deviceRefused, "the device refused a read", .interaction(StatusIB(status)), now: now)
        case .malformed, .unexpectedMessage, .mismatchedAnswer, .answerTooLarge, .requestTooLarge:
            return fail(.protocolError, failure.explanation, now: now)
        }
    }

    /// Whether the stale membership that was removed was the device's last one: many devices reset themselves then.
    private func hasResetDevice(_ request: Request) -> Bool {
        guard info.fabrics.count == 1 else { return false }
        if case .removeStaleFabric = request.step { return true }
        return replacedNode != nil
    }

    /// An answer came that makes no sense.
    mutating func broken(_ request: Request, _ message: String, now: MonotonicInstant) -> [Action] {
        if request.step == .complete {
            return seekOutcome(InteractionFailure(.mismatchedAnswer), now: now)
        }
        return fail(.protocolError, message, now: now)
    }

    /// CommissioningComplete may have been carried out: a new session, and the device is asked again.
    private mutating func seekOutcome(_ failure: InteractionFailure, now: MonotonicInstant) -> [Action] {
        isOperationalOpen = false
        guard operationalAttempts < 4, let latest = failSafe?.latest, now < latest else {
            return fail(
                .deviceVanished, "the device did not say whether commissioning is complete (\(failure.explanation))",
                now: now)
        }
        operationalDeadline = max(operationalDeadline ?? latest, latest)
        return [.note(.outcomeUnknown)] + perform(.connect, now: now)
    }

    private mutating func skipRearm(_ next: Step, now: MonotonicInstant) -> [Action] {
        isExtensible = false
        return perform(next, now: now)
    }

    // MARK: - Refusals

    /// The whole command ended with a status.
    mutating func refused(
        _ request: Request, _ command: ClusterCommand, _ status: StatusIB, now: MonotonicInstant
    ) -> [Action] {
        let peer = CommissioningPeerStatus.interaction(status)
        switch request.step {
        case .utcTime:
            return [.note(.timeRefused(peer))] + perform(timeNext, now: now)
        case .regulatory where status.status != .failsafeRequired && status.status != .busy:
            return [.note(.locationRefused(peer))] + perform(locationNext, now: now)
        case .rearm(let next):
            if case .connect = next { return skipRearm(next, now: now) }
        case .addRoot where status.status == .resourceExhausted:
            return full("the device has no room for another root certificate", peer, now: now)
        case .addNOC where status.status == .resourceExhausted:
            return full("the device has no room for another fabric", peer, now: now)
        case .complete:
            completion = .refused
        case .readBasics, .readFabrics, .arm, .removeStaleFabric, .regulatory, .pai, .dac, .attestation, .csr,
            .addRoot, .addNOC, .connect, .recheck:
            break
        }
        if request.step == .arm { notArmed() }
        if status.status == .busy { return busy(peer, now: now) }
        if status.status == .failsafeRequired {
            failSafe = nil
            return fail(.deadline, "the device's fail-safe ended before \(command.name)", peer, now: now)
        }
        return fail(.deviceRefused, "the device refused \(command.name)", peer, now: now)
    }

    /// A command of General Commissioning ended with an error code.
    mutating func refused(
        _ request: Request, _ response: GeneralCommissioningResponse, now: MonotonicInstant
    ) -> [Action] {
        let name = command(request.step, now: now)?.name ?? ""
        let peer = CommissioningPeerStatus.command(
            name, code: response.errorCode.rawValue, name: response.errorCode.description, text: response.debugText)
        switch request.step {
        case .regulatory(let country) where response.errorCode == .valueOutsideRange:
            if country != "XX" { return perform(.regulatory(country: "XX"), now: now) }
            return [.note(.locationRefused(peer))] + perform(locationNext, now: now)
        case .complete where response.errorCode == .noFailSafe && operationalAttempts > 1:
            // Either an earlier CommissioningComplete was carried out, or the fail-safe ended: the fabric tells.
            return perform(.recheck, now: now)
        case .complete:
            completion = .refused
        case .rearm(.connect):
            return skipRearm(.connect, now: now)
        case .arm:
            notArmed()
        case .regulatory, .rearm, .readBasics, .readFabrics, .removeStaleFabric, .utcTime, .pai, .dac, .attestation,
            .csr, .addRoot, .addNOC, .connect, .recheck:
            break
        }
        switch response.errorCode {
        case .busyWithOtherAdmin:
            failSafe = nil
            return busy(peer, now: now)
        case .noFailSafe:
            failSafe = nil
            return fail(.deadline, "the device's fail-safe ended before \(name)", peer, now: now)
        default:
            return fail(.deviceRefused, "the device refused \(name) with \(response.errorCode)", peer, now: now)
        }
    }

    /// A command on the fabric table ended with an error.
    mutating func refused(_ request: Request, _ response: NOCResponse, now: MonotonicInstant) -> [Action] {
        let name = command(request.step, now: now)?.name ?? ""
        let peer = CommissioningPeerStatus.command(
            name, code: response.status.rawValue, name: response.status.description, text: response.debugText)
        switch response.status {
        case .tableFull:
            return full("the device has no room for another fabric", peer, now: now)
        case .fabricConflict:
            return fail(.alreadyOnFabric, "the device says that it is on this home's fabric already", peer, now: now)
        default:
            return fail(.deviceRefused, "the device refused \(name) with \(response.status)", peer, now: now)
        }
    }

    /// The device took no fail-safe from us.
    private mutating func notArmed() {
        failSafe = nil
        firstArmed = nil
    }

    private mutating func full(
        _ message: String, _ peer: CommissioningPeerStatus, now: MonotonicInstant
    ) -> [Action] {
        let limit = info.supportedFabrics.map(Int.init)
        var failure = CommissioningFailure(
            stage: stage, cause: .fabricTableFull,
            message: message + (limit.map { "; it takes \($0) and has \(info.fabrics.count)" } ?? ""),
            peerStatus: peer)
        failure.limit = limit
        return fail(failure, now: now)
    }

    private mutating func busy(_ peer: CommissioningPeerStatus, now: MonotonicInstant) -> [Action] {
        var failure = CommissioningFailure(
            stage: stage, cause: .deviceBusy, message: "another administrator is working on the device",
            peerStatus: peer)
        failure.retryAfter = .seconds(Int(info.failSafeSeconds ?? 60))
        return fail(failure, now: now)
    }

    private var locationNext: Step { info.hasTime ? .utcTime : timeNext }
    private var timeNext: Step { plan.attestationPolicy == .off ? .csr : .pai }
}
