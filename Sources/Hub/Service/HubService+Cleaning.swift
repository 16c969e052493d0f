package import HubControl
package import MatterWire
import NetIO

extension HubService {
    /// Takes a node off the fabric in the background; takes over from a cleaning that runs.
    ///
    /// - Parameters:
    ///   - payload: what it was commissioned with; a new commission with it waits.
    ///   - delay: until its fail-safe has run out, unless its row says that this is later.
    func startCleaning(_ node: NodeID, in structure: StructureID, payload: OnboardingPayload?, after delay: Duration) {
        guard !isStopped, let runtime = runtimes[structure] else { return }
        let before = runtime.cleaning[node]
        before?.task.cancel()
        lastCleaning += 1
        let number = lastCleaning
        let ends = environment.now.advanced(by: delay)
        let task = Task { await self.clean(node, in: structure, number: number, failSafeEnds: ends) }
        runtimes[structure]?.cleaning[node] = CleaningDevice(
            number: number, payload: payload ?? before?.payload, failSafeEnds: ends, task: task)
        runtimes[structure]?.provisional[node] = nil
    }

    private func clean(_ node: NodeID, in structure: StructureID, number: Int, failSafeEnds: MonotonicInstant) async {
        defer { endCleaning(node, in: structure, number: number) }
        await markOrphan(node, in: structure, attempt: false, reason: "")
        guard let matter = runtimes[structure]?.matter else { return }
        let ends = max(failSafeEnds, failSafeEnd(of: await record(of: node, in: structure)))
        update(node, in: structure, number: number) { $0.failSafeEnds = ends }
        var tries = 0
        while !Task.isCancelled, tries < environment.settleAttempts {
            let address = await record(of: node, in: structure)?.address ?? ""
            let outcome = await matter.settle(node, address: address)
            guard !Task.isCancelled else { return }
            let record = await record(of: node, in: structure)
            let isOver = environment.now >= ends
            switch outcome {
            case .removed, .notOnFabric:
                if await forget(node, in: structure) { return }
            case .unreachable where isOver && record.map(\.isUndoneByFailSafe) ?? true:
                // CommissioningComplete was never sent, so the device has undone everything by itself.
                if await forget(node, in: structure) { return }
            case .unreachable(let reason):
                // What is left may take for ever: from here on a new commission may try the device all the same.
                if isOver { update(node, in: structure, number: number) { $0.payload = nil } }
                await markOrphan(node, in: structure, attempt: true, reason: reason)
            }
            tries += 1
            let pause = record == nil ? ends : max(environment.now.advanced(by: environment.settleInterval), ends)
            // Cancelled when the hub stops or a newer cleaning takes over.
            guard (try? await environment.clock.sleep(until: pause.sinceStart)) != nil, record != nil else { return }
        }
    }

    /// The longest that a device's fail-safe lasts: what a row says beyond it, a wall clock that jumped back has said.
    static let longestFailSafe: Int64 = 900

    /// When the fail-safe that a row tells of has run out; the clock's start without one.
    private func failSafeEnd(of record: NodeRecord?) -> MonotonicInstant {
        guard let ends = record?.failSafeEnds else { return MonotonicInstant(sinceStart: .zero) }
        let left = ends.rawValue - environment.wallClock().rawValue
        return environment.now.advanced(by: .seconds(min(max(0, left), Self.longestFailSafe)))
    }

    private func record(of node: NodeID, in structure: StructureID) async -> NodeRecord? {
        await ledger.state.nodes[.init(structure, node)]
    }

    /// Changes a cleaning, unless a newer one took over.
    private func update(
        _ node: NodeID, in structure: StructureID, number: Int, _ body: (inout CleaningDevice) -> Void
    ) {
        guard var device = runtimes[structure]?.cleaning[node], device.number == number else { return }
        body(&device)
        runtimes[structure]?.cleaning[node] = device
        runtimes[structure]?.signalSettled()
    }

    private func endCleaning(_ node: NodeID, in structure: StructureID, number: Int) {
        guard runtimes[structure]?.cleaning[node]?.number == number else { return }
        runtimes[structure]?.cleaning[node] = nil
        runtimes[structure]?.signalSettled()
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
    ///
    /// - Returns: whether there is none any more. One that cannot be dropped now has to be settled again.
    func forget(_ node: NodeID, in structure: StructureID) async -> Bool {
        do {
            try await ledger.change { state in
                (state.nodes[.init(structure, node)] == nil ? [] : [.deleteNode(node, of: structure)], ())
            }
            return true
        } catch {
            return false
        }
    }

    // MARK: - Waiting for a device

    /// Waits until nothing is left to clean of the device that a new commission is for.
    ///
    /// - Throws: `unavailable` when that takes longer than `deadline`; ``ControlError/sessionEnded`` when cancelled.
    func waitUntilClean(
        _ payload: OnboardingPayload, for ticket: CommissionTicket, until deadline: MonotonicInstant,
        in structure: StructureID
    ) async throws(ControlError) {
        let (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let watcher = Int(ticket.rawValue)
        runtimes[structure]?.settleWatchers[watcher] = signal
        defer { runtimes[structure]?.settleWatchers[watcher] = nil }
        let alarm = Task { [clock = environment.clock] in
            // Cancelled when the device is clean in time.
            try? await clock.sleep(until: deadline.sinceStart)
            signal.finish()
        }
        defer { alarm.cancel() }
        var iterator = signals.makeAsyncIterator()
        while let busy = runtimes[structure]?.busyUntil(payload, except: ticket, now: environment.now) {
            guard busy <= deadline, await iterator.next(isolation: self) != nil else {
                if Task.isCancelled { throw .sessionEnded }
                let left = max(.seconds(1), environment.now.duration(to: busy))
                throw ControlError(
                    .unavailable, "this device is still being cleaned after an earlier try",
                    details: ["reason": "stillCleaning"], retryAfterMs: left.milliseconds,
                    suggestedUserActions: [.tryAgainLater])
            }
        }
        if Task.isCancelled { throw .sessionEnded }
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
        runtimes[structure]?.signalSettled()
        try await change { _ in ([.deleteNode(node, of: structure)], ()) }
    }

    private func requireOrphan(_ node: NodeID, in structure: StructureID) async throws(ControlError) {
        guard await record(of: node, in: structure)?.state == .orphan else {
            throw ControlError(.notFound, "there is no such orphan", details: ["reason": "noOrphan"])
        }
    }
}

extension NodeRecord {
    /// Whether the device undoes by itself what was done to it: CommissioningComplete was never sent.
    var isUndoneByFailSafe: Bool { stage != CommissionStageName.complete && failSafeEnds != nil }
}
