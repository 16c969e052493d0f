package import HubControl
package import MatterNode
package import MatterWire

/// What is left on a device when its commissioning ends without success (Protocols/commissioning-session.md).
package enum DeviceCondition: String, Hashable, Sendable {
    /// Nothing was sent that changes it.
    case untouched
    /// Disarmed, or nothing is left to clean.
    case clean
    /// It will be clean: its fail-safe runs out, or it is being removed.
    case cleaning
    /// CommissioningComplete was sent and its outcome is not known.
    case unknown
}

/// One commissioning to do.
package struct CommissionOrder: Hashable, Sendable {
    package var payload: OnboardingPayload
    /// The node id that the device gets; never used before.
    package var node: NodeID
    /// A given address instead of discovery.
    package var address: PeerAddress?
    /// For the whole.
    package var timeLimit: Duration
    package init(payload: OnboardingPayload, node: NodeID, address: PeerAddress?, timeLimit: Duration) {
        self.payload = payload
        self.node = node
        self.address = address
        self.timeLimit = timeLimit
    }
}

/// A commissioned node.
package struct CommissionedNode: Hashable, Sendable {
    package var node: NodeID
    package var address: String
    package var info: NodeInfo
    /// What the user should know although it worked, for example a replaced stale record.
    package var warnings: [String]
    /// The node of this fabric that the device said it was before.
    package var replaced: NodeID?
    /// How it was met on the fabric; `nil` when that is not known.
    package var operationalPath: OperationalPath?
    package init(
        node: NodeID, address: String, info: NodeInfo, warnings: [String] = [], replaced: NodeID? = nil,
        operationalPath: OperationalPath? = nil
    ) {
        self.node = node
        self.address = address
        self.info = info
        self.warnings = warnings
        self.replaced = replaced
        self.operationalPath = operationalPath
    }
}

/// Why a commissioning gave no node, and what is left behind.
package struct CommissionFailure: Error, Hashable, Sendable {
    package var error: ControlError
    package var condition: DeviceCondition
    /// Time until the device's fail-safe has run out, when it may be armed.
    package var failSafeLeft: Duration?
    package init(error: ControlError, condition: DeviceCondition, failSafeLeft: Duration? = nil) {
        self.error = error
        self.condition = condition
        self.failSafeLeft = failSafeLeft
    }
}

/// What must be on disk before a commissioning goes on.
package struct CommissionJournalEntry: Hashable, Sendable {
    package var stage: String
    package var address: String
    /// When the device's fail-safe runs out at the latest.
    package var failSafeEnds: EpochSeconds
    package init(stage: String, address: String, failSafeEnds: EpochSeconds) {
        self.stage = stage
        self.address = address
        self.failSafeEnds = failSafeEnds
    }
}

/// Whoever follows a commissioning.
package protocol CommissionObserver: Sendable {
    /// A stage begins.
    func stageBegan(_ stage: String, index: Int, total: Int, elapsed: Duration) async
    /// Must be durable when it returns.
    func journal(_ entry: CommissionJournalEntry) async throws
}

/// What became of a node that must leave the fabric.
package enum SettleOutcome: Hashable, Sendable {
    /// RemoveFabric was accepted.
    case removed
    /// It answered, and is not on the fabric.
    case notOnFabric
    /// No answer; why.
    case unreachable(String)
}

/// Whether a node is where it should be.
package enum NodePresence: Hashable, Sendable {
    /// It answered on the fabric.
    case onFabric
    /// Somebody answered at its address, and is not on the fabric or is another node.
    case notOnFabric
    /// Nobody answered.
    case unreachable
}

/// A code that opens a device for another administrator.
package struct OpenedWindow: Hashable, Sendable {
    package var payload: OnboardingPayload
    package var timeout: Duration
    package init(payload: OnboardingPayload, timeout: Duration) {
        self.payload = payload
        self.timeout = timeout
    }
}

/// The Matter side of one structure: MatterNode's controller in production, a double in tests.
///
/// Errors of the interactions are ``ControlError``: the mapping from protocol failures is the implementation's.
package protocol FabricOperator: Sendable {
    /// Commissions a device. Cancelling the task stops it; then what can be cleaned at once is cleaned before it throws.
    ///
    /// - Throws: ``CommissionFailure`` only.
    func commission(_ order: CommissionOrder, observer: any CommissionObserver) async throws -> CommissionedNode
    /// Takes a node off the fabric, wherever its commissioning stopped.
    func settle(_ node: NodeID, address: String) async -> SettleOutcome
    /// Whether a node answers on the fabric; within a few seconds.
    func presence(of node: NodeID, address: String) async -> NodePresence
    /// Reads attributes; each concrete path gives one report.
    func read(_ paths: [AttributePath], of node: NodeID) async throws -> [AttributeReport]
    /// Writes one attribute.
    func write(_ write: AttributeWrite, to node: NodeID) async throws
    /// Invokes one command; `timeout` in ms makes it timed. A status other than success throws.
    func invoke(_ path: CommandPath, fields: TLVValue, timeout: UInt16?, on node: NodeID) async throws -> InvokeOutcome
    /// Follows attributes of a node until ``unsubscribe(_:from:)``; the subscription is kept up through losses.
    func subscribe(to paths: [AttributePath], of node: NodeID) async throws -> NodeFeed
    /// Ends a feed; its updates end too. Nothing happens when it has ended.
    func unsubscribe(_ feed: Int, from node: NodeID) async
    /// Opens an enhanced commissioning window.
    func openWindow(on node: NodeID, timeout: Duration) async throws -> OpenedWindow
    /// Whether the node answered the last time; `nil` when it was not asked yet.
    func isReachable(_ node: NodeID) async -> Bool?
    /// Serves the network until cancelled. Requests may come a moment before it runs; they wait for it.
    func run() async
}
