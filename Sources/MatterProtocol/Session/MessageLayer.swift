public import MatterWire

/// Sessions and exchanges of one UDP endpoint of a node, without any input or output of its own (Core §4.4 – §4.12).
///
/// ```
///  datagramReceived ──▶ header ▶ session ▶ decrypt ▶ window ▶ exchange ──▶ opened / received / delivered
///  send ──▶ exchange ▶ (queue while one is in flight) ▶ counter ▶ encrypt ──▶ transmit
///  timerFired ──▶ retransmissions (then failed), acknowledgements that found no message to ride on
/// ```
/// The driver performs the actions in order, and calls ``timerFired(now:)`` when ``deadline`` comes.
/// What a peer controls is bounded by ``Limits``. Every call costs O(log n) in the number of exchanges, except where
/// a declaration says otherwise.
public struct MessageLayer: Sendable {
    /// What the driver has to do, or to know.
    public enum Action: Hashable, Sendable {
        /// Send this datagram.
        case transmit([UInt8], to: PeerAddress)
        /// A peer began an exchange; its first message.
        case opened(ExchangeHandle, on: SessionHandle, InboundMessage)
        /// A further message of an open exchange.
        case received(ExchangeHandle, InboundMessage)
        /// The reliable message in flight was acknowledged. Reported once a message, also after ``MessageLayer/close(_:now:)``.
        case delivered(ExchangeHandle)
        /// The exchange is over. Reported at most once; the handle is then unknown.
        case failed(ExchangeHandle, ExchangeFailure)
        /// The session is over, its exchanges have failed. Not reported for unsecured sessions.
        case sessionClosed(SessionHandle, SessionCloseReason)
    }

    /// How much a node keeps.
    public struct Limits: Hashable, Sendable {
        /// Established sessions; a further one evicts another.
        public var secureSessions: Int
        /// Unsecured sessions that peers began. When all are in use, first messages of others are dropped.
        public var unsecuredPeers: Int
        /// Unsecured sessions of this node that are kept after their exchange ended, to acknowledge late duplicates.
        public var idleUnsecuredSessions: Int
        /// Exchanges of all sessions.
        public var exchanges: Int
        /// Exchanges that one peer may have begun on one established session.
        public var peerExchangesPerSession: Int
        /// Exchanges that one peer may have begun on one unsecured session; a handshake needs one.
        public var peerExchangesPerUnsecuredSession: Int
        /// Messages that wait on one exchange.
        public var queuedMessages: Int

        /// Creates the limits; the defaults suit a hub with hundreds of devices.
        public init(
            secureSessions: Int = 1024, unsecuredPeers: Int = 16, idleUnsecuredSessions: Int = 16,
            exchanges: Int = 2048, peerExchangesPerSession: Int = 32, peerExchangesPerUnsecuredSession: Int = 2,
            queuedMessages: Int = 8
        ) {
            self.secureSessions = secureSessions
            self.unsecuredPeers = unsecuredPeers
            self.idleUnsecuredSessions = idleUnsecuredSessions
            self.exchanges = exchanges
            self.peerExchangesPerSession = peerExchangesPerSession
            self.peerExchangesPerUnsecuredSession = peerExchangesPerUnsecuredSession
            self.queuedMessages = queuedMessages
        }
    }

    /// The longest datagram: what fits one IPv6 packet of 1280 bytes.
    public static let maximumDatagramCount = 1232
    /// The longest payload of a message, whatever its headers: 1198 bytes.
    public static let maximumPayloadCount = maximumDatagramCount - 8 - ProtocolHeader.maximumByteCount - 16

    /// The limits in force.
    public let limits: Limits

    var sessions: [SessionHandle: Session] = [:]
    var secureByID: [SessionID: SessionHandle] = [:]
    var unsecuredByPeer: [UnsecuredKey: SessionHandle] = [:]
    /// Established sessions with one operational node, oldest first.
    var operational: [OperationalPeer: [SessionHandle]] = [:]
    var exchanges: [ExchangeHandle: Exchange] = [:]
    var exchangeByKey: [ExchangeKey: ExchangeHandle] = [:]
    var timers = DeadlineQueue()

    private let random: RandomSource
    private var lastHandle: UInt64 = 0
    private var lastSessionID: UInt16
    private var lastExchangeID: UInt16
    var unsecuredCounter: SendCounter

    /// Creates a layer without sessions.
    ///
    /// - Parameter random: for identifiers, counters and jitter; never for keys.
    public init(random: RandomSource, limits: Limits = Limits()) {
        self.random = random
        self.limits = limits
        lastSessionID = UInt16(truncatingIfNeeded: random.next())
        lastExchangeID = UInt16(truncatingIfNeeded: random.next())
        unsecuredCounter = SendCounter(random: random)
    }

    /// When ``timerFired(now:)`` is next due; `nil` when no timer is wanted. O(1).
    public var deadline: MonotonicInstant? { timers.first?.deadline }

    // MARK: - Numbers

    mutating func newHandle() -> UInt64 {
        lastHandle += 1
        return lastHandle
    }

    mutating func newExchangeID(on session: SessionHandle) -> ExchangeID {
        repeat {
            lastExchangeID &+= 1
        } while exchangeByKey[
            ExchangeKey(session: session, id: ExchangeID(rawValue: lastExchangeID), isInitiator: true)] != nil
        return ExchangeID(rawValue: lastExchangeID)
    }

    /// A number for a session that a handshake will make: 1 … 65535, not in use, another one each time.
    ///
    /// Nothing is reserved: a number comes again after 65,535 calls only.
    public mutating func allocateSessionID() -> SessionID {
        repeat {
            lastSessionID &+= 1
        } while lastSessionID == 0 || secureByID[SessionID(rawValue: lastSessionID)] != nil
        return SessionID(rawValue: lastSessionID)
    }

    /// An ephemeral node id for a new unsecured session.
    func newEphemeralID() -> NodeID {
        while true {
            let id = NodeID(rawValue: random.next())
            if id.isOperational { return id }
        }
    }

    func newSendCounter() -> SendCounter { SendCounter(random: random) }
    func jitter() -> Double { random.unit() }
}

/// What names an unsecured session on the wire.
struct UnsecuredKey: Hashable, Sendable {
    /// The id that the session's initiator drew.
    let ephemeralID: NodeID
    /// Where the peer is, in sessions that peers began; several may draw one id.
    let peer: PeerAddress?
}

/// A node on one of this node's fabrics.
struct OperationalPeer: Hashable, Sendable {
    let fabric: FabricIndex
    let node: NodeID
}
