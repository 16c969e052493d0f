import Foundation

/// The subscribers of a subject.
///
/// A value goes into every outlet while the lock is held, so that all subscribers see the values of several threads in the
/// same order; it is handed over after that.
final class SubjectCore<Output, Failure: Error> {
    private let lock = NSLock()
    private let surplus: Outlet<Output, Failure>.Surplus
    private var places: [CombineIdentifier: Outlet<Output, Failure>] = [:]
    private var upstreams: [any Subscription] = []
    private var completion: Subscribers.Completion<Failure>?
    private var newest: Output?

    /// - Parameter newest: what new subscribers get first; `nil` when they get nothing.
    init(newest: Output?) {
        self.newest = newest
        surplus = newest == nil ? .dropped : .newest
    }

    deinit { for upstream in upstreams { upstream.cancel() } }

    /// What new subscribers get first.
    var current: Output? { lock.withLock { newest } }

    func send(_ value: Output) {
        var old: Output?
        let outlets = lock.withLock {
            guard completion == nil else { return [] as [Outlet<Output, Failure>] }
            if surplus == .newest {
                old = newest
                newest = value
            }
            for place in places.values { place.add(value) }
            return Array(places.values)
        }
        withExtendedLifetime(old) { for outlet in outlets { outlet.handOver() } }
    }

    func send(completion end: Subscribers.Completion<Failure>) {
        let outlets = lock.withLock {
            guard completion == nil else { return [] as [Outlet<Output, Failure>] }
            completion = end
            defer { places = [:] }
            return Array(places.values)
        }
        for outlet in outlets { outlet.send(end) }
    }

    func send(subscription: any Subscription) {
        lock.withLock { upstreams.append(subscription) }
        subscription.request(.unlimited)
    }

    func receive<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        let identifier = CombineIdentifier()
        let outlet = Outlet<Output, Failure>(
            to: subscriber, surplus: surplus, onCancel: { [weak self] in self?.remove(identifier) })
        let end = lock.withLock {
            if completion == nil {
                places[identifier] = outlet
                if let newest { outlet.add(newest) }
            }
            return completion
        }
        if let end {
            subscriber.receive(subscription: Subscriptions.empty)
            subscriber.receive(completion: end)
        } else {
            subscriber.receive(subscription: outlet)
        }
    }

    private func remove(_ identifier: CombineIdentifier) {
        let gone = lock.withLock { places.removeValue(forKey: identifier) }
        withExtendedLifetime(gone) {}
    }
}
