/// A signal that is given once and stays given; waiting for it never blocks a thread.
final class Gate: Sendable {
    private enum State {
        case shut([CheckedContinuation<Void, Never>])
        case open
    }
    private let state = Locked(State.shut([]))

    /// Lets everyone through, now and later; idempotent.
    func open() {
        let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
            guard case .shut(let waiters) = state else { return [] }
            state = .open
            return waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once the gate is open; cancellation doesn't end the wait, so wait only for what surely comes.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                switch state {
                case .open: return true
                case .shut(let waiters):
                    state = .shut(waiters + [continuation])
                    return false
                }
            }
            if isOpen { continuation.resume() }
        }
    }
}
