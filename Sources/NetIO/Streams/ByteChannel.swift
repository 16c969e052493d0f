/// A reliable two-way stream of bytes with half close: plain TCP or TLS over it.
///
/// Every method may be called from any task. Tasks that read take turns in the order of asking; writes of several tasks
/// don't mix.
package protocol ByteChannel: Sendable {
    /// The next bytes, at least one; empty when the peer has ended its direction in order.
    ///
    /// - Throws: ``NetError``: `truncated` when TLS ended without its closing mark; `cancelled` when the task was
    ///   cancelled, after which the channel is still usable.
    func read(atMost limit: Int) async throws(NetError) -> [UInt8]

    /// Sends bytes after all earlier ones; waits while the write queue is too full for them.
    ///
    /// Returning means that they are on their way, not that they have arrived.
    func write(_ bytes: [UInt8]) async throws(NetError)

    /// Sends bytes without waiting.
    ///
    /// - Throws: ``NetError`` with code `wouldBlock`, and nothing is sent, when the write queue would pass its limit: the
    ///   peer reads too slowly.
    func enqueue(_ bytes: [UInt8]) throws(NetError)

    /// Ends our direction once all queued bytes are sent; reading goes on.
    func finishWriting()

    /// Ends both directions at once and drops what is queued; idempotent. Waiting calls throw `closed`.
    func close()

    /// The peer's end of the connection.
    var peerAddress: SocketAddress { get }
}

extension ByteChannel {
    /// Closes so that the last bytes (a goaway, say) reach the peer: ends our direction, drops what still comes in until
    /// the peer ends its own or the time is over, then closes.
    ///
    /// A plain close with unread input would make the kernel break the connection off and lose them.
    package func closeAfterFlush(timeout: Duration, clock: DriverClock) async {
        finishWriting()
        do throws(NetError) {
            try await withTimeout(timeout, clock: clock, "close") { () async throws(NetError) in
                while try await !read(atMost: 65536).isEmpty {}
            }
        } catch {
            // The peer is gone or doesn't end its side: we do.
        }
        close()
    }
}

/// Runs the operation under a time limit; at the limit its task is cancelled and `timedOut` thrown.
///
/// The operation must end when cancelled, as all waiting calls here do.
package func withTimeout<R: Sendable>(
    _ limit: Duration, clock: DriverClock, _ what: String,
    _ operation: @escaping @Sendable () async throws(NetError) -> R
) async throws(NetError) -> R {
    let deadline = clock.now + limit
    let result: Result<R, NetError> = await withTaskGroup(of: Result<R, NetError>?.self) { group in
        group.addTask {
            do throws(NetError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        group.addTask {
            do { try await clock.sleep(until: deadline) } catch {
                return nil  // the operation ended first, or the caller was cancelled: its result counts
            }
            return .failure(NetError(.timedOut, what, reason: "no end within \(limit)"))
        }
        var first: Result<R, NetError>?
        while first == nil, let next = await group.next() { first = next }
        group.cancelAll()
        return first ?? .failure(NetError(.cancelled, what))
    }
    return try result.get()
}
