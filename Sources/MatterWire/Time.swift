/// A point on a clock that never jumps, counted from a start that the driver chose.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Time since the driver's own start.
    public var sinceStart: Duration
    /// Wraps the time since the driver's start.
    public init(sinceStart: Duration) { self.sinceStart = sinceStart }
    /// A later (or, with a negative duration, earlier) instant.
    public func advanced(by duration: Duration) -> MonotonicInstant { .init(sinceStart: sinceStart + duration) }
    /// The time from this instant to a later one; negative when `other` is earlier.
    public func duration(to other: MonotonicInstant) -> Duration { other.sinceStart - sinceStart }
    /// Whether the left time comes first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.sinceStart < rhs.sinceStart }
}

/// Wall-clock time in whole seconds since 2000-01-01T00:00:00Z, as certificates and clusters count it.
public struct EpochSeconds: RawRepresentable, Hashable, Comparable, Sendable {
    /// Seconds since 2000-01-01T00:00:00Z; negative before.
    public var rawValue: Int64
    /// Wraps seconds since 2000-01-01T00:00:00Z.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// Seconds from the Unix epoch to 2000-01-01T00:00:00Z.
    public static let unixOffset: Int64 = 946_684_800
    /// Converts from seconds since the Unix epoch.
    public init(unixSeconds: Int64) { self.rawValue = unixSeconds - Self.unixOffset }
    /// Seconds since the Unix epoch.
    public var unixSeconds: Int64 { rawValue + Self.unixOffset }
    /// Whether the left time comes first.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
