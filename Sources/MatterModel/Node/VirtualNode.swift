public import MatterCrypto
public import MatterWire

/// The device side of a Matter node: its data model, its fabrics and the machines that guard them.
///
/// It is driven from outside: a driver passes in requests and events with the present time, performs the effects from
/// ``takeEffects()`` after each call, and calls ``timerFired(now:)`` at ``deadline``.
///
/// ```
///  read, write, invoke ──▶ ┌───────────┐ ──▶ reports, statuses, responses
///  paseEstablished, …  ──▶ │VirtualNode│ ──▶ effects (persist, advertise, close sessions, …)
///  timerFired          ──▶ └───────────┘ ──▶ deadline
/// ```
///
public struct VirtualNode: Sendable {
    /// What the node is.
    public let configuration: NodeConfiguration
    let attestation: DeviceAttestationCredentials
    let secrets: any SecretSource
    let bootedAt: MonotonicInstant

    var store: AttributeStore
    var fabricTable: FabricTable
    var eventLog = EventLog(after: 0)
    /// The moment of the change that is going on, for the events that come of it.
    private(set) var present: MonotonicInstant
    var failSafe: FailSafe
    var window = CommissioningWindowMachine()
    /// The PASE session of the commissioning in progress.
    var paseSession: UInt64?
    /// Attributes that count down to zero by themselves.
    var countdowns: [ConcreteAttributePath: Countdown] = [:]
    /// Attributes that move to another value by themselves.
    var moving: [ConcreteAttributePath: Moving] = [:]
    /// When locks that were opened for a time lock again.
    var relocking: [EndpointID: MonotonicInstant] = [:]
    /// By session, the list attribute whose replacement an append may go on with.
    var listWrites: [UInt64: ConcreteAttributePath] = [:]
    private var effects: [NodeEffect] = []

    /// Makes a node, factory-fresh or as a snapshot has it.
    ///
    /// - Parameter restoring: the bytes of an earlier ``snapshot()``; `nil` for a factory-fresh node.
    /// - Throws: ``SnapshotError`` when the snapshot is damaged, of a later version or of other endpoints.
    public init(
        configuration: NodeConfiguration, attestation: DeviceAttestationCredentials, secrets: any SecretSource,
        random: RandomSource, restoring: [UInt8]? = nil, now: MonotonicInstant
    ) throws(SnapshotError) {
        self.configuration = configuration
        self.attestation = attestation
        self.secrets = secrets
        bootedAt = now
        present = now
        store = AttributeStore([configuration.root] + configuration.endpoints, random: random)
        fabricTable = FabricTable(capacity: Int(configuration.supportedFabrics))
        failSafe = FailSafe(cumulativeLimit: .seconds(Int64(configuration.maximumFailSafe)))
        if let restoring {
            try restore(restoring)
            startApplications()
        }
        recordStart(now: now)
        effects.removeAll { $0 == .eventRecorded }
        emit(.persist)
        for fabric in fabricTable.fabrics { emit(.fabricAdded(fabric.index)) }
        openInitialWindowIfFresh()
    }

    /// The node as it is after a loss of power at this moment: what its snapshot holds, and nothing else.
    public func restarted(random: RandomSource, now: MonotonicInstant) throws(SnapshotError) -> VirtualNode {
        try VirtualNode(
            configuration: configuration, attestation: attestation, secrets: secrets, random: random,
            restoring: snapshot(), now: now)
    }

    /// The fabrics, in the order in which they were added; one that is not yet completed is among them.
    public var fabrics: [NodeFabric] { fabricTable.fabrics }

    /// The window in which PASE may be tried now; `nil` when PASE must be refused.
    public var listeningWindow: CommissioningWindow? { window.listening }

    /// Whether a commissioner is in, so that others have to wait until it is done.
    public var isCommissionerPresent: Bool { window.window != nil && window.listening == nil }

    /// The present value of an attribute, whoever may read it; `nil` when there is no such attribute.
    ///
    /// Lists of fabric-scoped entries hold those of every fabric.
    public func value(of path: ConcreteAttributePath, now: MonotonicInstant) -> TLVValue? {
        guard let instance = store[path.endpoint, path.cluster], instance.attributes[path.attribute] != nil else {
            return nil
        }
        let reader = Reader(fabric: .none, filtered: false, hidesForeign: false, now: now)
        return value(of: path, instance, for: reader)
    }

    /// Whether a commissioner holds the fail-safe.
    public var isFailSafeArmed: Bool { failSafe.isArmed }

    /// When the fail-safe expires; `nil` when it is not armed.
    public var failSafeDeadline: MonotonicInstant? { failSafe.deadline }

    /// The fabric that was added under the fail-safe and goes when that expires.
    public var provisionalFabric: FabricIndex? { failSafe.addedFabric }

    /// When ``timerFired(now:)`` is next due; `nil` when no timer is wanted.
    public var deadline: MonotonicInstant? {
        let own = [failSafe.deadline, window.deadline].compactMap { $0 } + countdowns.values.map(\.deadline)
        return (own + moving.values.map(\.deadline) + relocking.values).min()
    }

    /// The effects since the last call, in order.
    public mutating func takeEffects() -> [NodeEffect] {
        defer { effects = [] }
        return effects
    }

    /// Queues an effect; one that is already waiting and means the same is not repeated.
    mutating func emit(_ effect: NodeEffect) {
        switch effect {
        case .persist, .attributeChanged, .eventRecorded: if effects.contains(effect) { return }
        case .fabricAdded, .fabricUpdated, .fabricRemoved, .bindPASESession, .closeSession, .closeSessions,
            .windowOpened, .windowClosed, .commissioningCompleted, .factoryReset:
            break
        }
        effects.append(effect)
    }
}

// MARK: - Events from the driver

extension VirtualNode {
    /// A PASE session was established in the open window; the fail-safe is armed for 60 s (Core §5.5).
    ///
    /// A session that comes when no window is open is closed.
    public mutating func paseEstablished(session: UInt64, now: MonotonicInstant) -> [NodeEffect] {
        settle(now: now)
        let actions = window.paseEstablished()
        if actions.isEmpty {
            emit(.closeSession(session))
        } else {
            perform(actions)
            paseSession = session
            do throws(FailSafe.Refusal) {
                try failSafe.arm(by: .none, for: .seconds(Int64(NodeConfiguration.recommendedFailSafe)), now: now)
            } catch {
                // Held by an administrator over CASE: the newcomer's own ArmFailSafe will be told.
            }
        }
        return takeEffects()
    }

    /// A PASE attempt in the open window failed.
    public mutating func paseFailed(now: MonotonicInstant) -> [NodeEffect] {
        settle(now: now)
        perform(window.paseFailed())
        return takeEffects()
    }

    /// A session ended, by whichever side; its number will not be used again.
    ///
    /// The end of the PASE session before AddNOC ends the commissioning; after AddNOC the fail-safe goes on, so that
    /// the commissioner may come back over CASE.
    public mutating func sessionClosed(_ session: UInt64, now: MonotonicInstant) -> [NodeEffect] {
        settle(now: now)
        listWrites[session] = nil
        if session == paseSession {
            paseSession = nil
            if failSafe.holder == FabricIndex.none { rollBack(failSafe.expire()) }
        }
        return takeEffects()
    }

    /// Does what is due at `now`.
    public mutating func timerFired(now: MonotonicInstant) -> [NodeEffect] {
        settle(now: now)
        return takeEffects()
    }

    /// Lets everything expire that should have by `now`.
    mutating func settle(now: MonotonicInstant) {
        present = now
        rollBack(failSafe.timerFired(now: now))
        perform(window.timerFired(now: now))
        settleTransitions(now: now)
        for path in countdowns.filter({ $0.value.deadline <= now }).keys.sorted(by: <) {
            countdowns[path] = nil
            countdownEnded(path, now)
        }
        for endpoint in relocking.filter({ $0.value <= now }).keys { relock(endpoint, now) }
    }
}

// MARK: - Attributes that change

extension VirtualNode {
    /// Stores a value and tells of the change, if it is one.
    mutating func set(_ path: ConcreteAttributePath, to value: TLVValue) {
        let old = store[path]
        guard old != value else { return }
        store[path] = value
        changed(path)
        recordSensed(path, from: old, to: value, now: present)
    }

    /// Stores a value of endpoint 0.
    mutating func set(_ cluster: ClusterID, _ attribute: UInt32, to value: TLVValue) {
        set(ConcreteAttributePath(.root, cluster, attribute), to: value)
    }

    /// A computed attribute of endpoint 0 has another value.
    mutating func changed(_ cluster: ClusterID, _ attribute: UInt32) {
        changed(ConcreteAttributePath(.root, cluster, attribute))
    }

    /// Counts the data version up and tells the driver, as the attribute's qualities demand.
    mutating func changed(_ path: ConcreteAttributePath) {
        guard let qualities = store[path.endpoint, path.cluster]?.attributes[path.attribute]?.qualities else { return }
        if !qualities.contains(.changesOmitted) {
            store[path.endpoint, path.cluster]?.version.rawValue &+= 1
            emit(.attributeChanged(path))
        }
        if !qualities.isDisjoint(with: [.nonVolatile, .kept]) { emit(.persist) }
    }
}

extension ConcreteAttributePath {
    init(_ endpoint: EndpointID, _ cluster: ClusterID, _ attribute: UInt32) {
        self.init(endpoint: endpoint, cluster: cluster, attribute: AttributeID(rawValue: attribute))
    }
}
