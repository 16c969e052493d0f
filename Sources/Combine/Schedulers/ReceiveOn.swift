extension Publishers {
    /// Hands values and the end over on a scheduler, one at a time and in their order, also when it is a concurrent one.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let scheduler: Context
        let options: Context.SchedulerOptions?

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Bridge(subscriber, scheduler, options))
        }

        private final class Bridge<Downstream: Subscriber>: Subscriber
        where Downstream.Input == Output, Downstream.Failure == Failure {
            private let downstream: Downstream
            private let scheduler: Context
            private let options: Context.SchedulerOptions?
            private var outlet: Outlet<Output, Failure>?

            init(_ downstream: Downstream, _ scheduler: Context, _ options: Context.SchedulerOptions?) {
                self.downstream = downstream
                self.scheduler = scheduler
                self.options = options
            }

            // Called once, before anything else, as every publisher promises.
            func receive(subscription: any Subscription) {
                let outlet = Outlet<Output, Failure>(
                    to: downstream, surplus: .all, onRequest: { subscription.request($0) },
                    onCancel: { subscription.cancel() })
                self.outlet = outlet
                downstream.receive(subscription: outlet)
            }

            func receive(_ input: Output) -> Subscribers.Demand {
                outlet?.add(input)
                handOver()
                return .none
            }

            func receive(completion: Subscribers.Completion<Failure>) {
                outlet?.add(completion)
                handOver()
            }

            private func handOver() {
                scheduler.schedule(options: options) { [outlet] in outlet?.handOver() }
            }
        }
    }

    /// Subscribes on a scheduler.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let scheduler: Context
        let options: Context.SchedulerOptions?

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            scheduler.schedule(options: options) { upstream.subscribe(subscriber) }
        }
    }
}

extension Publisher {
    /// Hands values and the end over on a scheduler.
    public func receive<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }

    /// Subscribes on a scheduler.
    public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}
