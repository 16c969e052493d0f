import Glibc

/// A value behind a lock: the one way in this package to share mutable state outside an actor.
///
/// A `pthread_mutex_t` and not `Synchronization.Mutex`, because ThreadSanitizer reports a false race on every value behind
/// the latter on Linux. The lock is not recursive: a body that takes the same lock again never returns.
// Sendable: `value` is touched only while `mutex` is held, and what goes in or comes out is `sending`.
package final class Locked<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Puts a value behind a new lock.
    package init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        let status = pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed: \(status)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Returns what the body returns; the body runs alone on the value.
    ///
    /// Keep bodies short: a waiter blocks its thread, which may be one of the cooperative pool's two.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> sending R) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
