import MatterModel
import MatterProtocol
import MatterWire

/// The node that a device serves: a good one, or one that the defects of its device make worse.
///
///     requests, events ──▶ ServedNode ──▶ VirtualNode
///     answers, effects ◀── (defects)  ◀──
///
/// The model knows nothing of defects: they change what goes in, and what comes out.
struct ServedNode: Sendable {
    private(set) var good: VirtualNode
    let defects: Set<DeviceDefect>
    /// The window that was opened last, also after its end.
    private var lastWindow: CommissioningWindow?
    /// The window of a commissioning that is complete, which a device that stays open still answers for.
    private var staleWindow: CommissioningWindow?
    /// The last fabric was removed, and the device stays closed.
    private var isShut = false
    /// The root that was added under the fail-safe, and those that outlived theirs.
    private var pendingRoot: [UInt8]?
    private var keptRoots: [[UInt8]] = []
    /// What the breadcrumb was when a fail-safe expired.
    private var keptBreadcrumb: TLVValue?

    init(_ good: VirtualNode, defects: Set<DeviceDefect>) {
        self.good = good
        self.defects = defects
    }

    /// The node after a loss of power.
    func restarted(random: RandomSource, now: MonotonicInstant) throws(SnapshotError) -> ServedNode {
        ServedNode(try good.restarted(random: random, now: now), defects: defects)
    }

    // MARK: - Facts

    var configuration: NodeConfiguration { good.configuration }
    var fabrics: [NodeFabric] { good.fabrics }
    var isFailSafeArmed: Bool { good.isFailSafeArmed }
    var deadline: MonotonicInstant? { good.deadline }
    var isCommissionerPresent: Bool { good.isCommissionerPresent }

    var listeningWindow: CommissioningWindow? {
        if isShut { return nil }
        if let window = good.listeningWindow { return window }
        if defects.contains(.secondCommissioner), good.isCommissionerPresent { return lastWindow }
        return staleWindow
    }

    func snapshot() -> [UInt8] { good.snapshot() }

    func value(of path: ConcreteAttributePath, now: MonotonicInstant) -> TLVValue? { good.value(of: path, now: now) }

    mutating func worldSets(
        _ path: ConcreteAttributePath, to value: TLVValue, now: MonotonicInstant
    ) throws(WorldError) {
        try good.worldSets(path, to: value, now: now)
    }

    // MARK: - Events

    mutating func takeEffects() -> [NodeEffect] { filtered(good.takeEffects()) }

    mutating func paseEstablished(session: UInt64, now: MonotonicInstant) -> [NodeEffect] {
        filtered(good.paseEstablished(session: session, now: now))
    }

    mutating func paseFailed(now: MonotonicInstant) -> [NodeEffect] {
        defects.contains(.endlessWindow) ? takeEffects() : filtered(good.paseFailed(now: now))
    }

    mutating func sessionClosed(_ session: UInt64, now: MonotonicInstant) -> [NodeEffect] {
        if defects.contains(.keepsFailSafe), good.isFailSafeArmed { return takeEffects() }
        return filtered(good.sessionClosed(session, now: now))
    }

    mutating func timerFired(now: MonotonicInstant) -> [NodeEffect] {
        meetExpiry(now: now)
        return filtered(good.timerFired(now: now))
    }

    private mutating func filtered(_ effects: [NodeEffect]) -> [NodeEffect] {
        guard !defects.isEmpty else { return effects }
        var rest: [NodeEffect] = []
        for effect in effects {
            switch effect {
            case .windowOpened where isShut: continue
            case .windowOpened(let window):
                lastWindow = window
                staleWindow = nil
            case .commissioningCompleted where defects.contains(.staysOpen): staleWindow = lastWindow
            case .factoryReset where defects.contains(.staysClosed): isShut = true
            case .closeSessions where defects.contains(.keepsSessions): continue
            default: break
            }
            rest.append(effect)
        }
        return rest
    }

    /// The fail-safe is about to expire: what a device with defects saves from that.
    private mutating func meetExpiry(now: MonotonicInstant) {
        guard let deadline = good.failSafeDeadline, deadline <= now else { return }
        if defects.contains(.keepsRoot), let root = pendingRoot { keptRoots.append(root) }
        if defects.contains(.keepsBreadcrumb) { keptBreadcrumb = good.value(of: Self.breadcrumb, now: now) }
        if defects.contains(.keepsFabric), let fabric = good.provisionalFabric {
            let before = MonotonicInstant(sinceStart: deadline.sinceStart - .nanoseconds(1))
            let context = InteractionContext(
                subject: .operational(NodeID(rawValue: 1), tags: []), fabricIndex: fabric, session: 0,
                attestationChallenge: [], now: before, wallClock: EpochSeconds(rawValue: 0))
            let complete = ClusterCommand.commissioningComplete
            _ = invokeAsAdministrator(complete.path, complete.fields, context)
        }
        pendingRoot = nil
    }

    private static let breadcrumb = ConcreteAttributePath(
        endpoint: .root, cluster: .generalCommissioning, attribute: AttributeID(rawValue: 0x0000))
    private static let roots = ConcreteAttributePath(
        endpoint: .root, cluster: .operationalCredentials, attribute: AttributeID(rawValue: 0x0004))

    /// Invokes with the rights of an administrator of the context's fabric, whoever asks.
    private mutating func invokeAsAdministrator(
        _ path: CommandPath, _ fields: TLVValue, _ context: InteractionContext
    ) -> [(CommandPath, InvokeOutcome)] {
        let admin = good.fabrics.first { $0.index == context.fabricIndex }?.accessControl.first?.subjects?.first
        var context = context
        context.subject = .operational(NodeID(rawValue: admin ?? 0), tags: [])
        return good.invoke(path, fields: fields, context: context)
    }
}

// MARK: - Requests

extension ServedNode: InteractionTarget {
    mutating func read(
        _ paths: [AttributePath], fabricFiltered: Bool, versionFilters: [DataVersionFilter],
        context: InteractionContext
    ) -> [AttributeReport] {
        meetExpiry(now: context.now)
        let isFiltered = fabricFiltered && !defects.contains(.showsForeignFabrics)
        let reports = good.read(
            paths, fabricFiltered: isFiltered, versionFilters: versionFilters, context: context)
        guard !defects.isEmpty else { return reports }
        return reports.map { report in
            switch report {
            case .data(Self.roots, let version, let value) where !keptRoots.isEmpty:
                let present = value.array ?? []
                let kept = keptRoots.map { TLVValue.octets($0) }.filter { !present.contains($0) }
                return .data(path: Self.roots, version: version, value: .array(present + kept))
            case .data(Self.breadcrumb, let version, let value):
                return .data(path: Self.breadcrumb, version: version, value: keptBreadcrumb ?? value)
            case .status(let path, StatusIB(.unsupportedAccess)) where defects.contains(.everyoneAdministers):
                var asked = context
                asked.subject = .pase
                let path = AttributePath(endpoint: path.endpoint, cluster: path.cluster, attribute: path.attribute)
                return good.read([path], fabricFiltered: isFiltered, context: asked).first ?? report
            case .data, .status: return report
            }
        }
    }

    mutating func write(_ write: AttributeWrite, context: InteractionContext) -> [AttributeWriteResult] {
        meetExpiry(now: context.now)
        return good.write(write, context: context)
    }

    mutating func events(
        _ paths: [EventPath], filters: [EventFilter], fabricFiltered: Bool, context: InteractionContext
    ) -> [EventReportIB] {
        good.events(paths, filters: filters, fabricFiltered: fabricFiltered, context: context)
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVValue, context: InteractionContext
    ) -> [(CommandPath, InvokeOutcome)] {
        meetExpiry(now: context.now)
        guard !defects.isEmpty else { return good.invoke(path, fields: fields, context: context) }
        let request = DefectRequest(path: path, fields: fields, context: context)
        if defects.contains(.deafToDisarm), request.disarms { return [(path, DefectRequest.ok(of: path))] }
        if defects.contains(.completesOverPASE), request.completesOverPASE {
            return invokeAsAdministrator(path, fields, context)
        }
        if request.arms { keptBreadcrumb = nil }
        var outcomes = good.invoke(path, fields: fields, context: context)
        if let command = path.endpoint == nil ? nil : outcomes.first, let again = request.secondTry(command.1, defects)
        {
            if again.armsFirst { armSilently(context) }
            outcomes =
                again.isPrivileged
                ? invokeAsAdministrator(path, fields, again.context)
                : good.invoke(path, fields: fields, context: again.context)
        }
        if case .status(.success)? = outcomes.first?.1, let root = request.root { pendingRoot = root }
        return outcomes.map { ($0.0, request.forgiven($0.1, defects)) }
    }

    private mutating func armSilently(_ context: InteractionContext) {
        let command = ClusterCommand.armFailSafe(seconds: 60, breadcrumb: 0)
        _ = good.invoke(command.path, fields: command.fields, context: context)
    }
}
