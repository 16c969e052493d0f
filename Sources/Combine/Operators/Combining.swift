import Foundation

extension Publishers {
    /// Sends the newest values of two publishers whenever one sends, once both have.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output)
        /// How both may fail.
        public typealias Failure = A.Failure

        /// One of them.
        public let a: A
        /// The other.
        public let b: B

        /// Combines two publishers.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let row = Row(a, b, newest: true)
            row.receive(subscriber)
        }
    }

    /// Sends the first values of two publishers together, then the second, and so on.
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output)
        /// How both may fail.
        public typealias Failure = A.Failure

        /// One of them.
        public let a: A
        /// The other.
        public let b: B

        /// Zips two publishers.
        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let row = Row(a, b, newest: false)
            row.receive(subscriber)
        }
    }

    /// Sends the newest values of three publishers whenever one sends, once all have.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure {
        /// One value of each.
        public typealias Output = (A.Output, B.Output, C.Output)
        /// How all may fail.
        public typealias Failure = A.Failure

        /// The first.
        public let a: A
        /// The second.
        public let b: B
        /// The third.
        public let c: C

        /// Combines three publishers.
        public init(_ a: A, _ b: B, _ c: C) {
            self.a = a
            self.b = b
            self.c = c
        }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            CombineLatest<CombineLatest<A, B>, C>(CombineLatest<A, B>(a, b), c).map { ($0.0, $0.1, $1) }
                .receive(subscriber: subscriber)
        }
    }

    /// Joins the values of two publishers.
    private struct Row<A: Publisher, B: Publisher> where A.Failure == B.Failure {
        private let a: A
        private let b: B
        private let newest: Bool

        init(_ a: A, _ b: B, newest: Bool) {
            self.a = a
            self.b = b
            self.newest = newest
        }

        func receive<S: Subscriber>(_ subscriber: S) where S.Input == (A.Output, B.Output), S.Failure == A.Failure {
            let confluence = Confluence(to: subscriber, open: 2)
            let columns = Columns<A.Output, B.Output>(newest: newest)
            subscriber.receive(subscription: confluence.outlet)
            let add: ((Columns<A.Output, B.Output>) -> Void) -> Subscribers.Demand = { change in
                columns.add(change) { confluence.outlet.add($0) }
                confluence.outlet.handOver()
                if columns.isExhausted { confluence.finish() }
                return .none
            }
            let end: ((Columns<A.Output, B.Output>) -> Void, Subscribers.Completion<A.Failure>) -> Void = {
                columns.mark($0)
                confluence.ended(nil, $1)
                if columns.isExhausted { confluence.finish() }
            }
            a.subscribe(
                confluence.arm(
                    input: { (value: A.Output) in add { $0.a.append(value) } },
                    completion: { end({ $0.aEnded = true }, $0) }))
            b.subscribe(
                confluence.arm(
                    input: { (value: B.Output) in add { $0.b.append(value) } },
                    completion: { end({ $0.bEnded = true }, $0) }))
        }
    }

    /// What has come of each of two publishers.
    private final class Columns<A, B> {
        private let lock = NSLock()
        private let newest: Bool
        var a: [A] = []
        var b: [B] = []
        var aEnded = false
        var bEnded = false

        init(newest: Bool) { self.newest = newest }

        /// Adds a value and, when there is a pair now, hands it on before another thread can make the next.
        func add(_ change: (Columns) -> Void, _ found: ((A, B)) -> Void) {
            lock.withLock {
                change(self)
                if newest {
                    a.removeFirst(max(0, a.count - 1))
                    b.removeFirst(max(0, b.count - 1))
                }
                guard let first = a.first, let second = b.first else { return }
                found((first, second))
                if !newest {
                    a.removeFirst()
                    b.removeFirst()
                }
            }
        }

        /// Notes that one of the publishers has ended.
        func mark(_ change: (Columns) -> Void) { lock.withLock { change(self) } }

        /// Whether no pair can come any more.
        var isExhausted: Bool { lock.withLock { (aEnded && a.isEmpty) || (bEnded && b.isEmpty) } }
    }
}

extension Publisher {
    /// Sends the newest values of both publishers whenever one sends.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P>
    where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }
    /// Sends what a closure makes of the newest values of both publishers whenever one sends.
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        Publishers.CombineLatest(self, other).map { transform($0.0, $0.1) }
    }
    /// Sends the newest values of three publishers whenever one sends.
    public func combineLatest<P: Publisher, Q: Publisher>(_ second: P, _ third: Q)
        -> Publishers.CombineLatest3<Self, P, Q>
    where P.Failure == Failure, Q.Failure == Failure {
        Publishers.CombineLatest3(self, second, third)
    }
    /// Sends the first values of both publishers together, then the second, and so on.
    public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure {
        Publishers.Zip(self, other)
    }
}
