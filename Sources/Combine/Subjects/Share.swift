import Foundation

extension Publishers {
    /// Subscribes once to a publisher for all subscribers, as long as there is one.
    public final class Share<Upstream: Publisher>: Publisher {
        /// What the upstream sends.
        public typealias Output = Upstream.Output
        /// How the upstream may fail.
        public typealias Failure = Upstream.Failure

        private let upstream: Upstream
        private let lock = NSLock()
        private var subject: PassthroughSubject<Output, Failure>?
        private var tie: AnyCancellable?
        private var subscribers = 0

        init(_ upstream: Upstream) { self.upstream = upstream }

        /// Takes a subscriber on.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let (subject, isFirst) = lock.withLock { () -> (PassthroughSubject<Output, Failure>, Bool) in
                subscribers += 1
                if let old = self.subject { return (old, false) }
                let new = PassthroughSubject<Output, Failure>()
                self.subject = new
                return (new, true)
            }
            subject.handleEvents(receiveCancel: { self.left(subject) }).receive(subscriber: subscriber)
            guard isFirst else { return }
            let tie = upstream.sink(
                receiveCompletion: { completion in
                    self.ended(subject)
                    subject.send(completion: completion)
                }, receiveValue: { subject.send($0) })
            let isWanted = lock.withLock {
                guard self.subject === subject else { return false }
                self.tie = tie
                return true
            }
            if !isWanted { tie.cancel() }
        }

        private func left(_ subject: PassthroughSubject<Output, Failure>) {
            let isLast = lock.withLock {
                guard self.subject === subject else { return false }
                subscribers -= 1
                return subscribers == 0
            }
            if isLast { ended(subject) }
        }

        private func ended(_ subject: PassthroughSubject<Output, Failure>) {
            let tie = lock.withLock { () -> AnyCancellable? in
                guard self.subject === subject else { return nil }
                self.subject = nil
                subscribers = 0
                defer { self.tie = nil }
                return self.tie
            }
            tie?.cancel()
        }
    }
}

extension Publisher {
    /// Subscribes once for all subscribers, as long as there is one.
    public func share() -> Publishers.Share<Self> { Publishers.Share(self) }
}
