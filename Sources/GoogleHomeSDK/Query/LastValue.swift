import NetIO

/// Remembers the value before.
final class LastValue<Value: Sendable>: Sendable {
    private let value = Locked<Value?>(nil)

    /// Puts a value in place of the one before.
    ///
    /// - Returns: that one; `nil` at first.
    func exchange(_ new: Value) -> Value? {
        value.withLock { value in
            defer { value = new }
            return value
        }
    }
}
