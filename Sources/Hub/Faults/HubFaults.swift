package import NetIO

/// What a hub does wrong on purpose, for tests of its clients and of itself.
///
/// Stages and requests are reported to it; it says what goes wrong there. Storage faults are kept for the next write.
package final class HubFaults: Sendable {
    private struct State {
        var rules: [HubFaultRule] = []
        /// By rule, how often its place was reached, and how often it applied.
        var reached: [Int] = []
        var met: [Int] = []
        var storage: [HubFaultRule] = []
    }

    /// At most as many rules as this.
    package static let limit = 64
    /// Whether clients may set faults.
    package let isAllowed: Bool
    private let state = Locked(State())
    private let die: @Sendable () -> Void

    /// - Parameters:
    ///   - isAllowed: whether `faults.set` works.
    ///   - die: ends the process at once.
    package init(_ rules: [HubFaultRule] = [], isAllowed: Bool = false, die: @escaping @Sendable () -> Void = {}) {
        self.isAllowed = isAllowed
        self.die = die
        set(rules)
    }

    /// Replaces the rules; counts begin anew.
    package func set(_ rules: [HubFaultRule]) {
        state.withLock { state in
            state = State()
            state.rules = rules
            state.reached = Array(repeating: 0, count: rules.count)
            state.met = state.reached
        }
    }

    /// The rules, with how often each applied.
    package var list: [(rule: HubFaultRule, met: Int)] {
        state.withLock { state in zip(state.rules, state.met).map { ($0, $1) } }
    }

    /// A stage began, or a request came.
    ///
    /// - Returns: what its driver must do wrong. A crash does not return.
    func reached(_ place: String) -> Set<HubFaultRule.Kind> {
        let due = state.withLock { state -> [HubFaultRule] in
            var due: [HubFaultRule] = []
            for (index, rule) in state.rules.enumerated() where rule.place == place {
                state.reached[index] += 1
                let number = state.reached[index]
                guard number >= rule.from, rule.times.map({ number < rule.from + $0 }) ?? true else { continue }
                state.met[index] += 1
                due.append(rule)
            }
            state.storage += due.filter { $0.kind == .storageFails || $0.kind == .storageSlow }
            return due
        }
        if due.contains(where: { $0.kind == .crash }) { die() }
        return Set(due.map(\.kind))
    }

    /// What goes wrong with the write that begins now.
    fileprivate func takeStorage() -> HubFaultRule? {
        state.withLock { $0.storage.isEmpty ? nil : $0.storage.removeFirst() }
    }
}

/// A store that fails and delays as ``HubFaults`` says.
package struct FaultyStore: HubStore {
    private let inner: any HubStore
    private let faults: HubFaults
    private let clock: DriverClock

    package init(_ inner: any HubStore, faults: HubFaults, clock: DriverClock) {
        self.inner = inner
        self.faults = faults
        self.clock = clock
    }

    package func load() async throws -> HubSnapshot { try await inner.load() }

    package func commit(_ changes: [StoreChange]) async throws {
        if !changes.isEmpty, let fault = faults.takeStorage() {
            guard fault.kind == .storageSlow else {
                throw StoreError(code: .statement, path: "store", reason: "a fault says that this write fails")
            }
            // A stopped hub does not wait for a fault.
            try? await clock.sleep(until: clock.now + fault.delay)
        }
        try await inner.commit(changes)
    }

    package func close() async { await inner.close() }
}
