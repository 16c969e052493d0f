public import MatterWire

/// What a handshake yields: the keys and facts of a session that both sides now have (Core §4.13.2.1).
public struct EstablishedSession: Hashable, Sendable {
    /// Which handshake made a session.
    public enum Kind: Hashable, Sendable { case pase, `case` }

    /// How the session came to be.
    public var kind: Kind
    /// What peers put into the headers of messages to this node.
    public var localSessionID: SessionID
    /// What this node puts into the headers of messages to the peer.
    public var peerSessionID: SessionID
    /// Encrypts what the handshake's initiator sends, 16 bytes.
    public var initiatorToResponderKey: [UInt8]
    /// Encrypts what the handshake's responder sends, 16 bytes.
    public var responderToInitiatorKey: [UInt8]
    /// Binds attestation to this session, 16 bytes.
    public var attestationChallenge: [UInt8]
    /// This node began the handshake.
    public var isInitiator: Bool
    /// `unspecified` in a PASE session.
    public var localNode: NodeID
    /// `unspecified` in a PASE session.
    public var peerNode: NodeID
    /// This node's index of the fabric; `none` in a PASE session until it is bound.
    public var fabricIndex: FabricIndex
    /// The tags in the peer's certificate.
    public var cats: [CASEAuthenticatedTag]
    /// How patiently to retransmit to the peer.
    public var peerTiming: MRPParameters
    /// Command paths that the peer takes in one invoke.
    public var maxPathsPerInvoke: UInt16

    /// Creates the value from its members.
    public init(
        kind: Kind, localSessionID: SessionID, peerSessionID: SessionID, initiatorToResponderKey: [UInt8],
        responderToInitiatorKey: [UInt8], attestationChallenge: [UInt8], isInitiator: Bool,
        localNode: NodeID = .unspecified, peerNode: NodeID = .unspecified, fabricIndex: FabricIndex = .none,
        cats: [CASEAuthenticatedTag] = [], peerTiming: MRPParameters = MRPParameters(), maxPathsPerInvoke: UInt16 = 1
    ) {
        self.kind = kind
        self.localSessionID = localSessionID
        self.peerSessionID = peerSessionID
        self.initiatorToResponderKey = initiatorToResponderKey
        self.responderToInitiatorKey = responderToInitiatorKey
        self.attestationChallenge = attestationChallenge
        self.isInitiator = isInitiator
        self.localNode = localNode
        self.peerNode = peerNode
        self.fabricIndex = fabricIndex
        self.cats = cats
        self.peerTiming = peerTiming
        self.maxPathsPerInvoke = maxPathsPerInvoke
    }
}
