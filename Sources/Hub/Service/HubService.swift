package import HubControl
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
    var approvals = GrantApprovals()
    /// Whether the hub plays a reachable one (`serve --offline`, `hub.setReachable`).
    package private(set) var isReachable = true
    private let timer: DeadlineTimer
    var nextSubscriber = 0
    /// Tells event streams of different runs apart.
    package nonisolated let eventEpoch: String

    /// - Parameter operators: the Matter side of each structure in the ledger.
    package init(
        ledger: HubLedger, operators: [StructureID: any FabricOperator], environment: HubEnvironment
    ) {
        self.ledger = ledger
        self.environment = environment
        timer = DeadlineTimer(clock: environment.clock)
        eventEpoch = HubID(rawValue: environment.random.next()).text
        for (structure, matter) in operators {
            runtimes[structure] = StructureRuntime(matter: matter, limits: environment.sessionLimits)
        }
    }

    /// Serves timers and the Matter side until cancelled; first settles what an earlier run left behind.
    package func run() async {
        await settleLeftovers()
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for runtime in runtimes.values { group.addTask { await runtime.matter.run() } }
                group.addTask { [firings = timer.firings] in
                    for await _ in firings { await self.timerFired() }
                }
            }
        } onCancel: { [timer] in
            timer.finish()
        }
        for runtime in runtimes.values {
            runtime.running?.task.cancel()
            for device in runtime.cleaning.values { device.task.cancel() }
        }
    }

    /// Sets whether the hub plays a reachable one.
    package func setReachable(_ reachable: Bool) {
        guard reachable != isReachable else { return }
        isReachable = reachable
        for structure in runtimes.keys { emit("hub.reachable", ["reachable": .bool(reachable)], in: structure) }
    }

    // MARK: - Timers

    private func timerFired() async {
        for structure in runtimes.keys {
            guard let ended = runtimes[structure]?.machine.timerFired(now: environment.now) else { continue }
            _ = await finish(ended, in: structure)
        }
        armTimer()
    }

    /// Sets the timer to the next end of a session.
    func armTimer() {
        timer.arm(runtimes.values.compactMap(\.machine.deadline).min()?.sinceStart)
    }

    // MARK: - Connections

    /// A connection of an app opened: its session is not orphaned.
    package func connected(_ caller: Caller) {
        runtimes[caller.structure]?.connections[caller.app, default: 0] += 1
        runtimes[caller.structure]?.machine.ownerConnected(caller.app)
        armTimer()
    }

    /// A connection of an app closed.
    package func disconnected(_ caller: Caller) {
        let count = (runtimes[caller.structure]?.connections[caller.app] ?? 1) - 1
        runtimes[caller.structure]?.connections[caller.app] = count > 0 ? count : nil
        if count <= 0 {
            runtimes[caller.structure]?.machine.ownerDisconnected(caller.app, now: environment.now)
            armTimer()
        }
    }

    // MARK: - Events

    /// Numbers an event and hands it to the subscribers.
    func emit(_ name: String, _ data: JSONObject, in structure: StructureID) {
        guard var runtime = runtimes[structure] else { return }
        let event = ControlEvent(structure: structure, number: runtime.events.newest + 1, name: name, data: data)
        _ = runtime.events.append(event)
        for (id, subscriber) in runtime.subscribers {
            // A subscriber that cannot keep up loses the stream, and its connection with it; it may replay later.
            if case .dropped = subscriber.yield(event) {
                subscriber.finish()
                runtime.subscribers[id] = nil
            }
        }
        runtimes[structure] = runtime
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
        let (stream, continuation) = AsyncStream<ControlEvent>.makeStream(
            bufferingPolicy: .bufferingOldest(replay.events.count + 1_024))
        for event in replay.events { continuation.yield(event.event) }
        let id = nextSubscriber
        nextSubscriber += 1
        runtimes[structure]?.subscribers[id] = continuation
        continuation.onTermination = { @Sendable [weak self] _ in
            guard let self else { return }
            Task { await self.dropSubscriber(id, of: structure) }
        }
        return (stream, replay.events.first?.number ?? runtime.events.newest + 1, replay.gap)
    }

    private func dropSubscriber(_ id: Int, of structure: StructureID) {
        runtimes[structure]?.subscribers[id] = nil
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
        ControlError(.internal, "the hub could not store the change: \(error)", details: ["reason": "storage"])
    }
}
