public import MatterWire

/// Keeps one subscription with one node: sets it up, takes its reports, notices its loss, sets it up again.
///
///     idle ── start ──▶ connecting ── connected ──▶ subscribing ── subscribed ──▶ live ◀──┐ report
///                        ▲      │ failed               │ failed      ▲   │  │ └───────────┘
///                        │      │                      │             └───┘  │ silence, session closed, broken report
///                        │      ▼                      ▼       widen, and   │
///                        └── waiting ◀─────────────────┴────── again ───────┘
///                       time, hurry
///     (every state) ── stop ──▶ stopped
///
/// The first set-up that fails because its session is dead is tried again at once on a new session.
/// It holds the node's values as they were reported last, and tells what differs from them: a new set-up after a loss
/// tells only what changed meanwhile. Back-off doubles from 1 s to ``longestWait``; after a subscription that stood for
/// ``steadyTime`` the next try is made at once.
public struct SubscriptionKeeper: Sendable {
    /// What the owner must do.
    public enum Action: Hashable, Sendable {
        /// Make a session, then call ``connected(_:)`` or ``connectFailed(now:jitter:)``.
        case connect
        /// Conduct a ``SubscribeTransaction``, then call ``subscribed(_:slack:now:jitter:)`` or ``subscribeFailed(_:now:jitter:)``.
        case subscribe(SubscribeRequest, on: SessionHandle)
        /// This session is dead, or was never alive: the next one must be new.
        case drop(SessionHandle)
        /// The set-up was refused or not answered; the next try comes after a while.
        case failed(InteractionFailure)
        /// Send on an exchange that the publisher opened.
        case send(OutboundMessage, on: ExchangeHandle)
        /// That exchange is over.
        case close(ExchangeHandle)
        /// The subscription stands, for these paths; ``SubscriptionKeeper/reports`` are what it began with.
        case established(paths: [AttributePath])
        /// Values that are not what they were.
        case changed([AttributeReport])
        /// Whether the node answers, when that changed.
        case reachable(Bool)
    }

    /// The longest time between two tries.
    public static let longestWait = Duration.seconds(60)
    /// A subscription that stood for so long was no failure.
    public static let steadyTime = Duration.seconds(10)
    /// What is asked of the publisher as the longest time between two reports, seconds.
    public static let ceiling: UInt16 = 60
    /// Paths in one subscription that every node serves (Core §2.11.2.2); more become a wildcard.
    public static let pathsPerSubscription = 3

    private struct Live: Sendable {
        let session: SessionHandle
        let id: SubscriptionID
        /// What the publisher promised, and what a report may take on its way.
        let patience: Duration
        let since: MonotonicInstant
        var heard: MonotonicInstant
        /// A report of which more chunks are due.
        var open: (exchange: ExchangeHandle, assembler: ReportAssembler)?
        var deadline: MonotonicInstant { heard.advanced(by: patience) }
    }

    private enum State: Sendable {
        case idle
        case connecting
        /// `early`: a report that came before the publisher's answer to the set-up.
        case subscribing(SessionHandle, [AttributePath], early: (ExchangeHandle, InboundMessage)?)
        case live(Live)
        case waiting(until: MonotonicInstant)
        case stopped
    }

    private var state = State.idle
    private var failures = 0
    private var isReachable = true
    /// What is subscribed to, or will be.
    public private(set) var paths: [AttributePath]
    /// The paths of the subscription that stands or is being set up.
    private var asked: [AttributePath] = []
    private var values: [ConcreteAttributePath: AttributeReport] = [:]
    private var order: [ConcreteAttributePath] = []

    /// - Parameter paths: what to subscribe to, not empty.
    public init(_ paths: [AttributePath]) { self.paths = Self.merged(paths) }

    /// The values as they were reported last, in the order of the first report.
    public var reports: [AttributeReport] { order.compactMap { values[$0] } }

    /// Whether a subscription to all of ``paths`` stands.
    public var isLive: Bool {
        if case .live = state { return asked == paths }
        return false
    }

    /// When ``timerFired(now:jitter:)`` is next due.
    public var deadline: MonotonicInstant? {
        switch state {
        case .idle, .connecting, .subscribing, .stopped: nil
        case .live(let live): live.deadline
        case .waiting(let until): until
        }
    }

    /// The session that carries the subscription, or its set-up.
    public var session: SessionHandle? {
        switch state {
        case .idle, .connecting, .waiting, .stopped: nil
        case .subscribing(let session, _, _): session
        case .live(let live): live.session
        }
    }

    // MARK: - The owner's wishes

    /// Begins; call once.
    public mutating func start() -> [Action] {
        guard case .idle = state else { return [] }
        return connect()
    }

    /// Subscribes to more.
    public mutating func widen(to more: [AttributePath]) -> [Action] {
        paths = Self.merged(paths + more)
        guard case .live(let live) = state, asked != paths else { return [] }
        return closing(live) + subscribe(on: live.session)
    }

    /// Somebody waits: the next try is made now.
    public mutating func hurry() -> [Action] {
        guard case .waiting = state else { return [] }
        return connect()
    }

    /// Ends. The publisher learns it with its next report.
    public mutating func stop() -> [Action] {
        defer { state = .stopped }
        switch state {
        case .idle, .connecting, .waiting, .stopped: return []
        case .subscribing(_, _, let early): return early.map { [.close($0.0)] } ?? []
        case .live(let live): return closing(live)
        }
    }

    // MARK: - Set-up

    /// There is a session.
    public mutating func connected(_ session: SessionHandle) -> [Action] {
        guard case .connecting = state else { return [] }
        return subscribe(on: session)
    }

    /// There is none.
    ///
    /// - Parameter jitter: a uniform draw from `0...1`.
    public mutating func connectFailed(now: MonotonicInstant, jitter: Double) -> [Action] {
        guard case .connecting = state else { return [] }
        return wait(now, jitter) + reach(false)
    }

    /// The set-up worked.
    ///
    /// - Parameters:
    ///   - slack: how much longer than promised a report may take, retransmissions included.
    ///   - jitter: a uniform draw from `0...1`.
    public mutating func subscribed(
        _ established: EstablishedSubscription, slack: Duration, now: MonotonicInstant, jitter: Double
    ) -> [Action] {
        guard case .subscribing(let session, let requested, let early) = state else { return [] }
        state = .live(
            Live(
                session: session, id: established.id,
                patience: .seconds(Int(established.maximumInterval)) + slack, since: now, heard: now))
        let changes = replace(with: established.values.attributes)
        var actions = reach(true)
        if !changes.isEmpty { actions.append(.changed(changes)) }
        actions.append(.established(paths: requested))
        if let (exchange, message) = early {
            actions += reported(message, on: exchange, of: session, now: now, jitter: jitter)
        }
        // Somebody wanted more meanwhile.
        if case .live(let live) = state, asked != paths { actions += closing(live) + subscribe(on: session) }
        return actions
    }

    /// The set-up failed.
    ///
    /// - Parameter jitter: a uniform draw from `0...1`.
    public mutating func subscribeFailed(
        _ failure: InteractionFailure, now: MonotonicInstant, jitter: Double
    ) -> [Action] {
        guard case .subscribing(let session, _, let early) = state else { return [] }
        let closing = early.map { [Action.close($0.0)] } ?? []
        let isDead = failure.code == .unreachable || failure.code == .sessionClosed
        if isDead, failures == 0 {
            // A session of earlier use that turns out dead says nothing yet of the node.
            failures = 1
            return closing + [.drop(session)] + connect()
        }
        let isSilent = failure.code == .unreachable || failure.code == .timedOut
        return closing + (isDead ? [.drop(session)] : []) + [.failed(failure)] + wait(now, jitter)
            + (isSilent ? reach(false) : [])
    }

    // MARK: - Events

    /// Whether a later message on an exchange belongs to a report that is being taken.
    public func isReporting(on exchange: ExchangeHandle) -> Bool {
        if case .live(let live) = state { return live.open?.exchange == exchange }
        return false
    }

    /// The publisher sent a report, or more of one. One that is none of this subscription's is refused.
    ///
    /// - Parameter jitter: a uniform draw from `0...1`.
    public mutating func reported(
        _ message: InboundMessage, on exchange: ExchangeHandle, of session: SessionHandle, now: MonotonicInstant,
        jitter: Double
    ) -> [Action] {
        switch state {
        case .idle, .connecting, .waiting, .stopped:
            return refusal(on: exchange)
        case .subscribing(session, let requested, let early):
            // The publisher's answer to the set-up may come later than its first report.
            let replaced = early.map { [Action.close($0.0)] } ?? []
            state = .subscribing(session, requested, early: (exchange, message))
            return replaced
        case .subscribing:
            return refusal(on: exchange)
        case .live(let live):
            guard live.session == session else { return refusal(on: exchange) }
            return take(message, on: exchange, live, now: now, jitter)
        }
    }

    /// An exchange on which a report was being taken is over.
    public mutating func exchangeFailed(_ exchange: ExchangeHandle) {
        guard case .live(var live) = state, live.open?.exchange == exchange else { return }
        live.open = nil
        state = .live(live)
    }

    /// The session ended.
    public mutating func sessionClosed(
        _ session: SessionHandle, now: MonotonicInstant, jitter: Double
    ) -> [Action] {
        // A set-up that runs hears of it by its own exchange.
        guard case .live(let live) = state, live.session == session else { return [] }
        return lose(live, now, jitter)
    }

    /// Time is over for a report, or for waiting.
    public mutating func timerFired(now: MonotonicInstant, jitter: Double) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .idle, .connecting, .subscribing, .stopped: return []
        case .waiting: return connect()
        case .live(let live): return reach(false) + lose(live, now, jitter)
        }
    }

    // MARK: - Private

    private mutating func connect() -> [Action] {
        state = .connecting
        return [.connect]
    }

    private mutating func subscribe(on session: SessionHandle) -> [Action] {
        asked = paths
        state = .subscribing(session, paths, early: nil)
        // What this node subscribed to before is replaced: a publisher has room for few.
        let request = SubscribeRequest(
            keepsSubscriptions: false, minimumInterval: 0, maximumInterval: Self.ceiling, attributes: paths,
            isFabricFiltered: true)
        return [.subscribe(request, on: session)]
    }

    private mutating func wait(_ now: MonotonicInstant, _ jitter: Double) -> [Action] {
        failures += 1
        let wait = min(Duration.seconds(1 << min(failures - 1, 6)), Self.longestWait)
        state = .waiting(until: now.advanced(by: wait * (1 + 0.25 * jitter)))
        return []
    }

    private mutating func lose(_ live: Live, _ now: MonotonicInstant, _ jitter: Double) -> [Action] {
        guard live.since.duration(to: now) >= Self.steadyTime else { return closing(live) + wait(now, jitter) }
        failures = 0
        return closing(live) + connect()
    }

    private func closing(_ live: Live) -> [Action] { live.open.map { [.close($0.exchange)] } ?? [] }

    private func refusal(on exchange: ExchangeHandle) -> [Action] {
        [.send(OutboundMessage(StatusResponse(.invalidSubscription)), on: exchange), .close(exchange)]
    }

    private mutating func reach(_ reachable: Bool) -> [Action] {
        guard reachable != isReachable else { return [] }
        isReachable = reachable
        return [.reachable(reachable)]
    }

    private mutating func take(
        _ message: InboundMessage, on exchange: ExchangeHandle, _ before: Live, now: MonotonicInstant, _ jitter: Double
    ) -> [Action] {
        var live = before
        do throws(InteractionFailure) {
            let report: ReportData = try message.answer()
            guard report.subscription == live.id else { return refusal(on: exchange) }
            var assembler = ReportAssembler()
            var actions: [Action] = []
            if let open = live.open {
                // A publisher sends one report at a time: another one replaces what it did not finish.
                if open.exchange == exchange {
                    assembler = open.assembler
                } else {
                    actions.append(.close(open.exchange))
                }
            }
            try assembler.add(report, size: message.payload.count)
            live.heard = now
            live.open = report.hasMoreChunks ? (exchange, assembler) : nil
            state = .live(live)
            if !report.suppressesResponse || report.hasMoreChunks {
                actions.append(.send(OutboundMessage(StatusResponse(.success)), on: exchange))
            }
            if report.hasMoreChunks { return actions }
            actions.append(.close(exchange))
            let changes = assembler.result.attributes.filter { note($0) }
            return changes.isEmpty ? actions : actions + [.changed(changes)]
        } catch {
            // What it said is lost, so what is known is no longer true: everything is asked for again.
            let answer =
                error.isPeersMistake ? [Action.send(OutboundMessage(StatusResponse(.invalidAction)), on: exchange)] : []
            let rest = live.open?.exchange == exchange ? [] : closing(live)
            live.open = nil
            return answer + [.close(exchange)] + rest + lose(live, now, jitter)
        }
    }

    /// Remembers a report.
    ///
    /// - Returns: whether it differs from what was known.
    private mutating func note(_ report: AttributeReport) -> Bool {
        let (path, before) = (report.path, values[report.path])
        values[path] = report
        guard let before else {
            order.append(path)
            return true
        }
        return !before.isSameValue(as: report)
    }

    /// Takes a whole set of values in place of the old one.
    private mutating func replace(with reports: [AttributeReport]) -> [AttributeReport] {
        let changes = reports.filter { note($0) }
        let present = Set(reports.map(\.path))
        order.removeAll { !present.contains($0) }
        values = values.filter { present.contains($0.key) }
        return changes
    }

    /// As few paths as say the same, and at most so many as every node serves.
    static func merged(_ paths: [AttributePath]) -> [AttributePath] {
        var merged: [AttributePath] = []
        for path in paths where !merged.contains(where: { $0.covers(path) }) {
            merged.removeAll { path.covers($0) }
            merged.append(path)
        }
        return merged.count > pathsPerSubscription ? [AttributePath()] : merged
    }
}

extension AttributePath {
    /// Whether every attribute of `other` is one of this path's.
    public func covers(_ other: AttributePath) -> Bool {
        (endpoint == nil || endpoint == other.endpoint) && (cluster == nil || cluster == other.cluster)
            && (attribute == nil || attribute == other.attribute)
    }

    /// Whether an attribute is one of this path's.
    public func covers(_ path: ConcreteAttributePath) -> Bool { covers(AttributePath(path)) }
}

extension AttributeReport {
    /// The attribute.
    public var path: ConcreteAttributePath {
        switch self {
        case .data(let path, _, _), .status(let path, _): path
        }
    }

    /// The same value or status; versions say nothing of one attribute.
    fileprivate func isSameValue(as other: AttributeReport) -> Bool {
        switch (self, other) {
        case (.data(_, _, let one), .data(_, _, let two)): one == two
        case (.status(_, let one), .status(_, let two)): one == two
        case (.data, .status), (.status, .data): false
        }
    }
}
