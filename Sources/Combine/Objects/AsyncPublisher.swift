/// The values of a publisher that can't fail, for `for await`.
///
/// It asks for one value at a time, when the loop does: a ``PassthroughSubject`` that sends while the loop is busy sends
/// into the void, as on Apple's systems.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
    /// What the publisher sends.
    public typealias Element = P.Output

    /// Waits for one value after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox: Mailbox<P.Output, Never>
        /// Ends the subscription when the loop is left.
        private let tie: AnyCancellable

        init(_ publisher: P) {
            let mailbox = Mailbox<P.Output, P.Failure>()
            self.mailbox = mailbox
            tie = AnyCancellable { mailbox.close() }
            publisher.subscribe(mailbox)
        }

        /// The next value; `nil` at the end, or when the task is cancelled.
        public mutating func next() async -> P.Output? {
            switch await mailbox.next() {
            case .success(let value): value
            }
        }
    }

    private let publisher: P

    /// The values of `publisher`, which is subscribed to by each iterator.
    public init(_ publisher: P) { self.publisher = publisher }

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(publisher) }
}

/// The values of a publisher that may fail, for `for try await`; see ``AsyncPublisher``.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
    /// What the publisher sends.
    public typealias Element = P.Output

    /// Waits for one value after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let mailbox: Mailbox<P.Output, P.Failure>
        /// Ends the subscription when the loop is left.
        private let tie: AnyCancellable

        init(_ publisher: P) {
            let mailbox = Mailbox<P.Output, P.Failure>()
            self.mailbox = mailbox
            tie = AnyCancellable { mailbox.close() }
            publisher.subscribe(mailbox)
        }

        /// The next value; `nil` at the end, or when the task is cancelled.
        ///
        /// - Throws: the publisher's failure.
        public mutating func next() async throws -> P.Output? { try await mailbox.next().get() }
    }

    private let publisher: P

    /// The values of `publisher`, which is subscribed to by each iterator.
    public init(_ publisher: P) { self.publisher = publisher }

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(publisher) }
}

extension Publisher where Failure == Never {
    /// The values, for `for await`.
    public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

extension Publisher {
    /// The values, for `for try await`.
    public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}
