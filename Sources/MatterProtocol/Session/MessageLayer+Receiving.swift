import MatterCrypto
public import MatterWire

extension MessageLayer {
    /// Takes one datagram. What is not for this node, not authentic or not well formed is dropped without an answer.
    public mutating func datagramReceived(
        _ bytes: [UInt8], from address: PeerAddress, now: MonotonicInstant
    ) -> [Action] {
        var actions: [Action] = []
        var reader = ByteReader(bytes)
        // The reasons are of no use to anybody here: whatever does not decode is dropped (Core §4.7.2).
        guard let header = try? MessageHeader(decoding: &reader), header.sessionType == .unicast, !header.hasPrivacy
        else { return [] }
        if header.isUnsecured {
            receiveUnsecured(header, &reader, from: address, now: now, &actions)
        } else {
            receiveSecure(header, bytes, &reader, from: address, now: now, &actions)
        }
        settleTimers()
        return actions
    }

    // MARK: - Sessions

    private mutating func receiveSecure(
        _ header: MessageHeader, _ bytes: [UInt8], _ reader: inout ByteReader, from address: PeerAddress,
        now: MonotonicInstant, _ actions: inout [Action]
    ) {
        guard let handle = secureByID[header.sessionID], case .secure(let secure) = sessions[handle]?.channel else {
            return
        }
        let associated = Array(bytes[..<reader.offset])
        // A message that does not authenticate is dropped (Core §4.7.2): nothing in it can be trusted.
        guard
            let plain = try? secure.receiveKey.open(
                Array(reader.rest()), nonce: header.nonce(sender: secure.facts.peerNode), aad: associated)
        else { return }
        var inner = ByteReader(plain)
        // Who sends no whole header is a peer with a fault; it has nothing to answer to.
        guard let message = try? ProtocolHeader(decoding: &inner) else { return }
        let verdict = secure.window.verdict(header.counter)
        heard(handle, now: now)
        if verdict == .duplicate {
            acknowledgeDuplicate(message, header.counter, on: handle, &actions)
            return
        }
        guard admits(message, on: handle) else { return }
        sessions[handle]?.acceptSecure(header.counter, from: address)
        deliver(message, header.counter, Array(inner.rest()), on: handle, now: now, &actions)
    }

    private mutating func receiveUnsecured(
        _ header: MessageHeader, _ reader: inout ByteReader, from address: PeerAddress, now: MonotonicInstant,
        _ actions: inout [Action]
    ) {
        // Anybody can send bytes here: what is no message is dropped without a word.
        guard let message = try? ProtocolHeader(decoding: &reader) else { return }
        let key: UnsecuredKey
        switch (header.source, header.destination) {
        case (nil, .node(let ephemeralID)): key = UnsecuredKey(ephemeralID: ephemeralID, peer: nil)
        case (let ephemeralID?, nil): key = UnsecuredKey(ephemeralID: ephemeralID, peer: address)
        case (nil, nil), (_?, _?), (nil, .group): return
        }
        let payload = Array(reader.rest())
        guard let handle = unsecuredByPeer[key] else {
            guard key.peer != nil, ExchangeOpeners.contains(message, onSecureSession: false),
                exchanges.count < limits.exchanges,
                let handle = acceptUnsecuredSession(
                    from: address, ephemeralID: key.ephemeralID, counter: header.counter, now: now,
                    &actions)
            else { return }
            heard(handle, now: now)
            deliver(message, header.counter, payload, on: handle, now: now, &actions)
            return
        }
        guard case .unsecured(let unsecured) = sessions[handle]?.channel else { return }
        heard(handle, now: now)
        if unsecured.window?.verdict(header.counter) == .duplicate {
            acknowledgeDuplicate(message, header.counter, on: handle, &actions)
            return
        }
        guard admits(message, on: handle) else { return }
        sessions[handle]?.acceptUnsecured(header.counter)
        deliver(message, header.counter, payload, on: handle, now: now, &actions)
    }

    private mutating func heard(_ handle: SessionHandle, now: MonotonicInstant) {
        sessions[handle]?.lastReceived = now
        sessions[handle]?.lastUsed = now
        sessions[handle]?.isSuspect = false
    }

    /// Whether there is room for the exchange that the message would begin. If not, it is dropped unseen: the peer sends again.
    private func admits(_ message: ProtocolHeader, on handle: SessionHandle) -> Bool {
        guard let session = sessions[handle] else { return false }
        let key = ExchangeKey(session: handle, id: message.exchangeID, isInitiator: !message.isFromInitiator)
        if exchangeByKey[key] != nil || !ExchangeOpeners.contains(message, onSecureSession: session.isSecure) {
            return true
        }
        let limit = session.isSecure ? limits.peerExchangesPerSession : limits.peerExchangesPerUnsecuredSession
        return exchanges.count < limits.exchanges && session.peerExchangeCount < limit
    }

    /// An acknowledgement that was lost must come again, although the message itself was taken.
    private mutating func acknowledgeDuplicate(
        _ message: ProtocolHeader, _ counter: MessageCounter, on handle: SessionHandle, _ actions: inout [Action]
    ) {
        guard message.isReliable, !message.isStandaloneAck else { return }
        let key = ExchangeKey(session: handle, id: message.exchangeID, isInitiator: !message.isFromInitiator)
        if let exchange = exchangeByKey[key], exchanges[exchange]?.owedAck?.counter == counter {
            exchanges[exchange]?.owedAck?.deadline = nil
        }
        sendStandaloneAck(of: counter, key: key, &actions)
    }

    // MARK: - Exchanges

    private mutating func deliver(
        _ message: ProtocolHeader, _ counter: MessageCounter, _ payload: [UInt8], on session: SessionHandle,
        now: MonotonicInstant, _ actions: inout [Action]
    ) {
        let key = ExchangeKey(session: session, id: message.exchangeID, isInitiator: !message.isFromInitiator)
        let isSecure = sessions[session]?.isSecure == true
        // A report that cannot be read closes nothing; its exchange says what is wrong with it.
        if isSecure, message.isStatusReport, (try? StatusReport(decoding: payload))?.isCloseSession == true {
            if message.isReliable { sendStandaloneAck(of: counter, key: key, &actions) }
            end(session, .closedByPeer, notify: false, now: now, &actions)
            return
        }
        let inbound = InboundMessage(protocolID: message.protocolID, opcode: message.opcode, payload: payload)
        guard let handle = exchangeByKey[key] else {
            guard ExchangeOpeners.contains(message, onSecureSession: isSecure) else {
                if message.isReliable, !message.isStandaloneAck { sendStandaloneAck(of: counter, key: key, &actions) }
                return
            }
            let handle = insertExchange(key)
            owe(counter, if: message.isReliable, on: handle, now: now, &actions)
            actions.append(.opened(handle, on: session, inbound))
            return
        }
        if let acknowledged = message.acknowledged, exchanges[handle]?.inFlight?.counter == acknowledged {
            exchanges[handle]?.inFlight = nil
            sessions[session]?.settled(acknowledged)
            actions.append(.delivered(handle))
        }
        if !message.isStandaloneAck {
            owe(counter, if: message.isReliable, on: handle, now: now, &actions)
            if exchanges[handle]?.isClosing == true {
                flushAck(of: handle, &actions)
            } else {
                actions.append(.received(handle, inbound))
            }
        }
        sendQueued(on: handle, now: now, &actions)
        finishIfClosed(handle, now: now, &actions)
        sendWaiting(on: session, now: now, &actions)
    }

    /// Notes that a message wants an acknowledgement; one that was owed before goes out first.
    private mutating func owe(
        _ counter: MessageCounter, if isReliable: Bool, on handle: ExchangeHandle, now: MonotonicInstant,
        _ actions: inout [Action]
    ) {
        guard isReliable else { return }
        flushAck(of: handle, &actions)
        let deadline = now.advanced(by: MRP.standaloneAckTimeout)
        exchanges[handle]?.owedAck = .init(counter: counter, deadline: deadline)
        timers.insert(.init(deadline: deadline, exchange: handle, kind: .acknowledgement))
    }
}

extension ProtocolHeader {
    var isStandaloneAck: Bool {
        protocolID == .secureChannel && opcode == SecureChannelOpcode.standaloneAck.rawValue
    }

    var isStatusReport: Bool {
        protocolID == .secureChannel && opcode == SecureChannelOpcode.statusReport.rawValue
    }
}

extension Session {
    /// Marks a counter as seen and follows the peer to its new address, which the message's authenticity vouches for.
    mutating func acceptSecure(_ counter: MessageCounter, from address: PeerAddress) {
        guard case .secure(var secure) = channel else { return }
        secure.window.accept(counter)
        channel = .secure(secure)
        self.address = address
    }

    mutating func acceptUnsecured(_ counter: MessageCounter) {
        guard case .unsecured(var unsecured) = channel else { return }
        if unsecured.window == nil {
            unsecured.window = CounterWindow(first: counter)
        } else {
            unsecured.window?.accept(counter)
        }
        channel = .unsecured(unsecured)
    }
}
