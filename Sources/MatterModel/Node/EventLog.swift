import MatterWire

/// What happened on a node, newest last, each with a number that is never used again (Core §7.14).
///
/// Numbers are taken from a block that a snapshot reserved: a node that stops suddenly goes on behind it.
struct EventLog: Sendable {
    /// Older events are forgotten.
    static let capacity = 128
    /// How many numbers one snapshot reserves.
    static let block: UInt64 = 1024
    /// A stored number beyond this is damage.
    static let highestStored = UInt64.max / 2

    private(set) var events: [EventDataIB] = []
    private var next: UInt64
    /// Numbers below this are on disk as used.
    private(set) var reserved: UInt64

    /// - Parameter first: what an earlier log had reserved; 0 for a new node.
    init(after first: UInt64) {
        next = first
        reserved = first + Self.block
    }

    /// - Returns: whether the reserved numbers grew, so that they have to be stored.
    mutating func append(
        _ path: EventPath, _ priority: EventDataIB.Priority, _ fields: TLVValue, at timestamp: EventDataIB.Timestamp
    ) -> Bool {
        events.append(
            EventDataIB(path: path, number: next, priority: priority, timestamp: timestamp, fields: fields))
        if events.count > Self.capacity { events.removeFirst() }
        next += 1
        guard next == reserved else { return false }
        reserved += Self.block
        return true
    }
}
