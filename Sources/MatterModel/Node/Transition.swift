import MatterWire

/// A number that moves evenly from one value to another, as lights fade and covers travel.
struct Transition: Hashable, Sendable {
    /// What has to happen at the end besides the last value.
    enum End: Hashable, Sendable {
        case nothing
        /// A level command with on/off reached the lowest level.
        case switchOff
        /// A light that is off already has faded: its level is this again, if any.
        case restoreLevel(UInt8?)
        /// A cover stands still.
        case coverStops
    }

    let start: MonotonicInstant
    let from: Int
    /// What is added in ``span``; negative moves down.
    let delta: Int
    /// More than zero.
    let span: Duration
    /// Goes on at the same speed until it is stopped.
    var isEndless = false
    /// Values are modulo this, as on the circle of hues; `nil` for a line.
    var modulus: Int?
    var end: End = .nothing

    /// How often a moving value is reported: quieter reporting allows once a second (Core §7.7.9, quality Q).
    static let reportInterval = Duration.seconds(1)

    /// When the last value is reached; `nil` when never.
    var finish: MonotonicInstant? { isEndless ? nil : start.advanced(by: span) }

    /// The value at a moment.
    func value(at now: MonotonicInstant) -> Int {
        let elapsed = max(.zero, start.duration(to: now))
        // Whole numbers: a value that is due now must not be missed by a rounding.
        let moved =
            elapsed >= span && !isEndless
            ? delta : Int(Int128(delta) * Self.attoseconds(elapsed) / Self.attoseconds(span))
        guard let modulus else { return from + moved }
        return ((from + moved) % modulus + modulus) % modulus
    }

    private static func attoseconds(_ duration: Duration) -> Int128 {
        Int128(duration.components.seconds) * 1_000_000_000_000_000_000 + Int128(duration.components.attoseconds)
    }

    /// When the value is next looked at.
    func deadline(after last: MonotonicInstant) -> MonotonicInstant {
        let next = last.advanced(by: Self.reportInterval)
        return finish.map { min($0, next) } ?? next
    }
}
