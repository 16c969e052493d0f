extension Publishers {
    /// Sends what two publishers send, as it comes.
    public struct Merge<A: Publisher, B: Publisher>: Publisher where A.Output == B.Output, A.Failure == B.Failure {
        /// What both send.
        public typealias Output = A.Output
        /// How both may fail.
        public typealias Failure = A.Failure

        /// One of them.
        public let a: A
        /// The other.
        public let b: B

        /// Merges two publishers.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            MergeMany(a.eraseToAnyPublisher(), b.eraseToAnyPublisher()).receive(subscriber: subscriber)
        }
    }

    /// Sends what publishers of one type send, as it comes.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        /// What they send.
        public typealias Output = Upstream.Output
        /// How they may fail.
        public typealias Failure = Upstream.Failure

        /// They.
        public let publishers: [Upstream]

        /// Merges publishers.
        public init(_ upstream: Upstream...) { publishers = upstream }
        /// Merges publishers.
        public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let confluence = Confluence(to: subscriber, open: publishers.count + 1)
            subscriber.receive(subscription: confluence.outlet)
            for publisher in publishers {
                publisher.subscribe(
                    confluence.arm(input: { (input: Output) in
                        confluence.outlet.send(input)
                        return .none
                    }))
            }
            confluence.ended(nil, .finished)
        }
    }

    /// Subscribes to the publishers that a closure makes of the values, and sends what they send.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// What the new publishers send.
        public typealias Output = NewPublisher.Output
        /// How all may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let maxPublishers: Subscribers.Demand
        let transform: (Upstream.Output) -> NewPublisher

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let confluence = Confluence(to: subscriber, open: 1)
            subscriber.receive(subscription: confluence.outlet)
            let source = Source()
            upstream.handleEvents(receiveSubscription: { source.subscription = $0 }).subscribe(
                confluence.arm(
                    demand: maxPublishers,
                    input: { [transform] input in
                        confluence.expectOne()
                        let publisher = transform(input)
                        publisher.handleEvents(receiveCompletion: { completion in
                            if case .finished = completion { source.subscription?.request(.max(1)) }
                        }).subscribe(
                            confluence.arm(input: { (output: Output) in
                                confluence.outlet.send(output)
                                return .none
                            }))
                        return .none
                    }))
        }

        /// The subscription to the upstream, set before its first value.
        private final class Source {
            var subscription: (any Subscription)?
        }
    }

    /// Sends what the newest of the publishers sends that come as values.
    public struct SwitchToLatest<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where Upstream.Output == NewPublisher, NewPublisher.Failure == Upstream.Failure {
        /// What the publishers send.
        public typealias Output = NewPublisher.Output
        /// How all may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let confluence = Confluence(to: subscriber, open: 1)
            subscriber.receive(subscription: confluence.outlet)
            let newest = Newest()
            upstream.subscribe(
                confluence.arm(input: { (publisher: NewPublisher) in
                    let (turn, old) = newest.next()
                    confluence.expectOne()
                    if let old {
                        confluence.drop(old)
                        confluence.ended(nil, .finished)
                    }
                    let arm = confluence.arm(
                        input: { (output: Output) in
                            if newest.isCurrent(turn) { confluence.outlet.send(output) }
                            return .none
                        },
                        completion: { if let identifier = newest.end(turn) { confluence.ended(identifier, $0) } })
                    newest.begin(turn, arm.combineIdentifier)
                    publisher.subscribe(arm)
                    return .none
                }))
        }
    }
}

extension Publisher {
    /// Sends what both publishers send, as it comes.
    public func merge<P: Publisher>(with other: P) -> Publishers.Merge<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Merge(self, other)
    }
    /// Sends what all publishers send, as it comes.
    public func merge<B: Publisher, C: Publisher>(
        with b: B, _ c: C
    ) -> Publishers.Merge<Publishers.Merge<Self, B>, C>
    where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
        merge(with: b).merge(with: c)
    }

    /// Subscribes to the publishers that a closure makes of the values, at most `maxPublishers` at a time.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publisher where Failure == Never {
    /// Subscribes to the publishers that a closure makes of the values, which may fail.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        Publishers.FlatMap(
            upstream: setFailureType(to: P.Failure.self), maxPublishers: maxPublishers, transform: transform)
    }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Sends what the newest of the publishers sends.
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.SwitchToLatest(upstream: self)
    }
}
