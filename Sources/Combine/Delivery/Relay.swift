import Foundation

/// Stands between one subscriber and several publishers, one after the other: remembers what the subscriber asked for and
/// has not got, and asks the next publisher for it.
final class Relay<Downstream: Subscriber>: Subscription {
    private let lock = NSLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var demand = Subscribers.Demand.none

    init(_ downstream: Downstream) { self.downstream = downstream }

    func request(_ more: Subscribers.Demand) {
        let upstream = lock.withLock {
            demand += more
            return self.upstream
        }
        upstream?.request(more)
    }

    func cancel() {
        let (upstream, downstream) = take()
        withExtendedLifetime(downstream) { upstream?.cancel() }
    }

    /// Ends, unless it has.
    func end(_ completion: Subscribers.Completion<Downstream.Failure>) {
        let (upstream, downstream) = take()
        withExtendedLifetime(upstream) { downstream?.receive(completion: completion) }
    }

    /// What subscribes to the last publisher, whose end is the end.
    func lastLink() -> Link<Downstream.Failure> { Link(self) { self.end($0) } }

    private func take() -> ((any Subscription)?, Downstream?) {
        lock.withLock {
            defer {
                upstream = nil
                downstream = nil
            }
            return (upstream, downstream)
        }
    }

    private func goOn(with subscription: any Subscription) {
        let demand = lock.withLock { () -> Subscribers.Demand? in
            guard downstream != nil else { return nil }
            upstream = subscription
            return self.demand
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    private func pass(_ input: Downstream.Input) -> Subscribers.Demand {
        let downstream = lock.withLock {
            demand -= 1
            return self.downstream
        }
        guard let downstream else { return .none }
        let more = downstream.receive(input)
        lock.withLock { demand += more }
        return more
    }

    /// Subscribes to one of the publishers.
    final class Link<Failure: Error>: Subscriber {
        private let relay: Relay
        private let onCompletion: (Subscribers.Completion<Failure>) -> Void

        init(_ relay: Relay, completion: @escaping (Subscribers.Completion<Failure>) -> Void) {
            self.relay = relay
            onCompletion = completion
        }

        func receive(subscription: any Subscription) { relay.goOn(with: subscription) }
        func receive(_ input: Downstream.Input) -> Subscribers.Demand { relay.pass(input) }
        func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
    }
}
