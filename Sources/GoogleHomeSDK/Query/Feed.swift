import Combine
import HubClient
import NetIO

/// Keeps one value up to date for whoever listens: loads it, and loads or changes it again when the home says so.
///
/// One task does all of it, so that values come in order; its handle is kept, and stopping cancels it.
final class Feed<Value: Sendable>: Sendable {
    /// What a signal means for the value.
    enum Reaction: Sendable {
        case nothing
        /// It has to be loaded again; changes before that mean nothing any more.
        case reload
        case change(@Sendable (inout Value) -> Void)
        /// There is no value any more.
        case end
    }

    /// Where the value comes from.
    struct Source: Sendable {
        var link: AppLink
        /// A device whose attributes matter.
        var device: FollowedDevice?
        var load: @Sendable () async throws(HomeError) -> Value
        /// What stands for the first value when it cannot be loaded; `nil` ends with the error.
        var substitute: @Sendable (HomeError) -> Value? = { _ in nil }
        var reaction: @Sendable (LinkSignal) -> Reaction
        /// Whether two values mean the same.
        var isSame: @Sendable (Value, Value) -> Bool
    }

    private struct Work: Sendable {
        var loads = true
        var changes: [@Sendable (inout Value) -> Void] = []
        var ends = false
    }

    private let source: Source
    private let work = Locked(Work())
    private let pokes: AsyncStream<Void>
    private let poke: AsyncStream<Void>.Continuation

    private init(_ source: Source) {
        self.source = source
        (pokes, poke) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Follows a source.
    ///
    /// - Parameters:
    ///   - deliver: called with the first value and with each other one, one after the other.
    ///   - end: called once, after the last value; not after a stop.
    /// - Returns: what stops it.
    static func follow(
        _ source: Source, deliver: @escaping @Sendable (Value) -> Void,
        end: @escaping @Sendable (Subscribers.Completion<HomeError>) -> Void
    ) -> @Sendable () -> Void {
        let feed = Feed(source)
        let listener = source.link.listen(following: source.device) { feed.take($0) }
        feed.poke.yield()
        let task = Task { await feed.run(deliver, end) }
        return {
            listener.cancel()
            task.cancel()
            feed.poke.finish()
        }
    }

    private func take(_ signal: LinkSignal) {
        let reaction = source.reaction(signal)
        work.withLock { work in
            switch reaction {
            case .nothing: break
            case .reload:
                work.loads = true
                work.changes = []
            case .change(let change): work.changes.append(change)
            case .end: work.ends = true
            }
        }
        if case .nothing = reaction { return }
        poke.yield()
    }

    private func run(
        _ deliver: @Sendable (Value) -> Void, _ end: @Sendable (Subscribers.Completion<HomeError>) -> Void
    ) async {
        var value: Value?
        var delivered: Value?
        for await _ in pokes {
            let loads = work.withLock { work in
                defer { work.loads = false }
                return work.loads
            }
            if loads {
                do throws(HomeError) {
                    value = try await source.load()
                } catch {
                    // An older value stands until the home says something again.
                    guard !Task.isCancelled else { return }
                    value = value ?? source.substitute(error)
                    guard value != nil else { return end(.failure(error)) }
                }
            }
            let (changes, ends) = work.withLock { work in
                defer { work.changes = [] }
                return (work.changes, work.ends)
            }
            guard !Task.isCancelled else { return }
            guard !ends else { return end(.finished) }
            guard var current = value else { continue }
            for change in changes { change(&current) }
            value = current
            if let last = delivered, source.isSame(last, current) { continue }
            delivered = current
            deliver(current)
        }
    }
}
