import MatterProtocol
import MatterWire
import TestSupport
import Testing

private let onOff = ConcreteAttributePath(1, 6, 0)
private let level = ConcreteAttributePath(1, 8, 0)

/// A server with subscribers, and the driver's part of opening exchanges.
private struct Bench {
    var server: InteractionServer
    var target = SmallTarget([onOff: .bool(true), level: .unsigned(3)])
    var nextExchange: UInt64 = 100

    init(_ change: (inout InteractionServer.Limits) -> Void = { _ in }) {
        var limits = InteractionServer.Limits()
        change(&limits)
        server = InteractionServer(random: .seeded(1), limits: limits)
    }

    mutating func receive(
        _ message: some InteractionMessage, on exchange: UInt64 = 1,
        _ context: InteractionContext = .operational()
    ) -> [InteractionServer.Action] {
        server.received(
            InboundMessage(message), on: ExchangeHandle(rawValue: exchange), context: context, target: &target)
    }

    /// Sets a subscription up, and checks every message on the way.
    mutating func subscribe(
        _ paths: [AttributePath] = [AttributePath(1, 6, nil)], floor: UInt16 = 0, ceiling: UInt16 = 60,
        keeps: Bool = false, context: InteractionContext = .operational()
    ) throws -> SubscriptionID {
        nextExchange += 1
        let exchange = ExchangeHandle(rawValue: nextExchange)
        var actions = receive(
            SubscribeRequest(
                keepsSubscriptions: keeps, minimumInterval: floor, maximumInterval: ceiling, attributes: paths),
            on: exchange.rawValue, context)
        var id: SubscriptionID?
        for _ in 0..<100 {
            let last = try #require(actions.last)
            if case .subscribed(let done, let session) = last {
                #expect(session.rawValue == context.session)
                #expect(done == id)
                #expect(actions.dropLast().last == .close(exchange))
                return done
            }
            guard case .send(let message, on: exchange) = last else {
                Issue.record("\(actions)")
                break
            }
            let report = try ReportData(decoding: message.payload)
            #expect(!report.suppressesResponse)
            #expect(report.subscription != nil)
            id = report.subscription
            actions = receive(StatusResponse(.success), on: exchange.rawValue, context)
        }
        throw InteractionFailure(.timedOut)
    }

    mutating func change(_ path: ConcreteAttributePath, _ value: TLVValue, at seconds: Double)
        -> [InteractionServer.Action]
    {
        target.values[path] = value
        return server.attributesChanged([path], now: .at(seconds), target: &target)
    }

    /// Opens the exchange that the only action asks for.
    mutating func open(_ actions: [InteractionServer.Action], at seconds: Double) throws -> (ExchangeHandle, ReportData)
    {
        guard case .openReport(let id, on: _) = try #require(actions.first), actions.count == 1 else {
            throw InteractionFailure(.mismatchedAnswer)
        }
        nextExchange += 1
        let exchange = ExchangeHandle(rawValue: nextExchange)
        let sent = server.reportOpened(id, on: exchange, now: .at(seconds))
        guard case .send(let message, on: exchange) = try #require(sent.first), sent.count == 1 else {
            throw InteractionFailure(.mismatchedAnswer)
        }
        return (exchange, try ReportData(decoding: message.payload))
    }
}

private func values(_ report: ReportData) -> [ConcreteAttributePath: TLVValue] {
    var values: [ConcreteAttributePath: TLVValue] = [:]
    for case .data(let block) in report.attributes {
        if let path = block.path.concrete { values[path] = block.value }
    }
    return values
}

@Suite("Interaction server: subscriptions (Core §8.5)") struct SubscriptionTests {
    @Test func `priming, response, report on change, confirmed`() throws {
        var bench = Bench()
        let id = try bench.subscribe()
        let (exchange, report) = try bench.open(bench.change(onOff, .bool(false), at: 1), at: 1)
        #expect(report.subscription == id)
        #expect(!report.suppressesResponse)
        #expect(values(report) == [onOff: .bool(false)])
        #expect(bench.receive(StatusResponse(.success), on: exchange.rawValue) == [.close(exchange)])
        #expect(bench.server.subscriptionCount == 1)
        #expect(bench.server.deadline == .at(56))
    }

    @Test func `what is not subscribed to, or not readable, is not reported`() throws {
        var bench = Bench()
        _ = try bench.subscribe()
        #expect(bench.change(level, .unsigned(9), at: 1).isEmpty)
        bench.target.hidden = [onOff]
        #expect(bench.change(onOff, .bool(false), at: 1).isEmpty)
        #expect(bench.server.deadline == .at(55))
    }

    @Test func `changes within the floor wait and are merged`() throws {
        var bench = Bench()
        _ = try bench.subscribe([AttributePath(nil, nil, nil)], floor: 2)
        #expect(bench.change(onOff, .bool(false), at: 0.5).isEmpty)
        #expect(bench.change(onOff, .bool(true), at: 0.6).isEmpty)
        #expect(bench.change(level, .unsigned(9), at: 0.7).isEmpty)
        #expect(bench.server.deadline == .at(2))
        #expect(bench.server.timerFired(now: .at(1.9), target: &bench.target).isEmpty)
        let (_, report) = try bench.open(bench.server.timerFired(now: .at(2), target: &bench.target), at: 2)
        #expect(values(report) == [onOff: .bool(true), level: .unsigned(9)])
    }

    @Test func `changes while a report is on its way follow it`() throws {
        var bench = Bench()
        _ = try bench.subscribe([AttributePath(nil, nil, nil)])
        let (exchange, _) = try bench.open(bench.change(onOff, .bool(false), at: 1), at: 1)
        #expect(bench.change(level, .unsigned(9), at: 1.1).isEmpty)
        #expect(bench.receive(StatusResponse(.success), on: exchange.rawValue) == [.close(exchange)])
        #expect(bench.server.deadline == .at(1))
        let (_, report) = try bench.open(bench.server.timerFired(now: .at(1.2), target: &bench.target), at: 1.2)
        #expect(values(report) == [level: .unsigned(9)])
    }

    @Test func `a change during priming is reported after it`() throws {
        var bench = Bench()
        let request = SubscribeRequest(
            keepsSubscriptions: false, minimumInterval: 0, maximumInterval: 60,
            attributes: [AttributePath(nil, nil, nil)])
        _ = bench.receive(request, on: 5)
        #expect(bench.change(onOff, .bool(false), at: 0).isEmpty)
        #expect(bench.receive(StatusResponse(.success), on: 5).count == 3)
        let (_, report) = try bench.open(bench.server.timerFired(now: .at(0), target: &bench.target), at: 0)
        #expect(values(report) == [onOff: .bool(false)])
    }

    @Test func `a keep-alive is empty, suppressed, early, and done when acknowledged`() throws {
        var bench = Bench()
        let id = try bench.subscribe(ceiling: 10)
        #expect(bench.server.deadline == .at(5))
        let (exchange, report) = try bench.open(bench.server.timerFired(now: .at(5), target: &bench.target), at: 5)
        #expect(report == ReportData(subscription: id, suppressesResponse: true))
        #expect(bench.server.delivered(exchange, now: .at(5)) == [.close(exchange)])
        #expect(bench.server.deadline == .at(10))
        #expect(bench.server.delivered(exchange, now: .at(5)).isEmpty)
    }

    @Test func `an acknowledgement alone does not end a report that wants a status`() throws {
        var bench = Bench()
        _ = try bench.subscribe()
        let (exchange, _) = try bench.open(bench.change(onOff, .bool(false), at: 1), at: 1)
        #expect(bench.server.delivered(exchange, now: .at(1)).isEmpty)
    }

    @Test func `a long report goes in confirmed chunks`() throws {
        var bench = Bench()
        _ = try bench.subscribe([AttributePath(nil, nil, nil)])
        let list: [TLVValue] = (0..<9).map { _ in .octets([UInt8](repeating: 7, count: 400)) }
        bench.target.values[level] = .array([])
        var (exchange, report) = try bench.open(bench.change(level, .array(list), at: 1), at: 1)
        var items = report.attributes.count
        while report.hasMoreChunks {
            let actions = bench.receive(StatusResponse(.success), on: exchange.rawValue)
            guard case .send(let message, on: exchange) = actions.first else { break }
            report = try ReportData(decoding: message.payload)
            items += report.attributes.count
        }
        #expect(items == 10)
        #expect(bench.receive(StatusResponse(.success), on: exchange.rawValue) == [.close(exchange)])
    }

    @Test(arguments: [InteractionStatus.invalidSubscription, .failure]) func `a subscriber ends it with a status`(
        _ status: InteractionStatus
    ) throws {
        var bench = Bench()
        let id = try bench.subscribe()
        let (exchange, _) = try bench.open(bench.change(onOff, .bool(false), at: 1), at: 1)
        #expect(bench.receive(StatusResponse(status), on: exchange.rawValue) == [.close(exchange), .unsubscribed(id)])
        #expect(bench.server.deadline == nil)
    }

    @Test func `a report that arrives nowhere ends it`() throws {
        var bench = Bench()
        let id = try bench.subscribe()
        let (exchange, _) = try bench.open(bench.change(onOff, .bool(false), at: 1), at: 1)
        #expect(bench.server.failed(exchange) == [.unsubscribed(id)])
        let other = try bench.subscribe()
        #expect(bench.change(onOff, .bool(true), at: 2).count == 1)
        #expect(bench.server.reportFailed(other) == [.unsubscribed(other)])
        #expect(bench.server.reportOpened(other, on: .init(rawValue: 9), now: .at(2)) == [.close(.init(rawValue: 9))])
    }

    @Test func `a subscriber that answers nothing is given up`() throws {
        var bench = Bench()
        let id = try bench.subscribe()
        let (exchange, _) = try bench.open(bench.change(onOff, .bool(false), at: 1), at: 1)
        #expect(bench.server.deadline == .at(31))
        #expect(
            bench.server.timerFired(now: .at(31), target: &bench.target) == [.unsubscribed(id), .close(exchange)])
    }

    @Test func `it dies with its session, and only with that`() throws {
        var bench = Bench()
        let id = try bench.subscribe()
        _ = try bench.subscribe(keeps: true, context: .operational(session: 2))
        #expect(bench.server.sessionClosed(.init(rawValue: 1)) == [.unsubscribed(id)])
        #expect(bench.server.subscriptionCount == 1)
    }

    @Test func `not keeping subscriptions ends the same node's others only`() throws {
        var bench = Bench()
        let first = try bench.subscribe()
        let second = try bench.subscribe(keeps: true, context: .operational(session: 2))
        _ = try bench.subscribe(context: .operational(node: 8, session: 3))
        _ = try bench.subscribe(context: .operational(fabric: 2, session: 4))
        #expect(bench.server.subscriptionCount == 4)
        let actions = bench.receive(
            SubscribeRequest(
                keepsSubscriptions: false, minimumInterval: 0, maximumInterval: 60,
                attributes: [AttributePath(1, 6, nil)]), on: 50, .operational(session: 5))
        #expect(Set(actions.dropLast()) == [.unsubscribed(first), .unsubscribed(second)])
        #expect(bench.server.subscriptionCount == 3)
    }

    @Test func `a fabric has only so many`() throws {
        var bench = Bench { $0.subscriptionsPerFabric = 3 }
        for _ in 0..<3 { _ = try bench.subscribe(keeps: true) }
        let request = SubscribeRequest(
            keepsSubscriptions: true, minimumInterval: 0, maximumInterval: 60, attributes: [AttributePath(1, 6, nil)])
        #expect(
            bench.receive(request) == [
                .send(
                    OutboundMessage(expected: StatusResponse(.resourceExhausted)), on: ExchangeHandle(rawValue: 1)),
                .close(ExchangeHandle(rawValue: 1)),
            ])
        _ = try bench.subscribe(keeps: true, context: .operational(fabric: 2))
    }

    @Test(arguments: [(UInt16(5), UInt16(4), true), (0, 60, false)]) func `a request without sense is refused`(
        _ floor: UInt16, _ ceiling: UInt16, _ hasPaths: Bool
    ) {
        var bench = Bench()
        let request = SubscribeRequest(
            keepsSubscriptions: true, minimumInterval: floor, maximumInterval: ceiling,
            attributes: hasPaths ? [AttributePath(1, 6, nil)] : [])
        #expect(bench.receive(request).count == 2)
        #expect(bench.server.subscriptionCount == 0)
    }

    @Test(arguments: [
        (UInt16(0), UInt16(60), UInt16(60)), (0, 3600, 3600), (0, 65535, 3600), (4000, 65535, 4000), (0, 0, 1),
    ]) func `the promised interval is the ceiling within bounds`(
        _ floor: UInt16, _ ceiling: UInt16, _ expected: UInt16
    ) throws {
        var bench = Bench()
        _ = bench.receive(
            SubscribeRequest(
                keepsSubscriptions: true, minimumInterval: floor, maximumInterval: ceiling,
                attributes: [AttributePath(1, 6, nil)]))
        guard case .send(let message, on: _) = bench.receive(StatusResponse(.success)).first else {
            Issue.record("no response")
            return
        }
        #expect(try SubscribeResponse(decoding: message.payload).maximumInterval == expected)
    }

    @Test func `a refused priming report ends it`() {
        var bench = Bench()
        let exchange = ExchangeHandle(rawValue: 1)
        let request = SubscribeRequest(
            keepsSubscriptions: true, minimumInterval: 0, maximumInterval: 60, attributes: [AttributePath(1, 6, nil)])
        _ = bench.receive(request)
        #expect(bench.server.subscriptionCount == 1)
        let actions = bench.receive(StatusResponse(.failure))
        #expect(actions.first == .close(exchange))
        #expect(actions.count == 2)
        #expect(bench.server.subscriptionCount == 0)
    }

    @Test func `new events are reported once`() throws {
        var bench = Bench()
        let request = SubscribeRequest(
            keepsSubscriptions: true, minimumInterval: 0, maximumInterval: 60, attributes: [],
            events: [EventPath(isUrgent: true)])
        _ = bench.receive(request)
        _ = bench.receive(StatusResponse(.success))
        #expect(bench.server.eventsOccurred(now: .at(1), target: &bench.target).isEmpty)
        bench.target.eventsToGive = [
            EventDataIB(path: EventPath(), number: 4, priority: .info, timestamp: .system(9), fields: nil)
        ]
        let (exchange, report) = try bench.open(
            bench.server.eventsOccurred(now: .at(2), target: &bench.target), at: 2)
        #expect(report.events == [.data(bench.target.eventsToGive[0])])
        #expect(bench.receive(StatusResponse(.success), on: exchange.rawValue) == [.close(exchange)])
        #expect(bench.server.eventsOccurred(now: .at(3), target: &bench.target).isEmpty)
    }
}
