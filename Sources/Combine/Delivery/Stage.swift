import Foundation

/// What an operator does with one event: stands between one publisher and one subscriber, passes on how much is wanted,
/// and never holds a lock while it calls out.
final class Stage<Input, Failure: Error, Downstream: Subscriber>: Subscriber, Subscription {
    /// What becomes of a value.
    enum Step {
        /// Another goes on.
        case emit(Downstream.Input)
        /// Nothing; one more may come in its place.
        case skip
        /// Another goes on, and is the last.
        case emitLast(Downstream.Input)
        /// It ends.
        case end(Subscribers.Completion<Downstream.Failure>)
    }

    private let lock = NSLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private let onInput: (Input) -> Step
    private let onCompletion: (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>

    init(
        _ downstream: Downstream, input: @escaping (Input) -> Step,
        completion: @escaping (Subscribers.Completion<Failure>) -> Subscribers.Completion<Downstream.Failure>
    ) {
        self.downstream = downstream
        onInput = input
        onCompletion = completion
    }

    // MARK: - Subscriber

    func receive(subscription: any Subscription) {
        let wanting = lock.withLock { () -> Downstream? in
            guard upstream == nil else { return nil }
            if downstream != nil { upstream = subscription }
            return downstream
        }
        guard let wanting else { return subscription.cancel() }
        wanting.receive(subscription: self)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard let downstream = lock.withLock({ downstream }) else { return .none }
        switch onInput(input) {
        case .emit(let output): return downstream.receive(output)
        case .skip: return .max(1)
        case .emitLast(let output):
            _ = downstream.receive(output)
            end(.finished)
        case .end(let completion): end(completion)
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        lock.withLock { upstream = nil }
        guard let downstream = take().downstream else { return }
        downstream.receive(completion: onCompletion(completion))
    }

    private func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
        let (downstream, upstream) = take()
        upstream?.cancel()
        downstream?.receive(completion: completion)
    }

    private func take() -> (downstream: Downstream?, upstream: (any Subscription)?) {
        lock.withLock {
            defer {
                downstream = nil
                upstream = nil
            }
            return (downstream, upstream)
        }
    }

    // MARK: - Subscription

    func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }
    func cancel() { take().upstream?.cancel() }
}

extension Stage where Failure == Downstream.Failure {
    /// A stage that passes the end on.
    convenience init(_ downstream: Downstream, input: @escaping (Input) -> Step) {
        self.init(downstream, input: input, completion: { $0 })
    }
}
