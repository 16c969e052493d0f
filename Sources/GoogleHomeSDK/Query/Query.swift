public import Combine
import HubClient
import HubControl

/// A question for objects of one kind, and what comes of it over time.
///
/// Without a permission, and while the hub cannot be reached, the answer is empty, as in the SDK; apps must cope with that.
public struct Query<Object: HomeObject>: Sendable {
    private let source: Feed<Set<Object>>.Source

    init(
        _ link: HomeLink, concerns: @escaping @Sendable (ControlEvent) -> Bool,
        load: @escaping @Sendable () async throws(ControlError) -> Set<Object>
    ) where Object: RecordBacked {
        source = Feed.Source(
            link: link.app,
            load: { () async throws(HomeError) in
                try await HomeError.translating { () async throws(ControlError) in try await load() }
            },
            // What is there already stands meanwhile: whoever watches the hub says when it is away.
            substitute: { error in error.cause.map { $0.isMissingPermission || $0.isAbsence } == true ? [] : nil },
            reaction: { signal in
                switch signal {
                // Also after a short break: what was loaded during it may have failed.
                case .connected: .reload
                case .event(let event): concerns(event) ? .reload : .nothing
                case .changed: .nothing
                case .away, .revoked: .change { $0 = [] }
                }
            },
            isSame: { $0.count == $1.count && Self.newOrOther($1, than: $0).isEmpty })
    }

    private static func newOrOther(_ objects: Set<Object>, than before: Set<Object>) -> [Object]
    where Object: RecordBacked {
        objects.filter { object in before.first { $0.id == object.id }?.record != object.record }
    }

    /// The objects as they are now; none when the user has revoked the permission or the hub cannot be reached.
    ///
    /// - Throws: ``HomeError`` when the hub's answer makes no sense, or it is not the hub that the permission is for.
    public func list() async throws -> Set<Object> {
        do throws(HomeError) {
            return try await source.load()
        } catch {
            guard let empty = source.substitute(error) else { throw error }
            return empty
        }
    }

    /// The objects as they are now, and again after each change; empty while the permission is revoked or the hub cannot
    /// be reached.
    ///
    /// A subscriber that asks for fewer values than there are gets the newest. Values come on any thread.
    public func batched() -> AnyPublisher<Set<Object>, HomeError> {
        AnyPublisher(FeedPublisher(source: source, outputs: { [$1] }) { $0 = $1 })
    }

    /// Each object as it is now, and each one again that is new or has changed; an object that goes away is not told.
    ///
    /// A subscriber that asks for fewer values than there are gets the newest state of each object.
    public func stream() -> AnyPublisher<Object, HomeError> {
        let isSame = source.isSame
        return AnyPublisher(
            FeedPublisher(
                source: source,
                outputs: { before, objects in
                    objects.filter { object in
                        guard let old = before?.first(where: { $0.id == object.id }) else { return true }
                        return !isSame([old], [object])
                    }
                },
                surplus: { waiting, new in
                    let ids = Set(new.map(\.id))
                    waiting = waiting.filter { !ids.contains($0.id) } + new
                }))
    }
}

/// Follows a source anew for each subscriber.
struct FeedPublisher<Value: Sendable, Output: Sendable>: Publisher {
    typealias Failure = HomeError

    let source: Feed<Value>.Source
    /// What to send when one value follows another; the first follows none.
    let outputs: @Sendable (Value?, Value) -> [Output]
    let surplus: FeedSubscription<Output>.Surplus

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == HomeError {
        let subscription = FeedSubscription(subscriber, surplus: surplus)
        subscriber.receive(subscription: subscription)
        let before = LastValue<Value>()
        subscription.stopped(
            by: Feed.follow(
                source,
                deliver: { [outputs] value in subscription.send(outputs(before.exchange(value), value)) },
                end: { subscription.send(completion: $0) }))
    }
}

extension ControlError {
    /// Whether nobody answered.
    var isAbsence: Bool { code == .unavailable || reason == ClientReason.noAnswer }
}
