package import MatterProtocol
package import MatterWire
import NetIO

/// What happens while a handshake is tried at several addresses.
private enum RaceEvent: Sendable {
    case found(OperationalAddress)
    case lookupEnded((any Error)?)
    case answered(PeerAddress)
    case failed(PeerAddress, HandshakeFailure)
    case succeeded(PeerAddress, EstablishedSession)
    case timer
    case settled
    case timeOver
}

/// A CASE handshake with a node, and whoever waits for its session.
struct SharedHandshake {
    /// Tells it from an earlier one with the same node.
    let number: Int
    let task: Task<Void, Never>
    var waiters: [Int: AsyncThrowingStream<SessionHandle, any Error>.Continuation] = [:]
}

/// How a race for one session is run.
struct HandshakeRace<Handshake: HandshakeMachine> {
    var race: AddressRace
    /// Addresses known from the start, best first.
    var addresses: [OperationalAddress]
    /// Further addresses as they are found; `nil` when there is nothing to look up.
    var lookup: AsyncThrowingStream<OperationalAddress, any Error>?
    /// For the whole race.
    var timeLimit: Duration
    /// Makes a fresh handshake for one try.
    var make: () -> Handshake
    /// Whether a failure at one address holds for the node as a whole.
    var isDecisive: (HandshakeFailure) -> Bool
}

/// Why no address gave a session.
package struct RaceFailure: Error, Sendable {
    /// Each address that was tried, with its last failure.
    package var failures: [(PeerAddress, HandshakeFailure)]
    /// The lookup's own error, when it had one.
    package var lookup: (any Error)?
    /// Whether the time for the whole was over.
    package var timedOut: Bool

    /// The failure that tells most: the last one that the node itself gave, else the last one.
    package var mostTelling: HandshakeFailure? {
        failures.last { $0.1.code != .noAnswer && $0.1.code != .cancelled }?.1 ?? failures.last?.1
    }
}

extension ControllerNode {
    /// The operational session with a node: a live one, or a new one by CASE. Callers at the same time share the handshake,
    /// which goes on as long as one of them waits for it.
    ///
    /// - Parameter known: an address to try at once, for example the one that PASE used.
    /// - Throws: ``RaceFailure`` or `CancellationError`.
    func operationalSession(with node: NodeID, known: PeerAddress? = nil) async throws -> SessionHandle {
        if let session = link.layer.operationalSession(with: node, on: fabric.fabricIndex),
            link.layer.session(session)?.isSuspect == false
        {
            return session
        }
        guard !isClosed else { throw CancellationError() }
        if connecting[node] == nil { startConnecting(to: node, first: known ?? knownAddresses[node]) }
        let (result, waiter) = AsyncThrowingStream<SessionHandle, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        lastWaiter += 1
        let number = lastWaiter
        connecting[node]?.waiters[number] = waiter
        defer { stopWaiting(number, for: node) }
        var iterator = result.makeAsyncIterator()
        guard let session = try await iterator.next(isolation: self) else { throw CancellationError() }
        return session
    }

    /// Like ``operationalSession(with:known:)``, for at most `limit`.
    func operationalSession(
        with node: NodeID, known: PeerAddress?, within limit: Duration
    ) async throws -> SessionHandle {
        let asking = Task { try await operationalSession(with: node, known: known) }
        let alarm = Task { [clock = environment.clock, deadline = environment.clock.now + limit] in
            // Cancelled when the answer came in time.
            guard (try? await clock.sleep(until: deadline)) != nil else { return }
            asking.cancel()
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await asking.value
        } onCancel: {
            asking.cancel()
        }
    }

    private func startConnecting(to node: NodeID, first: PeerAddress?) {
        lastWaiter += 1
        let number = lastWaiter
        let task = Task {
            do {
                let session = try await connect(to: node, first: first)
                connected(number, node) { waiter in
                    waiter.yield(session)
                    waiter.finish()
                }
            } catch {
                connected(number, node) { $0.finish(throwing: error) }
            }
        }
        connecting[node] = SharedHandshake(number: number, task: task)
    }

    /// The handshake is over: tells whoever waits.
    private func connected(
        _ number: Int, _ node: NodeID, _ tell: (AsyncThrowingStream<SessionHandle, any Error>.Continuation) -> Void
    ) {
        guard connecting[node]?.number == number, let shared = connecting.removeValue(forKey: node) else { return }
        for waiter in shared.waiters.values { tell(waiter) }
    }

    private func stopWaiting(_ number: Int, for node: NodeID) {
        guard connecting[node]?.waiters.removeValue(forKey: number) != nil, connecting[node]?.waiters.isEmpty == true
        else { return }
        connecting.removeValue(forKey: node)?.task.cancel()
    }

    private func connect(to node: NodeID, first: PeerAddress?) async throws -> SessionHandle {
        let instance = operationalInstanceName(fabric: fabric.compressedFabricID, node: node)
        let handshake = HandshakeRace(
            race: AddressRace(stagger: .seconds(1), attemptsPerAddress: 3),
            addresses: first.map { [OperationalAddress(address: $0, timing: MRPParameters())] } ?? [],
            lookup: environment.discovery?.operationalNode(instance: instance),
            timeLimit: .seconds(30),
            make: { [self] in
                CASEInitiator(
                    fabric: fabric, peer: node, localSessionID: link.layer.allocateSessionID(),
                    sessionParameters: ownSessionParameters, wallClock: environment.wallClock(),
                    secrets: environment.secrets)
            },
            isDecisive: { _ in false })
        let (established, address) = try await run(handshake)
        let (session, actions) = try link.addSession(established, peer: address)
        process(actions)
        knownAddresses[node] = address
        return session
    }

    /// What this node tells peers of itself. Everything is stated: CircuitMatter takes a structure only when it is whole.
    var ownSessionParameters: SessionParameters {
        SessionParameters(
            idleInterval: 500, activeInterval: 300, activeThreshold: 4_000, dataModelRevision: 18,
            interactionModelRevision: 12, specificationVersion: 0x0104_0100, maxPathsPerInvoke: 1)
    }

    /// How long a node is still sought elsewhere after its address was found to be another's.
    private static var secondOpinionTime: Duration { .seconds(2) }

    /// Tries a handshake at the addresses of one node until one gives a session.
    func run<Handshake: HandshakeMachine>(
        _ plan: HandshakeRace<Handshake>
    ) async throws -> (EstablishedSession, PeerAddress) {
        var race = plan.race
        var timings: [PeerAddress: MRPParameters] = [:]
        var failures: [(PeerAddress, HandshakeFailure)] = []
        var lookupError: (any Error)?
        var isLooking = plan.lookup != nil
        let (events, continuation) = AsyncStream<RaceEvent>.makeStream(bufferingPolicy: .unbounded)
        let timer = DeadlineTimer(clock: environment.clock)
        let settle = DeadlineTimer(clock: environment.clock)
        let limit = DeadlineTimer(clock: environment.clock)
        limit.arm(link.now.advanced(by: plan.timeLimit).sinceStart)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                timer.finish()
                settle.finish()
                limit.finish()
                continuation.finish()
                group.cancelAll()
            }
            group.addTask { for await _ in timer.firings { continuation.yield(.timer) } }
            group.addTask { for await _ in settle.firings { continuation.yield(.settled) } }
            group.addTask { for await _ in limit.firings { continuation.yield(.timeOver) } }
            if let lookup = plan.lookup {
                group.addTask {
                    do {
                        for try await address in lookup { continuation.yield(.found(address)) }
                        continuation.yield(.lookupEnded(nil))
                    } catch {
                        continuation.yield(.lookupEnded(error))
                    }
                }
            }
            var attempts: [PeerAddress: Task<Void, Never>] = [:]
            defer { for task in attempts.values { task.cancel() } }
            func perform(_ actions: [AddressRace.Action]) {
                for action in actions {
                    switch action {
                    case .attempt(let address):
                        let handshake = plan.make()
                        let timing = timings[address] ?? MRPParameters()
                        attempts[address] = Task {
                            await self.attempt(handshake, at: address, timing: timing, report: continuation)
                        }
                    case .abandon(let address): attempts.removeValue(forKey: address)?.cancel()
                    }
                }
                timer.arm(race.deadline?.sinceStart)
            }
            for address in plan.addresses {
                timings[address.address] = address.timing
                perform(race.found(address.address, now: link.now))
            }
            if race.isIdle, !isLooking { throw RaceFailure(failures: [], lookup: nil, timedOut: false) }
            for await event in events {
                switch event {
                case .found(let found):
                    timings[found.address] = found.timing
                    perform(race.found(found.address, now: link.now))
                case .lookupEnded(let error):
                    isLooking = false
                    lookupError = error
                case .answered(let address): perform(race.answered(address))
                case .failed(let address, let failure):
                    failures.append((address, failure))
                    if plan.isDecisive(failure) { throw failure }
                    perform(
                        race.failed(
                            address, retryAfter: failure.busyWait, isFinal: failure.isFinalForAddress, now: link.now))
                    // A node that answers and is another one says that ours is gone, unless it is found elsewhere soon.
                    if race.isIdle, failure.code == .noSharedTrustRoots {
                        settle.arm(link.now.advanced(by: Self.secondOpinionTime).sinceStart)
                    }
                case .succeeded(let address, let session):
                    perform(race.succeeded(address))
                    return (session, address)
                case .timer: perform(race.timerFired(now: link.now))
                case .settled where race.isIdle:
                    throw RaceFailure(failures: failures, lookup: lookupError, timedOut: false)
                case .settled: break
                case .timeOver: throw RaceFailure(failures: failures, lookup: lookupError, timedOut: true)
                }
                if race.isIdle, !isLooking {
                    throw RaceFailure(failures: failures, lookup: lookupError, timedOut: false)
                }
            }
            throw CancellationError()
        }
    }

    private func attempt(
        _ handshake: some HandshakeMachine, at address: PeerAddress, timing: MRPParameters,
        report: AsyncStream<RaceEvent>.Continuation
    ) async {
        do {
            let session = try await conduct(handshake, at: address, timing: timing) {
                report.yield(.answered(address))
            }
            report.yield(.succeeded(address, session))
        } catch let failure as HandshakeFailure {
            report.yield(.failed(address, failure))
        } catch {
            // Cancelled: the race goes on without this address, or is over.
        }
    }
}

extension HandshakeFailure {
    fileprivate var busyWait: Duration? {
        guard case .busy(let wait) = code else { return nil }
        // A node that names no time gets half a second, a peer cannot hold us back for more than ten.
        return wait == .zero ? .milliseconds(500) : min(wait, .seconds(10))
    }

    /// Whether trying again at the same address is of no use.
    fileprivate var isFinalForAddress: Bool {
        switch code {
        case .noAnswer, .exchangeLost, .timedOut, .busy: false
        case .wrongPasscode, .noSharedTrustRoots, .refused, .malformedMessage, .unexpectedMessage, .invalidParameter,
            .untrustedIdentity, .wrongNode, .authenticationFailed, .cryptography, .cancelled:
            true
        }
    }
}
