import MatterProtocol
import MatterWire
import TestSupport
import Testing

private let exchange = ExchangeHandle(rawValue: 1)
private let onOff = ConcreteAttributePath(1, 6, 0)

/// One server with one exchange.
private struct Bench {
    var server: InteractionServer
    var target = SmallTarget([onOff: .bool(true)])

    init(_ change: (inout InteractionServer.Limits) -> Void = { _ in }) {
        var limits = InteractionServer.Limits()
        change(&limits)
        server = InteractionServer(random: .seeded(1), limits: limits)
    }

    mutating func receive(_ message: InboundMessage, at seconds: Double = 0) -> [InteractionServer.Action] {
        server.received(message, on: exchange, context: .operational(at: seconds), target: &target)
    }
    mutating func receive(_ message: some InteractionMessage, at seconds: Double = 0) -> [InteractionServer.Action] {
        receive(InboundMessage(message), at: seconds)
    }
    func reply(_ status: InteractionStatus) -> [InteractionServer.Action] {
        [.send(OutboundMessage(expected: StatusResponse(status)), on: exchange), .close(exchange)]
    }
}

@Suite("Interaction server: one exchange (Core §8)") struct InteractionServerTests {
    private let invokeOn = InvokeRequest(commands: [CommandDataIB(path: CommandPath(1, 6, 1))])

    @Test(arguments: InteractionOpcode.allCases) func `garbage under every opcode is an invalid action`(
        _ opcode: InteractionOpcode
    ) {
        var bench = Bench()
        let actions = bench.receive(
            InboundMessage(protocolID: .interactionModel, opcode: opcode.rawValue, payload: [0x15, 0x30]))
        switch opcode {
        case .statusResponse: #expect(actions == [.close(exchange)])
        case .reportData: #expect(actions == bench.reply(.invalidSubscription))
        case .readRequest, .subscribeRequest, .subscribeResponse, .writeRequest, .writeResponse, .invokeRequest,
            .invokeResponse, .timedRequest:
            #expect(actions == bench.reply(.invalidAction))
        }
        #expect(bench.server.deadline == nil)
    }

    @Test func `an unknown opcode is an invalid action`() {
        var bench = Bench()
        #expect(
            bench.receive(InboundMessage(protocolID: .interactionModel, opcode: 0x20, payload: []))
                == bench.reply(.invalidAction))
    }

    @Test func `a read of nothing is an empty report`() {
        var bench = Bench()
        #expect(
            bench.receive(ReadRequest(attributes: [])) == [
                .send(OutboundMessage(expected: ReportData(suppressesResponse: true)), on: exchange),
                .close(exchange),
            ])
    }

    @Test func `a version filter that matches leaves the cluster out`() {
        var bench = Bench()
        let request = ReadRequest(
            attributes: [AttributePath(1, 6, nil)],
            versionFilters: [
                DataVersionFilter(
                    endpoint: .init(rawValue: 1), cluster: .onOff, version: DataVersion(rawValue: 1))
            ])
        #expect(
            bench.receive(request).first
                == .send(OutboundMessage(expected: ReportData(suppressesResponse: true)), on: exchange))
    }

    @Test func `a chunked read goes on with success only`() {
        for (status, goesOn) in [(InteractionStatus.success, true), (.busy, false)] {
            var bench = Bench()
            for attribute: UInt32 in 0..<60 {
                bench.target.values[ConcreteAttributePath(0, 0x1D, attribute)] =
                    .octets([UInt8](repeating: 0, count: 40))
            }
            let first = bench.receive(ReadRequest(attributes: [AttributePath(nil, nil, nil)]))
            #expect(first.count == 1)
            #expect(bench.server.deadline == .at(30))
            let next = bench.receive(StatusResponse(status))
            #expect((next == [.close(exchange)]) == !goesOn)
        }
    }

    @Test func `something else than a status in a chunked read is an invalid action`() {
        var bench = Bench()
        bench.target.values[ConcreteAttributePath(0, 0x1D, 0)] = .array(
            (0..<9).map { _ in .octets([UInt8](repeating: 0, count: 400)) })
        _ = bench.receive(ReadRequest(attributes: [AttributePath(nil, nil, nil)]))
        #expect(bench.receive(invokeOn) == bench.reply(.invalidAction))
    }

    @Test func `a reader that falls silent is given up`() {
        var bench = Bench()
        bench.target.values[ConcreteAttributePath(0, 0x1D, 0)] = .array(
            (0..<9).map { _ in .octets([UInt8](repeating: 0, count: 400)) })
        _ = bench.receive(ReadRequest(attributes: [AttributePath(nil, nil, nil)]))
        #expect(bench.server.timerFired(now: .at(29), target: &bench.target).isEmpty)
        #expect(bench.server.timerFired(now: .at(30), target: &bench.target) == [.close(exchange)])
        #expect(bench.server.deadline == nil)
    }

    @Test func `a suppressed response is not sent`() {
        var bench = Bench()
        var invoke = invokeOn
        invoke.suppressesResponse = true
        #expect(bench.receive(invoke) == [.close(exchange)])
        let write = WriteRequest(
            writes: [AttributeDataIB(path: AttributePath(1, 6, 0), value: .bool(false))], suppressesResponse: true)
        #expect(bench.receive(write) == [.close(exchange)])
        #expect(bench.target.log == ["invoke 1 timed false", "write replaceAll timed false"])
    }

    @Test func `a write to wildcard clusters or attributes is an invalid action and writes nothing`() {
        for path in [AttributePath(1, nil, 0), AttributePath(1, 6, nil)] {
            var bench = Bench()
            let write = WriteRequest(writes: [
                AttributeDataIB(path: AttributePath(1, 6, 0), value: .bool(false)),
                AttributeDataIB(path: path, value: .bool(false)),
            ])
            #expect(bench.receive(write) == bench.reply(.invalidAction))
            #expect(bench.target.log.isEmpty)
        }
    }

    @Test func `a write of one list item by its place is not supported`() {
        var bench = Bench()
        let write = WriteRequest(writes: [
            AttributeDataIB(path: AttributePath(1, 6, 0), listIndex: .item(0), value: .bool(false))
        ])
        let status = WriteResponse.Status(path: AttributePath(1, 6, 0), status: StatusIB(.unsupportedWrite))
        #expect(
            bench.receive(write) == [
                .send(OutboundMessage(expected: WriteResponse(statuses: [status])), on: exchange), .close(exchange),
            ])
    }

    // MARK: - Several commands

    @Test func `several commands are refused unless the limit allows them`() {
        let commands = (0..<2).map {
            CommandDataIB(path: CommandPath(UInt16($0), 6, 1), reference: UInt16($0))
        }
        var bench = Bench()
        #expect(bench.receive(InvokeRequest(commands: commands)) == bench.reply(.invalidAction))
        bench = Bench { $0.pathsPerInvoke = 2 }
        let responses = commands.map {
            InvokeResponseIB.status(CommandStatusIB(path: $0.path, status: .success, reference: $0.reference))
        }
        #expect(
            bench.receive(InvokeRequest(commands: commands)) == [
                .send(OutboundMessage(expected: InvokeResponse(responses: responses)), on: exchange),
                .close(exchange),
            ])
    }

    @Test func `several commands must have references and paths of their own`() {
        let good = [
            CommandDataIB(path: CommandPath(1, 6, 1), reference: 1),
            CommandDataIB(path: CommandPath(2, 6, 1), reference: 2),
        ]
        var bad: [[CommandDataIB]] = [[]]
        for change: (inout CommandDataIB) -> Void in [
            { $0.reference = nil }, { $0.reference = 1 }, { $0.path = CommandPath(1, 6, 1) },
            { $0.path = CommandPath(nil, 6, 1) },
        ] {
            var commands = good
            change(&commands[1])
            bad.append(commands)
        }
        for commands in bad {
            var bench = Bench { $0.pathsPerInvoke = 2 }
            #expect(bench.receive(InvokeRequest(commands: commands)) == bench.reply(.invalidAction))
            #expect(bench.target.log.isEmpty)
        }
    }

    @Test func `answers that fit no one message come in chunks`() {
        var bench = Bench { $0.pathsPerInvoke = 3 }
        bench.target.outcomes[CommandID(rawValue: 1)] = .response(
            CommandID(rawValue: 9), .members((0, .octets([UInt8](repeating: 1, count: 700)))))
        let commands = (0..<3).map { CommandDataIB(path: CommandPath(UInt16($0), 6, 1), reference: UInt16($0)) }
        #expect(bench.receive(InvokeRequest(commands: commands)).count == 1)
        #expect(bench.receive(StatusResponse(.success)).count == 1)
        let last = bench.receive(StatusResponse(.success))
        #expect(last.count == 2)
        #expect(last.last == .close(exchange))
    }

    // MARK: - Timed

    private let timed = TimedRequest(timeout: 500)
    private var timedInvoke: InvokeRequest {
        var request = invokeOn
        request.isTimed = true
        return request
    }

    @Test func `a timed invoke in time is served`() {
        var bench = Bench()
        #expect(bench.receive(timed) == [.send(OutboundMessage(expected: StatusResponse(.success)), on: exchange)])
        #expect(bench.receive(timedInvoke, at: 0.5).last == .close(exchange))
        #expect(bench.target.log == ["invoke 1 timed true"])
    }

    @Test func `a timed invoke too late is told so and not run`() {
        var bench = Bench()
        _ = bench.receive(timed)
        #expect(bench.receive(timedInvoke, at: 0.501) == bench.reply(.timeout))
        #expect(bench.target.log.isEmpty)
    }

    @Test func `the flag and reality must agree`() {
        var bench = Bench()
        #expect(bench.receive(timedInvoke) == bench.reply(.timedRequestMismatch))
        _ = bench.receive(timed)
        #expect(bench.receive(invokeOn) == bench.reply(.timedRequestMismatch))
        let block = AttributeDataIB(path: AttributePath(1, 6, 0), value: .bool(false))
        #expect(
            bench.receive(WriteRequest(writes: [block], isTimed: true)) == bench.reply(.timedRequestMismatch))
        #expect(bench.target.log.isEmpty)
    }

    @Test func `after a timed request only a write or an invoke makes sense`() {
        var bench = Bench()
        _ = bench.receive(timed)
        #expect(bench.receive(timed) == bench.reply(.invalidAction))
        _ = bench.receive(timed)
        #expect(bench.receive(ReadRequest(attributes: [])) == bench.reply(.invalidAction))
    }

    @Test func `a timed request that nothing follows is forgotten`() {
        var bench = Bench()
        _ = bench.receive(timed)
        #expect(bench.server.deadline == .at(30.5))
        #expect(bench.server.timerFired(now: .at(30.5), target: &bench.target) == [.close(exchange)])
    }

    // MARK: - Sessions and exchanges

    @Test func `a session's end forgets its exchanges`() {
        var bench = Bench()
        _ = bench.receive(timed)
        #expect(bench.server.sessionClosed(SessionHandle(rawValue: 2)).isEmpty)
        #expect(bench.server.deadline != nil)
        #expect(bench.server.sessionClosed(SessionHandle(rawValue: 1)).isEmpty)
        #expect(bench.server.deadline == nil)
    }

    @Test func `a failed exchange is forgotten`() {
        var bench = Bench()
        _ = bench.receive(timed)
        #expect(bench.server.failed(exchange).isEmpty)
        #expect(bench.server.deadline == nil)
        #expect(bench.server.failed(exchange).isEmpty)
    }
}
