/// Lets the tasks that want to read from one stream do so one after the other, in the order of asking.
final class ReadTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
        /// Cancelled before they waited.
        var cancelled: Set<UInt64> = []
        var lastTicket: UInt64 = 0
    }
    private let state = Locked(State())

    /// Waits for the turn; who has it calls ``give()``.
    ///
    /// - Returns: `false` when the task was cancelled before its turn; it must not call ``give()`` then.
    func take() async -> Bool {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        defer { state.withLock { _ = $0.cancelled.remove(ticket) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Bool? = state.withLock { state in
                    if state.cancelled.contains(ticket) { return false }
                    guard state.isTaken else {
                        state.isTaken = true
                        return true
                    }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
                guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else {
                    state.cancelled.insert(ticket)
                    return nil
                }
                return state.waiting.remove(at: index).continuation
            }
            waiting?.resume(returning: false)
        }
    }

    /// Passes the turn on.
    func give() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
