public import MatterWire

/// The counters that were received lately, so that no message is taken twice (Core §4.6.5).
///
/// It knows the newest counter and which of the 32 before it were seen; older ones count as seen.
public struct CounterWindow: Hashable, Sendable {
    /// How old counters are judged.
    public enum Mode: Hashable, Sendable {
        /// Sessions with keys: counters only grow.
        case encrypted
        /// The unsecured session: a counter behind the window means that the peer started anew.
        case unencrypted
    }
    /// Whether a message may be looked at.
    public enum Verdict: Hashable, Sendable { case new, duplicate }

    private let mode: Mode
    private var newest: UInt32
    /// Bit n: the counter `newest - 1 - n` was seen.
    private var seen: UInt32

    /// The window of a fresh session with keys.
    ///
    /// Counters start at 1 or above; those up to 32 before the first that arrives are taken too, since fresh keys have no
    /// past that could be replayed, and the first messages of a session may change places on the way.
    public init() {
        mode = .encrypted
        newest = 0
        seen = .max
    }

    /// The unsecured session's window after its first message.
    ///
    /// Those up to 32 before it are taken too: a standalone acknowledgement may overtake the answer that was sent before it,
    /// and an answer that counted as a duplicate would be acknowledged and lost.
    public init(first: MessageCounter) {
        mode = .unencrypted
        newest = first.rawValue
        seen = 0
    }

    /// Whether a message with this counter is new. Changes nothing: authenticate before ``accept(_:)``.
    public func verdict(_ counter: MessageCounter) -> Verdict {
        switch place(of: counter.rawValue) {
        case .ahead, .restarted: .new
        case .same, .behind: .duplicate
        case .within(let bit): seen & (1 << bit) == 0 ? .new : .duplicate
        }
    }

    /// Marks a counter as seen.
    public mutating func accept(_ counter: MessageCounter) {
        switch place(of: counter.rawValue) {
        case .ahead(let distance):
            seen = distance > 32 ? 0 : (seen << distance) | (1 << (distance - 1))
            newest = counter.rawValue
        case .within(let bit): seen |= 1 << bit
        case .restarted: self = CounterWindow(first: counter)
        case .same, .behind: break
        }
    }

    private enum Place {
        case ahead(UInt32), same, within(UInt32), behind, restarted
    }

    private func place(of counter: UInt32) -> Place {
        let ahead = counter &- newest
        let behind = newest &- counter
        if ahead == 0 { return .same }
        switch mode {
        case .encrypted:
            if counter > newest { return .ahead(ahead) }
            return behind <= 32 ? .within(behind - 1) : .behind
        case .unencrypted:
            if ahead < 0x8000_0000 { return .ahead(ahead) }
            return behind <= 32 ? .within(behind - 1) : .restarted
        }
    }
}
