public import MatterModel
public import MatterProtocol
import MatterWire

/// A virtual node is what the server of interactions serves: the signatures are the same.
extension VirtualNode: InteractionTarget {}

/// What the machines want done. Each `perform` does its actions in order, with all that follows from one before the next.
extension DeviceNode {
    // MARK: - Messages

    func perform(_ actions: [MessageLayer.Action]) async throws {
        for action in link.perform(actions) {
            switch action {
            case .transmit: break
            case .opened(let exchange, _, let message): try await arrived(message, on: exchange, opens: true)
            case .received(let exchange, let message): try await arrived(message, on: exchange, opens: false)
            case .delivered(let exchange): try await perform(interactions.delivered(exchange, now: link.now))
            case .failed(let exchange, let failure):
                faults.closed(exchange)
                try await perform(handshakes.exchangeFailed(exchange, failure))
                try await perform(interactions.failed(exchange))
            case .sessionClosed(let session, _):
                try await perform(interactions.sessionClosed(session))
                try await perform(node.sessionClosed(session.rawValue, now: link.now))
            }
        }
    }

    /// Hands a peer's message to the machine that answers it.
    ///
    /// - Parameter opens: it began the exchange.
    func deliver(_ message: InboundMessage, on exchange: ExchangeHandle, opens: Bool) async throws {
        guard let session = link.layer.session(of: exchange) else { return }
        if opens, message.protocolID == .secureChannel {
            handshakes.commissioning = HandshakeServer.Commissioning(node)
            try await perform(
                handshakes.opened(
                    exchange, message, localSessionID: link.layer.allocateSessionID(), wallClock: nil, now: link.now))
        } else if handshakes.contains(exchange) {
            try await perform(handshakes.received(exchange, message))
        } else {
            try await interactionReceived(message, on: exchange, of: session)
        }
    }

    private func interactionReceived(
        _ message: InboundMessage, on exchange: ExchangeHandle, of session: SessionHandle
    ) async throws {
        // Whatever else goes wrong, data and commands are for sessions that proved who they are.
        guard let info = link.layer.session(session), info.kind != .unsecured else { return }
        let context = InteractionContext(info, session: session, now: link.now, wallClock: environment.wallClock())
        guard try await admit(message, context) else { return }
        let answer = interactions.received(message, on: exchange, context: context, target: &node)
        let reports = try await settle(node.takeEffects())
        try await perform(answer)
        try await perform(reports)
    }

    func send(_ message: OutboundMessage, on exchange: ExchangeHandle) async throws {
        let actions: [MessageLayer.Action]
        do throws(MessageLayerError) {
            actions = try queue(faults.sending(message, on: exchange), on: exchange)
        } catch {
            // The exchange ended while its answer was made: for its machine that is a failed exchange.
            try await perform(
                handshakes.exchangeFailed(exchange, ExchangeFailure(reason: .sessionClosed(.closedLocally))))
            try await perform(interactions.failed(exchange))
            return
        }
        try await perform(actions)
    }

    // MARK: - Handshakes

    func perform(_ actions: [HandshakeServer.Action]) async throws {
        for action in actions {
            switch action {
            case .send(let message, let exchange): try await send(message, on: exchange)
            case .peerTiming(let timing, let exchange):
                if let session = link.layer.session(of: exchange) { link.layer.setPeerTiming(timing, of: session) }
            case .established(let session, let exchange): try await add(session, from: exchange)
            case .failed(let failure, .pase, _):
                environment.observe(.commissionerRefused(failure))
                try await perform(node.paseFailed(now: link.now))
            case .failed(_, .case, _): break
            case .close(let exchange): try await perform(link.layer.close(exchange, now: link.now))
            }
        }
    }

    private func add(_ established: EstablishedSession, from exchange: ExchangeHandle) async throws {
        guard let peer = link.layer.session(of: exchange).flatMap({ link.layer.session($0) })?.address else { return }
        let (session, evictions) = try link.addSession(established, peer: peer)
        try await perform(evictions)
        switch established.kind {
        case .pase:
            environment.observe(.commissionerArrived)
            try await perform(node.paseEstablished(session: session.rawValue, now: link.now))
        case .case: break
        }
    }

    // MARK: - Interactions

    func perform(_ actions: [InteractionServer.Action]) async throws {
        for action in actions {
            switch action {
            case .send(let message, let exchange): try await send(message, on: exchange)
            case .close(let exchange): try await perform(link.layer.close(exchange, now: link.now))
            case .openReport(let subscription, let session): try await report(subscription, on: session)
            case .subscribed, .unsubscribed: break
            }
        }
    }

    private func report(_ subscription: SubscriptionID, on session: SessionHandle) async throws {
        let exchange: ExchangeHandle
        do throws(MessageLayerError) {
            exchange = try link.layer.openExchange(on: session)
        } catch {
            try await perform(interactions.reportFailed(subscription))
            return
        }
        try await perform(interactions.reportOpened(subscription, on: exchange, now: link.now))
    }

    // MARK: - Effects

    func perform(_ effects: [NodeEffect]) async throws { try await perform(settle(effects)) }
}

extension InteractionContext {
    init(_ info: SessionInfo, session: SessionHandle, now: MonotonicInstant, wallClock: EpochSeconds) {
        let subject: InteractionSubject =
            switch info.kind {
            case .unsecured, .pase: .pase
            case .case: .operational(info.peerNode, tags: info.cats)
            }
        self.init(
            subject: subject, fabricIndex: info.fabricIndex, session: session.rawValue,
            attestationChallenge: info.attestationChallenge, now: now, wallClock: wallClock)
    }
}
