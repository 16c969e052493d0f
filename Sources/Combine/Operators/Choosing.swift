extension Publishers {
    /// Sends the values that a closure lets through, until it ends the flow.
    public struct Filter<Upstream: Publisher>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure

        enum Verdict { case pass, drop, passLast, end }

        let upstream: Upstream
        /// Makes the closure anew for each subscriber, so that each counts for itself.
        let makeJudge: () -> (Output) -> Verdict

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let judge = makeJudge()
            upstream.subscribe(
                Stage<Output, Failure, S>(
                    subscriber,
                    input: { input in
                        switch judge(input) {
                        case .pass: .emit(input)
                        case .drop: .skip
                        case .passLast: .emitLast(input)
                        case .end: .end(.finished)
                        }
                    }))
        }
    }

    /// Sends the first values, up to a number.
    public struct Output<Upstream: Publisher>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure

        let upstream: Upstream
        let maxLength: Int

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            guard maxLength > 0 else {
                return Empty<Output, Failure>().receive(subscriber: subscriber)
            }
            var left = maxLength
            Filter(upstream: upstream) {
                { _ in
                    left -= 1
                    return left == 0 ? .passLast : .pass
                }
            }.receive(subscriber: subscriber)
        }
    }
}

extension Publisher {
    /// Sends the values for which the closure is true.
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self) { { isIncluded($0) ? .pass : .drop } }
    }

    /// Sends a value when the closure does not find it the same as the one before.
    public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self) {
            var last: Output?
            return { value in
                if let last, predicate(last, value) { return .drop }
                last = value
                return .pass
            }
        }
    }

    /// Sends all but the first values.
    public func dropFirst(_ count: Int = 1) -> Publishers.Filter<Self> {
        precondition(count >= 0, "a number of values")
        return Publishers.Filter(upstream: self) {
            var left = count
            return { _ in
                guard left > 0 else { return .pass }
                left -= 1
                return .drop
            }
        }
    }

    /// Sends values from the first on for which the closure is false.
    public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self) {
            var isDropping = true
            return { value in
                isDropping = isDropping && predicate(value)
                return isDropping ? .drop : .pass
            }
        }
    }

    /// Sends the first value, then ends.
    public func first() -> Publishers.Filter<Self> { Publishers.Filter(upstream: self) { { _ in .passLast } } }

    /// Sends the first value for which the closure is true, then ends.
    public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self) { { predicate($0) ? .passLast : .drop } }
    }

    /// Sends the first values, then ends.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        Publishers.Output(upstream: self, maxLength: maxLength)
    }

    /// Sends values until the closure is false for one, then ends.
    public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self) { { predicate($0) ? .pass : .end } }
    }

    /// Sends no values, only the end.
    public func ignoreOutput() -> Publishers.CompactMap<Self, Never> {
        Publishers.CompactMap(upstream: self) { _ in nil }
    }
}

extension Publisher where Output: Equatable {
    /// Sends a value when it differs from the one before.
    public func removeDuplicates() -> Publishers.Filter<Self> { removeDuplicates(by: ==) }
}
