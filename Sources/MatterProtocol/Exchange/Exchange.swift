import MatterWire

/// The state of one exchange within a ``MessageLayer``.
struct Exchange: Sendable {
    /// An acknowledgement that this side owes.
    struct OwedAck: Hashable, Sendable {
        let counter: MessageCounter
        /// When it must go alone; `nil` once it has, and then it still rides on the next message, in case it was lost.
        var deadline: MonotonicInstant?
    }

    let handle: ExchangeHandle
    let session: SessionHandle
    let id: ExchangeID
    /// This node began the exchange.
    let isInitiator: Bool
    var inFlight: Retransmitter?
    /// Messages that wait until the one in flight is acknowledged.
    var queue: [OutboundMessage] = []
    var owedAck: OwedAck?
    /// Its owner is done with it; it lives until the message in flight is acknowledged or given up.
    var isClosing = false

    init(handle: ExchangeHandle, session: SessionHandle, id: ExchangeID, isInitiator: Bool) {
        self.handle = handle
        self.session = session
        self.id = id
        self.isInitiator = isInitiator
    }

    var key: ExchangeKey { ExchangeKey(session: session, id: id, isInitiator: isInitiator) }

    /// Nothing is left to send.
    var isIdle: Bool { inFlight == nil && queue.isEmpty }
}

/// What names an exchange on the wire: session, number, and which side began it.
struct ExchangeKey: Hashable, Sendable {
    let session: SessionHandle
    let id: ExchangeID
    /// This node began the exchange.
    let isInitiator: Bool
}
