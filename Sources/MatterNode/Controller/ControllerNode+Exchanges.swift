package import MatterProtocol
import MatterWire

extension ControllerNode {
    /// Runs one interaction on a session.
    ///
    /// - Parameter allowance: for each answer, on top of the time in which the request may still be delivered.
    /// - Throws: ``InteractionFailure``, or `CancellationError`.
    func conduct<Transaction: InteractionTransaction>(
        _ transaction: Transaction, on session: SessionHandle, allowance: Duration
    ) async throws -> Transaction.Value {
        guard !isClosed else { throw InteractionFailure(.sessionClosed) }
        var transaction = transaction
        let exchange: ExchangeHandle
        do {
            exchange = try link.layer.openExchange(on: session)
        } catch {
            throw InteractionFailure(.sessionClosed)
        }
        var messages = inboxes.open(exchange).makeAsyncIterator()
        defer { end(exchange) }
        let delivery = link.layer.session(session).map { MRP.longestDelivery(interval: $0.peerTiming.activeInterval) }
        var actions = transaction.start()
        while true {
            if let result = try perform(actions, on: exchange) { return try result.get() }
            inboxes.allow(allowance + (delivery ?? .zero), on: exchange, now: link.now)
            armTimer()
            do {
                guard let message = try await messages.next(isolation: self) else { throw CancellationError() }
                actions = transaction.received(message)
            } catch let trouble as ExchangeTrouble {
                actions = transaction.failed(trouble.interactionCode)
            }
        }
    }

    /// - Returns: the result when the transaction is over.
    private func perform<Value>(
        _ actions: [InteractionAction<Value>], on exchange: ExchangeHandle
    ) throws -> Result<Value, InteractionFailure>? {
        for action in actions {
            switch action {
            case .send(let message):
                do {
                    process(try link.layer.send(message, on: exchange, now: link.now))
                } catch {
                    throw InteractionFailure(ExchangeTrouble.layer(error).interactionCode)
                }
            case .finished(let result): return result
            }
        }
        return nil
    }

    /// Runs one handshake with the node at `address`.
    ///
    /// - Parameter answered: called once, when the node's first message came.
    /// - Throws: ``HandshakeFailure``, or `CancellationError`; a cancelled handshake tells the peer.
    func conduct(
        _ handshake: some HandshakeMachine, at address: PeerAddress, timing: MRPParameters,
        answered: () -> Void
    ) async throws -> EstablishedSession {
        guard !isClosed else {
            throw HandshakeFailure(.cancelled, at: .statusReport, reason: "this node is closing")
        }
        var handshake = handshake
        let session = link.layer.openUnsecuredSession(to: address, timing: timing, now: link.now)
        let exchange: ExchangeHandle
        do {
            exchange = try link.layer.openExchange(on: session)
        } catch {
            throw HandshakeFailure(.exchangeLost, at: .pbkdfParamRequest, reason: "\(error.code)")
        }
        var messages = inboxes.open(exchange).makeAsyncIterator()
        defer { end(exchange) }
        var actions = handshake.start(now: link.now)
        var isFirst = true
        while true {
            if let established = try perform(actions, on: exchange, of: session) { return established }
            if let deadline = handshake.deadline {
                inboxes.allow(link.now.duration(to: deadline), on: exchange, now: link.now)
                armTimer()
            }
            do {
                guard let message = try await messages.next(isolation: self) else {
                    _ = try? perform(handshake.cancel(), on: exchange, of: session)  // its error is the cancellation
                    throw CancellationError()
                }
                if isFirst { answered() }
                isFirst = false
                actions = handshake.received(message)
            } catch ExchangeTrouble.failed(let failure) {
                actions = handshake.exchangeFailed(failure)
            } catch is ExchangeTrouble {
                actions = handshake.timerFired(now: link.now)
                if actions.isEmpty { actions = handshake.cancel() }
            }
        }
    }

    /// - Returns: the session when the handshake made one.
    private func perform(
        _ actions: [HandshakeAction], on exchange: ExchangeHandle, of session: SessionHandle
    ) throws -> EstablishedSession? {
        for action in actions {
            switch action {
            case .send(let message):
                do {
                    process(try link.layer.send(message, on: exchange, now: link.now))
                } catch {
                    throw HandshakeFailure(.exchangeLost, at: .statusReport, reason: "\(error.code)")
                }
            case .peerTiming(let timing): link.layer.setPeerTiming(timing, of: session)
            case .established(let established): return established
            case .failed(let failure): throw failure
            }
        }
        return nil
    }

    private func end(_ exchange: ExchangeHandle) {
        inboxes.close(exchange)
        process(link.layer.close(exchange, now: link.now))
    }
}

extension ExchangeTrouble {
    /// What it is to an interaction.
    package var interactionCode: InteractionFailure.Code {
        switch self {
        case .failed(let failure): failure.isPeerSilent ? .unreachable : .sessionClosed
        case .layer(let error):
            switch error.code {
            case .payloadTooLarge: .requestTooLarge
            case .unknownSession, .unknownExchange, .tooManyExchanges, .queueFull, .cryptography:
                .sessionClosed
            }
        case .timedOut: .timedOut
        case .closed: .sessionClosed
        }
    }
}
