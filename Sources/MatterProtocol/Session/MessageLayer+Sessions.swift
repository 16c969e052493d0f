public import MatterWire

extension MessageLayer {
    // MARK: - Opening

    /// Begins an unsecured session for one handshake with the node at `address`. O(n) in unsecured sessions when many idle.
    ///
    /// - Parameter timing: what is known of the peer, for example from its DNS-SD record.
    public mutating func openUnsecuredSession(
        to address: PeerAddress, timing: MRPParameters = MRPParameters(), now: MonotonicInstant
    ) -> SessionHandle {
        evictIdleUnsecured(keeping: limits.idleUnsecuredSessions - 1)
        let ephemeralID = newEphemeralID()
        let handle = SessionHandle(rawValue: newHandle())
        sessions[handle] = Session(
            handle: handle, channel: .unsecured(.init(isInitiator: true, ephemeralID: ephemeralID)),
            address: address, timing: timing, now: now)
        unsecuredByPeer[UnsecuredKey(ephemeralID: ephemeralID, peer: nil)] = handle
        return handle
    }

    /// The session in which a peer's first handshake message came; `nil` when there is no room for it.
    mutating func acceptUnsecuredSession(
        from address: PeerAddress, ephemeralID: NodeID, counter: MessageCounter, now: MonotonicInstant,
        _ actions: inout [Action]
    ) -> SessionHandle? {
        guard makeRoomForUnsecuredPeer(now: now, &actions) else { return nil }
        let handle = SessionHandle(rawValue: newHandle())
        sessions[handle] = Session(
            handle: handle,
            channel: .unsecured(
                .init(isInitiator: false, ephemeralID: ephemeralID, window: CounterWindow(first: counter))),
            address: address, timing: MRPParameters(), now: now)
        unsecuredByPeer[UnsecuredKey(ephemeralID: ephemeralID, peer: address)] = handle
        return handle
    }

    /// Takes over the keys of a handshake that ended well.
    ///
    /// When all sessions are taken, the one unused for longest closes, out of the fabric that has most. A session that still
    /// has the local number closes too. O(n) in sessions then, else O(1).
    ///
    /// - Returns: the session, and what the driver must do about evicted ones.
    /// - Throws: ``MessageLayerError`` `cryptography` when a key has not 16 bytes.
    public mutating func addSession(
        _ established: EstablishedSession, peer: PeerAddress, now: MonotonicInstant
    ) throws(MessageLayerError) -> (session: SessionHandle, actions: [Action]) {
        let channel: Session.SecureChannel
        do {
            channel = try Session.SecureChannel(established, counter: newSendCounter())
        } catch {
            throw MessageLayerError(.cryptography)
        }
        var actions: [Action] = []
        if let old = secureByID[established.localSessionID] { end(old, .evicted, notify: true, now: now, &actions) }
        if secureByID.count >= limits.secureSessions, let victim = leastNeededSession() {
            end(victim, .evicted, notify: true, now: now, &actions)
        }
        let handle = SessionHandle(rawValue: newHandle())
        var session = Session(
            handle: handle, channel: .secure(channel), address: peer, timing: established.peerTiming, now: now)
        session.lastReceived = now
        sessions[handle] = session
        secureByID[established.localSessionID] = handle
        if let peer = established.operationalPeer { operational[peer, default: []].append(handle) }
        return (handle, actions)
    }

    // MARK: - Facts

    /// What is known of a session; `nil` when it is closed. O(1).
    public func session(_ handle: SessionHandle) -> SessionInfo? { sessions[handle]?.info }

    /// The session that an exchange lives on; `nil` when the exchange is over.
    public func session(of exchange: ExchangeHandle) -> SessionHandle? { exchanges[exchange]?.session }

    /// The established sessions, in no order. O(n).
    public var secureSessions: [SessionHandle] { Array(secureByID.values) }

    /// The best CASE session with a node: the newest that answered, else the newest. O(number of sessions with that node).
    public func operationalSession(with node: NodeID, on fabric: FabricIndex) -> SessionHandle? {
        let handles = operational[OperationalPeer(fabric: fabric, node: node)] ?? []
        return handles.last { sessions[$0]?.isSuspect == false } ?? handles.last
    }

    /// The established sessions of a fabric, PASE sessions bound to it included. O(n).
    public func sessions(on fabric: FabricIndex) -> [SessionHandle] {
        secureByID.values.filter { sessions[$0]?.facts?.fabricIndex == fabric }
    }

    /// Takes what a peer said of its timing in a handshake.
    public mutating func setPeerTiming(_ timing: MRPParameters, of handle: SessionHandle) {
        sessions[handle]?.timing = timing
    }

    /// Ties a PASE session to the fabric that AddNOC made over it. Other sessions keep theirs.
    public mutating func bindPASESession(_ handle: SessionHandle, to fabric: FabricIndex) {
        guard case .secure(var secure) = sessions[handle]?.channel, secure.facts.kind == .pase else { return }
        secure.facts.fabricIndex = fabric
        sessions[handle]?.channel = .secure(secure)
    }

    /// How long an answer to a request may take: the request's longest way to the peer, and the peer's work. `nil` when closed.
    ///
    /// - Parameter processing: what the peer may need, for example 2 s for a read and 7 s for a CSR or a NOC.
    public func responseTimeout(
        on handle: SessionHandle, processing: Duration, now: MonotonicInstant
    ) -> Duration? {
        sessions[handle].map { MRP.longestDelivery(interval: $0.interval(now: now)) + processing }
    }

    // MARK: - Closing

    /// Ends a session; its exchanges fail with `sessionClosed`.
    ///
    /// - Parameter notifyPeer: send a CloseSession report, once and without retransmission. Only for established sessions.
    public mutating func closeSession(
        _ handle: SessionHandle, notifyPeer: Bool, now: MonotonicInstant
    ) -> [Action] {
        var actions: [Action] = []
        end(handle, .closedLocally, notify: notifyPeer, now: now, &actions)
        settleTimers()
        return actions
    }

    /// Ends a session as soon as its last exchange is over: at once when it has none.
    ///
    /// For the answer to a command that ends its own session, such as RemoveFabric.
    public mutating func closeSessionWhenIdle(
        _ handle: SessionHandle, notifyPeer: Bool, now: MonotonicInstant
    ) -> [Action] {
        guard let session = sessions[handle] else { return [] }
        if session.exchanges.isEmpty { return closeSession(handle, notifyPeer: notifyPeer, now: now) }
        sessions[handle]?.closeWhenIdle = notifyPeer
        return []
    }

    /// Forgets a session, failing its exchanges.
    mutating func end(
        _ handle: SessionHandle, _ reason: SessionCloseReason, notify: Bool, now: MonotonicInstant,
        _ actions: inout [Action]
    ) {
        guard let session = sessions[handle] else { return }
        if notify, session.isSecure { sendCloseReport(on: handle, &actions) }
        for exchange in session.exchanges.sorted(by: { $0.rawValue < $1.rawValue }) {
            fail(exchange, .sessionClosed(reason), now: now, &actions)
        }
        sessions[handle] = nil
        switch session.channel {
        case .unsecured(let unsecured):
            unsecuredByPeer[
                UnsecuredKey(
                    ephemeralID: unsecured.ephemeralID, peer: unsecured.isInitiator ? nil : session.address)] = nil
        case .secure(let secure):
            secureByID[secure.facts.localSessionID] = nil
            if let peer = secure.facts.operationalPeer {
                operational[peer]?.removeAll { $0 == handle }
                if operational[peer]?.isEmpty == true { operational[peer] = nil }
            }
            actions.append(.sessionClosed(handle, reason))
        }
    }

    private mutating func sendCloseReport(on handle: SessionHandle, _ actions: inout [Action]) {
        let header = ProtocolHeader(
            isFromInitiator: true, isReliable: false, opcode: SecureChannelOpcode.statusReport.rawValue,
            exchangeID: newExchangeID(on: handle), protocolID: .secureChannel)
        guard let sealed = seal(header, StatusReport.closeSession.encoded(), on: handle) else { return }
        actions.append(.transmit(sealed.datagram, to: sealed.address))
    }

    // MARK: - Eviction

    private func leastNeededSession() -> SessionHandle? {
        let all = secureByID.values.compactMap { sessions[$0] }
        let perFabric = Dictionary(grouping: all) { $0.facts?.fabricIndex ?? .none }.mapValues(\.count)
        return all.min { lhs, rhs in
            let left = perFabric[lhs.facts?.fabricIndex ?? .none] ?? 0
            let right = perFabric[rhs.facts?.fabricIndex ?? .none] ?? 0
            if left != right { return left > right }
            if lhs.exchanges.isEmpty != rhs.exchanges.isEmpty { return lhs.exchanges.isEmpty }
            return lhs.lastUsed == rhs.lastUsed
                ? lhs.handle.rawValue < rhs.handle.rawValue : lhs.lastUsed < rhs.lastUsed
        }?.handle
    }

    /// Forgets unsecured sessions of this node that have no exchange, until at most `keeping` of them are left.
    private mutating func evictIdleUnsecured(keeping count: Int) {
        guard unsecuredByPeer.count > count else { return }
        let idle = unsecuredByPeer.compactMap { key, handle in
            key.peer == nil ? sessions[handle].flatMap { $0.exchanges.isEmpty ? (key: key, session: $0) : nil } : nil
        }
        guard idle.count > count else { return }
        for victim in idle.sorted(by: { $0.session.lastUsed < $1.session.lastUsed }).prefix(idle.count - count) {
            sessions[victim.session.handle] = nil
            unsecuredByPeer[victim.key] = nil
        }
    }

    /// Makes room for an unsecured session that a peer begins: the place of one that only waits for a last acknowledgement.
    ///
    /// - Returns: `false` when handshakes run on all of them.
    private mutating func makeRoomForUnsecuredPeer(now: MonotonicInstant, _ actions: inout [Action]) -> Bool {
        guard unsecuredByPeer.count >= limits.unsecuredPeers else { return true }
        let peers = unsecuredByPeer.filter { $0.key.peer != nil }
        guard peers.count >= limits.unsecuredPeers else { return true }
        let over = peers.values.compactMap { sessions[$0] }.filter { session in
            session.exchanges.allSatisfy { exchanges[$0]?.isClosing != false }
        }
        let victim = over.min {
            ($0.exchanges.count, $0.lastUsed, $0.handle.rawValue) < (
                $1.exchanges.count, $1.lastUsed, $1.handle.rawValue
            )
        }
        guard let victim else { return false }
        end(victim.handle, .evicted, notify: false, now: now, &actions)
        return true
    }
}

extension EstablishedSession {
    var operationalPeer: OperationalPeer? {
        kind == .case ? OperationalPeer(fabric: fabricIndex, node: peerNode) : nil
    }
}
