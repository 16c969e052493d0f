/// Sends one value, then ends.
public struct Just<Output>: Publisher {
    /// It can't fail.
    public typealias Failure = Never

    /// What is sent.
    public let output: Output

    /// Sends `output`.
    public init(_ output: Output) { self.output = output }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let outlet = Outlet<Output, Never>(to: subscriber, surplus: .all)
        outlet.add(output)
        outlet.add(.finished)
        subscriber.receive(subscription: outlet)
    }
}

/// Sends nothing and ends, at once or never.
public struct Empty<Output, Failure: Error>: Publisher, Equatable {
    /// Whether it ends at once.
    public let completeImmediately: Bool

    /// Sends nothing.
    public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }
    /// Sends nothing, of the types that are named.
    public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Subscriptions.empty)
        if completeImmediately { subscriber.receive(completion: .finished) }
    }
}

/// Sends nothing and fails.
public struct Fail<Output, Failure: Error>: Publisher {
    /// How it fails.
    public let error: Failure

    /// Fails with `error`.
    public init(error: Failure) { self.error = error }
    /// Fails with `error`, of the type that is named.
    public init(outputType: Output.Type, failure: Failure) { error = failure }

    /// Takes a subscriber on.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        subscriber.receive(subscription: Subscriptions.empty)
        subscriber.receive(completion: .failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}
