/// Who asks, as the session proves it (Core §6.6.6).
public enum InteractionSubject: Hashable, Sendable {
    /// A PASE session: implicit Administer while it lives.
    case pase
    /// A CASE session of an operational node.
    case operational(NodeID, tags: [CASEAuthenticatedTag])
}

/// What a server must know of the session and the moment in which a request came.
public struct InteractionContext: Hashable, Sendable {
    /// Who asks.
    public var subject: InteractionSubject
    /// The accessing fabric; `none` for PASE before AddNOC.
    public var fabricIndex: FabricIndex
    /// The driver's number of the session, never reused in one process.
    public var session: UInt64
    /// 16 bytes out of the session's key derivation; signs attestation and CSR answers.
    public var attestationChallenge: [UInt8]
    /// The request is inside a valid timed interaction.
    public var isTimed: Bool
    /// The driver's clock at the request.
    public var now: MonotonicInstant
    /// Wall-clock time at the request, as the node knows it.
    public var wallClock: EpochSeconds
    /// Puts together what a request's session and moment are.
    public init(
        subject: InteractionSubject, fabricIndex: FabricIndex, session: UInt64, attestationChallenge: [UInt8],
        isTimed: Bool = false, now: MonotonicInstant, wallClock: EpochSeconds
    ) {
        self.subject = subject
        self.fabricIndex = fabricIndex
        self.session = session
        self.attestationChallenge = attestationChallenge
        self.isTimed = isTimed
        self.now = now
        self.wallClock = wallClock
    }
}
