import Combine
import NetIO

/// Hands what a feed gives to one subscriber: one value at a time, in order, as many as it asks for.
///
/// Values that were not asked for yet wait; ``Surplus`` says how many, so that a slow subscriber costs no memory and gets
/// the newest state when it asks. No lock is held while the subscriber runs, so that it may ask or cancel at any time.
final class FeedSubscription<Output: Sendable>: Subscription, Sendable {
    /// Puts new values behind those that wait, which may take the place of some.
    typealias Surplus = @Sendable (_ waiting: inout [Output], _ new: [Output]) -> Void

    // Sendable: made from one subscriber, and called by one thread at a time, namely the one that hands over.
    private struct Downstream: @unchecked Sendable {
        let input: (Output) -> Subscribers.Demand
        let completion: (Subscribers.Completion<HomeError>) -> Void
    }
    private struct State: Sendable {
        var downstream: Downstream?
        var waiting: [Output] = []
        var end: Subscribers.Completion<HomeError>?
        var demand = Subscribers.Demand.none
        var isHandingOver = false
        /// Stops the feed; called once, when nobody wants anything any more.
        var stop: (@Sendable () -> Void)?
        var isStopped = false
    }
    private enum Next {
        case input(Downstream, Output)
        case end(Downstream, Subscribers.Completion<HomeError>)
    }

    private let surplus: Surplus
    private let state: Locked<State>

    init<S: Subscriber>(_ subscriber: S, surplus: @escaping Surplus)
    where S.Input == Output, S.Failure == HomeError {
        self.surplus = surplus
        let downstream = Downstream(input: subscriber.receive(_:), completion: subscriber.receive(completion:))
        state = Locked(State(downstream: downstream))
    }

    // MARK: - From the feed

    /// Says how the feed is stopped; at once when nobody wants it any more.
    func stopped(by stop: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isStopped { state.stop = stop }
            return state.isStopped
        }
        if isLate { stop() }
    }

    /// Lets values wait and hands over what can be.
    func send(_ new: [Output]) {
        state.withLock { state in
            guard state.downstream != nil, state.end == nil else { return }
            surplus(&state.waiting, new)
        }
        handOver()
    }

    /// Lets the end wait behind the values.
    func send(completion: Subscribers.Completion<HomeError>) {
        state.withLock { $0.end = $0.end ?? completion }
        handOver()
    }

    private func handOver() {
        guard state.withLock({ Self.begin(&$0) }) else { return }
        while let next = state.withLock({ Self.next(&$0) }) {
            switch next {
            case .input(let downstream, let output):
                let more = downstream.input(output)
                state.withLock { $0.demand += more }
            case .end(let downstream, let completion):
                stop()
                downstream.completion(completion)
            }
        }
    }

    private static func begin(_ state: inout State) -> Bool {
        defer { state.isHandingOver = true }
        return !state.isHandingOver
    }

    /// - Returns: `nil` when there is nothing to hand over; somebody else may begin then.
    private static func next(_ state: inout State) -> Next? {
        if let downstream = state.downstream {
            if state.demand > 0, !state.waiting.isEmpty {
                state.demand -= 1
                return .input(downstream, state.waiting.removeFirst())
            }
            if state.waiting.isEmpty, let end = state.end {
                state.downstream = nil
                return .end(downstream, end)
            }
        }
        state.isHandingOver = false
        return nil
    }

    private func stop() {
        let stop = state.withLock { state in
            state.isStopped = true
            defer { state.stop = nil }
            return state.stop
        }
        stop?()
    }

    // MARK: - Subscription

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
        handOver()
    }

    func cancel() {
        let gone = state.withLock { state in
            defer {
                state.downstream = nil
                state.waiting = []
            }
            return state.downstream
        }
        // Released outside of the lock: it may cancel something in its turn.
        withExtendedLifetime(gone) { stop() }
    }
}
