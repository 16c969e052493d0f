import MatterProtocol
import MatterWire
import TestSupport
import Testing

private typealias Action = SubscriptionKeeper.Action

private let session = SessionHandle(rawValue: 3)
private let exchange = ExchangeHandle(rawValue: 30)
private let other = ExchangeHandle(rawValue: 31)
private let id = SubscriptionID(rawValue: 7)
private let onOff = ConcreteAttributePath(1, 6, 0)
private let level = ConcreteAttributePath(1, 8, 0)
private let proceed = OutboundMessage(expected: StatusResponse(.success))
private let unknown = OutboundMessage(expected: StatusResponse(.invalidSubscription))

private func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(sinceStart: .seconds(seconds)) }

private func known(_ value: TLVValue, _ path: ConcreteAttributePath = onOff, version: UInt32 = 1) -> AttributeReport {
    .data(path: path, version: DataVersion(rawValue: version), value: value)
}

private func report(
    _ values: [(ConcreteAttributePath, TLVValue)], id: SubscriptionID? = id, more: Bool = false, silent: Bool = false
) -> InboundMessage {
    InboundMessage(
        ReportData(
            subscription: id,
            attributes: values.map { path, value in
                .data(
                    AttributeDataIB(
                        version: DataVersion(rawValue: 1),
                        path: AttributePath(path.endpoint.rawValue, path.cluster.rawValue, path.attribute.rawValue),
                        value: value))
            }, hasMoreChunks: more, suppressesResponse: silent))
}

@Suite("Subscription keeper (Core §8.5)") struct SubscriptionKeeperTests {
    private let wanted = [AttributePath(1, nil, nil)]

    private func request(_ paths: [AttributePath]) -> SubscribeRequest {
        SubscribeRequest(
            keepsSubscriptions: false, minimumInterval: 0, maximumInterval: SubscriptionKeeper.ceiling,
            attributes: paths)
    }

    private func established(_ values: [AttributeReport] = [known(.bool(false))]) -> EstablishedSubscription {
        EstablishedSubscription(id: id, maximumInterval: 60, values: ReadResult(attributes: values))
    }

    /// A keeper in the state `subscribing`.
    private func subscribing() -> SubscriptionKeeper {
        var keeper = SubscriptionKeeper(wanted)
        #expect(keeper.start() == [.connect])
        #expect(keeper.connected(session) == [.subscribe(request(wanted), on: session)])
        return keeper
    }

    /// A keeper in the state `live` since 0 s, with `onOff` false.
    private func live() -> SubscriptionKeeper {
        var keeper = subscribing()
        #expect(
            keeper.subscribed(established(), slack: .seconds(5), now: at(0), jitter: 0) == [
                .changed([known(.bool(false))]), .established(paths: wanted),
            ])
        #expect(keeper.deadline == at(65))
        return keeper
    }

    /// A keeper in the state `waiting` after a failed connection at 0 s.
    private func waiting() -> SubscriptionKeeper {
        var keeper = SubscriptionKeeper(wanted)
        _ = keeper.start()
        #expect(keeper.connectFailed(now: at(0), jitter: 0) == [.reachable(false)])
        #expect(keeper.deadline == at(1))
        return keeper
    }

    // MARK: - Arrows

    @Test func `set-up leads to live, with the values it began with`() {
        let keeper = live()
        #expect(keeper.isLive)
        #expect(keeper.session == session)
        #expect(keeper.reports == [known(.bool(false))])
    }

    @Test func `a report is answered, and only what differs is told`() {
        var keeper = live()
        #expect(
            keeper.reported(
                report([(onOff, .bool(true)), (level, .unsigned(9))]), on: exchange, of: session, now: at(20), jitter: 0
            )
                == [
                    .send(proceed, on: exchange), .close(exchange),
                    .changed([known(.bool(true)), known(.unsigned(9), level)]),
                ])
        #expect(keeper.deadline == at(85))
        #expect(
            keeper.reported(report([(onOff, .bool(true))]), on: other, of: session, now: at(21), jitter: 0) == [
                .send(proceed, on: other), .close(other),
            ])
        #expect(keeper.reports == [known(.bool(true)), known(.unsigned(9), level)])
    }

    @Test func `a sign of life counts, and wants no answer when it says so`() {
        var keeper = live()
        #expect(
            keeper.reported(report([], silent: true), on: exchange, of: session, now: at(50), jitter: 0)
                == [.close(exchange)])
        #expect(keeper.deadline == at(115))
    }

    @Test func `a report in chunks is told when it is whole`() {
        var keeper = live()
        #expect(
            keeper.reported(
                report([(onOff, .bool(true))], more: true), on: exchange, of: session, now: at(1), jitter: 0)
                == [.send(proceed, on: exchange)])
        #expect(keeper.isReporting(on: exchange))
        #expect(!keeper.isReporting(on: other))
        #expect(keeper.reports == [known(.bool(false))])
        #expect(
            keeper.reported(report([(level, .unsigned(9))]), on: exchange, of: session, now: at(2), jitter: 0) == [
                .send(proceed, on: exchange), .close(exchange),
                .changed([known(.bool(true)), known(.unsigned(9), level)]),
            ])
        #expect(!keeper.isReporting(on: exchange))
    }

    @Test func `another report replaces one that was not finished, and a failed exchange drops it`() {
        var keeper = live()
        _ = keeper.reported(
            report([(onOff, .bool(true))], more: true), on: exchange, of: session, now: at(1), jitter: 0)
        #expect(
            keeper.reported(report([(level, .unsigned(9))]), on: other, of: session, now: at(2), jitter: 0) == [
                .close(exchange), .send(proceed, on: other), .close(other), .changed([known(.unsigned(9), level)]),
            ])
        _ = keeper.reported(
            report([(onOff, .bool(true))], more: true), on: exchange, of: session, now: at(3), jitter: 0)
        keeper.exchangeFailed(other)
        #expect(keeper.isReporting(on: exchange))
        keeper.exchangeFailed(exchange)
        #expect(!keeper.isReporting(on: exchange))
    }

    @Test func `silence loses it: not reachable, and at once a new try`() {
        var keeper = live()
        #expect(keeper.timerFired(now: at(64), jitter: 0).isEmpty)
        #expect(keeper.timerFired(now: at(65), jitter: 0) == [.reachable(false), .connect])
        #expect(keeper.deadline == nil)
        #expect(keeper.connected(session) == [.subscribe(request(wanted), on: session)])
        // Only what changed meanwhile is told.
        #expect(
            keeper.subscribed(
                established([known(.bool(false), version: 4), known(.unsigned(3), level)]), slack: .zero, now: at(70),
                jitter: 0)
                == [.reachable(true), .changed([known(.unsigned(3), level)]), .established(paths: wanted)])
    }

    @Test func `a closed session loses it, without saying that the node is gone`() {
        var keeper = live()
        #expect(keeper.sessionClosed(SessionHandle(rawValue: 4), now: at(20), jitter: 0).isEmpty)
        #expect(keeper.sessionClosed(session, now: at(20), jitter: 0) == [.connect])
    }

    @Test func `one that is lost at once waits, and each time longer`() {
        var keeper = subscribing()
        var waits: [Duration] = []
        var now = at(0)
        for _ in 0..<9 {
            _ = keeper.subscribed(established(), slack: .zero, now: now, jitter: 0)
            #expect(keeper.sessionClosed(session, now: now, jitter: 0).isEmpty)
            let deadline = keeper.deadline!
            waits.append(now.duration(to: deadline))
            now = deadline
            #expect(keeper.timerFired(now: now, jitter: 0) == [.connect])
            _ = keeper.connected(session)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test func `chance lengthens a wait by a quarter at most`() {
        var keeper = SubscriptionKeeper(wanted)
        _ = keeper.start()
        _ = keeper.connectFailed(now: at(0), jitter: 1)
        #expect(keeper.deadline == MonotonicInstant(sinceStart: .milliseconds(1250)))
    }

    @Test func `a broken report loses it`() {
        var keeper = live()
        _ = keeper.reported(report([(onOff, .bool(true))], more: true), on: other, of: session, now: at(19), jitter: 0)
        let garbage = InboundMessage(protocolID: .interactionModel, opcode: 5, payload: [0x15, 0x36])
        #expect(
            keeper.reported(garbage, on: exchange, of: session, now: at(20), jitter: 0) == [
                .send(OutboundMessage(expected: StatusResponse(.invalidAction)), on: exchange), .close(exchange),
                .close(other), .connect,
            ])
    }

    @Test func `a status in the middle of a report loses it`() {
        var keeper = live()
        _ = keeper.reported(
            report([(onOff, .bool(true))], more: true), on: exchange, of: session, now: at(19), jitter: 0)
        #expect(
            keeper.reported(
                InboundMessage(StatusResponse(.failure)), on: exchange, of: session, now: at(20), jitter: 0)
                == [.close(exchange), .connect])
    }

    @Test func `a report that comes before the publisher's answer is taken after it`() {
        var keeper = subscribing()
        #expect(
            keeper.reported(report([(onOff, .bool(true))]), on: exchange, of: session, now: at(0), jitter: 0).isEmpty)
        #expect(
            keeper.subscribed(established(), slack: .zero, now: at(1), jitter: 0) == [
                .changed([known(.bool(false))]), .established(paths: wanted), .send(proceed, on: exchange),
                .close(exchange), .changed([known(.bool(true))]),
            ])
        // Only one can wait; and a failed set-up gives it up.
        var failing = subscribing()
        _ = failing.reported(report([]), on: exchange, of: session, now: at(0), jitter: 0)
        #expect(failing.reported(report([]), on: other, of: session, now: at(0), jitter: 0) == [.close(exchange)])
        #expect(
            failing.subscribeFailed(InteractionFailure(.status(.busy)), now: at(0), jitter: 0) == [
                .close(other), .failed(InteractionFailure(.status(.busy))),
            ])
    }

    @Test func `a dead session is tried again on a new one, once`() {
        var keeper = subscribing()
        #expect(
            keeper.subscribeFailed(InteractionFailure(.unreachable), now: at(0), jitter: 0)
                == [.drop(session), .connect])
        _ = keeper.connected(session)
        #expect(
            keeper.subscribeFailed(InteractionFailure(.unreachable), now: at(0), jitter: 0) == [
                .drop(session), .failed(InteractionFailure(.unreachable)), .reachable(false),
            ])
        #expect(keeper.deadline == at(2))
    }

    @Test func `a refused set-up waits, and says nothing of the node`() {
        var keeper = subscribing()
        let refusal = InteractionFailure(.status(.resourceExhausted))
        #expect(keeper.subscribeFailed(refusal, now: at(0), jitter: 0) == [.failed(refusal)])
        #expect(keeper.deadline == at(1))
    }

    @Test func `the end of a wait, and somebody in a hurry, begin anew`() {
        var patient = waiting()
        #expect(patient.timerFired(now: MonotonicInstant(sinceStart: .milliseconds(999)), jitter: 0).isEmpty)
        #expect(patient.timerFired(now: at(1), jitter: 0) == [.connect])
        var hurried = waiting()
        #expect(hurried.hurry() == [.connect])
        #expect(hurried.hurry().isEmpty)
    }

    @Test func `wanting more subscribes anew on the same session; what is covered changes nothing`() {
        var keeper = live()
        #expect(keeper.widen(to: [AttributePath(1, 6, 0)]).isEmpty)
        let both = wanted + [AttributePath(2, nil, nil)]
        #expect(keeper.widen(to: [AttributePath(2, nil, nil)]) == [.subscribe(request(both), on: session)])
        #expect(!keeper.isLive)
        // More still, while that is under way: a third set-up follows it.
        #expect(keeper.widen(to: [AttributePath()]).isEmpty)
        #expect(
            keeper.subscribed(established(), slack: .zero, now: at(3), jitter: 0) == [
                .established(paths: both), .subscribe(request([AttributePath()]), on: session),
            ])
        _ = keeper.subscribed(established(), slack: .zero, now: at(4), jitter: 0)
        #expect(keeper.isLive)
    }

    @Test func `more paths than every node serves become a wildcard`() {
        let paths = (1...4).map { AttributePath(UInt16($0), 6, 0) }
        #expect(SubscriptionKeeper(Array(paths.prefix(3))).paths == Array(paths.prefix(3)))
        #expect(SubscriptionKeeper(paths).paths == [AttributePath()])
        #expect(
            SubscriptionKeeper([paths[0], paths[0], AttributePath(1, nil, nil)]).paths == [AttributePath(1, nil, nil)])
    }

    @Test func `a value that a new set-up does not have any more is forgotten`() {
        var keeper = live()
        _ = keeper.sessionClosed(session, now: at(20), jitter: 0)
        _ = keeper.connected(session)
        _ = keeper.subscribed(established([known(.unsigned(1), level)]), slack: .zero, now: at(21), jitter: 0)
        #expect(keeper.reports == [known(.unsigned(1), level)])
    }

    @Test func `stop ends every state for good`() {
        var early = live()
        _ = early.reported(report([(onOff, .bool(true))], more: true), on: exchange, of: session, now: at(1), jitter: 0)
        #expect(early.stop() == [.close(exchange)])
        for var keeper in [SubscriptionKeeper(wanted), subscribing(), live(), waiting()] {
            #expect(keeper.stop().isEmpty)
            #expect(keeper.start().isEmpty)
            #expect(keeper.hurry().isEmpty)
            #expect(keeper.widen(to: [AttributePath()]).isEmpty)
            #expect(keeper.connected(session).isEmpty)
            #expect(keeper.deadline == nil)
            #expect(keeper.session == nil)
            #expect(keeper.stop().isEmpty)
        }
    }

    // MARK: - What each state refuses

    @Test func `reports of another subscription, or to nobody, are refused`() {
        let refusal: [Action] = [.send(unknown, on: exchange), .close(exchange)]
        let foreign = report([(onOff, .bool(true))], id: SubscriptionID(rawValue: 8))
        var keeper = live()
        #expect(keeper.reported(foreign, on: exchange, of: session, now: at(1), jitter: 0) == refusal)
        #expect(
            keeper.reported(report([]), on: exchange, of: SessionHandle(rawValue: 4), now: at(1), jitter: 0) == refusal)
        #expect(keeper.isLive)
        var idle = SubscriptionKeeper(wanted)
        #expect(idle.reported(report([]), on: exchange, of: session, now: at(1), jitter: 0) == refusal)
        var setUp = subscribing()
        #expect(
            setUp.reported(report([]), on: exchange, of: SessionHandle(rawValue: 4), now: at(1), jitter: 0) == refusal)
        var resting = waiting()
        #expect(resting.reported(report([]), on: exchange, of: session, now: at(1), jitter: 0) == refusal)
    }

    @Test func `events that come too late or too early do nothing`() {
        let failure = InteractionFailure(.unreachable)
        for var keeper in [SubscriptionKeeper(wanted), live(), waiting()] {
            #expect(keeper.connected(session).isEmpty)
            #expect(keeper.subscribed(established(), slack: .zero, now: at(0), jitter: 0).isEmpty)
            #expect(keeper.subscribeFailed(failure, now: at(0), jitter: 0).isEmpty)
            #expect(keeper.connectFailed(now: at(0), jitter: 0).isEmpty)
            #expect(keeper.timerFired(now: at(0), jitter: 0).isEmpty)
            keeper.exchangeFailed(exchange)
        }
        var setUp = subscribing()
        #expect(setUp.sessionClosed(session, now: at(0), jitter: 0).isEmpty)
        #expect(setUp.timerFired(now: at(500), jitter: 0).isEmpty)
        #expect(setUp.hurry().isEmpty)
        #expect(setUp.start().isEmpty)
    }
}
