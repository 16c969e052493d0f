extension Publishers {
    /// Sends what a closure makes of each value.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let transform: (Upstream.Output) -> Output

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Stage<Upstream.Output, Failure, S>(subscriber, input: { [transform] in .emit(transform($0)) }))
        }
    }

    /// Sends what a closure makes of each value, unless it makes none.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let transform: (Upstream.Output) -> Output?

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(
                Stage<Upstream.Output, Failure, S>(
                    subscriber, input: { [transform] in transform($0).map { .emit($0) } ?? .skip }))
        }
    }

    /// Sends what a closure makes of each value, and fails when it throws.
    public struct TryMap<Upstream: Publisher, Output>: Publisher {
        /// Any error.
        public typealias Failure = any Error
        let upstream: Upstream
        let transform: (Upstream.Output) throws -> Output?

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == any Error {
            upstream.subscribe(
                Stage<Upstream.Output, Upstream.Failure, S>(
                    subscriber,
                    input: { [transform] input in
                        do {
                            return try transform(input).map { .emit($0) } ?? .skip
                        } catch {
                            return .end(.failure(error))
                        }
                    }, completion: { $0.mapError { $0 } }))
        }
    }

    /// Sends what a closure makes of all values so far.
    public struct Scan<Upstream: Publisher, Output>: Publisher {
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure
        let upstream: Upstream
        let initialResult: Output
        let nextPartialResult: (Output, Upstream.Output) -> Output

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var result = initialResult
            upstream.subscribe(
                Stage<Upstream.Output, Failure, S>(
                    subscriber,
                    input: { [nextPartialResult] in
                        result = nextPartialResult(result, $0)
                        return .emit(result)
                    }))
        }
    }
}

extension Publisher {
    /// Sends what a closure makes of each value.
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self, transform: transform)
    }
    /// Sends one part of each value.
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.Map<Self, T> {
        Publishers.Map(upstream: self) { $0[keyPath: keyPath] }
    }
    /// Sends what a closure makes of each value, and fails when it throws.
    public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
        Publishers.TryMap(upstream: self, transform: transform)
    }
    /// Sends what a closure makes of each value, unless it makes none.
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }
    /// Sends what a closure makes of each value, unless it makes none, and fails when it throws.
    public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryMap<Self, T> {
        Publishers.TryMap(upstream: self, transform: transform)
    }
    /// Sends `output` in the place of `nil`.
    public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
        Publishers.Map(upstream: self) { $0 ?? output }
    }
    /// Sends what a closure makes of all values so far.
    public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T) -> Publishers.Scan<Self, T>
    {
        Publishers.Scan(upstream: self, initialResult: initialResult, nextPartialResult: nextPartialResult)
    }
}
