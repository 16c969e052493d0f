public import MatterWire

/// A session of this node, secured or not. Never used for another session in the life of its ``MessageLayer``.
public struct SessionHandle: RawRepresentable, Hashable, Sendable {
    /// A number that only this process knows.
    public var rawValue: UInt64
    /// Creates the value from its members.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Why a session is gone.
public enum SessionCloseReason: Hashable, Sendable {
    /// The peer said so.
    case closedByPeer
    /// This node said so.
    case closedLocally
    /// It made room for a new one.
    case evicted
    /// All its message counters are used.
    case counterExhausted
}

/// What a node knows of one of its sessions.
public struct SessionInfo: Hashable, Sendable {
    /// How a session came to be.
    public enum Kind: Hashable, Sendable { case unsecured, pase, `case` }

    /// How the session came to be.
    public var kind: Kind
    /// This node began the handshake.
    public var isInitiator: Bool
    /// `unspecified` unless CASE made the session.
    public var localNode: NodeID
    /// `unspecified` unless CASE made the session.
    public var peerNode: NodeID
    /// `none` in an unsecured session, and in a PASE session that is not bound.
    public var fabricIndex: FabricIndex
    /// The tags in the peer's certificate.
    public var cats: [CASEAuthenticatedTag]
    /// 16 bytes; empty in an unsecured session.
    public var attestationChallenge: [UInt8]
    /// Where the peer's last authentic message came from.
    public var address: PeerAddress
    /// How patiently to retransmit to the peer.
    public var peerTiming: MRPParameters
    /// Command paths that the peer takes in one invoke.
    public var maxPathsPerInvoke: UInt16
    /// When the peer was last heard.
    public var lastReceived: MonotonicInstant?
    /// A message got no answer and nothing came since: the peer may have vanished or forgotten the session.
    public var isSuspect: Bool
    /// Exchanges that are open or still wait for an acknowledgement.
    public var exchangeCount: Int
}
