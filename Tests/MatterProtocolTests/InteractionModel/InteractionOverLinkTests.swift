import MatterProtocol
import MatterWire
import TestSupport
import Testing

/// A controller and a device on one session over a bad link: transactions on one side, the server on the other.
private struct LinkedPair {
    let controllerAddress = PeerAddress(ip: [UInt8](repeating: 1, count: 16), port: 1)
    let deviceAddress = PeerAddress(ip: [UInt8](repeating: 2, count: 16), port: 2)
    var controller: MessageLayer
    var device: MessageLayer
    var server: InteractionServer
    var target: SmallTarget
    var network: VirtualNetwork
    var now = MonotonicInstant(sinceStart: .zero)
    let controllerSession: SessionHandle
    let deviceSession: SessionHandle
    var reads: [ExchangeHandle: ReadTransaction] = [:]
    var invokes: [ExchangeHandle: InvokeTransaction] = [:]
    var readResults: [Result<ReadResult, InteractionFailure>] = []
    var invokeResults: [Result<InvokeResult, InteractionFailure>] = []
    var isSubscribed = false
    var reports: [ReportData] = []

    init(_ target: SmallTarget, conditions: VirtualNetwork.Conditions, seed: UInt64) throws {
        self.target = target
        network = VirtualNetwork(conditions: conditions, seed: seed)
        server = InteractionServer(random: .seeded(seed))
        controller = MessageLayer(random: .seeded(seed + 1))
        device = MessageLayer(random: .seeded(seed + 2))
        func session(_ isInitiator: Bool) -> EstablishedSession {
            EstablishedSession(
                kind: .case, localSessionID: SessionID(rawValue: isInitiator ? 10 : 20),
                peerSessionID: SessionID(rawValue: isInitiator ? 20 : 10),
                initiatorToResponderKey: [UInt8](repeating: 1, count: 16),
                responderToInitiatorKey: [UInt8](repeating: 2, count: 16),
                attestationChallenge: [UInt8](repeating: 3, count: 16), isInitiator: isInitiator,
                localNode: NodeID(rawValue: isInitiator ? 1 : 2), peerNode: NodeID(rawValue: isInitiator ? 2 : 1),
                fabricIndex: FabricIndex(rawValue: 1))
        }
        controllerSession = try controller.addSession(session(true), peer: deviceAddress, now: now).session
        deviceSession = try device.addSession(session(false), peer: controllerAddress, now: now).session
    }

    // MARK: - Requests

    mutating func read(_ paths: [AttributePath]) throws {
        let exchange = try controller.openExchange(on: controllerSession)
        var transaction = ReadTransaction(paths)
        let actions = transaction.start()
        reads[exchange] = transaction
        perform(actions, on: exchange) { $0.readResults.append($1) }
    }

    mutating func invoke(_ path: CommandPath, timeout: UInt16? = nil) throws {
        let exchange = try controller.openExchange(on: controllerSession)
        var transaction = InvokeTransaction(path, timeout: timeout)
        let actions = transaction.start()
        invokes[exchange] = transaction
        perform(actions, on: exchange) { $0.invokeResults.append($1) }
    }

    mutating func subscribe(_ paths: [AttributePath], ceiling: UInt16) throws {
        let exchange = try controller.openExchange(on: controllerSession)
        let request = SubscribeRequest(
            keepsSubscriptions: false, minimumInterval: 0, maximumInterval: ceiling, attributes: paths)
        send(OutboundMessage(expected: request), on: exchange)
    }

    mutating func change(_ path: ConcreteAttributePath, _ value: TLVValue) {
        target.values[path] = value
        perform(server.attributesChanged([path], now: now, target: &target))
    }

    // MARK: - Running

    mutating func run(limit: Duration = .seconds(120), until isDone: (LinkedPair) -> Bool = { _ in false }) {
        let end = now.advanced(by: limit)
        for _ in 0..<20_000 {
            if isDone(self) { return }
            guard
                let next = [network.nextArrival, controller.deadline, device.deadline, server.deadline]
                    .compactMap(\.self).min(), next <= end
            else { return }
            now = max(now, next)
            for datagram in network.arrivals(now: now) {
                if datagram.destination == deviceAddress {
                    performDevice(device.datagramReceived(datagram.bytes, from: datagram.source, now: now))
                } else {
                    performController(controller.datagramReceived(datagram.bytes, from: datagram.source, now: now))
                }
            }
            if let deadline = controller.deadline, deadline <= now {
                performController(controller.timerFired(now: now))
            }
            if let deadline = device.deadline, deadline <= now { performDevice(device.timerFired(now: now)) }
            if let deadline = server.deadline, deadline <= now {
                perform(server.timerFired(now: now, target: &target))
            }
        }
    }

    // MARK: - The controller's driver

    private mutating func performController(_ actions: [MessageLayer.Action]) {
        for action in actions {
            switch action {
            case .transmit(let bytes, let address):
                network.send(.init(bytes: bytes, source: controllerAddress, destination: address), now: now)
            case .received(let exchange, let message):
                if var transaction = reads[exchange] {
                    let actions = transaction.received(message)
                    reads[exchange] = transaction
                    perform(actions, on: exchange) { $0.readResults.append($1) }
                } else if var transaction = invokes[exchange] {
                    let actions = transaction.received(message)
                    invokes[exchange] = transaction
                    perform(actions, on: exchange) { $0.invokeResults.append($1) }
                } else {
                    subscriber(message, on: exchange)
                }
            case .opened(let exchange, on: _, let message): subscriber(message, on: exchange)
            case .failed(let exchange, _):
                if var transaction = reads.removeValue(forKey: exchange) {
                    perform(transaction.failed(.unreachable), on: exchange) { $0.readResults.append($1) }
                }
                if var transaction = invokes.removeValue(forKey: exchange) {
                    perform(transaction.failed(.unreachable), on: exchange) { $0.invokeResults.append($1) }
                }
            case .delivered, .sessionClosed: break
            }
        }
    }

    private mutating func perform<Value>(
        _ actions: [InteractionAction<Value>], on exchange: ExchangeHandle,
        finish: (inout LinkedPair, Result<Value, InteractionFailure>) -> Void
    ) {
        for action in actions {
            switch action {
            case .send(let message): send(message, on: exchange)
            case .finished(let result):
                finish(&self, result)
                performController(controller.close(exchange, now: now))
            }
        }
    }

    private mutating func send(_ message: OutboundMessage, on exchange: ExchangeHandle) {
        do {
            performController(try controller.send(message, on: exchange, now: now))
        } catch {
            Issue.record(error)
        }
    }

    /// A subscriber that takes every report.
    private mutating func subscriber(_ message: InboundMessage, on exchange: ExchangeHandle) {
        do {
            if message.opcode == InteractionOpcode.subscribeResponse.rawValue {
                isSubscribed = true
                performController(controller.close(exchange, now: now))
                return
            }
            let report = try ReportData(decoding: message.payload)
            reports.append(report)
            if !report.suppressesResponse { send(OutboundMessage(expected: StatusResponse(.success)), on: exchange) }
            if isSubscribed, !report.hasMoreChunks { performController(controller.close(exchange, now: now)) }
        } catch {
            Issue.record(error)
        }
    }

    // MARK: - The device's driver

    private var context: InteractionContext {
        var context = InteractionContext.operational(session: deviceSession.rawValue)
        context.now = now
        return context
    }

    private mutating func performDevice(_ actions: [MessageLayer.Action]) {
        for action in actions {
            switch action {
            case .transmit(let bytes, let address):
                network.send(.init(bytes: bytes, source: deviceAddress, destination: address), now: now)
            case .opened(let exchange, on: _, let message), .received(let exchange, let message):
                perform(server.received(message, on: exchange, context: context, target: &target))
            case .delivered(let exchange): perform(server.delivered(exchange, now: now))
            case .failed(let exchange, _): perform(server.failed(exchange))
            case .sessionClosed(let session, _): perform(server.sessionClosed(session))
            }
        }
    }

    private mutating func perform(_ actions: [InteractionServer.Action]) {
        for action in actions {
            switch action {
            case .send(let message, on: let exchange):
                do {
                    performDevice(try device.send(message, on: exchange, now: now))
                } catch {
                    Issue.record(error)
                }
            case .close(let exchange): performDevice(device.close(exchange, now: now))
            case .openReport(let id, on: let session):
                do {
                    let exchange = try device.openExchange(on: session)
                    perform(server.reportOpened(id, on: exchange, now: now))
                } catch {
                    perform(server.reportFailed(id))
                }
            case .subscribed, .unsubscribed: break
            }
        }
    }
}

@Suite("Interactions over sessions and a bad link") struct InteractionOverLinkTests {
    private static let bad = VirtualNetwork.Conditions(
        latency: .milliseconds(1) ... .milliseconds(400), loss: 0.1, duplication: 0.1)

    private static func largeTarget() -> SmallTarget {
        var target = SmallTarget()
        for attribute: UInt32 in 0..<150 {
            target.values[ConcreteAttributePath(0, 0x1D, attribute)] =
                .octets([UInt8](repeating: UInt8(attribute), count: 40))
        }
        target.values[ConcreteAttributePath(0, 0x1F, 0)] = .array(
            (0..<80).map { .members((1, .unsigned($0)), (2, .utf8("an entry of the list"))) })
        return target
    }

    @Test(arguments: 0..<20) func `a large read arrives whole, or fails once`(_ seed: UInt64) throws {
        let target = Self.largeTarget()
        var pair = try LinkedPair(target, conditions: Self.bad, seed: seed)
        try pair.read([AttributePath(nil, nil, nil)])
        pair.run()
        #expect(pair.readResults.count == 1)
        if case .success(let result) = pair.readResults.first {
            #expect(result.attributes.count == target.values.count)
            for (path, value) in target.values { #expect(result[path] == value) }
        }
        #expect(pair.server.deadline == nil)
        #expect(pair.device.deadline == nil)
        #expect(pair.controller.deadline == nil)
    }

    @Test(arguments: 0..<20) func `a command runs at most once`(_ seed: UInt64) throws {
        var pair = try LinkedPair(SmallTarget(), conditions: Self.bad, seed: seed)
        for _ in 0..<5 { try pair.invoke(CommandPath(1, 6, 2)) }
        try pair.invoke(CommandPath(1, 0x3C, 2), timeout: 10_000)
        pair.run()
        #expect(pair.invokeResults.count == 6)
        let successes = pair.invokeResults.count { if case .success = $0 { true } else { false } }
        #expect(pair.target.log.count >= successes)
        #expect(pair.target.log.count <= 6)
    }

    @Test func `over a good link nothing waits`() throws {
        var pair = try LinkedPair(Self.largeTarget(), conditions: .perfect, seed: 1)
        try pair.read([AttributePath(nil, nil, nil)])
        pair.run { !$0.readResults.isEmpty }
        #expect(pair.now < .at(0.05))
        try pair.invoke(CommandPath(1, 6, 2))
        let start = pair.now
        pair.run { !$0.invokeResults.isEmpty }
        #expect(start.duration(to: pair.now) == .milliseconds(2))
    }

    @Test func `a subscription reports changes at once and keeps alive`() throws {
        let onOff = ConcreteAttributePath(1, 6, 0)
        var pair = try LinkedPair(SmallTarget([onOff: .bool(true)]), conditions: .perfect, seed: 1)
        try pair.subscribe([AttributePath(nil, nil, nil)], ceiling: 20)
        pair.run(limit: .seconds(1)) { $0.isSubscribed }
        #expect(pair.reports.count == 1)
        let start = pair.now
        pair.change(onOff, .bool(false))
        pair.run(limit: .seconds(1)) { $0.reports.count == 2 }
        #expect(start.duration(to: pair.now) == .milliseconds(1))
        pair.run(limit: .seconds(100))
        #expect(pair.server.subscriptionCount == 1)
        #expect(pair.reports.count >= 7)
        #expect(pair.reports.dropFirst(2).allSatisfy { $0.attributes.isEmpty && $0.suppressesResponse })
    }

    @Test func `a subscriber that is gone loses its subscription`() throws {
        let onOff = ConcreteAttributePath(1, 6, 0)
        var pair = try LinkedPair(SmallTarget([onOff: .bool(true)]), conditions: .perfect, seed: 1)
        try pair.subscribe([AttributePath(nil, nil, nil)], ceiling: 20)
        pair.run(limit: .seconds(1)) { $0.isSubscribed }
        pair.network.conditions.loss = 1
        pair.change(onOff, .bool(false))
        pair.run()
        #expect(pair.server.subscriptionCount == 0)
        #expect(pair.server.deadline == nil)
    }
}
