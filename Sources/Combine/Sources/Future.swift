import Foundation

// Sendable: what changes is behind the lock.
/// Sends one value that comes later, or fails; later subscribers get the same.
public final class Future<Output, Failure: Error>: Publisher, @unchecked Sendable {
    /// Takes the result; only the first one counts.
    public typealias Promise = (Result<Output, Failure>) -> Void

    private let lock = NSLock()
    private var result: Result<Output, Failure>?
    private var waiting: [CombineIdentifier: Outlet<Output, Failure>] = [:]

    /// Calls `attemptToFulfill` at once, with what takes the result.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        attemptToFulfill { self.fulfil($0) }
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let identifier = CombineIdentifier()
        let outlet = Outlet<Output, Failure>(
            to: subscriber, surplus: .all,
            onCancel: { [weak self] in
                let gone = self?.lock.withLock { self?.waiting.removeValue(forKey: identifier) }
                withExtendedLifetime(gone) {}
            })
        let known = lock.withLock {
            if self.result == nil { waiting[identifier] = outlet }
            return self.result
        }
        if let known { outlet.add(known) }
        subscriber.receive(subscription: outlet)
        outlet.handOver()
    }

    private func fulfil(_ result: Result<Output, Failure>) {
        let outlets = lock.withLock {
            guard self.result == nil else { return [] as [Outlet<Output, Failure>] }
            self.result = result
            defer { waiting = [:] }
            return Array(waiting.values)
        }
        for outlet in outlets {
            outlet.add(result)
            outlet.handOver()
        }
    }
}

extension Outlet {
    /// Lets a value and the end wait, or the failure.
    func add(_ result: Result<Input, Failure>) {
        switch result {
        case .success(let output):
            add(output)
            add(.finished)
        case .failure(let error): add(Subscribers.Completion<Failure>.failure(error))
        }
    }
}

extension Future where Failure == Never {
    /// The value, when it has come; cancelling the task does not end the wait.
    public var value: Output {
        get async {
            let parcel = await withCheckedContinuation { continuation in
                subscribe(
                    Subscribers.Sink<Output, Never>(
                        receiveCompletion: { _ in },
                        receiveValue: { continuation.resume(returning: Parcel(value: $0)) }))
            }
            return parcel.value
        }
    }
}

extension Future {
    /// The value, when it has come; cancelling the task does not end the wait.
    ///
    /// - Throws: the failure.
    public var value: Output {
        get async throws {
            let parcel = await withCheckedContinuation { continuation in
                subscribe(
                    Subscribers.Sink<Output, Failure>(
                        receiveCompletion: { completion in
                            guard case .failure(let error) = completion else { return }
                            continuation.resume(returning: Parcel(value: Result<Output, Failure>.failure(error)))
                        }, receiveValue: { continuation.resume(returning: Parcel(value: .success($0))) }))
            }
            return try parcel.value.get()
        }
    }
}
