import Foundation

/// Hands the values of one subscription to one task.
// Sendable: what changes is behind the lock.
final class Mailbox<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    private typealias Answer = Parcel<Result<Input?, Failure>>

    private let lock = NSLock()
    private var subscription: (any Subscription)?
    private var waiting: CheckedContinuation<Answer, Never>?
    private var ready: Result<Input?, Failure>?
    private var isClosed = false

    func next() async -> Result<Input?, Failure> {
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { ask($0) }
        } onCancel: {
            close()
        }
        return answer.value
    }

    private func ask(_ continuation: CheckedContinuation<Answer, Never>) {
        let (answer, subscription) = lock.withLock { () -> (Result<Input?, Failure>?, (any Subscription)?) in
            if let ready {
                self.ready = nil
                return (ready, nil)
            }
            if isClosed { return (.success(nil), nil) }
            waiting = continuation
            return (nil, self.subscription)
        }
        if let answer { continuation.resume(returning: Parcel(value: answer)) }
        subscription?.request(.max(1))
    }

    /// Ends the subscription and the wait.
    func close() {
        let (waiting, subscription) = lock.withLock {
            isClosed = true
            defer {
                self.waiting = nil
                self.subscription = nil
            }
            return (self.waiting, self.subscription)
        }
        subscription?.cancel()
        waiting?.resume(returning: Parcel(value: .success(nil)))
    }

    // MARK: - Subscriber

    func receive(subscription: any Subscription) {
        let (isWanted, isWaiting) = lock.withLock {
            guard !isClosed else { return (false, false) }
            self.subscription = subscription
            return (true, waiting != nil)
        }
        if !isWanted { subscription.cancel() } else if isWaiting { subscription.request(.max(1)) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let waiting = lock.withLock {
            defer { self.waiting = nil }
            return self.waiting
        }
        waiting?.resume(returning: Parcel(value: .success(input)))
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let answer: Result<Input?, Failure> =
            switch completion {
            case .finished: .success(nil)
            case .failure(let error): .failure(error)
            }
        let (waiting, subscription) = lock.withLock {
            isClosed = true
            if self.waiting == nil { ready = answer }
            defer {
                self.waiting = nil
                self.subscription = nil
            }
            return (self.waiting, self.subscription)
        }
        withExtendedLifetime(subscription) { waiting?.resume(returning: Parcel(value: answer)) }
    }
}
