import MatterCrypto
import MatterWire

/// The state of one session within a ``MessageLayer``.
struct Session: Sendable {
    enum Channel: Sendable {
        case unsecured(UnsecuredChannel)
        case secure(SecureChannel)
    }

    /// Messages in clear, told apart by the initiator's ephemeral node id.
    struct UnsecuredChannel: Hashable, Sendable {
        let isInitiator: Bool
        let ephemeralID: NodeID
        /// `nil` until the first message came.
        var window: CounterWindow?
    }

    /// Keys, counters and facts of an established session.
    struct SecureChannel: Sendable {
        var facts: EstablishedSession
        let sendKey: AESCCM
        let receiveKey: AESCCM
        var counter: SendCounter
        var window = CounterWindow()
    }

    let handle: SessionHandle
    var channel: Channel
    var address: PeerAddress
    var timing: MRPParameters
    var lastReceived: MonotonicInstant?
    var lastUsed: MonotonicInstant
    var isSuspect = false
    /// Ids of the exchanges that live on this session.
    var exchanges: Set<ExchangeHandle> = []
    /// Exchanges that the peer began.
    var peerExchangeCount = 0
    /// Counters of reliable messages without an acknowledgement, oldest first. Established sessions only.
    private(set) var unacknowledged: [MessageCounter] = []
    /// Exchanges whose next message waits until ``mayRunAhead`` holds again, in their order.
    var waiting: [ExchangeHandle] = []
    /// Close when the last exchange ends, and whether to tell the peer.
    var closeWhenIdle: Bool?

    /// The peer's retransmission interval at this moment.
    func interval(now: MonotonicInstant) -> Duration {
        guard let lastReceived, lastReceived.duration(to: now) <= timing.activeThreshold else {
            return timing.idleInterval
        }
        return timing.activeInterval
    }

    /// Whether a new message leaves the oldest unacknowledged one within the peer's window of 32 counters.
    ///
    /// A message that was lost while more than 32 others passed would come too late when it is sent again: the peer takes it for
    /// a duplicate, acknowledges it and drops it. Half of the window is left for acknowledgements, which can't wait.
    var mayRunAhead: Bool {
        guard case .secure(let secure) = channel, let oldest = unacknowledged.first else { return true }
        return secure.counter.upcoming - oldest.rawValue < MRP.maximumRunAhead
    }

    /// A reliable message went out.
    mutating func sent(_ counter: MessageCounter) { if isSecure { unacknowledged.append(counter) } }

    /// A message was acknowledged or given up.
    mutating func settled(_ counter: MessageCounter) {
        if let index = unacknowledged.firstIndex(of: counter) { unacknowledged.remove(at: index) }
    }

    var isSecure: Bool { if case .secure = channel { true } else { false } }

    var facts: EstablishedSession? { if case .secure(let secure) = channel { secure.facts } else { nil } }

    var info: SessionInfo {
        switch channel {
        case .unsecured(let unsecured):
            SessionInfo(
                kind: .unsecured, isInitiator: unsecured.isInitiator, localNode: .unspecified, peerNode: .unspecified,
                fabricIndex: .none, cats: [], attestationChallenge: [], address: address, peerTiming: timing,
                maxPathsPerInvoke: 1, lastReceived: lastReceived, isSuspect: isSuspect,
                exchangeCount: exchanges.count)
        case .secure(let secure):
            SessionInfo(
                kind: secure.facts.kind == .pase ? .pase : .case, isInitiator: secure.facts.isInitiator,
                localNode: secure.facts.localNode, peerNode: secure.facts.peerNode,
                fabricIndex: secure.facts.fabricIndex, cats: secure.facts.cats,
                attestationChallenge: secure.facts.attestationChallenge, address: address, peerTiming: timing,
                maxPathsPerInvoke: secure.facts.maxPathsPerInvoke, lastReceived: lastReceived, isSuspect: isSuspect,
                exchangeCount: exchanges.count)
        }
    }

    init(handle: SessionHandle, channel: Channel, address: PeerAddress, timing: MRPParameters, now: MonotonicInstant) {
        self.handle = handle
        self.channel = channel
        self.address = address
        self.timing = timing
        lastUsed = now
    }
}

extension Session.SecureChannel {
    /// - Throws: ``CryptoError`` when a key has not 16 bytes.
    init(_ facts: EstablishedSession, counter: SendCounter) throws(CryptoError) {
        self.facts = facts
        let initiatorKey = try AESCCM(key: facts.initiatorToResponderKey)
        let responderKey = try AESCCM(key: facts.responderToInitiatorKey)
        sendKey = facts.isInitiator ? initiatorKey : responderKey
        receiveKey = facts.isInitiator ? responderKey : initiatorKey
        self.counter = counter
    }
}
