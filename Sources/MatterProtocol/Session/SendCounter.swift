import MatterWire

/// The numbers of the messages that one session sends (Core §4.6.1.1).
struct SendCounter: Hashable, Sendable {
    /// The last counter that a session with keys uses; its keys must not see a number twice.
    static let last: UInt32 = 0xFFFF_FFFE

    /// The number that is taken next.
    private(set) var upcoming: UInt32

    /// Starts somewhere in 1 … 2^28.
    init(random: RandomSource) { upcoming = UInt32(truncatingIfNeeded: random.next() & 0x0FFF_FFFF) + 1 }

    /// Starts at `first`.
    init(first: UInt32) { upcoming = first }

    /// Whether no number is left.
    var isExhausted: Bool { upcoming > Self.last }

    /// Takes the next number; `nil` when none is left.
    mutating func take() -> MessageCounter? {
        guard !isExhausted else { return nil }
        defer { upcoming += 1 }
        return MessageCounter(rawValue: upcoming)
    }

    /// Takes the next number of the unsecured counter, which begins anew after its end.
    mutating func takeWrapping() -> MessageCounter {
        if let counter = take() { return counter }
        upcoming = 2
        return MessageCounter(rawValue: 1)
    }
}
