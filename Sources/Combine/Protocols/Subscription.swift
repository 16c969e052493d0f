/// A subscriber's tie to a publisher.
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    /// Asks for values, on top of what was asked for before.
    func request(_ demand: Subscribers.Demand)
}

/// Something that can be called off.
public protocol Cancellable {
    /// Calls it off; more than one call does nothing.
    func cancel()
}

/// Something that can be told from others of its kind.
public protocol CustomCombineIdentifierConvertible {
    /// What tells it apart.
    var combineIdentifier: CombineIdentifier { get }
}

extension CustomCombineIdentifierConvertible where Self: AnyObject {
    /// The object's own identity.
    public var combineIdentifier: CombineIdentifier { CombineIdentifier(self) }
}

/// What tells a subscriber or a subscription apart.
public struct CombineIdentifier: Hashable, Sendable {
    private final class Token: Sendable {}

    private let identity: ObjectIdentifier
    private let token: Token?

    /// A new one.
    public init() {
        let token = Token()
        identity = ObjectIdentifier(token)
        self.token = token
    }

    /// That of an object, as long as it lives.
    public init(_ object: AnyObject) {
        identity = ObjectIdentifier(object)
        token = nil
    }

    /// Whether both stand for the same.
    public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }
    /// Feeds the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// Subscriptions that need no publisher.
public enum Subscriptions {
    private struct Empty: Subscription {
        let combineIdentifier = CombineIdentifier()
        func request(_: Subscribers.Demand) {}
        func cancel() {}
    }

    /// One that never sends anything.
    public static var empty: any Subscription { Empty() }
}
