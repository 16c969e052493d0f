import Foundation

// Sendable: what is mutable is behind the lock, and is called once.
/// Calls something off when it is told to, or when nobody keeps it any more.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    private let lock = NSLock()
    private var action: (() -> Void)?

    /// Calls `cancel` when called off.
    public init(_ cancel: @escaping () -> Void) { action = cancel }
    /// Calls another off with it.
    public convenience init<C: Cancellable>(_ canceller: C) { self.init { canceller.cancel() } }

    deinit { action?() }

    /// Calls it off.
    public func cancel() {
        let action = lock.withLock {
            defer { self.action = nil }
            return self.action
        }
        action?()
    }

    /// Keeps it in a collection.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        collection.append(self)
    }
    /// Keeps it in a set.
    public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

    /// Whether both are the same object.
    public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }
    /// Feeds the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Cancellable {
    /// Keeps it in a collection, and calls it off when it is taken out.
    public func store<C: RangeReplaceableCollection>(in collection: inout C) where C.Element == AnyCancellable {
        AnyCancellable(self).store(in: &collection)
    }
    /// Keeps it in a set, and calls it off when it is taken out.
    public func store(in set: inout Set<AnyCancellable>) { AnyCancellable(self).store(in: &set) }
}
