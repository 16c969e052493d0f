package import HubControl
package import MatterWire

/// The one commissioning session of a structure (Protocols/commissioning-session.md).
///
///     none ── prepare ──▶ prepared ── beginCommission ──▶ commissioning ── succeeded, failed ──▶ prepared
///      ▲                     │                                │
///      └── complete, cancel, timer, revoke, superseded ───────┘   (complete only from prepared)
///
/// Permission, reachability and the structure's existence are checked by the caller, before `prepare`.
/// A method that ends a session returns it, so that the driver stops the commission and removes provisional devices.
package struct SessionMachine: Sendable {
    private enum State: Hashable, Sendable {
        case none
        case prepared(ActiveSession)
        case commissioning(ActiveSession, CommissionTicket)
    }

    private var state = State.none
    private var nextTicket: UInt64 = 1
    private let limits: SessionLimits

    package init(limits: SessionLimits = .init()) { self.limits = limits }

    /// The active session; `nil` without one.
    package var session: ActiveSession? {
        switch state {
        case .none: nil
        case .prepared(let session), .commissioning(let session, _): session
        }
    }

    /// The running commission; `nil` without one.
    package var running: CommissionTicket? {
        switch state {
        case .none, .prepared: nil
        case .commissioning(_, let ticket): ticket
        }
    }

    /// When ``timerFired(now:)`` is next due.
    package var deadline: MonotonicInstant? {
        switch state {
        case .none: nil
        case .commissioning(let session, _): session.expiresAt
        case .prepared(let session): [session.expiresAt, graceEnd(of: session)].compactMap(\.self).min()
        }
    }

    // MARK: - Requests

    /// Opens a session for `owner`.
    ///
    /// - Parameter lifetime: what the client asked for, already within 1 s … 30 min; `nil` for the default.
    /// - Returns: the session that this one supersedes, if any.
    /// - Throws: ``SessionRefusal`` `sessionActive` or `commissionRunning`; the state is as before.
    package mutating func prepare(
        id: CommissioningSessionID, owner: AppIdentity, lifetime: Duration?, now: MonotonicInstant
    ) throws(SessionRefusal) -> EndedSession? {
        let superseded: EndedSession?
        switch state {
        case .none:
            superseded = nil
        case .prepared(let session):
            guard session.owner == owner else { throw held(session, now) }
            superseded = EndedSession(session: session, reason: .superseded, running: nil)
        case .commissioning(let session, let ticket):
            guard session.owner == owner else { throw held(session, now) }
            guard session.ownerGoneSince != nil else { throw SessionRefusal(reason: .commissionRunning) }
            superseded = EndedSession(session: session, reason: .superseded, running: ticket)
        }
        let hardEnd = now.advanced(by: limits.totalLifetime)
        state = .prepared(
            ActiveSession(
                id: id, owner: owner, startedAt: now,
                expiresAt: min(now.advanced(by: lifetime ?? limits.lifetime), hardEnd), hardEnd: hardEnd))
        return superseded
    }

    /// Begins a commission in the owner's session.
    package mutating func beginCommission(by owner: AppIdentity) throws(SessionRefusal) -> CommissionTicket {
        let session = try preparedSession(of: owner)
        let ticket = CommissionTicket(rawValue: nextTicket)
        nextTicket += 1
        state = .commissioning(session, ticket)
        return ticket
    }

    /// The provisional device that `configure` names: the newest.
    package func configurable(by owner: AppIdentity) throws(SessionRefusal) -> NodeID {
        guard let node = try preparedSession(of: owner).provisional.last else {
            throw SessionRefusal(reason: .nothingCommissioned)
        }
        return node
    }

    /// Ends the session and gives its provisional devices, which the driver makes devices in one transaction.
    /// When that fails, ``restore(_:)`` brings the session back.
    package mutating func complete(by owner: AppIdentity) throws(SessionRefusal) -> ActiveSession {
        let session = try preparedSession(of: owner)
        guard !session.provisional.isEmpty else { throw SessionRefusal(reason: .nothingCommissioned) }
        state = .none
        return session
    }

    /// Brings a session back whose completion could not be stored.
    ///
    /// - Returns: `false` when another one is active meanwhile; its devices must then be removed.
    package mutating func restore(_ session: ActiveSession) -> Bool {
        guard case .none = state else { return false }
        state = .prepared(session)
        return true
    }

    /// Cancels the owner's session, or anyone's with `force`. Idempotent.
    ///
    /// - Returns: `nil` when there is none.
    /// - Throws: `notOwner` when the session is another app's and `force` is false.
    package mutating func cancel(by owner: AppIdentity, force: Bool) throws(SessionRefusal) -> EndedSession? {
        guard let session else { return nil }
        guard force || session.owner == owner else { throw SessionRefusal(reason: .notOwner, heldBy: session.owner) }
        return end(session.owner == owner ? .cancelled : .forced)
    }

    // MARK: - Events

    /// A stage of the running commission is done: the session gets more time. Late ones are ignored.
    package mutating func stageFinished(_ ticket: CommissionTicket, now: MonotonicInstant) {
        guard case .commissioning(var session, ticket) = state else { return }
        session.expiresAt = min(max(session.expiresAt, now.advanced(by: limits.lifetime)), session.hardEnd)
        state = .commissioning(session, ticket)
    }

    /// The running commission made `node` a provisional device.
    ///
    /// - Returns: `false` for a late result; the device must then be removed.
    package mutating func commissionSucceeded(
        _ ticket: CommissionTicket, node: NodeID, now: MonotonicInstant
    ) -> Bool {
        guard case .commissioning(var session, ticket) = state else { return false }
        session.provisional.append(node)
        session.lastError = nil
        commissionEnded(session, now: now)
        return true
    }

    /// The running commission failed; the session and its other devices stay.
    ///
    /// - Returns: `false` for a late result.
    package mutating func commissionFailed(
        _ ticket: CommissionTicket, message: String, now: MonotonicInstant
    ) -> Bool {
        guard case .commissioning(var session, ticket) = state else { return false }
        session.lastError = message
        commissionEnded(session, now: now)
        return true
    }

    /// The owner has a connection again.
    package mutating func ownerConnected(_ owner: AppIdentity) { setOwnerGone(owner, since: nil) }

    /// The owner's last connection is gone.
    package mutating func ownerDisconnected(_ owner: AppIdentity, now: MonotonicInstant) {
        setOwnerGone(owner, since: now)
    }

    /// The owner's permission is gone; ends its session at once.
    package mutating func grantRevoked(_ owner: AppIdentity) -> EndedSession? {
        session?.owner == owner ? end(.revoked) : nil
    }

    /// Ends the session when its life or the owner's grace is over.
    package mutating func timerFired(now: MonotonicInstant) -> EndedSession? {
        guard let session, let deadline, now >= deadline else { return nil }
        return end(now >= session.expiresAt ? .expired : .ownerGone)
    }

    // MARK: - Private

    private mutating func end(_ reason: SessionEndReason) -> EndedSession? {
        guard let session else { return nil }
        let running = running
        state = .none
        return EndedSession(session: session, reason: reason, running: running)
    }

    /// The grace of an owner without a connection begins now: before, there was nothing that it could have lost.
    private mutating func commissionEnded(_ session: ActiveSession, now: MonotonicInstant) {
        var session = session
        if session.ownerGoneSince != nil { session.ownerGoneSince = now }
        state = .prepared(session)
    }

    private func preparedSession(of owner: AppIdentity) throws(SessionRefusal) -> ActiveSession {
        switch state {
        case .none:
            throw SessionRefusal(reason: .noSession)
        case .prepared(let session):
            guard session.owner == owner else { throw SessionRefusal(reason: .notOwner, heldBy: session.owner) }
            return session
        case .commissioning(let session, _):
            guard session.owner == owner else { throw SessionRefusal(reason: .notOwner, heldBy: session.owner) }
            throw SessionRefusal(reason: .commissionRunning)
        }
    }

    private func held(_ session: ActiveSession, _ now: MonotonicInstant) -> SessionRefusal {
        SessionRefusal(
            reason: .sessionActive, heldBy: session.owner, heldFor: session.startedAt.duration(to: now),
            expiresIn: now.duration(to: session.expiresAt))
    }

    private func graceEnd(of session: ActiveSession) -> MonotonicInstant? {
        session.ownerGoneSince?.advanced(by: limits.ownerGrace)
    }

    private mutating func setOwnerGone(_ owner: AppIdentity, since: MonotonicInstant?) {
        switch state {
        case .none: return
        case .prepared(var session):
            guard session.owner == owner else { return }
            session.ownerGoneSince = since
            state = .prepared(session)
        case .commissioning(var session, let ticket):
            guard session.owner == owner else { return }
            session.ownerGoneSince = since
            state = .commissioning(session, ticket)
        }
    }
}
