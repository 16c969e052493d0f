import Hub
import NetIO

/// A store in memory that can be copied at any instant, fail, and die with its hub.
final class CrashStore: HubStore {
    struct State {
        var kept = HubState()
        var isDead = false
        var failing = 0
        var commits = 0
    }
    private let state: Locked<State>

    init(_ kept: HubState = HubState()) { state = Locked(State(kept: kept)) }

    /// What a start after a crash at this instant finds.
    var copy: HubState { state.withLock { $0.kept } }

    /// Nothing is stored any more: the process is gone.
    func die() -> HubState {
        state.withLock { state in
            state.isDead = true
            return state.kept
        }
    }

    /// The next so many commits fail.
    func fail(_ count: Int) { state.withLock { $0.failing = count } }

    func load() -> HubSnapshot { copy.snapshot }

    func commit(_ changes: [StoreChange]) throws {
        try state.withLock { state in
            guard !state.isDead, state.failing == 0 else {
                if state.failing > 0 { state.failing -= 1 }
                throw StoreError(code: .statement, path: "memory", reason: "the disk is full")
            }
            state.commits += 1
            for change in changes { state.kept.apply(change) }
        }
    }

    func close() {}
}
