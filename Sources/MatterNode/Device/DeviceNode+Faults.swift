import MatterModel
package import MatterProtocol
import MatterWire
import NetIO

/// What goes wrong on purpose: the one place where a ``FaultPlan`` meets the device.
extension DeviceNode {
    /// Replaces the faults from now on; counts begin anew, and a device that vanished is back.
    ///
    /// Requests that are held are given up.
    package func setFaults(_ plan: FaultPlan) async throws {
        let held = faults.abandon()
        faults = FaultInjector(plan)
        link.isMute = false
        for exchange in held { try await giveUp(exchange) }
        armTimer()
    }

    /// A peer's message came.
    func arrived(_ message: InboundMessage, on exchange: ExchangeHandle, opens: Bool) async throws {
        guard !faults.isIdle, let session = link.layer.session(of: exchange), let info = link.layer.session(session)
        else { return try await deliver(message, on: exchange, opens: opens) }
        let verdict = faults.received(message, on: exchange, opens: opens, session: info.kind, now: link.now)
        tellFaults()
        switch verdict {
        case .deliver(let message): try await deliver(message, on: exchange, opens: opens)
        case .hold: break
        case .drop: try await giveUp(exchange)
        case .answer(let answer):
            try await send(answer, on: exchange)
            try await giveUp(exchange)
        case .closeSession: try await perform(link.layer.closeSession(session, notifyPeer: true, now: link.now))
        case .reset: try await restart()
        case .vanish:
            link.isMute = true
            try await giveUp(exchange)
        }
    }

    /// Hands over requests that were held, unless their exchanges are gone.
    func perform(_ held: [FaultInjector.Held]) async throws {
        for request in held { try await deliver(request.message, on: request.exchange, opens: request.opens) }
    }

    /// Queues what leaves on an exchange.
    func queue(
        _ sending: FaultInjector.Sending, on exchange: ExchangeHandle
    ) throws(MessageLayerError) -> [MessageLayer.Action] {
        var actions: [MessageLayer.Action] = []
        for message in sending.messages { actions += try link.layer.send(message, on: exchange, now: link.now) }
        guard sending.breaksDatagram else { return actions }
        return actions.map { action in
            guard case .transmit(var datagram, let peer) = action, !datagram.isEmpty else { return action }
            datagram[datagram.count - 1] ^= 0xFF
            return .transmit(datagram, to: peer)
        }
    }

    func tellFaults() {
        for rule in faults.takeFired() { environment.observe(.fault(rule)) }
    }

    /// Ends an exchange, and the handshake on it, without a word.
    private func giveUp(_ exchange: ExchangeHandle) async throws {
        try await perform(
            handshakes.exchangeFailed(exchange, ExchangeFailure(reason: .sessionClosed(.closedLocally))))
        try await perform(interactions.failed(exchange))
        try await perform(link.layer.close(exchange, now: link.now))
    }

    /// Forgets everything that is not stored, as a device that loses its power does.
    func restart() async throws {
        node = try node.restarted(random: environment.random, now: link.now)
        link.layer = MessageLayer(random: environment.random, limits: link.layer.limits)
        handshakes = HandshakeServer(sessionParameters: DeviceTiming.sessionParameters, secrets: environment.secrets)
        interactions = InteractionServer(random: environment.random)
        commissionableName = nil
        faults.restarted()
        environment.observe(.restarted)
        try await perform(node.takeEffects())
    }
}

extension FaultInjector.Announcement {
    /// The services as they are announced.
    ///
    /// - Parameter draw: gives the second record its name.
    func applied(to services: [ServiceAdvertisement], draw: () -> UInt64) -> [ServiceAdvertisement] {
        services.flatMap { service -> [ServiceAdvertisement] in
            guard service.type == "_matterc._udp" else { return [service] }
            switch self {
            case .right: return [service]
            case .absent: return []
            case .twice:
                var second = service
                second.name = DeviceAdvertisement.commissionableName(draw())
                // The discard port: nobody answers there.
                second.port = 9
                return [service, second]
            case .withoutPort:
                var changed = service
                changed.port = 0
                return [changed]
            }
        }
    }
}
