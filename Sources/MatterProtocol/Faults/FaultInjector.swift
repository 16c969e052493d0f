public import MatterWire

/// Applies a ``FaultPlan`` between a device's message layer and the machines that answer.
///
///     request ──▶ received ──┬─ deliver ──▶ machines ──▶ answer ──▶ sending ──▶ message layer
///                            ├─ hold ────▶ (deadline) ──▶ machines ──▶ …
///                            ├─ answer ────────────────────────────────────▶ message layer
///                            └─ drop · closeSession · reset · vanish
///
/// The driver hands it each message that a peer sent, does what the verdict says, passes each message that it sends
/// through ``sending(_:on:)``, and takes ``timerFired(now:)`` when ``deadline`` comes.
public struct FaultInjector: Sendable {
    /// What is to become of a request.
    public enum Verdict: Hashable, Sendable {
        /// Nothing is wrong with it, or it is another one now: hand this to the machines.
        case deliver(InboundMessage)
        /// It comes again out of ``FaultInjector/timerFired(now:)``.
        case hold
        /// Send this, then close the exchange.
        case answer(OutboundMessage)
        /// Close the exchange without an answer.
        case drop
        /// Close the session, and tell the peer.
        case closeSession
        /// Restart the device with what it stored.
        case reset
        /// Hear and say nothing any more.
        case vanish
    }

    /// A message as it leaves.
    public struct Sending: Hashable, Sendable {
        /// What to send, one after another.
        public var messages: [OutboundMessage]
        /// Break the first datagram of the first of them.
        public var breaksDatagram = false
    }

    /// A request that was held.
    public struct Held: Hashable, Sendable {
        /// What to hand to the machines.
        public var message: InboundMessage
        /// The exchange that it came on; it may be gone.
        public var exchange: ExchangeHandle
        /// It began the exchange.
        public var opens: Bool
        fileprivate var due: MonotonicInstant
    }

    /// What changes the answer on an exchange.
    private enum Change: Sendable { case duplicate, corrupt(FaultCorruption), wrongSignature }

    private let plan: FaultPlan
    /// By rule, the requests so far that it could have applied to.
    private var counts: [Int]
    private var changes: [ExchangeHandle: Change] = [:]
    private var held: [Held] = []
    private var fired: [FaultRule] = []

    /// At most as many requests are held at a time; further ones are answered at once.
    public static let heldLimit = 64

    /// Makes an injector whose counts begin now.
    public init(_ plan: FaultPlan) {
        self.plan = plan
        counts = Array(repeating: 0, count: plan.rules.count)
    }

    /// Whether nothing will ever go wrong.
    public var isIdle: Bool { plan.isEmpty }

    /// When ``timerFired(now:)`` is next due.
    public var deadline: MonotonicInstant? { held.map(\.due).min() }

    /// The rules that applied since the last call, in order.
    public mutating func takeFired() -> [FaultRule] {
        defer { fired = [] }
        return fired
    }

    /// A peer's message came.
    ///
    /// - Parameter opens: it began the exchange.
    public mutating func received(
        _ message: InboundMessage, on exchange: ExchangeHandle, opens: Bool, session: SessionInfo.Kind,
        now: MonotonicInstant
    ) -> Verdict {
        guard !plan.isEmpty, let request = FaultRequest(message, on: session),
            let rule = applying({ rule in
                (rule.stage == nil || rule.stage == request.stage) && request.allows(rule.kind)
            })
        else { return .deliver(message) }
        switch rule.kind {
        case .error(let status): return .answer(request.answer(status))
        case .silence: return .drop
        case .slow(let time):
            guard held.count < Self.heldLimit else { return .deliver(message) }
            held.append(Held(message: message, exchange: exchange, opens: opens, due: now.advanced(by: time)))
            return .hold
        case .duplicate: changes[exchange] = .duplicate
        case .corrupt(let corruption): changes[exchange] = .corrupt(corruption)
        case .wrongSignature: changes[exchange] = .wrongSignature
        case .reset: return .reset
        case .wrongNonce: return .deliver(request.withOtherNonce)
        case .wrongChain: return .deliver(request.forOtherCertificate)
        case .vanish: return .vanish
        case .busyFailSafe:
            return .answer(
                request.answer(.response(GeneralCommissioningResponse.ErrorCode.busyWithOtherAdmin.rawValue)))
        case .fabricTableFull: return .answer(request.answer(.response(NOCResponse.Status.tableFull.rawValue)))
        case .labelConflict: return .answer(request.answer(.response(NOCResponse.Status.labelConflict.rawValue)))
        case .closeSession: return .closeSession
        case .busy(let wait): return .answer(OutboundMessage(StatusReport.busy(wait: wait)))
        }
        return .deliver(message)
    }

    /// The device sends a message.
    public mutating func sending(_ message: OutboundMessage, on exchange: ExchangeHandle) -> Sending {
        guard !changes.isEmpty, let change = changes.removeValue(forKey: exchange) else {
            return Sending(messages: [message])
        }
        switch change {
        case .duplicate: return Sending(messages: [message, message])
        case .corrupt(.datagram): return Sending(messages: [message], breaksDatagram: true)
        case .corrupt(.payload): return Sending(messages: [Self.garbled(message)])
        case .wrongSignature: return Sending(messages: [Self.wronglySigned(message)])
        }
    }

    /// An exchange is over.
    public mutating func closed(_ exchange: ExchangeHandle) {
        guard !changes.isEmpty else { return }
        changes[exchange] = nil
    }

    /// The device restarted: what was in its memory is gone, the counts are not.
    public mutating func restarted() {
        changes = [:]
        held = []
    }

    /// Ends the injector's work.
    ///
    /// - Returns: the exchanges whose requests were held; close them.
    public mutating func abandon() -> [ExchangeHandle] {
        defer { restarted() }
        return held.map(\.exchange)
    }

    /// - Returns: what is to be handed to the machines now.
    public mutating func timerFired(now: MonotonicInstant) -> [Held] {
        let due = held.filter { $0.due <= now }
        if !due.isEmpty { held.removeAll { $0.due <= now } }
        return due
    }

    /// How a commissioning window is announced wrongly.
    public enum Announcement: Hashable, Sendable {
        case right, absent
        /// Once more, under another name and on a port where nobody is.
        case twice
        case withoutPort
    }

    /// A window is announced.
    public mutating func announcing() -> Announcement {
        let rule = applying { $0.stage == .discover }
        switch rule?.kind {
        case .silence?: return .absent
        case .duplicate?: return .twice
        case .corrupt?: return .withoutPort
        case .error?, .slow?, .reset?, .wrongSignature?, .wrongNonce?, .wrongChain?, .vanish?, .busyFailSafe?,
            .fabricTableFull?, .labelConflict?, .closeSession?, .busy?, nil:
            return .right
        }
    }

    /// Counts for every rule that a request is meant by.
    ///
    /// - Returns: the first whose turn it is.
    private mutating func applying(_ isMeant: (FaultRule) -> Bool) -> FaultRule? {
        var chosen: FaultRule?
        for (index, rule) in plan.rules.enumerated() where isMeant(rule) {
            counts[index] += 1
            guard chosen == nil, counts[index] >= rule.from else { continue }
            if let times = rule.times, counts[index] >= rule.from + times { continue }
            chosen = rule
        }
        if let chosen { fired.append(chosen) }
        return chosen
    }

    // MARK: - Broken answers

    /// Every third byte differs, the first too: no TLV, no status report.
    private static func garbled(_ message: OutboundMessage) -> OutboundMessage {
        var message = message
        for index in stride(from: 0, to: message.payload.count, by: 3) { message.payload[index] ^= 0x5A }
        return message
    }

    /// Another bit in the signature of AttestationResponse or CSRResponse.
    private static func wronglySigned(_ message: OutboundMessage) -> OutboundMessage {
        let received = InboundMessage(protocolID: message.protocolID, opcode: message.opcode, payload: message.payload)
        guard message.opcode == InteractionOpcode.invokeResponse.rawValue,
            var response = received.decoded(InvokeResponse.self), case .command(var block)? = response.responses.first,
            let elements = block.fields[0], var signature = block.fields[1]?.octets, !signature.isEmpty
        else { return message }
        signature[signature.count - 1] ^= 1
        block.fields = .members((0, elements), (1, .octets(signature)))
        response.responses[0] = .command(block)
        var changed = message
        changed.payload = response.encoded()
        return changed
    }
}
