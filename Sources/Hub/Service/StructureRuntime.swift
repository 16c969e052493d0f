import HubControl
import MatterWire

/// A commission that runs, or that was stopped with its session and has not ended yet.
struct RunningCommission {
    let ticket: CommissionTicket
    let payload: OnboardingPayload
    /// Ends with the answer to give; never throws, so that nobody has to wait twice.
    let task: Task<StoredAnswer, Never>
    /// The stage that was begun last.
    var stage: String
    /// Called once with what was left behind.
    var waiters: [AsyncStream<DeviceCondition>.Continuation] = []
    /// What it answers instead of `cancelled` when the hub itself stopped it; the session goes on then.
    var stopReason: ControlError?
}

/// An answer as it is given and kept.
enum StoredAnswer: Sendable {
    case result(JSONObject)
    case error(ControlError)

    func get() throws(ControlError) -> JSONObject {
        switch self {
        case .result(let result): return result
        case .error(let error): throw error
        }
    }
}

/// A device that is being taken off the fabric in the background.
struct CleaningDevice {
    /// Tells it from an earlier cleaning of the same node.
    let number: Int
    /// What it was commissioned with; `nil` when that is not known, or when a new commission need not wait any more.
    var payload: OnboardingPayload?
    /// When its fail-safe has run out at the latest.
    var failSafeEnds: MonotonicInstant
    let task: Task<Void, Never>
}

/// A device of the active session, beside what the ledger has.
struct ProvisionalDevice {
    let payload: OnboardingPayload
    /// Nodes that the same device was before it was reset; they go when the session is completed.
    let replaces: [NodeID]
}

/// A connection of an app.
struct OpenConnection {
    let caller: Caller
    /// Ends when the grant is revoked.
    let revocation: AsyncStream<Never>.Continuation
}

/// An open connection as its owner holds it.
package struct CallerConnection: Sendable {
    let number: Int
    /// Ends when the caller's grant is revoked, or the connection is given back.
    package let revocation: AsyncStream<Never>
}

/// What a hub keeps in memory of one structure.
struct StructureRuntime {
    let matter: any FabricOperator
    var machine: SessionMachine
    /// The machine's running commission, and stopped ones that have not ended yet.
    var commissions: [CommissionTicket: RunningCommission] = [:]
    var cleaning: [NodeID: CleaningDevice] = [:]
    var provisional: [NodeID: ProvisionalDevice] = [:]
    /// Nodes of which subscribers were told that they do not answer.
    var silentNodes: Set<NodeID> = []
    var events = EventRing<ControlEvent>()
    let subscribers = EventSubscribers()
    /// Whoever waits for a device to be clean; each gets a signal when a commission or a cleaning ends.
    var settleWatchers: [Int: AsyncStream<Void>.Continuation] = [:]

    init(matter: any FabricOperator, limits: SessionLimits) {
        self.matter = matter
        machine = SessionMachine(limits: limits)
    }

    /// The commission of the active session.
    var running: RunningCommission? { machine.running.flatMap { commissions[$0] } }

    /// Tells whoever waits for a device to be clean to look again.
    func signalSettled() {
        for watcher in settleWatchers.values { watcher.yield() }
    }

    /// Until when at least the payload's device is still being cleaned; `nil` when it is free.
    func busyUntil(_ payload: OnboardingPayload, except ticket: CommissionTicket, now: MonotonicInstant)
        -> MonotonicInstant?
    {
        let stopped = commissions.values.contains { $0.ticket != ticket && $0.payload.isOfSameDevice(as: payload) }
        let cleaned = cleaning.values.compactMap { device in
            device.payload?.isOfSameDevice(as: payload) == true ? max(now, device.failSafeEnds) : nil
        }
        return cleaned.max() ?? (stopped ? now : nil)
    }
}

extension OnboardingPayload {
    /// Whether both may open the same device: the same passcode, and no difference in what both know of the discriminator.
    func isOfSameDevice(as other: OnboardingPayload) -> Bool {
        guard passcode == other.passcode else { return false }
        if let long = discriminator.long, let otherLong = other.discriminator.long { return long == otherLong }
        return discriminator.short == other.discriminator.short
    }
}
