import Foundation

/// A time of the calendar, for reports.
struct UTCTime {
    let secondsSince1970: Int64

    /// `2026-11-30T13:00:00Z`.
    var text: String { Date(timeIntervalSince1970: TimeInterval(secondsSince1970)).formatted(.iso8601) }
}
