import MatterWire

/// One peer's subscription, as its publisher keeps it (Core §8.5).
///
///     priming ── subscriber took the last chunk ──▶ idle ─── due ──▶ opening ── exchange ──▶ reporting
///        │                                           ▲                                        │
///        │                                           └── subscriber took it, or acknowledged ─┘
///        └── status, failure, session over ──▶ gone ◀── status, failure, session over ── (every state)
///
/// Due is the shortest interval after the last report while something changed, else a little before the longest.
struct Subscription: Sendable {
    enum State: Hashable, Sendable {
        case priming
        case idle
        /// The driver opens an exchange for this report.
        case opening(ReportChunker?)
        /// Chunks wait for the subscriber; without a chunker it is a keep-alive that waits for its acknowledgement.
        case reporting(ExchangeHandle, ReportChunker?)
    }

    let id: SubscriptionID
    /// Of the session that carries it; its moment is not meant.
    let context: InteractionContext
    let attributes: [AttributePath]
    let events: [EventPath]
    let isFabricFiltered: Bool
    let minimumInterval: Duration
    let keepAliveInterval: Duration
    /// What the publisher promised, seconds.
    let maximumInterval: UInt16
    var state = State.priming
    var lastReport: MonotonicInstant
    /// Attributes that changed since they were read, in order of change.
    private(set) var changed: [ConcreteAttributePath] = []
    /// The next event's number that this subscriber does not have.
    var nextEvent: UInt64 = 0
    var hasNewEvents = false

    init(id: SubscriptionID, request: SubscribeRequest, context: InteractionContext) {
        self.id = id
        self.context = context
        attributes = request.attributes
        events = request.events
        isFabricFiltered = request.isFabricFiltered
        minimumInterval = .seconds(Int(request.minimumInterval))
        maximumInterval = Self.maximumInterval(for: request)
        let longest = Duration.seconds(Int(maximumInterval))
        // Early enough that a lost datagram or two still arrive before the subscriber gives up.
        keepAliveInterval = longest - min(longest / 2, .seconds(5))
        lastReport = context.now
    }

    /// What this publisher promises: the subscriber's ceiling up to an hour, at least its floor and a second.
    private static func maximumInterval(for request: SubscribeRequest) -> UInt16 {
        max(min(request.maximumInterval, 3600), request.minimumInterval, 1)
    }

    /// When a report is due; `nil` while one is on its way.
    var deadline: MonotonicInstant? {
        guard state == .idle else { return nil }
        let keepAlive = lastReport.advanced(by: max(keepAliveInterval, minimumInterval))
        guard !changed.isEmpty || hasNewEvents else { return keepAlive }
        return min(keepAlive, lastReport.advanced(by: minimumInterval))
    }

    /// Notes a change of an attribute that is subscribed to.
    mutating func note(_ path: ConcreteAttributePath) {
        guard attributes.contains(where: { $0.covers(path) }), !changed.contains(path) else { return }
        changed.append(path)
    }

    /// The changes since the last call.
    mutating func takeChanges() -> [ConcreteAttributePath] {
        defer { changed = [] }
        return changed
    }
}
