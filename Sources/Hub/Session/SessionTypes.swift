package import HubControl
package import MatterWire

/// Numbers one running `commission` of a session machine; results under an older number are discarded.
package struct CommissionTicket: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// Time limits of a session (Protocols/commissioning-session.md).
package struct SessionLimits: Hashable, Sendable {
    /// Lifetime from prepare, and what each finished stage extends it to at least.
    package var lifetime: Duration = .seconds(600)
    /// No session lives longer than this after its prepare.
    package var totalLifetime: Duration = .seconds(1_800)
    /// How long an owner without a connection and without a running commission keeps the session.
    package var ownerGrace: Duration = .seconds(120)
    package init() {}
}

/// One session as the machine keeps it.
package struct ActiveSession: Hashable, Sendable {
    package var id: CommissioningSessionID
    package var owner: AppIdentity
    package var startedAt: MonotonicInstant
    package var expiresAt: MonotonicInstant
    /// `expiresAt` never passes this.
    package var hardEnd: MonotonicInstant
    /// When the owner's last connection went; `nil` while one is open.
    package var ownerGoneSince: MonotonicInstant?
    /// Commissioned in this session, oldest first.
    package var provisional: [NodeID] = []
    /// The message of the last failed commission.
    package var lastError: String?
}

/// Why a request is refused in the state that the session is in.
package struct SessionRefusal: Error, Hashable, Sendable {
    package enum Reason: String, Hashable, Sendable {
        case noSession, sessionActive, notOwner, commissionRunning, nothingCommissioned
    }
    package var reason: Reason
    /// The holder, since when, and its time left, for `sessionActive`.
    package var heldBy: AppIdentity?
    package var heldFor: Duration?
    package var expiresIn: Duration?
    package init(reason: Reason, heldBy: AppIdentity? = nil, heldFor: Duration? = nil, expiresIn: Duration? = nil) {
        self.reason = reason
        self.heldBy = heldBy
        self.heldFor = heldFor
        self.expiresIn = expiresIn
    }
}

/// Why a session ended without `complete`.
package enum SessionEndReason: String, Hashable, Sendable {
    case cancelled, forced, superseded, expired, ownerGone, revoked, completed
}

/// A session that is over: what its driver must stop and remove.
package struct EndedSession: Hashable, Sendable {
    package var session: ActiveSession
    package var reason: SessionEndReason
    /// The commission to stop, if one ran.
    package var running: CommissionTicket?
}
