/// The state of a hub and its store, changed one transaction at a time.
///
/// Memory follows the disk: a change is visible only after the store has it, and the next one is computed from there.
package actor HubLedger {
    private let store: any HubStore
    /// What the store holds.
    package private(set) var state: HubState
    private var isChanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Loads the state from `store`.
    package init(store: any HubStore) async throws {
        self.store = store
        state = HubState(try await store.load())
    }

    /// Computes changes from the present state and makes them durable, all or none.
    ///
    /// - Parameter body: gives the changes and a result; what it throws leaves everything as it was.
    /// - Throws: what `body` throws, or the store's error; then nothing has changed.
    package func change<Result: Sendable>(
        _ body: @Sendable (HubState) throws -> (changes: [StoreChange], result: Result)
    ) async throws -> Result {
        await enter()
        defer { leave() }
        let (changes, result) = try body(state)
        try await store.commit(changes)
        for change in changes { state.apply(change) }
        return result
    }

    /// Makes `changes` durable, all or none.
    package func commit(_ changes: [StoreChange]) async throws {
        try await change { _ in (changes, ()) }
    }

    /// Waits for a running change, then closes the store.
    package func close() async {
        await enter()
        defer { leave() }
        await store.close()
    }

    private func enter() async {
        guard isChanging else {
            isChanging = true
            return
        }
        // Resumed by `leave`, which hands over the turn: `isChanging` stays true.
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        guard !waiting.isEmpty else {
            isChanging = false
            return
        }
        waiting.removeFirst().resume()
    }
}
