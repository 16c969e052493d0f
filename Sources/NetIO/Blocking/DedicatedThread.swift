import Dispatch
import Glibc

/// Threads outside the cooperative pool, for synchronous callers that must not wait for a task.
package enum DedicatedThread {
    /// Runs the body on a new thread and blocks the caller until it has returned or the limit has passed.
    ///
    /// Safe from anywhere, also from the main actor and from more tasks at once than the pool has threads, because the body
    /// needs none of the pool's: it must not wait for a task either.
    ///
    /// - Parameters:
    ///   - limit: also of what the body can't bound itself, such as a name lookup.
    /// - Returns: `nil` at the limit, or when the system gives no thread; the body then runs on unheard, so it should have a
    ///   deadline of its own.
    package static func run<R: Sendable>(limit: Duration, _ body: @escaping @Sendable () -> R) -> R? {
        let result = Locked<R?>(nil)
        let done = DispatchSemaphore(value: 0)
        let started = start { @Sendable in
            let value = body()
            result.withLock { $0 = value }
            done.signal()
        }
        guard started, done.wait(timeout: .now() + limit.dispatchInterval) == .success else { return nil }
        return result.withLock { $0 }
    }

    /// Runs a blocking body on a new thread without holding one of the pool's; for asynchronous callers.
    ///
    /// - Returns: `nil` when the system gives no thread.
    package static func call<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R? {
        await withCheckedContinuation { continuation in
            let started = start { @Sendable in continuation.resume(returning: body()) }
            if !started { continuation.resume(returning: nil) }
        }
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // Handed to the thread, which takes it back; also on failure, here.
        let start = Unmanaged.passRetained(Start(body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let status = pthread_create(&thread, &attributes, threadMain, start.toOpaque())
        if status != 0 { start.release() }
        return status == 0
    }

    private static let threadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body() }
        return nil
    }
}

extension Duration {
    /// Whole nanoseconds, at most a year.
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(31_536_000)).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }

    /// For `poll`: milliseconds, rounded up so as not to spin in the last one; at least 0.
    var pollTimeout: Int32 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(86400)).components
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
