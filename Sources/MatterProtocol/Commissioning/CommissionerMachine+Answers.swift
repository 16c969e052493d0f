import MatterCrypto
import MatterWire

/// What follows from the answer to each step.
extension CommissionerMachine {
    // MARK: - Reads

    mutating func took(_ result: ReadResult, of request: Request, now: MonotonicInstant) -> [Action] {
        if request.step == .recheck { return recheck(result, now: now) }
        do {
            try info.add(result)
        } catch {
            return fail(
                .protocolError, "what the device says of itself does not decode (\(error))",
                now: now)
        }
        guard request.step == .readFabrics else { return perform(.readFabrics, now: now) }
        var actions: [Action] = []
        if info.breadcrumb > 0 { actions.append(.note(.earlierAttempt(breadcrumb: info.breadcrumb))) }
        if let fabric = ownFabric, plan.knownNodes.contains(fabric.nodeID) {
            var failure = CommissioningFailure(
                stage: stage, cause: .alreadyOnFabric,
                message: "the device is in this home already, as node \(fabric.nodeID.hexadecimal)")
            failure.existingNode = fabric.nodeID
            return actions + fail(failure, now: now)
        }
        return actions + perform(.arm, now: now)
    }

    /// The device's membership of our fabric: the same id under the same root.
    private var ownFabric: FabricDescriptor? {
        info.fabrics.first { $0.fabricID == plan.fabricID && $0.rootPublicKey == plan.rootPublicKey }
    }

    /// Whether the device still has our fabric, after it said that no fail-safe is armed.
    private mutating func recheck(_ result: ReadResult, now: MonotonicInstant) -> [Action] {
        let list = result[root: .operationalCredentials, AttributeID(rawValue: 1)]
        do {
            let fabrics = try CommissioningInfo.fabrics(list ?? .array([]))
            let isThere = fabrics.contains {
                $0.fabricID == plan.fabricID && $0.rootPublicKey == plan.rootPublicKey && $0.nodeID == plan.nodeID
            }
            if isThere { return finish(now: now) }
        } catch {
            return fail(.protocolError, "the device's list of fabrics does not decode", now: now)
        }
        completion = .refused
        return fail(.deadline, "the device's fail-safe ended before commissioning was complete", now: now)
    }

    // MARK: - Commands

    mutating func took(_ result: InvokeResult, of request: Request, now: MonotonicInstant) -> [Action] {
        guard let command = command(request.step, now: now) else { return [] }
        switch result.outcome {
        case .status(let status) where status.isSuccess && command.response == nil:
            return succeeded(request, .structure([]), now: now)
        case .response(let id, let fields) where id == command.response:
            do {
                return try answered(request, fields, now: now)
            } catch {
                return broken(request, "the answer to \(command.name) does not decode", now: now)
            }
        case .status(let status) where !status.isSuccess:
            return refused(request, command, status, now: now)
        case .status, .response, nil:
            return broken(request, "\(command.name) was answered by something else", now: now)
        }
    }

    /// A response command came; most carry a code of their own.
    private mutating func answered(
        _ request: Request, _ fields: TLVValue, now: MonotonicInstant
    ) throws(TLVError) -> [Action] {
        switch request.step {
        case .arm, .rearm, .regulatory, .complete:
            let response = try GeneralCommissioningResponse(fields: fields)
            guard response.errorCode == .ok else { return refused(request, response, now: now) }
        case .addNOC, .removeStaleFabric:
            let response = try NOCResponse(fields: fields)
            guard response.status == .ok else { return refused(request, response, now: now) }
            if request.step == .addNOC { fabricIndex = response.fabricIndex }
        case .readBasics, .readFabrics, .utcTime, .pai, .dac, .attestation, .csr, .addRoot, .connect, .recheck:
            break
        }
        return try succeededDecoding(request, fields, now: now)
    }

    private mutating func succeeded(_ request: Request, _ fields: TLVValue, now: MonotonicInstant) -> [Action] {
        do {
            return try succeededDecoding(request, fields, now: now)
        } catch {
            return broken(request, "an answer does not decode", now: now)
        }
    }

    private mutating func succeededDecoding(
        _ request: Request, _ fields: TLVValue, now: MonotonicInstant
    ) throws(TLVError) -> [Action] {
        switch request.step {
        case .arm:
            didArm(request, now: now)
            return ownFabric.map { perform(.removeStaleFabric($0), now: now) } ?? afterArming(now: now)
        case .rearm(let next):
            didArm(request, now: now)
            return [.note(.failSafeExtended)] + extended(next, now: now)
        case .removeStaleFabric(let fabric):
            replacedNode = fabric.nodeID
            return [.note(.staleFabricRemoved(fabric.nodeID))] + afterArming(now: now)
        case .regulatory:
            return afterRegulatory(now: now)
        case .utcTime:
            return afterTime(now: now)
        case .pai:
            pai = try fields.octets(0)
            return perform(.dac, now: now)
        case .dac:
            dac = try fields.octets(0)
            return perform(.attestation, now: now)
        case .attestation:
            return attested(try SignedElementsResponse(fields: fields), now: now)
        case .csr:
            return certify(try SignedElementsResponse(fields: fields), now: now)
        case .addRoot:
            return afterJournal(.addNOC, now: now)
        case .addNOC:
            let entry = journal(.complete, now: now)
            return [entry] + perform(.connect, now: now)
        case .complete:
            return finish(now: now)
        case .readBasics, .readFabrics, .recheck, .connect:
            return []
        }
    }

    /// Goes on after the fail-safe was extended; the journal learns its new end.
    private mutating func extended(_ next: Step, now: MonotonicInstant) -> [Action] {
        switch next {
        case .addNOC:
            let entry = journal(.addNOC, now: now)
            return [entry] + afterJournal(next, now: now)
        case .connect:
            let entry = journal(.complete, now: now)
            return [entry] + perform(next, now: now)
        case .readBasics, .readFabrics, .arm, .removeStaleFabric, .regulatory, .utcTime, .pai, .dac, .attestation,
            .csr, .addRoot, .complete, .recheck, .rearm:
            return perform(next, now: now)
        }
    }

    private mutating func afterArming(now: MonotonicInstant) -> [Action] {
        guard info.locationCapability != nil, !info.isWiredOnly else { return afterRegulatory(now: now) }
        return perform(.regulatory(country: plan.country), now: now)
    }

    private mutating func afterRegulatory(now: MonotonicInstant) -> [Action] {
        info.hasTime ? perform(.utcTime, now: now) : afterTime(now: now)
    }

    private mutating func afterTime(now: MonotonicInstant) -> [Action] {
        switch plan.attestationPolicy {
        case .strict, .warn, .ask: perform(.pai, now: now)
        case .off: perform(.csr, now: now)
        }
    }

    // MARK: - Attestation and certificates

    private mutating func attested(_ response: SignedElementsResponse, now: MonotonicInstant) -> [Action] {
        guard let vendorID = info.vendorID, let productID = info.productID else {
            return fail(.protocolError, "the device does not say who made it", now: now)
        }
        let evidence = AttestationEvidence(
            dac: dac, pai: pai, elements: response.elements, signature: response.signature,
            challenge: plan.attestationChallenge, nonce: nonce, vendorID: vendorID, productID: productID,
            now: wallClock(now))
        self.evidence = evidence
        let verdict = authority.judge(evidence)
        self.verdict = verdict
        switch plan.attestationPolicy {
        case .strict: return verdict.accepted ? letIn(now: now) : refuseAttestation(now: now)
        case .warn, .off: return letIn(now: now)
        case .ask:
            let id = newRequest()
            // What follows needs the fail-safe, and extends it when a little is left.
            state = .deciding(id, deadline: failSafe?.earliest.advanced(by: .zero - plan.timeouts.request) ?? now)
            return [.decide(id, evidence, verdict)]
        }
    }

    /// Goes on with a device, whatever its attestation is worth.
    mutating func letIn(now: MonotonicInstant) -> [Action] {
        guard let verdict, !verdict.accepted else { return perform(.csr, now: now) }
        return [.note(.attestationIgnored(verdict))] + perform(.csr, now: now)
    }

    /// Ends with a device that was not let in.
    mutating func refuseAttestation(now: MonotonicInstant) -> [Action] {
        let reason =
            verdict.map {
                $0.accepted
                    ? "the device's attestation is in order, and it was not let in all the same"
                    : "the device could not prove that it is genuine: \($0.explanation)"
            } ?? "the device was not let in"
        var failure = CommissioningFailure(stage: stage, cause: .attestationRefused, message: reason)
        failure.verdict = verdict
        return fail(failure, now: now)
    }

    private mutating func certify(_ response: SignedElementsResponse, now: MonotonicInstant) -> [Action] {
        // Under `warn` a DAC that cannot be read has no key to check with.
        let isUsable = verdict?[.dacFormat]?.passed == true || verdict?.accepted == true
        let evidence = CSREvidence(
            elements: response.elements, signature: response.signature, nonce: nonce,
            challenge: plan.attestationChallenge, dac: isUsable ? dac : nil)
        let key: P256PublicKey
        do {
            key = try authority.check(evidence)
        } catch {
            return fail(.protocolError, error.reason, now: now)
        }
        do {
            certificates = try authority.issue(key, nodeID: plan.nodeID)
        } catch {
            return fail(.internalError, "no certificate could be signed: \(error.reason)", now: now)
        }
        return perform(.addRoot, now: now)
    }

    private mutating func finish(now: MonotonicInstant) -> [Action] {
        state = .done
        return [
            .finished(
                CommissionedDevice(
                    nodeID: plan.nodeID, fabricIndex: fabricIndex, vendorID: info.vendorID, productID: info.productID,
                    noc: certificates.noc, verdict: verdict, attestation: evidence, replacedNode: replacedNode,
                    elapsed: started.duration(to: now)))
        ]
    }
}

extension NodeID {
    /// Sixteen upper-case digits, as in DNS-SD names.
    var hexadecimal: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
