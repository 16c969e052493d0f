import MatterCrypto
public import MatterWire

extension MessageLayer {
    /// Begins an exchange of this node. Nothing is sent.
    ///
    /// - Throws: ``MessageLayerError`` `unknownSession` or `tooManyExchanges`.
    public mutating func openExchange(on session: SessionHandle) throws(MessageLayerError) -> ExchangeHandle {
        guard sessions[session] != nil else { throw MessageLayerError(.unknownSession) }
        guard exchanges.count < limits.exchanges else { throw MessageLayerError(.tooManyExchanges) }
        return insertExchange(ExchangeKey(session: session, id: newExchangeID(on: session), isInitiator: true))
    }

    /// Sends a message; while another is in flight a reliable one waits until that is acknowledged.
    ///
    /// When the session has used up its counters it closes, and the actions say so.
    ///
    /// - Throws: ``MessageLayerError``; nothing is sent then.
    public mutating func send(
        _ message: OutboundMessage, on handle: ExchangeHandle, now: MonotonicInstant
    ) throws(MessageLayerError) -> [Action] {
        guard let exchange = exchanges[handle], !exchange.isClosing else {
            throw MessageLayerError(.unknownExchange)
        }
        guard message.payload.count <= Self.maximumPayloadCount else {
            throw MessageLayerError(.payloadTooLarge(message.payload.count))
        }
        var actions: [Action] = []
        if message.reliable {
            guard exchange.isIdle || exchange.queue.count < limits.queuedMessages else {
                throw MessageLayerError(.queueFull)
            }
            exchanges[handle]?.queue.append(message)
            sendQueued(on: handle, now: now, &actions)
        } else {
            transmit(message, on: handle, now: now, &actions)
        }
        settleTimers()
        return actions
    }

    /// Ends an exchange for its owner: an owed acknowledgement goes out, and no message comes any more.
    ///
    /// Messages on their way go on until they are acknowledged or given up. Closing twice does nothing.
    public mutating func close(_ handle: ExchangeHandle, now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        flushAck(of: handle, &actions)
        exchanges[handle]?.isClosing = true
        finishIfClosed(handle, now: now, &actions)
        settleTimers()
        return actions
    }

    // MARK: - Timers

    /// Sends again what was not acknowledged, gives up after the fifth time, and sends acknowledgements that are due.
    public mutating func timerFired(now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        while let entry = timers.first, entry.deadline <= now {
            timers.removeFirst()
            guard isLive(entry) else { continue }
            switch entry.kind {
            case .acknowledgement: flushAck(of: entry.exchange, &actions)
            case .retransmission: retransmit(entry.exchange, now: now, &actions)
            }
        }
        settleTimers()
        return actions
    }

    private mutating func retransmit(_ handle: ExchangeHandle, now: MonotonicInstant, _ actions: inout [Action]) {
        guard let exchange = exchanges[handle], let session = sessions[exchange.session] else { return }
        let jitter = jitter()
        let action = exchanges[handle]?.inFlight?.timerFired(
            now: now, interval: session.interval(now: now), jitter: jitter)
        switch action {
        case .transmit:
            guard let message = exchanges[handle]?.inFlight else { return }
            timers.insert(.init(deadline: message.deadline, exchange: handle, kind: .retransmission))
            actions.append(.transmit(message.datagram, to: session.address))
        case .giveUp:
            sessions[exchange.session]?.isSuspect = true
            fail(handle, .noAnswer, now: now, &actions)
            closeIfIdle(exchange.session, now: now, &actions)
            sendWaiting(on: exchange.session, now: now, &actions)
        case .none?, nil: break
        }
    }

    private func isLive(_ entry: DeadlineQueue.Entry) -> Bool {
        guard let exchange = exchanges[entry.exchange] else { return false }
        return switch entry.kind {
        case .acknowledgement: exchange.owedAck?.deadline == entry.deadline
        case .retransmission: exchange.inFlight?.deadline == entry.deadline
        }
    }

    /// Removes deadlines that lost their meaning: those at the front always, the others when they pile up.
    mutating func settleTimers() {
        while let first = timers.first, !isLive(first) { timers.removeFirst() }
        if timers.count > 64 + 4 * exchanges.count { timers.sweep(keeping: isLive) }
    }

    // MARK: - Exchanges

    mutating func insertExchange(_ key: ExchangeKey) -> ExchangeHandle {
        let handle = ExchangeHandle(rawValue: newHandle())
        exchanges[handle] = Exchange(
            handle: handle, session: key.session, id: key.id, isInitiator: key.isInitiator)
        exchangeByKey[key] = handle
        sessions[key.session]?.exchanges.insert(handle)
        if !key.isInitiator { sessions[key.session]?.peerExchangeCount += 1 }
        return handle
    }

    private mutating func remove(_ handle: ExchangeHandle) {
        guard let exchange = exchanges.removeValue(forKey: handle) else { return }
        exchangeByKey[exchange.key] = nil
        sessions[exchange.session]?.exchanges.remove(handle)
        if let counter = exchange.inFlight?.counter { sessions[exchange.session]?.settled(counter) }
        if !exchange.isInitiator { sessions[exchange.session]?.peerExchangeCount -= 1 }
    }

    mutating func fail(
        _ handle: ExchangeHandle, _ reason: ExchangeFailure.Reason, now: MonotonicInstant, _ actions: inout [Action]
    ) {
        guard let exchange = exchanges[handle] else { return }
        remove(handle)
        let elapsed = exchange.inFlight.map { $0.firstSent.duration(to: now) } ?? .zero
        let transmissions = exchange.inFlight?.transmissions ?? 0
        actions.append(
            .failed(handle, ExchangeFailure(reason: reason, transmissions: transmissions, elapsed: elapsed)))
    }

    mutating func finishIfClosed(_ handle: ExchangeHandle, now: MonotonicInstant, _ actions: inout [Action]) {
        guard let exchange = exchanges[handle], exchange.isClosing, exchange.isIdle else { return }
        remove(handle)
        closeIfIdle(exchange.session, now: now, &actions)
    }

    private mutating func closeIfIdle(_ handle: SessionHandle, now: MonotonicInstant, _ actions: inout [Action]) {
        guard let session = sessions[handle], let notify = session.closeWhenIdle, session.exchanges.isEmpty else {
            return
        }
        end(handle, .closedLocally, notify: notify, now: now, &actions)
    }

    // MARK: - Messages

    /// Sends an exchange's next message, unless one is in flight or the session would run too far ahead.
    mutating func sendQueued(on handle: ExchangeHandle, now: MonotonicInstant, _ actions: inout [Action]) {
        guard let exchange = exchanges[handle], exchange.inFlight == nil, let next = exchange.queue.first else {
            return
        }
        guard sessions[exchange.session]?.mayRunAhead == true else {
            if sessions[exchange.session]?.waiting.contains(handle) == false {
                sessions[exchange.session]?.waiting.append(handle)
            }
            return
        }
        exchanges[handle]?.queue.removeFirst()
        transmit(next, on: handle, now: now, &actions)
    }

    /// Sends what waited until the session's oldest message was acknowledged or given up.
    mutating func sendWaiting(on handle: SessionHandle, now: MonotonicInstant, _ actions: inout [Action]) {
        while let session = sessions[handle], session.mayRunAhead, let next = session.waiting.first {
            sessions[handle]?.waiting.removeFirst()
            sendQueued(on: next, now: now, &actions)
        }
    }

    /// Sends a message, or closes the session when that can't send any more.
    private mutating func transmit(
        _ message: OutboundMessage, on handle: ExchangeHandle, now: MonotonicInstant, _ actions: inout [Action]
    ) {
        guard let exchange = exchanges[handle], let session = sessions[exchange.session] else { return }
        let header = ProtocolHeader(
            isFromInitiator: exchange.isInitiator, isReliable: message.reliable, opcode: message.opcode,
            exchangeID: exchange.id, protocolID: message.protocolID, acknowledged: exchange.owedAck?.counter)
        guard let sealed = seal(header, message.payload, on: exchange.session) else {
            end(exchange.session, .counterExhausted, notify: false, now: now, &actions)
            return
        }
        exchanges[handle]?.owedAck = nil
        sessions[exchange.session]?.lastUsed = now
        if message.reliable {
            let inFlight = Retransmitter(
                counter: sealed.counter, datagram: sealed.datagram, now: now,
                interval: session.interval(now: now), jitter: jitter())
            exchanges[handle]?.inFlight = inFlight
            sessions[exchange.session]?.sent(sealed.counter)
            timers.insert(.init(deadline: inFlight.deadline, exchange: handle, kind: .retransmission))
        }
        actions.append(.transmit(sealed.datagram, to: sealed.address))
    }

    /// Sends the acknowledgement that an exchange owes, if it has not gone yet.
    mutating func flushAck(of handle: ExchangeHandle, _ actions: inout [Action]) {
        guard let exchange = exchanges[handle], let owed = exchange.owedAck, owed.deadline != nil else { return }
        exchanges[handle]?.owedAck?.deadline = nil
        sendStandaloneAck(of: owed.counter, key: exchange.key, &actions)
    }

    mutating func sendStandaloneAck(
        of counter: MessageCounter, key: ExchangeKey, _ actions: inout [Action]
    ) {
        let header = ProtocolHeader(
            isFromInitiator: key.isInitiator, isReliable: false, opcode: SecureChannelOpcode.standaloneAck.rawValue,
            exchangeID: key.id, protocolID: .secureChannel, acknowledged: counter)
        guard let sealed = seal(header, [], on: key.session) else { return }
        actions.append(.transmit(sealed.datagram, to: sealed.address))
    }

    // MARK: - Bytes

    /// Makes a datagram with the session's next counter; `nil` when the session is gone or has no counter left.
    mutating func seal(
        _ header: ProtocolHeader, _ payload: [UInt8], on handle: SessionHandle
    ) -> (datagram: [UInt8], counter: MessageCounter, address: PeerAddress)? {
        guard let session = sessions[handle] else { return nil }
        switch session.channel {
        case .unsecured(let unsecured):
            let counter = unsecuredCounter.takeWrapping()
            var datagram = MessageHeader(
                sessionID: .unsecured, counter: counter, source: unsecured.isInitiator ? unsecured.ephemeralID : nil,
                destination: unsecured.isInitiator ? nil : .node(unsecured.ephemeralID)
            ).encoded()
            header.encode(into: &datagram)
            datagram += payload
            return (datagram, counter, session.address)
        case .secure(var secure):
            guard let counter = secure.counter.take() else { return nil }
            sessions[handle]?.channel = .secure(secure)
            let outer = MessageHeader(sessionID: secure.facts.peerSessionID, counter: counter)
            let associated = outer.encoded()
            // The cipher fails only when the machine has no memory left; the session is then as good as gone.
            guard
                let sealed = try? secure.sendKey.seal(
                    header.encoded() + payload, nonce: outer.nonce(sender: secure.facts.localNode), aad: associated)
            else { return nil }
            return (associated + sealed, counter, session.address)
        }
    }
}
