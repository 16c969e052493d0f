import MatterWire

/// One reliable message on its way (Core §4.12.2).
///
/// ```
///            timeout, transmissions < 5
///            ┌───────────┐
///  init ──▶ inFlight ◀───┘ ── timeout, transmissions == 5 ──▶ gaveUp
///               └── acknowledged(counter) ──▶ (the owner drops it)
/// ```
struct Retransmitter: Sendable {
    enum Action: Hashable, Sendable { case none, transmit, giveUp }

    /// The counter that an acknowledgement must name.
    let counter: MessageCounter
    /// The datagram; every transmission has the same bytes.
    let datagram: [UInt8]
    let firstSent: MonotonicInstant
    private(set) var transmissions = 1
    /// When the next transmission, or giving up, is due.
    private(set) var deadline: MonotonicInstant

    /// - Parameters:
    ///   - interval: the peer's interval at `now`.
    ///   - jitter: a uniform draw from `0...1`.
    init(counter: MessageCounter, datagram: [UInt8], now: MonotonicInstant, interval: Duration, jitter: Double) {
        self.counter = counter
        self.datagram = datagram
        firstSent = now
        deadline = now.advanced(by: MRP.wait(after: 0, interval: interval, jitter: jitter))
    }

    /// - Parameters:
    ///   - interval: the peer's interval at `now`.
    ///   - jitter: a uniform draw from `0...1`.
    mutating func timerFired(now: MonotonicInstant, interval: Duration, jitter: Double) -> Action {
        guard now >= deadline else { return .none }
        guard transmissions < MRP.maximumTransmissions else { return .giveUp }
        deadline = now.advanced(by: MRP.wait(after: transmissions, interval: interval, jitter: jitter))
        transmissions += 1
        return .transmit
    }
}
