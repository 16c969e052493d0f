import Foundation

extension Publishers {
    /// Sends the elements of a sequence, then ends.
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        /// What is sent.
        public typealias Output = Elements.Element

        /// What is sent, in its order.
        public let sequence: Elements

        /// Sends the elements of `sequence`.
        public init(sequence: Elements) { self.sequence = sequence }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subscriber.receive(subscription: Walk(sequence.makeIterator(), subscriber))
        }
    }

    /// Takes elements one by one, as they are asked for.
    private final class Walk<Iterator: IteratorProtocol, Downstream: Subscriber>: Subscription
    where Downstream.Input == Iterator.Element {
        private let lock = NSLock()
        private var iterator: Iterator
        private var downstream: Downstream?
        private var next: Iterator.Element?
        private var demand = Subscribers.Demand.none
        private var isWalking = false

        init(_ iterator: Iterator, _ downstream: Downstream) {
            self.iterator = iterator
            self.downstream = downstream
            next = self.iterator.next()
        }

        func request(_ more: Subscribers.Demand) {
            lock.lock()
            demand += more
            guard !isWalking else { return lock.unlock() }
            isWalking = true
            while let downstream {
                guard let element = next else {
                    self.downstream = nil
                    lock.unlock()
                    downstream.receive(completion: .finished)
                    lock.lock()
                    break
                }
                guard demand > .none else { break }
                demand -= 1
                next = iterator.next()
                lock.unlock()
                let more = downstream.receive(element)
                lock.lock()
                demand += more
            }
            isWalking = false
            lock.unlock()
        }

        func cancel() {
            let gone = lock.withLock {
                defer { downstream = nil }
                return downstream
            }
            withExtendedLifetime(gone) {}
        }
    }
}

extension Sequence {
    /// Sends the elements.
    public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension Optional {
    /// Sends the value, when there is one, then ends.
    public var publisher: Publishers.Sequence<[Wrapped], Never> {
        Publishers.Sequence(sequence: map { [$0] } ?? [])
    }
}

extension Result {
    /// Sends the value and ends, or fails.
    public var publisher: AnyPublisher<Success, Failure> {
        switch self {
        case .success(let value): Just(value).setFailureType(to: Failure.self).eraseToAnyPublisher()
        case .failure(let error): Fail(error: error).eraseToAnyPublisher()
        }
    }
}
