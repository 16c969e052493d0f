extension Publishers {
    /// Sends on what comes, and fails with what a closure makes of the error.
    public struct MapError<Upstream: Publisher, Failure: Error>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        let upstream: Upstream
        let transform: (Upstream.Failure) -> Failure

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Stage<Output, Upstream.Failure, S>(
                    subscriber, input: { .emit($0) }, completion: { [transform] in $0.mapError(transform) }))
        }
    }

    /// Sends on what comes, and could fail as far as its type goes.
    public struct SetFailureType<Upstream: Publisher, Failure: Error>: Publisher where Upstream.Failure == Never {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        let upstream: Upstream

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Stage<Output, Never, S>(subscriber, input: { .emit($0) }, completion: { _ in .finished }))
        }
    }

    /// Goes on with another publisher when one fails.
    public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
    where Upstream.Output == NewPublisher.Output {
        /// What both send.
        public typealias Output = Upstream.Output
        /// How the second may fail.
        public typealias Failure = NewPublisher.Failure
        let upstream: Upstream
        let handler: (Upstream.Failure) -> NewPublisher

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let relay = Relay(subscriber)
            subscriber.receive(subscription: relay)
            upstream.subscribe(
                Relay<S>.Link<Upstream.Failure>(relay) { [handler] completion in
                    switch completion {
                    case .finished: relay.end(.finished)
                    case .failure(let error): handler(error).subscribe(relay.lastLink())
                    }
                })
        }
    }
}

extension Publisher {
    /// Fails with what a closure makes of the error.
    public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
        Publishers.MapError(upstream: self, transform: transform)
    }

    /// Goes on with another publisher when this one fails.
    public func `catch`<P: Publisher>(_ handler: @escaping (Failure) -> P) -> Publishers.Catch<Self, P>
    where P.Output == Output {
        Publishers.Catch(upstream: self, handler: handler)
    }

    /// Sends `output` and ends when this publisher fails.
    public func replaceError(with output: Output) -> Publishers.Catch<Self, Just<Output>> {
        self.catch { _ in Just(output) }
    }

    /// Stops the program when this publisher fails.
    public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.MapError<Self, Never> {
        mapError { preconditionFailure("\(prefix) \($0)", file: file, line: line) }
    }
}

extension Publisher where Failure == Never {
    /// The same publisher, which could fail as far as its type goes.
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        Publishers.SetFailureType(upstream: self)
    }
}
