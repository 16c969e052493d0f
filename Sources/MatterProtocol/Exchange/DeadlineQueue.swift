import MatterWire

/// Deadlines in order, a binary heap. Entries that lost their meaning stay until they come up or the owner sweeps them.
struct DeadlineQueue: Sendable {
    enum Kind: Hashable, Sendable { case retransmission, acknowledgement }

    struct Entry: Hashable, Sendable {
        let deadline: MonotonicInstant
        let exchange: ExchangeHandle
        let kind: Kind
    }

    private var heap: [Entry] = []

    var count: Int { heap.count }
    var first: Entry? { heap.first }

    /// Adds an entry; O(log n).
    mutating func insert(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes the earliest entry; O(log n).
    @discardableResult
    mutating func removeFirst() -> Entry? {
        guard let first = heap.first else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(from: 0)
        return first
    }

    /// Keeps the entries that still mean something; O(n).
    mutating func sweep(keeping isLive: (Entry) -> Bool) {
        heap.removeAll { !isLive($0) }
        for parent in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(from: parent) }
    }

    private mutating func sink(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].deadline < heap[least].deadline { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
