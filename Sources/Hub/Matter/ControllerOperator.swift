import HubControl
package import MatterNode
package import MatterProtocol
package import MatterWire
import NetIO

/// The Matter side of a structure by a real controller node.
package struct ControllerOperator: FabricOperator {
    private let node: ControllerNode
    private let policy: CommissioningPlan.AttestationPolicy
    /// Where attestation authorities that are trusted besides our own are, for messages.
    private let trustFolder: String
    /// Nodes of the fabric that still count, so that a device that is one of them is not taken twice.
    private let knownNodes: @Sendable () async -> Set<NodeID>

    package init(
        node: ControllerNode, policy: CommissioningPlan.AttestationPolicy, trustFolder: String,
        knownNodes: @escaping @Sendable () async -> Set<NodeID>
    ) {
        self.node = node
        self.policy = policy
        self.trustFolder = trustFolder
        self.knownNodes = knownNodes
    }

    package func run() async { await node.run() }

    package func commission(
        _ order: CommissionOrder, observer: any CommissionObserver
    ) async throws -> CommissionedNode {
        let relay = StageObserver(observer: observer, clock: node.clock)
        let outcome = await node.commission(
            CommissioningOrder(
                payload: order.payload, nodeID: order.node, address: order.address, attestationPolicy: policy,
                knownNodes: await knownNodes(), searchTime: min(.seconds(15), order.timeLimit),
                timeLimit: order.timeLimit), observer: relay)
        switch outcome {
        case .commissioned(let report):
            return CommissionedNode(
                node: report.device.nodeID, address: report.address.text, info: NodeInfo(report.description),
                warnings: FailureMapping.warnings(report), replaced: report.device.replacedNode,
                operationalPath: report.operationalPath)
        case .failed(let failure): throw FailureMapping.failure(failure, now: node.now, trustFolder: trustFolder)
        case .notFound(let failure): throw FailureMapping.failure(failure, payload: order.payload)
        }
    }

    package func settle(_ id: NodeID, address: String) async -> SettleOutcome {
        // A failed commissioning may still be cleaning by itself; asking meanwhile would only disturb it.
        if let state = await node.settled(id), state == .clean || state == .untouched { return .notOnFabric }
        let known = PeerAddress(text: address)
        switch await node.removeFabric(from: id, known: known) {
        case .removed: return .removed
        case .notOnFabric: return .notOnFabric
        case .failed(let reason): return .unreachable(reason)
        }
    }

    package func presence(of id: NodeID, address: String) async -> NodePresence {
        switch await node.presence(of: id, known: PeerAddress(text: address)) {
        case .onFabric: .onFabric
        case .notOnFabric: .notOnFabric
        case .unreachable: .unreachable
        }
    }

    package func read(_ paths: [AttributePath], of id: NodeID) async throws -> [AttributeReport] {
        try await FailureMapping.requests { try await node.read(paths, of: id) }
    }

    package func write(_ write: AttributeWrite, to id: NodeID) async throws {
        try await FailureMapping.requests(in: write.path.cluster) { try await node.write(write, to: id) }
    }

    package func invoke(
        _ path: CommandPath, fields: TLVValue, timeout: UInt16?, on id: NodeID
    ) async throws -> InvokeOutcome {
        try await FailureMapping.requests(in: path.cluster) {
            try await node.invoke(path, fields: fields, timeout: timeout, on: id)
        }
    }

    package func subscribe(to paths: [AttributePath], of id: NodeID) async throws -> NodeFeed {
        try await FailureMapping.requests { try await node.subscribe(to: paths, of: id) }
    }

    package func unsubscribe(_ feed: Int, from id: NodeID) async { await node.unsubscribe(feed, from: id) }

    package func openWindow(on id: NodeID, timeout: Duration) async throws -> OpenedWindow {
        try await FailureMapping.requests(in: .administratorCommissioning) {
            OpenedWindow(payload: try await node.openWindow(on: id, timeout: timeout), timeout: timeout)
        }
    }

    package func isReachable(_ id: NodeID) async -> Bool? { await node.isReachable(id) }
}

/// Passes stages and journal entries on in the hub's words.
private actor StageObserver: CommissioningObserver {
    private let observer: any CommissionObserver
    private let clock: DriverClock
    private let start: Duration

    init(observer: any CommissionObserver, clock: DriverClock) {
        self.observer = observer
        self.clock = clock
        start = clock.now
    }

    func entered(_ stage: CommissioningStage) async {
        await observer.stageBegan(
            stage.rawValue, index: stage.index, total: CommissioningStage.total, elapsed: clock.now - start)
    }

    func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws {
        try await observer.journal(
            CommissionJournalEntry(
                stage: entry.stage.rawValue, address: address.text, failSafeEnds: entry.failSafeEnds))
    }
}

extension NodeInfo {
    /// The hub's form of what a node says of itself, cleaned (Protocols/hub-control.md §8); a bridge's own endpoint is no
    /// device.
    init(_ description: NodeDescription) {
        func cleaned(_ text: String) -> String { DisplayName(cleaning: text)?.text ?? "" }
        self.init(
            vendorID: description.vendorID?.rawValue ?? 0, productID: description.productID?.rawValue ?? 0,
            vendorName: cleaned(description.vendorName), productName: cleaned(description.productName),
            serialNumber: cleaned(description.serialNumber),
            endpoints: description.endpoints.filter(\.isDevice).map {
                EndpointInfo(
                    endpoint: $0.endpoint, deviceTypes: $0.deviceTypes.map(\.rawValue), isBridged: $0.isBridged,
                    label: $0.label)
            })
    }
}
