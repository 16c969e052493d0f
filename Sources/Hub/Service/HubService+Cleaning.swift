package import HubControl
package import MatterWire
import NetIO

extension HubService {
    /// Settles every node that an earlier run did not finish with: journalled, provisional and orphaned ones.
    func settleLeftovers() async {
        let state = await ledger.state
        let now = environment.wallClock()
        for structure in runtimes.keys {
            for node in state.nodes(of: structure, in: [.journalled, .provisional, .orphan]) {
                let left = node.failSafeEnds.map { $0.rawValue - now.rawValue } ?? 0
                startCleaning(node.id, in: structure, payload: nil, after: .seconds(max(0, left)))
            }
        }
    }

    /// Takes a node off the fabric in the background.
    ///
    /// - Parameters:
    ///   - payload: what it was commissioned with; a new commission with it waits.
    ///   - delay: until its fail-safe has run out.
    func startCleaning(_ node: NodeID, in structure: StructureID, payload: OnboardingPayload?, after delay: Duration) {
        guard runtimes[structure] != nil else { return }
        runtimes[structure]?.cleaning[node]?.task.cancel()
        let ends = environment.now.advanced(by: delay)
        let task = Task { await self.clean(node, in: structure, failSafeEnds: ends) }
        runtimes[structure]?.cleaning[node] = CleaningDevice(payload: payload, failSafeEnds: ends, task: task)
    }

    private func clean(_ node: NodeID, in structure: StructureID, failSafeEnds: MonotonicInstant) async {
        await markOrphan(node, in: structure, attempt: false, reason: "")
        var attempts = 0
        while !Task.isCancelled {
            guard let record = await ledger.state.nodes[.init(structure, node)],
                let matter = runtimes[structure]?.matter
            else { break }
            switch await matter.settle(node, address: record.address) {
            case .removed, .notOnFabric:
                await forget(node, in: structure)
                runtimes[structure]?.cleaning[node] = nil
                return
            case .unreachable(let reason):
                if record.stage != CommissionStageName.complete, record.failSafeEnds != nil,
                    environment.now >= failSafeEnds
                {
                    // CommissioningComplete was never sent, so the device has undone everything by itself.
                    await forget(node, in: structure)
                    runtimes[structure]?.cleaning[node] = nil
                    return
                }
                attempts += 1
                await markOrphan(node, in: structure, attempt: true, reason: reason)
            }
            guard attempts < environment.settleAttempts else { break }
            let next = max(environment.now.advanced(by: environment.settleInterval), failSafeEnds)
            // Cancelled when the hub stops or a newer cleaning takes over.
            guard (try? await environment.clock.sleep(until: next.sinceStart)) != nil else { return }
        }
        if !Task.isCancelled { runtimes[structure]?.cleaning[node] = nil }
    }

    private func markOrphan(_ node: NodeID, in structure: StructureID, attempt: Bool, reason: String) async {
        do throws(ControlError) {
            try await change { state in
                guard var record = state.nodes[.init(structure, node)] else { return ([], ()) }
                record.state = .orphan
                record.session = nil
                if attempt {
                    record.attempts += 1
                    record.lastError = reason
                }
                return ([.putNode(record)], ())
            }
        } catch {
            // The row stays as it is on disk; the next start settles it.
        }
    }

    /// Drops a node's row; its id stays spent.
    func forget(_ node: NodeID, in structure: StructureID) async {
        // A row that cannot be dropped now is settled again at the next start.
        try? await ledger.commit([.deleteNode(node, of: structure)])
    }

    // MARK: - Orphans

    /// Tries to clean an orphan now.
    package func retryOrphan(_ node: NodeID, in structure: StructureID) async throws(ControlError) {
        try await requireOrphan(node, in: structure)
        startCleaning(node, in: structure, payload: nil, after: .zero)
    }

    /// Drops an orphan without asking it.
    package func forgetOrphan(_ node: NodeID, in structure: StructureID) async throws(ControlError) {
        try await requireOrphan(node, in: structure)
        runtimes[structure]?.cleaning.removeValue(forKey: node)?.task.cancel()
        try await change { _ in ([.deleteNode(node, of: structure)], ()) }
    }

    private func requireOrphan(_ node: NodeID, in structure: StructureID) async throws(ControlError) {
        guard await ledger.state.nodes[.init(structure, node)]?.state == .orphan else {
            throw ControlError(.notFound, "there is no such orphan", details: ["reason": "noOrphan"])
        }
    }
}
