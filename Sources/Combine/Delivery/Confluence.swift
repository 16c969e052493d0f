import Foundation

/// Stands between several publishers at the same time and one subscriber: asks each for all values, and lets those wait
/// that the subscriber has not asked for.
final class Confluence<Output, Failure: Error> {
    private let lock = NSLock()
    private var arms: [CombineIdentifier: any Subscription] = [:]
    /// How many publishers have not ended yet.
    private var open: Int
    private var isClosed = false
    /// Where everything goes. Set once, by the initialiser, which must be over before it can name itself.
    private(set) var outlet: Outlet<Output, Failure>!

    /// - Parameter open: how many publishers there will be at least.
    init<S: Subscriber>(to subscriber: S, open: Int) where S.Input == Output, S.Failure == Failure {
        self.open = open
        outlet = Outlet(to: subscriber, surplus: .all, onCancel: { self.close() })
    }

    /// One more publisher will be subscribed to.
    func expectOne() { lock.withLock { open += 1 } }

    /// Calls off one publisher, for another in its place.
    func drop(_ identifier: CombineIdentifier) {
        lock.withLock { arms.removeValue(forKey: identifier) }?.cancel()
    }

    /// One publisher has ended; when it was the last, or failed, so has all.
    func ended(_ identifier: CombineIdentifier?, _ completion: Subscribers.Completion<Failure>) {
        let isLast = lock.withLock {
            if let identifier { arms[identifier] = nil }
            open -= 1
            return open == 0
        }
        if case .failure = completion {
            close()
            outlet.send(completion)
        } else if isLast {
            finish()
        }
    }

    /// Ends, whatever the publishers still have.
    func finish() {
        close()
        outlet.send(.finished)
    }

    /// Calls all publishers off.
    func close() {
        let gone = lock.withLock {
            isClosed = true
            defer { arms = [:] }
            return arms
        }
        for subscription in gone.values { subscription.cancel() }
    }

    /// What subscribes to one publisher.
    ///
    /// - Parameters:
    ///   - demand: how much it is asked for at first.
    ///   - input: takes its values; returns how many more it is asked for.
    ///   - completion: takes its end; ``ended(_:_:)`` when `nil`.
    func arm<Input>(
        demand: Subscribers.Demand = .unlimited, input: @escaping (Input) -> Subscribers.Demand,
        completion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) -> Arm<Input> {
        Arm(self, demand, input, completion)
    }

    /// Subscribes to one of the publishers.
    final class Arm<Input>: Subscriber {
        private let confluence: Confluence
        private let demand: Subscribers.Demand
        private let onInput: (Input) -> Subscribers.Demand
        private let onCompletion: ((Subscribers.Completion<Failure>) -> Void)?

        fileprivate init(
            _ confluence: Confluence, _ demand: Subscribers.Demand, _ input: @escaping (Input) -> Subscribers.Demand,
            _ completion: ((Subscribers.Completion<Failure>) -> Void)?
        ) {
            self.confluence = confluence
            self.demand = demand
            onInput = input
            onCompletion = completion
        }

        func receive(subscription: any Subscription) {
            let isOpen = confluence.lock.withLock {
                guard !confluence.isClosed else { return false }
                confluence.arms[combineIdentifier] = subscription
                return true
            }
            isOpen ? subscription.request(demand) : subscription.cancel()
        }

        func receive(_ input: Input) -> Subscribers.Demand { onInput(input) }

        func receive(completion: Subscribers.Completion<Failure>) {
            if let onCompletion { onCompletion(completion) } else { confluence.ended(combineIdentifier, completion) }
        }
    }
}
