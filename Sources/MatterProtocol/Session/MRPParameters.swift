public import MatterWire

/// A node's timing, which tells others how patiently to retransmit to it (Core §4.12.8, §4.12.2).
public struct MRPParameters: Hashable, Sendable {
    /// SII: the interval while the node may sleep.
    public var idleInterval: Duration
    /// SAI: the interval while the node is awake.
    public var activeInterval: Duration
    /// SAT: how long the node stays awake after it sent something.
    public var activeThreshold: Duration

    /// Creates the timing from its values, cut to what the specification allows.
    ///
    /// Intervals are also kept at or above 10 ms (our choice), so that no peer can make this node flood it.
    public init(
        idleInterval: Duration = .milliseconds(500), activeInterval: Duration = .milliseconds(300),
        activeThreshold: Duration = .milliseconds(4000)
    ) {
        self.idleInterval = min(max(idleInterval, Self.minimumInterval), Self.maximumInterval)
        self.activeInterval = min(max(activeInterval, Self.minimumInterval), Self.maximumInterval)
        self.activeThreshold = min(max(activeThreshold, .zero), Self.maximumThreshold)
    }

    /// The timing that a peer stated in a handshake; what it left out has the default.
    public init(_ parameters: SessionParameters?) {
        let standard = MRPParameters()
        self.init(
            idleInterval: parameters?.idleInterval.map { .milliseconds(Int64($0)) } ?? standard.idleInterval,
            activeInterval: parameters?.activeInterval.map { .milliseconds(Int64($0)) } ?? standard.activeInterval,
            activeThreshold: parameters?.activeThreshold.map { .milliseconds(Int64($0)) } ?? standard.activeThreshold)
    }

    /// The shortest interval that a peer may ask for.
    public static let minimumInterval: Duration = .milliseconds(10)
    /// The longest interval that a peer may ask for: one hour.
    public static let maximumInterval: Duration = .milliseconds(3_600_000)
    /// The longest active threshold.
    public static let maximumThreshold: Duration = .milliseconds(65_535)
}

/// The constants and formulas of the message reliability protocol (Core §4.12.2.1).
public enum MRP {
    /// Transmissions of one message before the sender gives up, the first one included.
    public static let maximumTransmissions = 5
    /// How long an acknowledgement may wait for a message to ride on.
    public static let standaloneAckTimeout: Duration = .milliseconds(200)
    /// How many counters a session's newest message may be ahead of its oldest unacknowledged one (our choice).
    public static let maximumRunAhead: UInt32 = 16

    /// The wait after a transmission before the next, or before giving up.
    ///
    /// - Parameters:
    ///   - transmission: which transmission was just made; 0 is the first.
    ///   - interval: the peer's active or idle interval.
    ///   - jitter: a uniform draw from `0...1`.
    public static func wait(after transmission: Int, interval: Duration, jitter: Double) -> Duration {
        var factor = 1.1 * (1 + jitter * 0.25)
        for _ in 1..<max(1, transmission) { factor *= 1.6 }
        return interval * factor
    }

    /// The longest time in which a message may still arrive at a peer that listens at `interval`.
    public static func longestDelivery(interval: Duration) -> Duration {
        (0..<maximumTransmissions).reduce(.zero) { $0 + wait(after: $1, interval: interval, jitter: 1) }
    }
}
