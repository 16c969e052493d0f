/// Notices a hub that went away without a word.
///
///            pingAfter without a byte           silence without a byte
///     alive ───────────────────────────▶ pinged ───────────────────────▶ dead
///       ▲               a byte              │
///       └───────────────────────────────────┘
///
/// Times are durations on one monotonic clock.
struct Liveness: Sendable {
    enum Action: Hashable, Sendable { case none, ping, giveUp }
    private enum State: Hashable, Sendable {
        case alive(since: Duration), pinged(since: Duration), dead
    }

    /// Silence after which the hub is asked for a sign of life.
    static let pingAfter = Duration.seconds(30)
    /// Silence after which the connection is given up.
    static let silence = Duration.seconds(90)

    private var state: State

    init(now: Duration) { state = .alive(since: now) }

    /// When ``timerFired(now:)`` is next due.
    var deadline: Duration? {
        switch state {
        case .alive(let since): since + Self.pingAfter
        case .pinged(let since): since + Self.silence
        case .dead: nil
        }
    }

    /// Bytes came.
    mutating func heard(now: Duration) {
        if state != .dead { state = .alive(since: now) }
    }

    mutating func timerFired(now: Duration) -> Action {
        guard let deadline, now >= deadline else { return .none }
        switch state {
        case .alive(let since):
            state = .pinged(since: since)
            return .ping
        case .pinged:
            state = .dead
            return .giveUp
        case .dead: return .none
        }
    }
}
