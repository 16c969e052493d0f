import HubControl
import MatterWire
import NetIO

/// Passes a commission's stages on, and its journal to the ledger.
actor StageRelay: CommissionObserver {
    let service: HubService
    let structure: StructureID
    let session: CommissioningSessionID
    let ticket: CommissionTicket
    let node: NodeID
    private(set) var stages: [JSONValue] = []
    private var isClosed = false
    /// The entry that was given last.
    private var writing: Task<Void, any Error>?

    init(
        service: HubService, structure: StructureID, session: CommissioningSessionID, ticket: CommissionTicket,
        node: NodeID
    ) {
        self.service = service
        self.structure = structure
        self.session = session
        self.ticket = ticket
        self.node = node
    }

    func stageBegan(_ stage: String, index: Int, total: Int, elapsed: Duration) async {
        stages.append(.object(["stage": .string(stage), "elapsedMs": JSONValue(elapsed.milliseconds)]))
        await service.stageBegan(
            [
                "session": session.json, "stage": .string(stage), "index": JSONValue(index), "total": JSONValue(total),
                "elapsedMs": JSONValue(elapsed.milliseconds),
            ], stage: stage, ticket: ticket, in: structure)
    }

    /// The commission is over: what is journalled late is refused, and what is being written is there.
    func close() async {
        isClosed = true
        // Its error went to whoever had it written.
        _ = await writing?.result
    }

    func journal(_ entry: CommissionJournalEntry) async throws {
        guard !isClosed else { throw ControlError.sessionEnded }
        let environment = service.environment
        let now = environment.wallClock()
        let record = NodeRecord(
            id: node, structure: structure, state: .journalled, session: session, address: entry.address,
            stage: entry.stage,
            failSafeEnds: entry.failSafeEnds,
            info: NodeInfo(), createdAt: now)
        let write = Task { [ledger = service.ledger] in try await ledger.commit([.putNode(record)]) }
        writing = write
        try await write.value
    }
}
