import MatterWire

/// An unsigned attribute that falls by one each time a unit has passed, until it is zero.
struct Countdown: Hashable, Sendable {
    let start: MonotonicInstant
    /// The value at ``start``.
    let from: UInt16
    /// What one step lasts.
    let unit: Duration

    /// When the value is zero.
    var deadline: MonotonicInstant { start.advanced(by: unit * Int(from)) }

    /// The value at `now`.
    func value(at now: MonotonicInstant) -> UInt16 {
        let steps = max(0, start.duration(to: now) / unit)
        return steps >= Double(from) ? 0 : from - UInt16(steps)
    }
}
