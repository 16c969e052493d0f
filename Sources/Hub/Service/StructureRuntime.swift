import HubControl
import MatterWire

/// A commission that runs.
struct RunningCommission {
    let ticket: CommissionTicket
    /// Ends with the answer to give; never throws, so that nobody has to wait twice.
    let task: Task<StoredAnswer, Never>
    /// The stage that was begun last.
    var stage: String
    /// Called once with what was left behind.
    var waiters: [AsyncStream<DeviceCondition>.Continuation] = []
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
    /// What it was commissioned with, when that is known: a new commission with it must wait.
    var payload: OnboardingPayload?
    /// When its fail-safe has run out at the latest.
    var failSafeEnds: MonotonicInstant
    let task: Task<Void, Never>
}

/// What a hub keeps in memory of one structure.
struct StructureRuntime {
    let matter: any FabricOperator
    var machine: SessionMachine
    var running: RunningCommission?
    var cleaning: [NodeID: CleaningDevice] = [:]
    /// Open connections of each app.
    var connections: [AppIdentity: Int] = [:]
    var events = EventRing<ControlEvent>()
    var subscribers: [Int: AsyncStream<ControlEvent>.Continuation] = [:]

    init(matter: any FabricOperator, limits: SessionLimits) {
        self.matter = matter
        machine = SessionMachine(limits: limits)
    }
}
