package import HubControl
import MatterCrypto
import MatterWire
import NetIO

/// What a hub does, without the protocol that asks for it: sessions, devices, rooms, grants and events.
///
/// The ledger holds what lasts, the session machine decides, the fabric operator speaks Matter; this actor joins them.
package actor HubService {
    package let ledger: HubLedger
    let environment: HubEnvironment
    var runtimes: [StructureID: StructureRuntime] = [:]
    /// Requests with a client key that run, so that a repeat waits for the same answer.
    var inFlight: [HubState.AnswerKey: Task<StoredAnswer, Never>] = [:]
    var recentAnswers = RecentAnswers()
    var approvals = GrantApprovals()
    /// Whether the hub plays a reachable one (`serve --offline`, `hub.setReachable`).
    package private(set) var isReachable = true
    private var reachabilityWatchers: [AsyncStream<Bool>.Continuation] = []
    /// Apps that follow a device.
    var followers: [Int: DeviceFollower] = [:]
    var lastFollower = 0
    private let timer: DeadlineTimer
    /// Counts ends of requests with a client key: tells whether one ended while a store was asked.
    var answersGiven = 0
    /// Tells cleanings of one node apart.
    var lastCleaning = 0
    /// Commissioning windows that this hub opened on nodes.
    var windows: [HubState.NodeKey: CommissioningWindow] = [:]
    var lastWindow = 0
    var connections: [Int: OpenConnection] = [:]
    private var lastConnection = 0
    /// Nothing is begun any more that would outlive the service.
    private(set) var isStopped = false
    /// Tells event streams of different runs apart.
    package nonisolated let eventEpoch: String

    /// What an earlier run did not finish with; taken before this one can add to it.
    private var leftovers: [NodeRecord] = []

    /// - Parameter operators: the Matter side of each structure in the ledger.
    package init(
        ledger: HubLedger, operators: [StructureID: any FabricOperator], environment: HubEnvironment
    ) async {
        self.ledger = ledger
        self.environment = environment
        timer = DeadlineTimer(clock: environment.clock)
        eventEpoch = HubID(rawValue: environment.random.next()).text
        for (structure, matter) in operators {
            runtimes[structure] = StructureRuntime(matter: matter, limits: environment.sessionLimits)
        }
        let state = await ledger.state
        leftovers = operators.keys.flatMap { state.nodes(of: $0, in: [.journalled, .provisional, .orphan]) }
    }

    /// Serves timers and the Matter side until cancelled, and settles what an earlier run left behind.
    ///
    /// When it is cancelled, running commissions are stopped and have ``HubEnvironment/cancelPatience`` to leave their
    /// devices clean; what takes longer is settled at the next start.
    package func run() async {
        // Not children of this task: they must outlive its cancellation by the patience.
        let serving = runtimes.values.map { runtime in Task { await runtime.matter.run() } }
        await withTaskCancellationHandler {
            settleLeftovers()
            for await _ in timer.firings { timerFired() }
        } onCancel: { [timer] in
            timer.finish()
        }
        await stopCommissions()
        // What a late commission still leaves is for the next start.
        isStopped = true
        await endFollowers(reason: "hubStopped")
        for runtime in runtimes.values {
            for device in runtime.cleaning.values { device.task.cancel() }
        }
        for task in serving { task.cancel() }
        for task in serving { await task.value }
    }

    /// Settles every node that an earlier run did not finish with: journalled, provisional and orphaned ones.
    private func settleLeftovers() {
        for node in leftovers { startCleaning(node.id, in: node.structure, payload: nil, after: .zero) }
        leftovers = []
    }

    /// Stops every commission and waits for their ends, at most the patience.
    private func stopCommissions() async {
        let tasks = runtimes.values.flatMap(\.commissions.values).map(\.task)
        guard !tasks.isEmpty else { return }
        for task in tasks { task.cancel() }
        let (ends, end) = AsyncStream<Never>.makeStream()
        let all = Task {
            for task in tasks { _ = await task.value }
            end.finish()
        }
        let deadline = environment.clock.now + environment.cancelPatience
        let limit = Task { [clock = environment.clock] in
            // Cancelled when all ended in time.
            try? await clock.sleep(until: deadline)
            end.finish()
        }
        // Its own task, because this one is cancelled and could not wait any more.
        await Task { for await _ in ends {} }.value
        limit.cancel()
        all.cancel()
    }

    /// Sets whether the hub plays a reachable one.
    ///
    /// An offline hub refuses what needs the network. What it plays is felt at once: running commissions are stopped and
    /// answer `hubOffline`, subscriptions to devices end. Sessions stay, and devices are cleaned all the same.
    package func setReachable(_ reachable: Bool) async {
        guard reachable != isReachable else { return }
        isReachable = reachable
        for structure in runtimes.keys { emit("hub.reachable", ["reachable": .bool(reachable)], in: structure) }
        for watcher in reachabilityWatchers { watcher.yield(reachable) }
        guard !reachable else { return }
        for (structure, runtime) in runtimes {
            guard let running = runtime.running else { continue }
            var reason = ControlError.offline
            reason.stage = running.stage
            runtimes[structure]?.commissions[running.ticket]?.stopReason = reason
            running.task.cancel()
        }
        await endFollowers(reason: "hubOffline")
    }

    /// The states that ``setReachable(_:)`` sets from now on, the newest where several were not read.
    package func reachabilityChanges() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // For the advertisement, which lives as long as the hub.
        reachabilityWatchers.append(continuation)
        return stream
    }

    // MARK: - Timers

    private func timerFired() {
        for structure in runtimes.keys {
            guard let ended = runtimes[structure]?.machine.timerFired(now: environment.now) else { continue }
            stop(ended, in: structure)
        }
        armTimer()
    }

    /// Sets the timer to the next end of a session.
    func armTimer() {
        timer.arm(runtimes.values.compactMap(\.machine.deadline).min()?.sinceStart)
    }

    // MARK: - Connections

    /// A connection of an app opened: its session is not orphaned. Give it back to ``disconnected(_:)``.
    package func connected(_ caller: Caller) -> CallerConnection {
        lastConnection += 1
        let (revocation, continuation) = AsyncStream<Never>.makeStream()
        connections[lastConnection] = OpenConnection(caller: caller, revocation: continuation)
        runtimes[caller.structure]?.machine.ownerConnected(caller.app)
        armTimer()
        return CallerConnection(number: lastConnection, revocation: revocation)
    }

    /// A connection of an app closed.
    package func disconnected(_ connection: CallerConnection) {
        guard let open = connections.removeValue(forKey: connection.number) else { return }
        open.revocation.finish()
        guard !isConnected(open.caller.app, in: open.caller.structure) else { return }
        runtimes[open.caller.structure]?.machine.ownerDisconnected(open.caller.app, now: environment.now)
        armTimer()
    }

    /// Whether an app has an open connection.
    func isConnected(_ app: AppIdentity, in structure: StructureID) -> Bool {
        connections.values.contains { $0.caller.app == app && $0.caller.structure == structure }
    }

    // MARK: - Events

    /// Numbers an event and hands it to the subscribers.
    func emit(_ name: String, _ data: JSONObject, in structure: StructureID) {
        guard var runtime = runtimes[structure] else { return }
        let event = ControlEvent(structure: structure, number: runtime.events.newest + 1, name: name, data: data)
        _ = runtime.events.append(event)
        runtimes[structure] = runtime
        runtime.subscribers.tell(event)
    }

    /// The numbers of the events kept of a structure.
    package func eventRange(of structure: StructureID) -> (oldest: UInt64, newest: UInt64) {
        guard let events = runtimes[structure]?.events else { return (1, 0) }
        return (events.oldest, events.newest)
    }

    /// Subscribes to a structure's events.
    ///
    /// - Parameter from: replays from that number; `nil` for new ones only.
    /// - Returns: the stream, which holds at most 1,024 events beyond the replay and ends when they are not read;
    ///   `gap` when some from `from` on are no longer there.
    package func subscribe(
        to structure: StructureID, from: UInt64?
    ) throws(ControlError) -> (events: AsyncStream<ControlEvent>, next: UInt64, gap: Bool) {
        guard let runtime = runtimes[structure] else { throw .noStructure(structure) }
        let replay = from.map { runtime.events.replay(from: $0) } ?? (events: [], gap: false)
        let stream = runtime.subscribers.add(after: replay.events.map(\.event))
        return (stream, replay.events.first?.number ?? runtime.events.newest + 1, replay.gap)
    }
}

extension ControlError {
    static func noStructure(_ id: StructureID) -> ControlError {
        ControlError(.notFound, "this hub has no structure \(id)", details: ["reason": "noStructure"])
    }
    static func noDevice(_ id: DeviceID) -> ControlError {
        ControlError(.notFound, "there is no device \(id)", details: ["reason": "noDevice"])
    }
    static func noRoom(_ id: RoomID) -> ControlError {
        ControlError(.notFound, "there is no room \(id)", details: ["reason": "noRoom"])
    }
    static func storage(_ error: any Error) -> ControlError {
        ControlError(
            .internal, "the hub could not store the change: \(words(for: error))", details: ["reason": "storage"],
            suggestedUserActions: [.checkHubAvailability])
    }

    /// What a person reads of an error that no method foresees; never the program's own form of it.
    static func words(for error: any Error) -> String {
        switch error {
        case let error as ControlError: error.message
        case let error as StoreError: error.description
        case let error as NetError: error.description
        case let error as CryptoError: error.reason
        case is CancellationError: "it was stopped"
        default: "an unexpected fault of the hub"
        }
    }
}
