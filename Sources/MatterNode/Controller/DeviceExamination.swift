package import MatterCrypto
package import MatterProtocol
package import MatterWire
import NetIO

/// What a device showed of itself over a PASE session that changed nothing on it.
package struct DeviceExamination: Sendable {
    /// Where it answered.
    package var address: PeerAddress
    package var vendorID: VendorID?
    package var productID: ProductID?
    /// Empty when it does not tell.
    package var serialNumber: String
    package var network: NetworkFacts
    /// Attestation material; `nil` when the device gives none.
    package var attestation: AttestationEvidence?
    /// Why there is no attestation material, in words; `nil` when there is some.
    package var attestationMissing: String?
    /// This side's judgement of ``attestation``; nothing follows from it here.
    package var verdict: AttestationVerdict?
}

/// How the root endpoint of a device reaches the network (Network Commissioning, 0x31).
package struct NetworkFacts: Hashable, Sendable {
    /// FeatureMap: 1 Wi-Fi, 2 Thread, 4 Ethernet; 0 when there is no such cluster.
    package var features: UInt32
    /// Whether one of its networks is connected, by its own word.
    package var isConnected: Bool

    package init(features: UInt32 = 0, isConnected: Bool = false) {
        self.features = features
        self.isConnected = isConnected
    }

    /// The attributes that tell.
    static let paths: [AttributePath] = [
        .root(.networkCommissioning, AttributeID.featureMap.rawValue), .root(.networkCommissioning, 1),
    ]

    /// Reads what came; parts that do not decode count as missing.
    init(_ result: ReadResult) {
        let map = result[root: .networkCommissioning, .featureMap]?.unsigned
        features = map.flatMap { UInt32(exactly: $0) } ?? 0
        let networks = result[root: .networkCommissioning, AttributeID(rawValue: 1)]?.array ?? []
        isConnected = networks.contains { $0[1]?.bool == true }
    }
}

/// How an examination ended.
package enum ExaminationOutcome: Sendable {
    case examined(DeviceExamination)
    /// The device was reached and could not be examined; ``CommissioningFailure/deviceState`` says what is left.
    case failed(CommissioningFailure)
    case notFound(DiscoveryFailure)
}

extension ControllerNode {
    /// Reads a device's attestation material and what network it needs, and leaves it open for the next commissioner.
    ///
    /// Reading needs no fail-safe, but a device arms one by itself when PASE completes (Core §5.5): it is ended, so that the
    /// device takes another PASE at once. Devices count it as one of the 20 attempts that their window allows. Cancelling the
    /// task stops the examination, and still ends the fail-safe.
    ///
    /// - Parameter entered: called with each stage that begins: `discover`, `pase`, `readInfo`, `attestation`.
    package func examine(
        _ search: DeviceSearch, entered: @escaping @Sendable (CommissioningStage) async -> Void = { _ in }
    ) async -> ExaminationOutcome {
        guard !isClosed else {
            return .notFound(DiscoveryFailure(cause: .cancelled, candidates: [], stage: .discover))
        }
        let deadline = link.now.advanced(by: search.timeLimit).sinceStart
        let session: SessionHandle
        let address: PeerAddress
        do throws(DiscoveryFailure) {
            (session, address) = try await openPASE(search, until: deadline, entered: entered)
        } catch {
            return .notFound(error)
        }
        // A task of its own: leaving the device as it was must not be cut short by the caller's cancellation.
        let reading = Task { try await read(session, at: address, entered: entered) }
        let alarm = Task { [clock = environment.clock] in
            // Cancelled when the reading ended in time.
            guard (try? await clock.sleep(until: deadline)) != nil else { return false }
            reading.cancel()
            return true
        }
        let result = await withTaskCancellationHandler {
            await reading.result
        } onCancel: {
            reading.cancel()
        }
        alarm.cancel()
        let isLate = await alarm.value
        let rest = await Task { await leave(session) }.value
        switch result {
        case .success(let examination): return .examined(examination)
        case .failure(let error):
            var failure =
                error as? CommissioningFailure
                ?? CommissioningFailure(
                    stage: .readInfo, cause: isLate && !Task.isCancelled ? .deadline : .sessionEnded,
                    message: isLate && !Task.isCancelled
                        ? "the time for the examination is over" : "the examination was stopped")
            failure.deviceState = rest
            return .failed(failure)
        }
    }

    /// Ends the fail-safe and the session.
    func leave(_ session: SessionHandle) async -> DeviceState {
        let command = ClusterCommand.armFailSafe(seconds: 0, breadcrumb: 0)
        let answer: InvokeResult?
        do {
            answer = try await conduct(
                InvokeTransaction(command.path, fields: command.fields), on: session, allowance: .seconds(2))
        } catch {
            // Silent, or the session is over: the device ends its fail-safe by itself.
            answer = nil
        }
        endPASE(session)
        guard case .response(_, let fields)? = answer?.outcome else { return .cleaning }
        do throws(TLVError) {
            let code = try GeneralCommissioningResponse(fields: fields).errorCode
            return code == .ok || code == .noFailSafe || code == .busyWithOtherAdmin ? .untouched : .cleaning
        } catch {
            return .cleaning
        }
    }

    private func read(
        _ session: SessionHandle, at address: PeerAddress,
        entered: @Sendable (CommissioningStage) async -> Void
    ) async throws -> DeviceExamination {
        await entered(.readInfo)
        let facts = try await examining(.readInfo) {
            try await conduct(
                ReadTransaction(
                    [2, 4, 15].map { AttributePath.root(.basicInformation, $0) } + NetworkFacts.paths,
                    isFabricFiltered: false), on: session, allowance: Self.answerTime)
        }
        var examination = DeviceExamination(
            address: address,
            vendorID: facts.number(.basicInformation, 2).map { VendorID(rawValue: $0) },
            productID: facts.number(.basicInformation, 4).map { ProductID(rawValue: $0) },
            serialNumber: facts[root: .basicInformation, AttributeID(rawValue: 15)]?.utf8 ?? "",
            network: NetworkFacts(facts))
        await entered(.attestation)
        do throws(MissingAttestation) {
            let evidence = try await attestation(session, of: examination)
            examination.attestation = evidence
            examination.verdict = authority.judge(evidence)
        } catch {
            switch error {
            case .refused(let words): examination.attestationMissing = words
            case .failed(let failure): throw failure
            case .cancelled: throw CancellationError()
            }
        }
        return examination
    }

    /// Why there is no attestation material.
    private enum MissingAttestation: Error {
        case refused(String)
        case failed(CommissioningFailure)
        case cancelled
    }

    private func attestation(
        _ session: SessionHandle, of examination: DeviceExamination
    ) async throws(MissingAttestation) -> AttestationEvidence {
        guard let vendorID = examination.vendorID, let productID = examination.productID else {
            throw .refused("the device does not say who made it")
        }
        do {
            let pai = try await answer(to: .paiRequest, on: session).octets(0)
            let dac = try await answer(to: .dacRequest, on: session).octets(0)
            let nonce = try authority.nonce()
            let signed = try SignedElementsResponse(
                fields: await answer(to: .attestationRequest(nonce: nonce), on: session))
            return AttestationEvidence(
                dac: dac, pai: pai, elements: signed.elements, signature: signed.signature,
                challenge: link.layer.session(session)?.attestationChallenge ?? [], nonce: nonce,
                vendorID: vendorID, productID: productID, now: environment.wallClock())
        } catch let error as MissingAttestation {
            throw error
        } catch let failure as CommissioningFailure {
            throw failure.cause == .deviceRefused ? .refused(failure.message) : .failed(failure)
        } catch is CancellationError {
            throw .cancelled
        } catch let error as CryptoError {
            throw .refused("no nonce could be drawn: \(error.reason)")
        } catch {
            throw .refused("what the device gave does not decode")
        }
    }

    private func answer(to command: ClusterCommand, on session: SessionHandle) async throws -> TLVValue {
        let result = try await examining(.attestation) {
            try await conduct(
                InvokeTransaction(command.path, fields: command.fields), on: session, allowance: Self.answerTime)
        }
        switch result.outcome {
        case .response(let id, let fields) where id == command.response: return fields
        case .status(let status):
            throw MissingAttestation.refused("the device refused \(command.name): \(status.status)")
        case .response, nil: throw MissingAttestation.refused("\(command.name) was answered by something else")
        }
    }

    /// Runs a request; a failure of the session becomes one of the examination.
    private func examining<R>(_ stage: CommissioningStage, _ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch let failure as InteractionFailure {
            let cause: CommissioningCause =
                switch failure.code {
                case .status: .deviceRefused
                case .unreachable, .sessionClosed: .deviceVanished
                case .timedOut: .deadline
                default: .protocolError
                }
            throw CommissioningFailure(stage: stage, cause: cause, message: failure.explanation)
        }
    }
}

extension ReadResult {
    /// A 16-bit number of the root endpoint.
    func number(_ cluster: ClusterID, _ attribute: UInt32) -> UInt16? {
        self[root: cluster, AttributeID(rawValue: attribute)]?.unsigned.flatMap { UInt16(exactly: $0) }
    }
}
