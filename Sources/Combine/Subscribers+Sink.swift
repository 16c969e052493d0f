import Foundation

extension Subscribers {
    /// Asks for all values and calls closures.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private let lock = NSLock()
        private var subscription: (any Subscription)?
        private var handlers: ((Input) -> Void, (Completion<Failure>) -> Void)?

        /// Calls the closures until it is called off.
        public init(
            receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void
        ) {
            handlers = (receiveValue, receiveCompletion)
        }

        /// Asks for all values.
        public func receive(subscription: any Subscription) {
            let isFirst = lock.withLock {
                guard self.subscription == nil, handlers != nil else { return false }
                self.subscription = subscription
                return true
            }
            isFirst ? subscription.request(.unlimited) : subscription.cancel()
        }

        /// Calls the closure for values.
        public func receive(_ input: Input) -> Demand {
            lock.withLock { handlers?.0 }?(input)
            return .none
        }

        /// Calls the closure for the end.
        public func receive(completion: Completion<Failure>) {
            let (handlers, subscription) = take()
            withExtendedLifetime(subscription) { handlers?.1(completion) }
        }

        /// Calls no closure any more.
        public func cancel() {
            let (handlers, subscription) = take()
            withExtendedLifetime(handlers) { subscription?.cancel() }
        }

        private func take() -> (((Input) -> Void, (Completion<Failure>) -> Void)?, (any Subscription)?) {
            lock.withLock {
                defer {
                    handlers = nil
                    subscription = nil
                }
                return (handlers, subscription)
            }
        }
    }
}

extension Publisher {
    /// Calls a closure for each value and one for the end, until the result is called off or not kept any more.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink<Output, Failure>(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable(sink)
    }
}

extension Publisher where Failure == Never {
    /// Calls a closure for each value, until the result is called off or not kept any more.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
    }

    /// Puts each value into a property of an object, which is kept as long as this goes on.
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        sink { object[keyPath: keyPath] = $0 }
    }
}
