public import MatterWire

/// Decides when a handshake with one node is tried at which of its addresses.
///
///             found ▶ attempt            answered                 succeeded
///     idle ─────────────────▶ trying ───────────────▶ committed ─────────────▶ over
///       ▲   all failed, none waits │ ▲ stagger over,      │ failed
///       └──────────────────────────┘ └─ or failed: next ◀─┘
///
/// The first address is tried at once. Another one starts only after every earlier try gave up, or after ``stagger``
/// without any answer; one that answered is the only one followed, and the others are abandoned. The same address twice
/// is one address. A node that is busy is tried again when it said.
public struct AddressRace: Sendable {
    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Begin a handshake there. Answer with `answered`, `failed` or `succeeded`.
        case attempt(PeerAddress)
        /// Stop the handshake there; its result no longer matters.
        case abandon(PeerAddress)
    }

    private enum Phase: Hashable, Sendable {
        case waiting(since: Int)
        case trying(startedAt: MonotonicInstant)
        case answered
        case retrying(at: MonotonicInstant)
        case finished
    }

    private struct Entry: Sendable {
        let address: PeerAddress
        var phase: Phase
        var attempts = 0
    }

    /// How long a silent try keeps the next one back.
    public let stagger: Duration
    /// Tries at one address, for a node that may not be ready yet.
    public let attemptsPerAddress: Int
    private var entries: [Entry] = []
    private var isOver = false

    /// - Parameters:
    ///   - stagger: 1 s for CASE (design); less where only the first answer counts.
    ///   - attemptsPerAddress: at least 1.
    public init(stagger: Duration = .seconds(1), attemptsPerAddress: Int = 1) {
        precondition(attemptsPerAddress > 0, "an address is tried at least once")
        self.stagger = stagger
        self.attemptsPerAddress = attemptsPerAddress
    }

    /// Whether no try runs and none is due: only another address can help.
    public var isIdle: Bool {
        !isOver && entries.allSatisfy { $0.phase == .finished }
    }

    /// When ``timerFired(now:)`` is next due.
    public var deadline: MonotonicInstant? {
        guard !isOver else { return nil }
        let retries = entries.compactMap { entry in
            if case .retrying(let time) = entry.phase { time } else { MonotonicInstant?.none }
        }
        return ([nextStart].compactMap(\.self) + retries).min()
    }

    /// An address of the node became known, best first.
    public mutating func found(_ address: PeerAddress, now: MonotonicInstant) -> [Action] {
        guard !isOver, !entries.contains(where: { $0.address == address }) else { return [] }
        entries.append(Entry(address: address, phase: .waiting(since: entries.count)))
        return startDue(now)
    }

    /// The node said something at this address: the only one that is followed from now on.
    public mutating func answered(_ address: PeerAddress) -> [Action] {
        guard !isOver, let index = tryingIndex(address) else { return [] }
        entries[index].phase = .answered
        var actions: [Action] = []
        for other in entries.indices where other != index {
            if case .trying = entries[other].phase {
                actions.append(.abandon(entries[other].address))
                entries[other].phase = .waiting(since: other)
            }
        }
        return actions
    }

    /// A try ended without a session.
    ///
    /// - Parameters:
    ///   - retryAfter: the node is busy and said how long; does not count as a try.
    ///   - isFinal: this address must not be tried again.
    public mutating func failed(
        _ address: PeerAddress, retryAfter: Duration? = nil, isFinal: Bool = false, now: MonotonicInstant
    ) -> [Action] {
        guard !isOver, let index = entries.firstIndex(where: { $0.address == address }) else { return [] }
        switch entries[index].phase {
        case .waiting, .retrying, .finished: return []
        case .trying, .answered: break
        }
        if let retryAfter, !isFinal {
            entries[index].attempts -= 1
            entries[index].phase = .retrying(at: now.advanced(by: retryAfter))
        } else if !isFinal, entries[index].attempts < attemptsPerAddress {
            entries[index].phase = .waiting(since: index + entries.count * entries[index].attempts)
        } else {
            entries[index].phase = .finished
        }
        return startDue(now)
    }

    /// A try gave a session: the race is over and the other tries are abandoned.
    public mutating func succeeded(_ address: PeerAddress) -> [Action] {
        guard !isOver, let index = entries.firstIndex(where: { $0.address == address }) else { return [] }
        isOver = true
        return entries.indices.compactMap { other in
            guard other != index else { return nil }
            return switch entries[other].phase {
            case .trying, .answered: .abandon(entries[other].address)
            case .waiting, .retrying, .finished: nil
            }
        }
    }

    /// Starts what is due.
    public mutating func timerFired(now: MonotonicInstant) -> [Action] { isOver ? [] : startDue(now) }

    // MARK: - Private

    private func tryingIndex(_ address: PeerAddress) -> Int? {
        entries.firstIndex { entry in
            guard entry.address == address, case .trying = entry.phase else { return false }
            return true
        }
    }

    /// When the next waiting address may start; `nil` when none waits or one has answered.
    private var nextStart: MonotonicInstant? {
        guard nextWaiting != nil, !entries.contains(where: { $0.phase == .answered }) else { return nil }
        let starts = entries.compactMap { entry in
            if case .trying(let startedAt) = entry.phase { startedAt } else { MonotonicInstant?.none }
        }
        guard let latest = starts.max() else { return .init(sinceStart: .zero) }
        return latest.advanced(by: stagger)
    }

    private var nextWaiting: Int? {
        let waiting = entries.indices.compactMap { index -> (index: Int, since: Int)? in
            if case .waiting(let since) = entries[index].phase { (index, since) } else { nil }
        }
        return waiting.min { $0.since < $1.since }?.index
    }

    private mutating func startDue(_ now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        for index in entries.indices {
            guard case .retrying(let time) = entries[index].phase, time <= now else { continue }
            actions.append(start(index, now))
        }
        while let due = nextStart, due <= now, let index = nextWaiting { actions.append(start(index, now)) }
        return actions
    }

    private mutating func start(_ index: Int, _ now: MonotonicInstant) -> Action {
        entries[index].phase = .trying(startedAt: now)
        entries[index].attempts += 1
        return .attempt(entries[index].address)
    }
}
