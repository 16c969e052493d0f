/// A point on a clock that never jumps, counted from a start that the driver chose.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Time since the driver's own start.
    public var sinceStart: Duration
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }
    public func advanced(by duration: Duration) -> MonotonicInstant { .init(sinceStart: sinceStart + duration) }
    /// The time from this instant to a later one; negative when `other` is earlier.
    public func duration(to other: MonotonicInstant) -> Duration { other.sinceStart - sinceStart }
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.sinceStart < rhs.sinceStart }
}

/// Wall-clock time in whole seconds since 2000-01-01T00:00:00Z, as certificates and clusters count it.
public struct EpochSeconds: RawRepresentable, Hashable, Comparable, Sendable {
    public var rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Seconds from the Unix epoch to 2000-01-01T00:00:00Z.
    public static let unixOffset: Int64 = 946_684_800
    public init(unixSeconds: Int64) { self.rawValue = unixSeconds - Self.unixOffset }
    public var unixSeconds: Int64 { rawValue + Self.unixOffset }
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
