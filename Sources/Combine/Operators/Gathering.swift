import Foundation

extension Publishers {
    /// Sends what a closure makes of all values, when the upstream has ended.
    public struct Gather<Upstream: Publisher, Result, Output>: Publisher {
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let initial: Result
        let gather: (inout Result, Upstream.Output) -> Void
        let finish: (Result) -> Output?

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let confluence = Confluence(to: subscriber, open: 1)
            subscriber.receive(subscription: confluence.outlet)
            var result = initial
            upstream.subscribe(
                confluence.arm(
                    input: { [gather] (input: Upstream.Output) in
                        gather(&result, input)
                        return .none
                    },
                    completion: { [finish] completion in
                        if case .finished = completion, let output = finish(result) { confluence.outlet.add(output) }
                        confluence.ended(nil, completion)
                    }))
        }
    }
}

extension Publisher {
    /// Sends all values in one array, when the upstream has ended.
    public func collect() -> Publishers.Gather<Self, [Output], [Output]> {
        Publishers.Gather(upstream: self, initial: [], gather: { $0.append($1) }, finish: { $0 })
    }
    /// Sends the last value, when the upstream has ended.
    public func last() -> Publishers.Gather<Self, Output?, Output> {
        Publishers.Gather(upstream: self, initial: nil, gather: { $0 = $1 }, finish: { $0 })
    }
    /// Sends what a closure makes of all values, when the upstream has ended.
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> Publishers.Gather<Self, T, T> {
        Publishers.Gather(
            upstream: self, initial: initialResult, gather: { $0 = nextPartialResult($0, $1) }, finish: { $0 })
    }
    /// Sends the number of values, when the upstream has ended.
    public func count() -> Publishers.Gather<Self, Int, Int> { reduce(0) { count, _ in count + 1 } }
}
