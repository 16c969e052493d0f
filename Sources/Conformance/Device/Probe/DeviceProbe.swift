import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// A session with the device, with the keys that also a replayed datagram can be read with.
struct ProbeSession: Sendable {
    let handle: SessionHandle
    let established: EstablishedSession
}

/// A Matter client whose every message is in a case's hands: it says what is right and what is wrong, and tells what came.
///
/// ``run()`` must be running for anything else to end.
actor DeviceProbe {
    nonisolated let environment: ControllerEnvironment
    let link: MessageLink
    private var inboxes = ExchangeInboxes()
    private var isClosed = false
    /// What came since listening began; `nil` while nobody listens.
    private var heard: [[UInt8]]?
    /// The datagram of the request that was sent last.
    private(set) var lastRequest: [UInt8]?
    private var isRequest = false

    init(_ environment: ControllerEnvironment) {
        self.environment = environment
        link = MessageLink(link: environment.link, clock: environment.clock, random: environment.random)
    }

    nonisolated var clock: DriverClock { environment.clock }

    /// What this node tells peers of itself; the same as our hub's.
    nonisolated static var sessionParameters: SessionParameters {
        SessionParameters(
            idleInterval: 500, activeInterval: 300, activeThreshold: 4_000, dataModelRevision: 18,
            interactionModelRevision: 12, specificationVersion: 0x0104_0100, maxPathsPerInvoke: 1)
    }

    /// Serves the link and the timer until the task is cancelled.
    func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.environment.link.receive { await self.received($0, from: $1) } }
                group.addTask { [firings = link.timer.firings] in
                    for await _ in firings { await self.timerFired() }
                }
            }
        } onCancel: {
            environment.link.close()
        }
        isClosed = true
        for session in link.layer.secureSessions {
            _ = link.perform(link.layer.closeSession(session, notifyPeer: true, now: link.now))
        }
        inboxes.failAll(.closed)
        link.close()
    }

    func sleep(_ time: Duration) async throws { try await clock.sleep(until: clock.now + time) }

    /// How long the device may take for a message of a handshake.
    static let patience = Duration.seconds(10)

    // MARK: - Sessions

    /// Whether neither side has ended the session.
    func isOpen(_ session: ProbeSession) -> Bool { link.layer.session(session.handle) != nil }

    /// Ends a session and tells the device.
    func close(_ session: ProbeSession) {
        process(link.layer.closeSession(session.handle, notifyPeer: true, now: link.now))
    }

    /// Forgets a session without a word, as a commissioner does that loses its power.
    func drop(_ session: ProbeSession) {
        process(link.layer.closeSession(session.handle, notifyPeer: false, now: link.now))
    }

    func add(_ established: EstablishedSession, at address: PeerAddress) throws -> ProbeSession {
        let (session, actions) = try link.layer.addSession(established, peer: address, now: link.now)
        process(actions)
        return ProbeSession(handle: session, established: established)
    }

    /// Runs a handshake.
    ///
    /// - Parameter alter: changes what is sent.
    func handshake(
        _ machine: some HandshakeMachine, at address: PeerAddress,
        alter: @Sendable (OutboundMessage) -> OutboundMessage = { $0 }
    ) async -> Result<ProbeSession, HandshakeFailure> {
        var machine = machine
        let session = link.layer.openUnsecuredSession(to: address, now: link.now)
        var actions = machine.start(now: link.now)
        do {
            let exchange = try ProbeExchange(self, on: session)
            defer { end(exchange) }
            while true {
                for action in actions {
                    switch action {
                    case .send(let message): try send(alter(message), on: exchange)
                    case .peerTiming(let timing): link.layer.setPeerTiming(timing, of: session)
                    case .established(let established): return .success(try add(established, at: address))
                    case .failed(let failure): return .failure(failure)
                    }
                }
                do {
                    actions = machine.received(try await next(on: exchange, within: Self.patience))
                } catch ExchangeTrouble.failed(let failure) {
                    actions = machine.exchangeFailed(failure)
                } catch ExchangeTrouble.timedOut {
                    return .failure(
                        HandshakeFailure(
                            .timedOut, at: .statusReport,
                            reason: "the device did not answer within \(Self.patience.milliseconds / 1000) s"))
                } catch is ExchangeTrouble {
                    actions = machine.cancel()
                }
            }
        } catch {
            return .failure(HandshakeFailure(.cancelled, at: .statusReport, reason: "the examination was stopped"))
        }
    }

    // MARK: - Conversations

    /// What is said to a message.
    enum Reply {
        case say(OutboundMessage)
        /// Says it, and the conversation is over.
        case end(OutboundMessage)
        case nothing
    }

    /// Opens an exchange for ``converse(on:_:within:_:)``.
    func unsecuredSession(to address: PeerAddress) -> SessionHandle {
        link.layer.openUnsecuredSession(to: address, now: link.now)
    }

    /// Sends a message and what `answer` makes of each that comes, until that ends it.
    ///
    /// - Returns: the last message that came.
    /// - Throws: ``ExchangeTrouble`` or `CancellationError`.
    @discardableResult
    func converse(
        on session: SessionHandle, _ first: OutboundMessage, within allowance: Duration,
        _ answer: (InboundMessage) throws -> Reply = { _ in .nothing }
    ) async throws -> InboundMessage {
        let exchange = try ProbeExchange(self, on: session)
        defer { end(exchange) }
        isRequest = true
        try send(first, on: exchange)
        while true {
            let message = try await next(on: exchange, within: allowance)
            switch try answer(message) {
            case .say(let reply): try send(reply, on: exchange)
            case .end(let reply):
                try send(reply, on: exchange)
                return message
            case .nothing: return message
            }
        }
    }

    /// Sends a message that ends its exchange.
    func say(_ message: OutboundMessage, on session: SessionHandle) throws {
        let exchange = try ProbeExchange(self, on: session)
        defer { end(exchange) }
        try send(message, on: exchange)
    }

    /// Runs one interaction.
    ///
    /// - Parameter allowance: for each answer, on top of the time in which the request may still be delivered.
    func conduct<Transaction: InteractionTransaction>(
        _ transaction: Transaction, on session: ProbeSession, allowance: Duration = .seconds(10)
    ) async -> Result<Transaction.Value, InteractionFailure> {
        var transaction = transaction
        guard let exchange = try? ProbeExchange(self, on: session.handle) else {
            // The layer's only reason here: there is no such session any more.
            return .failure(InteractionFailure(.sessionClosed))
        }
        defer { end(exchange) }
        let delivery = MRP.longestDelivery(interval: session.established.peerTiming.activeInterval)
        var actions = transaction.start()
        isRequest = true
        while true {
            do {
                for action in actions {
                    switch action {
                    case .send(let message): try send(message, on: exchange)
                    case .finished(let result): return result
                    }
                }
                actions = transaction.received(try await next(on: exchange, within: allowance + delivery))
            } catch let trouble as ExchangeTrouble {
                actions = transaction.failed(trouble.interactionCode)
            } catch {
                return .failure(InteractionFailure(.sessionClosed))
            }
        }
    }

    // MARK: - Datagrams

    /// Sends bytes as they are.
    nonisolated func send(_ datagram: [UInt8], to address: PeerAddress) {
        environment.link.send(datagram, to: address)
    }

    /// Sends a datagram of a session again, and listens.
    ///
    /// - Returns: what the device says in the session meanwhile, in order.
    func replay(
        _ datagram: [UInt8], on session: ProbeSession, listening time: Duration
    ) async throws -> [HeardMessage] {
        guard let info = link.layer.session(session.handle) else { return [] }
        heard = []
        send(datagram, to: info.address)
        defer { heard = nil }
        try await sleep(time)
        return (heard ?? []).compactMap { HeardMessage($0, in: session.established) }
    }

    // MARK: - Driving

    fileprivate func open(
        on session: SessionHandle
    ) throws -> (handle: ExchangeHandle, messages: ExchangeInboxes.Stream.AsyncIterator) {
        guard !isClosed else { throw ExchangeTrouble.closed }
        let handle = try mapped { () throws(MessageLayerError) in try link.layer.openExchange(on: session) }
        return (handle, inboxes.open(handle).makeAsyncIterator())
    }

    private func send(_ message: OutboundMessage, on exchange: ProbeExchange) throws {
        let actions = try mapped { () throws(MessageLayerError) in
            try link.layer.send(message, on: exchange.handle, now: link.now)
        }
        if isRequest {
            for case .transmit(let datagram, _) in actions { lastRequest = datagram }
            isRequest = false
        }
        process(actions)
    }

    private func next(on exchange: ProbeExchange, within allowance: Duration) async throws -> InboundMessage {
        inboxes.allow(allowance, on: exchange.handle, now: link.now)
        armTimer()
        guard let message = try await exchange.next(isolation: self) else { throw CancellationError() }
        return message
    }

    private func end(_ exchange: ProbeExchange) {
        inboxes.close(exchange.handle)
        process(link.layer.close(exchange.handle, now: link.now))
    }

    private func mapped<R>(_ body: () throws(MessageLayerError) -> R) throws(ExchangeTrouble) -> R {
        do { return try body() } catch { throw .layer(error) }
    }

    private func received(_ datagram: [UInt8], from peer: PeerAddress) {
        heard?.append(datagram)
        process(link.layer.datagramReceived(datagram, from: peer, now: link.now))
    }

    private func timerFired() {
        inboxes.expire(now: link.now)
        process(link.layer.timerFired(now: link.now))
    }

    private func process(_ actions: [MessageLayer.Action]) {
        for action in link.perform(actions) {
            switch action {
            case .transmit, .delivered, .sessionClosed: break
            case .received(let exchange, let message):
                if !inboxes.deliver(message, on: exchange) {
                    _ = link.perform(link.layer.close(exchange, now: link.now))
                }
            case .failed(let exchange, let failure): inboxes.fail(exchange, .failed(failure))
            case .opened(let exchange, _, let message):
                // Without room for the answer the device repeats itself.
                let answer = try? link.layer.send(ControllerRefusal.answer(to: message), on: exchange, now: link.now)
                _ = link.perform((answer ?? []) + link.layer.close(exchange, now: link.now))
            }
        }
        armTimer()
    }

    private func armTimer() { link.armTimer(other: inboxes.deadline) }
}

/// An exchange that a probe opened; belongs to one task.
private final class ProbeExchange {
    let handle: ExchangeHandle
    private var messages: ExchangeInboxes.Stream.AsyncIterator

    init(_ probe: isolated DeviceProbe, on session: SessionHandle) throws {
        (handle, messages) = try probe.open(on: session)
    }

    func next(isolation: isolated DeviceProbe) async throws -> InboundMessage? {
        try await messages.next(isolation: isolation)
    }
}

extension DeviceProbe {
    /// A number for a session that a handshake will make.
    func newSessionID() -> SessionID { link.layer.allocateSessionID() }
}
