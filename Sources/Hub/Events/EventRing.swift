/// The last events of one structure, numbered from 1 without gaps (Protocols/hub-control.md §5).
package struct EventRing<Event: Sendable>: Sendable {
    /// Events that are kept for replay.
    package let capacity: Int
    private var events: [(number: UInt64, event: Event)] = []
    /// Number of the newest event; 0 before the first.
    package private(set) var newest: UInt64 = 0

    package init(capacity: Int = 1_024) {
        precondition(capacity > 0, "a ring keeps at least one event")
        self.capacity = capacity
    }

    /// Number of the oldest event kept; `newest + 1` when none is.
    package var oldest: UInt64 { events.first?.number ?? newest + 1 }

    /// Keeps an event and drops the oldest beyond the capacity. O(capacity) at worst.
    ///
    /// - Returns: its number.
    package mutating func append(_ event: Event) -> UInt64 {
        newest += 1
        events.append((newest, event))
        if events.count > capacity { events.removeFirst(events.count - capacity) }
        return newest
    }

    /// The events from `number` on.
    ///
    /// - Returns: `gap` is true when some between `number` and the first one given are no longer kept, or when
    ///   `number` is beyond what was ever given out (another epoch).
    package func replay(from number: UInt64) -> (events: [(number: UInt64, event: Event)], gap: Bool) {
        guard number <= newest + 1 else { return (events, true) }
        return (events.filter { $0.number >= number }, number < oldest)
    }
}
