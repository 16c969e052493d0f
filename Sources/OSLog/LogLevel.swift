/// The level of one message, as the functions of ``Logger`` name it; from the least important to the most.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
    case trace, debug, info, notice, warning, error, critical, fault

    /// The level for the system's step; a number that the system does not know counts as `notice`.
    package init(_ type: OSLogType) {
        switch type {
        case .debug: self = .debug
        case .info: self = .info
        case .error: self = .error
        case .fault: self = .fault
        default: self = .notice
        }
    }

    /// Whether `left` is less important.
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .notice: 3
        case .warning: 4
        case .error: 5
        case .critical: 6
        case .fault: 7
        }
    }
}
