package import MatterProtocol
package import MatterWire

/// Why a message that was waited for did not come.
package enum ExchangeTrouble: Error, Hashable, Sendable {
    /// The exchange is over: the peer is silent, or the session ended.
    case failed(ExchangeFailure)
    /// The message layer took no message.
    case layer(MessageLayerError)
    /// Nothing came in the time that the caller allowed.
    case timedOut(after: Duration)
    /// The node is closing.
    case closed
}

/// The exchanges that callers of a node wait on, with their time limits.
package struct ExchangeInboxes {
    package typealias Stream = AsyncThrowingStream<InboundMessage, any Error>

    private struct Inbox {
        let continuation: Stream.Continuation
        var deadline: MonotonicInstant?
        var allowance: Duration = .zero
    }

    private var inboxes: [ExchangeHandle: Inbox] = [:]

    package init() {}

    /// Inboxes that are open.
    package var count: Int { inboxes.count }

    /// When ``expire(now:)`` is next due. O(n).
    package var deadline: MonotonicInstant? { inboxes.values.compactMap(\.deadline).min() }

    /// Opens an inbox. It keeps at most 16 messages: a peer that sends more without an answer breaks the protocol.
    package mutating func open(_ exchange: ExchangeHandle) -> Stream {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingOldest(16))
        inboxes[exchange] = Inbox(continuation: continuation)
        return stream
    }

    /// Allows the next message until `now + allowance`.
    package mutating func allow(_ allowance: Duration, on exchange: ExchangeHandle, now: MonotonicInstant) {
        inboxes[exchange]?.deadline = now.advanced(by: allowance)
        inboxes[exchange]?.allowance = allowance
    }

    /// - Returns: whether someone waits on this exchange.
    package mutating func deliver(_ message: InboundMessage, on exchange: ExchangeHandle) -> Bool {
        guard let inbox = inboxes[exchange] else { return false }
        inboxes[exchange]?.deadline = nil
        inbox.continuation.yield(message)
        return true
    }

    /// Ends an inbox with an error; what arrived before it is still read.
    package mutating func fail(_ exchange: ExchangeHandle, _ trouble: ExchangeTrouble) {
        inboxes.removeValue(forKey: exchange)?.continuation.finish(throwing: trouble)
    }

    /// Ends an inbox quietly.
    package mutating func close(_ exchange: ExchangeHandle) {
        inboxes.removeValue(forKey: exchange)?.continuation.finish()
    }

    /// Fails those whose time is over.
    package mutating func expire(now: MonotonicInstant) {
        for (exchange, inbox) in inboxes {
            guard let deadline = inbox.deadline, deadline <= now else { continue }
            fail(exchange, .timedOut(after: inbox.allowance))
        }
    }

    /// Fails all.
    package mutating func failAll(_ trouble: ExchangeTrouble) {
        for exchange in inboxes.keys { fail(exchange, trouble) }
    }
}
