extension Publishers {
    /// Sends what one publisher sends, then what another does.
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
    where Prefix.Output == Suffix.Output, Prefix.Failure == Suffix.Failure {
        /// What both send.
        public typealias Output = Prefix.Output
        /// How both may fail.
        public typealias Failure = Prefix.Failure

        /// What comes first.
        public let prefix: Prefix
        /// What comes then.
        public let suffix: Suffix

        /// Puts one after the other.
        public init(prefix: Prefix, suffix: Suffix) {
            self.prefix = prefix
            self.suffix = suffix
        }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let relay = Relay(subscriber)
            subscriber.receive(subscription: relay)
            prefix.subscribe(
                Relay<S>.Link<Failure>(relay) { [suffix] completion in
                    switch completion {
                    case .finished: suffix.subscribe(relay.lastLink())
                    case .failure: relay.end(completion)
                    }
                })
        }
    }

    /// Tells closures what happens.
    public struct HandleEvents<Upstream: Publisher>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let receiveSubscription: ((any Subscription) -> Void)?
        let receiveOutput: ((Output) -> Void)?
        let receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
        let receiveCancel: (() -> Void)?
        let receiveRequest: ((Subscribers.Demand) -> Void)?

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Watch(events: self, downstream: subscriber))
        }

        private struct Watch<Downstream: Subscriber>: Subscriber
        where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
            let combineIdentifier = CombineIdentifier()
            let events: HandleEvents<Upstream>
            let downstream: Downstream

            func receive(subscription: any Subscription) {
                events.receiveSubscription?(subscription)
                downstream.receive(
                    subscription: WatchedSubscription(
                        subscription: subscription, request: events.receiveRequest, cancelled: events.receiveCancel))
            }
            func receive(_ input: Upstream.Output) -> Subscribers.Demand {
                events.receiveOutput?(input)
                return downstream.receive(input)
            }
            func receive(completion: Subscribers.Completion<Upstream.Failure>) {
                events.receiveCompletion?(completion)
                downstream.receive(completion: completion)
            }
        }
    }

    private struct WatchedSubscription: Subscription {
        let combineIdentifier = CombineIdentifier()
        let subscription: any Subscription
        let request: ((Subscribers.Demand) -> Void)?
        let cancelled: (() -> Void)?

        func request(_ demand: Subscribers.Demand) {
            request?(demand)
            subscription.request(demand)
        }
        func cancel() {
            cancelled?()
            subscription.cancel()
        }
    }
}

extension Publisher {
    /// Sends `elements` first.
    public func prepend(_ elements: Output...) -> Publishers.Concatenate<Publishers.Sequence<[Output], Failure>, Self> {
        Publishers.Concatenate(prefix: Publishers.Sequence(sequence: elements), suffix: self)
    }
    /// Sends `elements` first.
    public func prepend<S: Sequence>(
        _ elements: S
    ) -> Publishers.Concatenate<Publishers.Sequence<S, Failure>, Self> where S.Element == Output {
        Publishers.Concatenate(prefix: Publishers.Sequence(sequence: elements), suffix: self)
    }
    /// Sends what another publisher sends first.
    public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }
    /// Sends `elements` last.
    public func append(_ elements: Output...) -> Publishers.Concatenate<Self, Publishers.Sequence<[Output], Failure>> {
        Publishers.Concatenate(prefix: self, suffix: Publishers.Sequence(sequence: elements))
    }
    /// Sends what another publisher sends last.
    public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P>
    where P.Output == Output, P.Failure == Failure {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }

    /// Calls closures for what happens.
    public func handleEvents(
        receiveSubscription: ((any Subscription) -> Void)? = nil, receiveOutput: ((Output) -> Void)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil, receiveCancel: (() -> Void)? = nil,
        receiveRequest: ((Subscribers.Demand) -> Void)? = nil
    ) -> Publishers.HandleEvents<Self> {
        Publishers.HandleEvents(
            upstream: self, receiveSubscription: receiveSubscription, receiveOutput: receiveOutput,
            receiveCompletion: receiveCompletion, receiveCancel: receiveCancel, receiveRequest: receiveRequest)
    }
}
