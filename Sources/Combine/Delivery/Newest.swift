import Foundation

/// Which of several publishers, one after the other, counts.
final class Newest {
    private let lock = NSLock()
    private var turn = 0
    private var identifier: CombineIdentifier?

    /// A later turn begins, and the one before does not count any more; returns who had that, unless it has ended.
    func next() -> (turn: Int, old: CombineIdentifier?) {
        lock.withLock {
            turn += 1
            defer { identifier = nil }
            return (turn, identifier)
        }
    }

    /// Says who has a turn.
    func begin(_ turn: Int, _ new: CombineIdentifier) {
        lock.withLock { if self.turn == turn { identifier = new } }
    }

    /// Ends a turn; returns who had it, `nil` when it did not count any more.
    func end(_ turn: Int) -> CombineIdentifier? {
        lock.withLock {
            guard self.turn == turn else { return nil }
            defer { identifier = nil }
            return identifier
        }
    }

    /// Whether a turn still counts.
    func isCurrent(_ turn: Int) -> Bool { lock.withLock { self.turn == turn } }
}
