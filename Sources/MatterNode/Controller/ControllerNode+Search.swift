package import MatterProtocol
package import MatterWire
import NetIO

extension ControllerNode {
    private enum SearchEvent: Sendable {
        case changed(CommissionableEvent)
        case searchEnded((any Error)?)
        case answered(String, Result<(EstablishedSession, PeerAddress), any Error>)
        case settled
        case timeOver
    }

    /// After this time a search with only refusals is over; before, a better candidate may still turn up.
    private static let settleTime: Duration = .milliseconds(1500)

    /// Finds the payload's device and opens a PASE session with it.
    ///
    /// - Throws: ``DiscoveryFailure``.
    func openPASE(
        _ wanted: DeviceSearch, entered: @Sendable (CommissioningStage) async -> Void
    ) async throws -> (session: SessionHandle, address: PeerAddress) {
        await entered(.discover)
        let (established, address): (EstablishedSession, PeerAddress)
        if let given = wanted.address {
            await entered(.pase)
            let record = CommissionableRecord(instance: given.text, port: given.port, addresses: [given], txt: [:])
            do {
                (established, address) = try await pase(wanted, with: record)
            } catch {
                let answer = CandidateAnswer(error)
                throw DiscoveryFailure(
                    cause: Task.isCancelled ? .cancelled : .init(answers: [answer]),
                    candidates: [CandidateReport(instance: record.instance, address: given, answer: answer)],
                    stage: .pase)
            }
        } else {
            (established, address) = try await search(wanted, entered: entered)
        }
        let (session, actions) = try link.addSession(established, peer: address)
        process(actions)
        return (session, address)
    }

    private func search(
        _ wanted: DeviceSearch, entered: @Sendable (CommissioningStage) async -> Void
    ) async throws -> (EstablishedSession, PeerAddress) {
        guard let discovery = environment.discovery else {
            throw DiscoveryFailure(
                cause: .cannotSearch("multicast discovery is off; give the device's address"), candidates: [],
                stage: .discover)
        }
        var selector = CandidateSelector(filter: CommissionableFilter(wanted.payload))
        var stage = CommissioningStage.discover
        var (isSettled, isTimeOver) = (false, false)
        var trying: Task<Void, Never>?
        let (events, continuation) = AsyncStream<SearchEvent>.makeStream(bufferingPolicy: .unbounded)
        let settle = DeadlineTimer(clock: environment.clock)
        let limit = DeadlineTimer(clock: environment.clock)
        settle.arm(link.now.advanced(by: Self.settleTime).sinceStart)
        limit.arm(link.now.advanced(by: wanted.searchTime).sinceStart)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                settle.finish()
                limit.finish()
                continuation.finish()
                trying?.cancel()
                group.cancelAll()
            }
            group.addTask { for await _ in settle.firings { continuation.yield(.settled) } }
            group.addTask { for await _ in limit.firings { continuation.yield(.timeOver) } }
            group.addTask {
                do {
                    for try await change in discovery.commissionableNodes() { continuation.yield(.changed(change)) }
                    continuation.yield(.searchEnded(nil))
                } catch {
                    continuation.yield(.searchEnded(error))
                }
            }
            for await event in events {
                switch event {
                case .changed(.found(let record)): selector.recordFound(record)
                case .changed(.lost(let instance)): selector.recordRemoved(instance)
                case .searchEnded(let error):
                    guard let error, trying == nil else { break }
                    let reason = (error as? any CustomStringConvertible)?.description ?? "the search ended"
                    throw DiscoveryFailure(cause: .cannotSearch(reason), candidates: selector.report, stage: stage)
                case .answered(_, .success(let session)): return session
                case .answered(let instance, .failure(let error)):
                    selector.answered(instance, CandidateAnswer(error))
                    trying = nil
                case .settled: isSettled = true
                case .timeOver: isTimeOver = true
                }
                if trying == nil, let record = selector.next() {
                    if stage == .discover { await entered(.pase) }
                    stage = .pase
                    trying = Task {
                        do {
                            let session = try await self.pase(wanted, with: record)
                            continuation.yield(.answered(record.instance, .success(session)))
                        } catch {
                            continuation.yield(.answered(record.instance, .failure(error)))
                        }
                    }
                }
                // What was found in time is tried to its end; nothing more is waited for then.
                let answers = selector.report.compactMap(\.answer)
                if trying == nil, isTimeOver || isSettled && answers.contains(where: { $0 != .silent }) {
                    throw DiscoveryFailure(cause: .init(answers: answers), candidates: selector.report, stage: stage)
                }
            }
            throw DiscoveryFailure(cause: .cancelled, candidates: selector.report, stage: stage)
        }
    }

    /// One PASE with one candidate, at whichever of its addresses answers first.
    private func pase(
        _ wanted: DeviceSearch, with record: CommissionableRecord
    ) async throws -> (EstablishedSession, PeerAddress) {
        // A node that can be commissioned is awake: its sleepy interval would only slow the notice that it vanished.
        let timing = MRPParameters(
            idleInterval: max(record.timing.activeInterval, .milliseconds(500)),
            activeInterval: record.timing.activeInterval, activeThreshold: record.timing.activeThreshold)
        let handshake = HandshakeRace(
            race: AddressRace(stagger: .milliseconds(500)),
            addresses: record.addresses.map { OperationalAddress(address: $0, timing: timing) }, lookup: nil,
            timeLimit: .seconds(40),
            make: { [self] in
                PASEInitiator(
                    passcode: wanted.payload.passcode.rawValue, localSessionID: link.layer.allocateSessionID(),
                    sessionParameters: ownSessionParameters, secrets: environment.secrets)
            },
            isDecisive: { $0.code != .noAnswer && $0.code != .exchangeLost })
        return try await run(handshake)
    }
}

extension CommissionableFilter {
    /// The devices that a code may mean.
    package init(_ payload: OnboardingPayload) {
        let discriminator: Discriminator =
            switch payload.discriminator {
            case .long(let value): .long(value.rawValue)
            case .short(let value): .short(value.rawValue)
            }
        self.init(
            discriminator: discriminator, vendor: payload.statedVendorID, product: payload.statedProductID)
    }
}

extension CandidateAnswer {
    init(_ error: any Error) {
        let failure = error as? HandshakeFailure ?? (error as? RaceFailure)?.mostTelling
        switch failure?.code {
        case .wrongPasscode?: self = .wrongPasscode
        case .busy?: self = .busy
        case .noAnswer?, .exchangeLost?, .timedOut?, .cancelled?, nil: self = .silent
        case .malformedMessage?, .unexpectedMessage?: self = .broken(failure?.reason ?? "")
        case .noSharedTrustRoots?, .refused?, .invalidParameter?,
            .untrustedIdentity?, .wrongNode?, .authenticationFailed?, .cryptography?:
            self = .refused(failure?.reason ?? "")
        }
    }
}

extension DiscoveryFailure.Cause {
    /// The cause that tells a user most.
    init(answers: [CandidateAnswer]) {
        if answers.contains(.wrongPasscode) {
            self = .wrongPasscode
        } else if answers.contains(.busy) {
            self = .busy
        } else if case .refused(let reason)? = answers.first(where: { if case .refused = $0 { true } else { false } }) {
            self = .refused(reason)
        } else if case .broken(let reason)? = answers.first(where: { if case .broken = $0 { true } else { false } }) {
            self = .broken(reason)
        } else {
            self = answers.isEmpty ? .noDeviceFound : .noAnswer
        }
    }
}
