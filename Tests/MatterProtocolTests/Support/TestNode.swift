import MatterCrypto
import MatterWire
import TestSupport

@testable import MatterProtocol

/// A node in memory: a message layer, a handshake server, and the handshakes that it began. What happens is recorded.
struct TestNode: Sendable {
    enum Initiator: Sendable {
        case pase(PASEInitiator)
        case `case`(CASEInitiator)
    }

    enum Event: Hashable, Sendable {
        case established(SessionHandle, EstablishedSession)
        case handshakeFailed(HandshakeFailure)
        case opened(SessionHandle, InboundMessage)
        case received(ExchangeHandle, InboundMessage)
        case delivered(ExchangeHandle)
        case exchangeFailed(ExchangeHandle, ExchangeFailure)
        case sessionClosed(SessionHandle, SessionCloseReason)
    }

    let address: PeerAddress
    var layer: MessageLayer
    var server: HandshakeServer
    var initiators: [ExchangeHandle: Initiator] = [:]
    var events: [Event] = []
    var outbox: [(bytes: [UInt8], to: PeerAddress)] = []
    let secrets: SeededSecretSource
    var parameters: SessionParameters

    init(_ name: UInt8, seed: UInt64, parameters: SessionParameters = .init(), limits: MessageLayer.Limits = .init()) {
        address = PeerAddress(ip: [UInt8](repeating: name, count: 16), port: UInt16(name))
        secrets = SeededSecretSource(seed: seed &* 256 &+ UInt64(name))
        layer = MessageLayer(random: .seeded(seed &* 256 &+ UInt64(name)), limits: limits)
        server = HandshakeServer(sessionParameters: parameters, secrets: secrets)
        self.parameters = parameters
    }

    /// The sessions that handshakes made, in order.
    var established: [(handle: SessionHandle, session: EstablishedSession)] {
        events.compactMap { if case .established(let handle, let session) = $0 { (handle, session) } else { nil } }
    }
    var handshakeFailures: [HandshakeFailure] {
        events.compactMap { if case .handshakeFailed(let failure) = $0 { failure } else { nil } }
    }
    var received: [InboundMessage] {
        events.compactMap { if case .received(_, let message) = $0 { message } else { nil } }
    }
    var opened: [InboundMessage] {
        events.compactMap { if case .opened(_, let message) = $0 { message } else { nil } }
    }

    var deadline: MonotonicInstant? {
        ([layer.deadline, server.deadline] + initiators.values.map(\.deadline)).compactMap(\.self).min()
    }

    // MARK: - Commands

    mutating func openWindow(passcode: UInt32, iterations: UInt32 = 1000) throws {
        let stretching = PBKDFParameters(iterations: iterations, salt: [UInt8](repeating: 7, count: 16))
        let verifier = try PAKEVerifier.compute(
            passcode: passcode, salt: stretching.salt, iterations: Int(iterations))
        server.commissioning = .open(verifier, stretching)
    }

    @discardableResult
    mutating func startPASE(with peer: PeerAddress, passcode: UInt32, now: MonotonicInstant) throws -> ExchangeHandle {
        let exchange = try layer.openExchange(on: layer.openUnsecuredSession(to: peer, now: now))
        var machine = PASEInitiator(
            passcode: passcode, localSessionID: layer.allocateSessionID(), sessionParameters: parameters,
            secrets: secrets)
        let actions = machine.start(now: now)
        initiators[exchange] = .pase(machine)
        perform(actions, on: exchange, now: now)
        return exchange
    }

    @discardableResult
    mutating func startCASE(
        with peer: PeerAddress, fabric: FabricCredentials, node: NodeID, wallClock: EpochSeconds? = nil,
        now: MonotonicInstant
    ) throws -> ExchangeHandle {
        let exchange = try layer.openExchange(on: layer.openUnsecuredSession(to: peer, now: now))
        var machine = CASEInitiator(
            fabric: fabric, peer: node, localSessionID: layer.allocateSessionID(), sessionParameters: parameters,
            wallClock: wallClock, secrets: secrets)
        let actions = machine.start(now: now)
        initiators[exchange] = .case(machine)
        perform(actions, on: exchange, now: now)
        return exchange
    }

    /// Sends a read request in a new exchange; the peer answers with the same payload.
    mutating func ask(_ payload: [UInt8], on session: SessionHandle, now: MonotonicInstant) throws {
        let exchange = try layer.openExchange(on: session)
        let message = OutboundMessage(protocolID: .interactionModel, opcode: 2, payload: payload)
        perform(try layer.send(message, on: exchange, now: now), now: now)
    }

    /// Closes every exchange, as their owners do when their time is over.
    mutating func closeAll(now: MonotonicInstant) {
        for exchange in layer.exchanges.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            perform(layer.close(exchange, now: now), now: now)
        }
    }

    // MARK: - Inputs

    mutating func datagramReceived(_ datagram: VirtualNetwork.Datagram, now: MonotonicInstant) {
        perform(layer.datagramReceived(datagram.bytes, from: datagram.source, now: now), now: now)
    }

    mutating func timerFired(now: MonotonicInstant) {
        perform(layer.timerFired(now: now), now: now)
        perform(server.timerFired(now: now), now: now)
        for exchange in initiators.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            step(exchange, now: now) { $0.timerFired(now: now) }
        }
    }

    // MARK: - Actions

    mutating func perform(_ actions: [MessageLayer.Action], now: MonotonicInstant) {
        for action in actions {
            switch action {
            case .transmit(let bytes, let address): outbox.append((bytes, address))
            case .opened(let exchange, let session, let message):
                if message.protocolID == .secureChannel {
                    let id = layer.allocateSessionID()
                    perform(
                        server.opened(exchange, message, localSessionID: id, wallClock: nil, now: now), now: now)
                } else {
                    events.append(.opened(session, message))
                    answer(exchange, message, now: now)
                }
            case .received(let exchange, let message):
                if initiators[exchange] != nil {
                    step(exchange, now: now) { $0.received(message) }
                } else if server.contains(exchange) {
                    perform(server.received(exchange, message), now: now)
                } else {
                    events.append(.received(exchange, message))
                    perform(layer.close(exchange, now: now), now: now)
                }
            case .delivered(let exchange): events.append(.delivered(exchange))
            case .failed(let exchange, let failure):
                events.append(.exchangeFailed(exchange, failure))
                step(exchange, now: now) { $0.exchangeFailed(failure) }
                perform(server.exchangeFailed(exchange, failure), now: now)
            case .sessionClosed(let session, let reason): events.append(.sessionClosed(session, reason))
            }
        }
    }

    private mutating func answer(_ exchange: ExchangeHandle, _ message: InboundMessage, now: MonotonicInstant) {
        let reply = OutboundMessage(protocolID: message.protocolID, opcode: 5, payload: message.payload)
        do {
            perform(try layer.send(reply, on: exchange, now: now), now: now)
        } catch {
            events.append(.exchangeFailed(exchange, ExchangeFailure(reason: .noAnswer)))
        }
        perform(layer.close(exchange, now: now), now: now)
    }

    private mutating func perform(_ actions: [HandshakeServer.Action], now: MonotonicInstant) {
        for action in actions {
            switch action {
            case .send(let message, let exchange): send(message, on: exchange, now: now)
            case .peerTiming(let timing, let exchange):
                layer.session(of: exchange).map { layer.setPeerTiming(timing, of: $0) }
            case .established(let session, let exchange): add(session, from: exchange, now: now)
            case .failed(let failure, _, _): events.append(.handshakeFailed(failure))
            case .close(let exchange): perform(layer.close(exchange, now: now), now: now)
            }
        }
    }

    private mutating func perform(_ actions: [HandshakeAction], on exchange: ExchangeHandle, now: MonotonicInstant) {
        for action in actions {
            switch action {
            case .send(let message): send(message, on: exchange, now: now)
            case .peerTiming(let timing):
                layer.session(of: exchange).map { layer.setPeerTiming(timing, of: $0) }
            case .established(let session):
                add(session, from: exchange, now: now)
                initiators[exchange] = nil
                perform(layer.close(exchange, now: now), now: now)
            case .failed(let failure):
                events.append(.handshakeFailed(failure))
                initiators[exchange] = nil
                perform(layer.close(exchange, now: now), now: now)
            }
        }
    }

    private mutating func send(_ message: OutboundMessage, on exchange: ExchangeHandle, now: MonotonicInstant) {
        do {
            perform(try layer.send(message, on: exchange, now: now), now: now)
        } catch {
            fatalError("a handshake's message was refused: \(error)")
        }
    }

    private mutating func add(_ session: EstablishedSession, from exchange: ExchangeHandle, now: MonotonicInstant) {
        guard let unsecured = layer.session(of: exchange), let address = layer.session(unsecured)?.address else {
            fatalError("a handshake outlived its exchange")
        }
        do {
            let (handle, actions) = try layer.addSession(session, peer: address, now: now)
            events.append(.established(handle, session))
            perform(actions, now: now)
        } catch {
            fatalError("a session was refused: \(error)")
        }
    }

    private mutating func step(
        _ exchange: ExchangeHandle, now: MonotonicInstant, _ body: (inout Initiator) -> [HandshakeAction]
    ) {
        guard var initiator = initiators[exchange] else { return }
        let actions = body(&initiator)
        initiators[exchange] = initiator
        perform(actions, on: exchange, now: now)
    }
}

extension TestNode.Initiator {
    var deadline: MonotonicInstant? {
        switch self {
        case .pase(let machine): machine.deadline
        case .case(let machine): machine.deadline
        }
    }

    mutating func received(_ message: InboundMessage) -> [HandshakeAction] {
        update {
            $0.received(message)
        } case: {
            $0.received(message)
        }
    }

    mutating func exchangeFailed(_ failure: ExchangeFailure) -> [HandshakeAction] {
        update {
            $0.exchangeFailed(failure)
        } case: {
            $0.exchangeFailed(failure)
        }
    }

    mutating func timerFired(now: MonotonicInstant) -> [HandshakeAction] {
        update {
            $0.timerFired(now: now)
        } case: {
            $0.timerFired(now: now)
        }
    }

    private mutating func update(
        _ pase: (inout PASEInitiator) -> [HandshakeAction], case body: (inout CASEInitiator) -> [HandshakeAction]
    ) -> [HandshakeAction] {
        switch self {
        case .pase(var machine):
            let actions = pase(&machine)
            self = .pase(machine)
            return actions
        case .case(var machine):
            let actions = body(&machine)
            self = .case(machine)
            return actions
        }
    }
}
