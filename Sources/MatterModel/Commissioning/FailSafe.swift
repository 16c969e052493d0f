public import MatterCrypto
public import MatterWire

/// The fail-safe: while it is armed, what a commissioner changes can be undone (Core §11.10.7.2).
///
/// ```
///             arm                    csrRequested, rootAdded
///  disarmed ────────▶ armed ───┐ ◀──────────────────────────┐ once each, before the NOC
///     ▲                 │  ▲   └────────────────────────────┘
///     │                 │  └─ arm by the same holder: later deadline, at most the cumulative one
///     │                 │ fabricAdded (the new fabric becomes the holder), fabricUpdated
///     │                 ▼
///     │          armed, NOC done ─── arm by the same holder ──▶ (as above)
///     │                 │
///     └─────────────────┘ complete ▶ kept;  expire, timerFired at the deadline ▶ Rollback
/// ```
///
/// The holder is a fabric, or ``MatterWire/FabricIndex/none`` for the PASE session of a commissioner whose fabric is
/// not there yet. Events of another holder are refused and change nothing.
public struct FailSafe: Sendable {
    /// Why an event was refused.
    public enum Refusal: Error, Hashable, Sendable {
        /// Not armed, or armed by another holder.
        case notArmed
        /// Armed by another holder.
        case busy
        /// Already done in this period, or too late in it.
        case outOfOrder
        /// No key was requested, or not for this purpose.
        case noKey
    }

    /// What to undo when the period ends without completion.
    public struct Rollback: Sendable {
        /// Who held the fail-safe.
        public let holder: FabricIndex
        /// A fabric to remove with everything that belongs to it.
        public let addedFabric: FabricIndex?
        /// What a fabric had before UpdateNOC.
        public let updatedFabric: (index: FabricIndex, previous: OperationalCredentials)?
    }

    /// A key pair that waits for its certificate.
    public struct PendingKey: Sendable {
        /// The pair that the CSR showed.
        public let key: P256PrivateKey
        /// For UpdateNOC rather than AddNOC.
        public let isForUpdate: Bool
    }

    private enum NOCChange: Sendable {
        case added(FabricIndex)
        case updated(FabricIndex, previous: OperationalCredentials)
    }

    private struct Armed: Sendable {
        var holder: FabricIndex
        var deadline: MonotonicInstant
        let lastDeadline: MonotonicInstant
        var key: PendingKey?
        var root: [UInt8]?
        var change: NOCChange?
    }

    private enum State: Sendable {
        case disarmed
        case armed(Armed)
    }

    /// Longest time from the first arming to the end, however often it is armed again.
    public let cumulativeLimit: Duration
    private var state = State.disarmed

    /// Begins disarmed.
    public init(cumulativeLimit: Duration = .seconds(900)) { self.cumulativeLimit = cumulativeLimit }

    /// Whether it is armed, by whomever.
    public var isArmed: Bool { holder != nil }

    /// Who holds it; `nil` when disarmed.
    public var holder: FabricIndex? {
        switch state {
        case .disarmed: nil
        case .armed(let armed): armed.holder
        }
    }

    /// When it expires; `nil` when disarmed.
    public var deadline: MonotonicInstant? {
        switch state {
        case .disarmed: nil
        case .armed(let armed): armed.deadline
        }
    }

    /// The fabric that was added in this period and is not yet kept.
    public var addedFabric: FabricIndex? {
        guard case .armed(let armed) = state, case .added(let index) = armed.change else { return nil }
        return index
    }

    /// The fabric whose credentials were replaced in this period, with what it had before.
    public var updatedFabric: (index: FabricIndex, previous: OperationalCredentials)? {
        guard case .armed(let armed) = state, case .updated(let index, let previous) = armed.change else { return nil }
        return (index, previous)
    }

    /// The root certificate that waits for AddNOC, Matter TLV.
    public var pendingRoot: [UInt8]? {
        guard case .armed(let armed) = state else { return nil }
        return armed.root
    }

    /// Arms, or arms again for the same holder; the end is `duration` from now, at most the cumulative limit.
    ///
    /// - Throws: `busy` when another holder has it.
    public mutating func arm(
        by holder: FabricIndex, for duration: Duration, now: MonotonicInstant
    ) throws(Refusal) {
        switch state {
        case .disarmed:
            let last = now.advanced(by: cumulativeLimit)
            state = .armed(
                Armed(holder: holder, deadline: min(now.advanced(by: duration), last), lastDeadline: last))
        case .armed(var armed):
            guard armed.holder == holder else { throw .busy }
            armed.deadline = min(now.advanced(by: duration), armed.lastDeadline)
            state = .armed(armed)
        }
    }

    /// Remembers the key pair of a certificate request; a later request replaces it.
    ///
    /// - Throws: `notArmed`, or `outOfOrder` after the NOC of this period.
    public mutating func csrRequested(_ key: P256PrivateKey, isForUpdate: Bool, by holder: FabricIndex) throws(Refusal)
    {
        try change(by: holder) { (armed) throws(Refusal) in
            guard armed.change == nil else { throw .outOfOrder }
            armed.key = PendingKey(key: key, isForUpdate: isForUpdate)
        }
    }

    /// Remembers a root certificate; the same one again is taken silently.
    ///
    /// - Throws: `notArmed`, or `outOfOrder` for a second root and after the NOC of this period.
    public mutating func rootAdded(_ root: [UInt8], by holder: FabricIndex) throws(Refusal) {
        try change(by: holder) { (armed) throws(Refusal) in
            guard armed.change == nil, armed.root == nil || armed.root == root else { throw .outOfOrder }
            armed.root = root
        }
    }

    /// The key that a NOC must be for.
    ///
    /// - Throws: `notArmed`; `outOfOrder` when this period has its NOC, or when the key was made for the other command;
    ///   `noKey` without a request.
    public func key(forUpdate: Bool, by holder: FabricIndex) throws(Refusal) -> P256PrivateKey {
        guard case .armed(let armed) = state, armed.holder == holder else { throw .notArmed }
        guard armed.change == nil else { throw .outOfOrder }
        guard let key = armed.key else { throw .noKey }
        guard key.isForUpdate == forUpdate else { throw .outOfOrder }
        return key.key
    }

    /// A fabric was added by ``key(forUpdate:by:)``; it becomes the holder.
    public mutating func fabricAdded(_ index: FabricIndex, by holder: FabricIndex) throws(Refusal) {
        try change(by: holder) { (armed) throws(Refusal) in
            guard armed.change == nil else { throw .outOfOrder }
            armed.change = .added(index)
            armed.holder = index
            armed.key = nil
            armed.root = nil
        }
    }

    /// The holder's credentials were replaced.
    public mutating func fabricUpdated(
        _ index: FabricIndex, previous: OperationalCredentials, by holder: FabricIndex
    ) throws(Refusal) {
        try change(by: holder) { (armed) throws(Refusal) in
            guard armed.change == nil else { throw .outOfOrder }
            armed.change = .updated(index, previous: previous)
            armed.key = nil
        }
    }

    /// Keeps what was changed and disarms.
    ///
    /// - Throws: `notArmed` when disarmed, `busy` when another holder has it.
    public mutating func complete(by holder: FabricIndex) throws(Refusal) {
        guard case .armed(let armed) = state else { throw .notArmed }
        guard armed.holder == holder else { throw .busy }
        state = .disarmed
    }

    /// Disarms before the time; `nil` when it was not armed.
    public mutating func expire() -> Rollback? {
        guard case .armed(let armed) = state else { return nil }
        state = .disarmed
        switch armed.change {
        case nil: return Rollback(holder: armed.holder, addedFabric: nil, updatedFabric: nil)
        case .added(let index): return Rollback(holder: armed.holder, addedFabric: index, updatedFabric: nil)
        case .updated(let index, let previous):
            return Rollback(holder: armed.holder, addedFabric: nil, updatedFabric: (index, previous))
        }
    }

    /// Expires when the deadline has come; `nil` when nothing is due.
    public mutating func timerFired(now: MonotonicInstant) -> Rollback? {
        guard let deadline, now >= deadline else { return nil }
        return expire()
    }

    private mutating func change(
        by holder: FabricIndex, _ body: (inout Armed) throws(Refusal) -> Void
    ) throws(Refusal) {
        guard case .armed(var armed) = state, armed.holder == holder else { throw .notArmed }
        try body(&armed)
        state = .armed(armed)
    }
}
