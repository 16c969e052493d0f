import Combine
import NetIO

/// A subscriber that asks for as many values as it is told to, and notes what comes.
// Sendable: what changes is behind `Locked`, and the values that tests send are Sendable.
final class Recorder<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    private struct Notes {
        var values: [Input] = []
        var ends = 0
        var error: Failure?
    }
    private let notes = Locked(Notes())
    private let demand: Subscribers.Demand
    private let more: @Sendable (Input) -> Subscribers.Demand
    private(set) var subscription: (any Subscription)?

    init(
        _ demand: Subscribers.Demand = .unlimited,
        more: @escaping @Sendable (Input) -> Subscribers.Demand = { _ in .none }
    ) {
        self.demand = demand
        self.more = more
    }

    var values: [Input] { notes.withLock { $0.values } }
    var ends: Int { notes.withLock { $0.ends } }
    var error: Failure? { notes.withLock { $0.error } }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        if demand > .none { subscription.request(demand) }
    }
    func receive(_ input: Input) -> Subscribers.Demand {
        notes.withLock { $0.values.append(input) }
        return more(input)
    }
    func receive(completion: Subscribers.Completion<Failure>) {
        notes.withLock { notes in
            notes.ends += 1
            if case .failure(let error) = completion { notes.error = error }
        }
    }
}

struct Trouble: Error, Equatable {
    var number = 0
}

extension Publisher where Output: Sendable {
    /// Subscribes a recorder that asks for `demand`.
    func record(_ demand: Subscribers.Demand = .unlimited) -> Recorder<Output, Failure> {
        let recorder = Recorder<Output, Failure>(demand)
        subscribe(recorder)
        return recorder
    }
}
