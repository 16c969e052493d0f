import HubControl
import MatterNode
import MatterWire
import Testing

@testable import Hub

/// The Matter side of a structure, played by a test: each commission and each cleaning does what the script says.
actor ScriptedOperator: FabricOperator {
    typealias Commission = @Sendable (CommissionOrder, any CommissionObserver) async throws -> CommissionedNode
    typealias Settle = @Sendable (NodeID, String) async -> SettleOutcome

    private var commissions: [Commission] = []
    private var settling: Settle = { _, _ in .removed }
    private var presences: [NodeID: NodePresence] = [:]
    /// Orders in the order of arrival.
    private(set) var orders: [CommissionOrder] = []
    /// Nodes that were to be cleaned, in the order of the requests.
    private(set) var settled: [NodeID] = []
    private(set) var isRunning = false
    /// Nodes that were asked for, in the order of the requests.
    private(set) var probed: [NodeID] = []

    /// Subscriptions that stand, by their numbers.
    private(set) var feeds:
        [Int: (node: NodeID, paths: [AttributePath], updates: AsyncStream<NodeUpdate>.Continuation)] =
            [:]
    private var lastFeed = 0
    private var values: [AttributeReport] = []
    private var refusal: ControlError?

    /// What the next commissions do, one each; when none is left they succeed at once.
    func script(_ commissions: Commission...) { self.commissions += commissions }

    /// What cleaning does from now on.
    func onSettle(_ body: @escaping Settle) { settling = body }

    /// Where a node is; unreachable when nothing was said.
    func place(_ node: NodeID, _ presence: NodePresence) { presences[node] = presence }

    func presence(of node: NodeID, address: String) -> NodePresence {
        probed.append(node)
        return presences[node] ?? .unreachable
    }

    func run() async {
        isRunning = true
        let (forever, continuation) = AsyncStream<Never>.makeStream()
        for await _ in forever {}  // ends when the task is cancelled
        continuation.finish()
        isRunning = false
    }

    func commission(_ order: CommissionOrder, observer: any CommissionObserver) async throws -> CommissionedNode {
        orders.append(order)
        let step = commissions.isEmpty ? Script.succeed() : commissions.removeFirst()
        return try await step(order, observer)
    }

    func settle(_ node: NodeID, address: String) async -> SettleOutcome {
        settled.append(node)
        return await settling(node, address)
    }

    func read(_ paths: [AttributePath], of node: NodeID) -> [AttributeReport] { [] }
    func write(_ write: AttributeWrite, to node: NodeID) {}
    func invoke(_ path: CommandPath, fields: TLVValue, timeout: UInt16?, on node: NodeID) -> InvokeOutcome {
        .status(.success)
    }
    func subscribe(to paths: [AttributePath], of node: NodeID) async throws -> NodeFeed {
        if let refusal { throw refusal }
        let (updates, continuation) = AsyncStream<NodeUpdate>.makeStream()
        lastFeed += 1
        feeds[lastFeed] = (node, paths, continuation)
        return NodeFeed(number: lastFeed, current: values, updates: updates)
    }
    func unsubscribe(_ feed: Int, from node: NodeID) { feeds.removeValue(forKey: feed)?.updates.finish() }

    /// Tells every follower of a node.
    func tell(_ node: NodeID, _ update: NodeUpdate) {
        for feed in feeds.values where feed.node == node { feed.updates.yield(update) }
    }
    /// What subscriptions begin with, or why none is to be had.
    func answerSubscriptions(with values: [AttributeReport], refusal: ControlError? = nil) {
        self.values = values
        self.refusal = refusal
    }

    func openWindow(on node: NodeID, timeout: Duration) throws -> OpenedWindow {
        throw ControlError(.unimplemented, "not scripted")
    }
    func isReachable(_ node: NodeID) -> Bool? { nil }
}

/// Commissions for a ``ScriptedOperator``.
enum Script {
    static let stages = [
        "discover", "pase", "readInfo", "armFailSafe", "regulatory", "attestation", "csr", "addRoot", "addNOC",
        "operational", "complete",
    ]

    static let info = NodeInfo(
        vendorID: 0xFFF1, productID: 0x8001, vendorName: "Maker", productName: "Light", serialNumber: "",
        endpoints: [EndpointInfo(endpoint: .init(rawValue: 1), deviceTypes: [0x0100], isBridged: false, label: "")])

    /// Goes through every stage and its journal entries.
    static func succeed(_ info: NodeInfo = info) -> ScriptedOperator.Commission {
        { order, observer in
            try await pass(to: "complete", order, observer)
            return CommissionedNode(node: order.node, address: "127.0.0.1:5540", info: info)
        }
    }

    /// Fails when a stage has begun.
    static func fail(
        at stage: String, _ code: ControlErrorCode = .unavailable, _ reason: String = "deviceVanished",
        condition: DeviceCondition = .clean, failSafeLeft: Duration? = nil
    ) -> ScriptedOperator.Commission {
        { order, observer in
            try await pass(to: stage, order, observer)
            throw failure(at: stage, code, reason, condition: condition, failSafeLeft: failSafeLeft)
        }
    }

    static func failure(
        at stage: String, _ code: ControlErrorCode = .unavailable, _ reason: String = "deviceVanished",
        condition: DeviceCondition = .clean, failSafeLeft: Duration? = nil
    ) -> CommissionFailure {
        CommissionFailure(
            error: ControlError(code, "scripted", stage: stage, details: ["reason": .string(reason)]),
            condition: condition, failSafeLeft: failSafeLeft)
    }

    /// Stops when a stage has begun, until the test lets go on or the commission is cancelled.
    ///
    /// - Parameters:
    ///   - condition: what a cancelled one says of the device.
    ///   - answer: a cancelled one ends only when this is open.
    static func hold(
        at stage: String, _ door: Door, condition: DeviceCondition = .clean, failSafeLeft: Duration? = nil,
        answer: Door? = nil
    ) -> ScriptedOperator.Commission {
        { order, observer in
            try await pass(to: stage, order, observer)
            door.arrive()
            guard await door.wait() else {
                if let answer { await Task { _ = await answer.wait() }.value }
                throw failure(at: stage, .cancelled, "sessionEnded", condition: condition, failSafeLeft: failSafeLeft)
            }
            return CommissionedNode(node: order.node, address: "127.0.0.1:5540", info: info)
        }
    }

    /// Like ``hold(at:_:condition:failSafeLeft:answer:)``, and takes no notice of a cancel.
    static func holdStubbornly(at stage: String, _ door: Door) -> ScriptedOperator.Commission {
        { order, observer in
            try await pass(to: stage, order, observer)
            door.arrive()
            await Task { _ = await door.wait() }.value
            return CommissionedNode(node: order.node, address: "127.0.0.1:5540", info: info)
        }
    }

    static func pass(to last: String, _ order: CommissionOrder, _ observer: any CommissionObserver) async throws {
        for (index, stage) in stages.enumerated() {
            if stage == "addNOC" || stage == "complete" {
                try await observer.journal(
                    CommissionJournalEntry(
                        stage: stage, address: "127.0.0.1:5540",
                        failSafeEnds: EpochSeconds(rawValue: TestHub.epoch + 60)))
            }
            await observer.stageBegan(
                stage, index: index + 1, total: stages.count, elapsed: .milliseconds(10 * (index + 1)))
            if stage == last { return }
        }
    }
}

/// A place where scripted work waits for the test, and the test for the work.
final class Door: Sendable {
    private let opening: AsyncStream<Void>
    private let opener: AsyncStream<Void>.Continuation
    private let arrival: AsyncStream<Void>
    private let arriver: AsyncStream<Void>.Continuation

    init() {
        (opening, opener) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (arrival, arriver) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Lets one through.
    func open() { opener.yield() }

    /// Waits until it is open.
    ///
    /// - Returns: whether it was opened; `false` when the task was cancelled first.
    func wait() async -> Bool {
        for await _ in opening { return true }
        return false
    }

    /// Says that someone stands before it.
    func arrive() { arriver.yield() }

    /// Waits until someone stands before it.
    func reached() async { for await _ in arrival { return } }
}
