import MatterProtocol
import MatterWire
import TestSupport
import Testing

/// A client transaction and a server joined by one exchange, and every message that went over it.
struct InteractionPair {
    var server = InteractionServer(random: .seeded(1))
    var target: SmallTarget
    var context = InteractionContext.operational()
    let exchange = ExchangeHandle(rawValue: 1)
    private(set) var sent: [OutboundMessage] = []
    private(set) var received: [OutboundMessage] = []
    private(set) var isClosed = false

    init(_ target: SmallTarget) { self.target = target }

    /// Runs a transaction to its end.
    ///
    /// - Returns: `nil` when both wait for each other.
    mutating func run<Value>(
        start: [InteractionAction<Value>], _ receive: (InboundMessage) -> [InteractionAction<Value>]
    ) -> Result<Value, InteractionFailure>? {
        var actions = start
        while true {
            var arrived: [OutboundMessage] = []
            for action in actions {
                switch action {
                case .finished(let result): return result
                case .send(let message):
                    #expect(message.payload.count <= InteractionLimits.maximumPayload)
                    sent.append(message)
                    for answer in server.received(
                        InboundMessage(message), on: exchange, context: context, target: &target)
                    {
                        switch answer {
                        case .send(let message, on: exchange): arrived.append(message)
                        case .close(exchange): isClosed = true
                        case .send, .close, .openReport, .subscribed, .unsubscribed: Issue.record("\(answer)")
                        }
                    }
                }
            }
            received += arrived
            for message in arrived { #expect(message.payload.count <= InteractionLimits.maximumPayload) }
            guard !arrived.isEmpty else { return nil }
            actions = arrived.flatMap { receive(InboundMessage($0)) }
        }
    }

    mutating func read(_ paths: [AttributePath]) throws -> ReadResult {
        var transaction = ReadTransaction(paths)
        return try #require(run(start: transaction.start()) { transaction.received($0) }).get()
    }

    mutating func write(_ writes: [AttributeWrite], timeout: UInt16? = nil) throws -> [AttributeWriteResult] {
        var transaction = WriteTransaction(writes, timeout: timeout)
        return try #require(run(start: transaction.start()) { transaction.received($0) }).get()
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVValue = .structure([]), timeout: UInt16? = nil
    ) throws -> InvokeResult {
        var transaction = InvokeTransaction(path, fields: fields, timeout: timeout)
        return try #require(run(start: transaction.start()) { transaction.received($0) }).get()
    }
}

@Suite("Client transactions against the server (Core §8)") struct InteractionPairTests {
    let onOff = ConcreteAttributePath(1, 6, 0)

    @Test func `a small read takes one message each way`() throws {
        var pair = InteractionPair(SmallTarget([onOff: .bool(true)]))
        let result = try pair.read([AttributePath(1, 6, 0), AttributePath(1, 6, 9)])
        #expect(result[onOff] == .bool(true))
        #expect(result.status(of: ConcreteAttributePath(1, 6, 9)) == StatusIB(.unsupportedAttribute))
        #expect(pair.sent.count == 1)
        #expect(pair.received.count == 1)
        #expect(pair.isClosed)
    }

    @Test func `a wildcard read over many chunks brings every attribute once`() throws {
        var target = SmallTarget()
        for endpoint: UInt16 in 0..<20 {
            for attribute: UInt32 in 0..<20 {
                target.values[ConcreteAttributePath(endpoint, 0x1D, attribute)] =
                    .octets([UInt8](repeating: UInt8(attribute), count: 30))
            }
        }
        var pair = InteractionPair(target)
        let result = try pair.read([AttributePath(nil, nil, nil)])
        #expect(result.attributes.count == 400)
        #expect(pair.received.count > 10)
        #expect(pair.sent.count == pair.received.count)
        for report in result.attributes {
            guard case .data(let path, _, let value) = report else {
                Issue.record("no value: \(report)")
                continue
            }
            #expect(value == target.values[path])
        }
    }

    @Test func `a list longer than a message arrives whole, and its neighbours too`() throws {
        let list: [TLVValue] = (0..<200).map { .members((1, .unsigned($0)), (2, .utf8("entry number \($0)"))) }
        let path = ConcreteAttributePath(0, 0x1F, 0)
        var pair = InteractionPair(
            SmallTarget([path: .array(list), ConcreteAttributePath(0, 0x1F, 1): .unsigned(1), onOff: .bool(false)]))
        let result = try pair.read([AttributePath(nil, nil, nil)])
        #expect(result[path] == .array(list))
        #expect(result[onOff] == .bool(false))
        #expect(result.attributes.count == 3)
    }

    @Test func `a value that fits no message is a status`() throws {
        let path = ConcreteAttributePath(0, 0x1F, 0)
        var pair = InteractionPair(SmallTarget([path: .octets([UInt8](repeating: 1, count: 1300))]))
        #expect(try pair.read([AttributePath(0, 0x1F, 0)]).status(of: path) == StatusIB(.resourceExhausted))
        pair = InteractionPair(SmallTarget([path: .array([.octets([UInt8](repeating: 1, count: 1300))])]))
        #expect(try pair.read([AttributePath(0, 0x1F, 0)]).status(of: path) == StatusIB(.resourceExhausted))
    }

    @Test func `a write is answered attribute by attribute`() throws {
        var pair = InteractionPair(SmallTarget([onOff: .bool(true)]))
        pair.target.readOnly = [onOff]
        let label = ConcreteAttributePath(0, 0x28, 5)
        pair.target.values[label] = .utf8("")
        let results = try pair.write([
            AttributeWrite(path: AttributePath(1, 6, 0), value: .bool(false)),
            AttributeWrite(path: AttributePath(0, 0x28, 5), value: .utf8("hub")),
        ])
        #expect(
            results == [
                AttributeWriteResult(path: onOff, status: StatusIB(.unsupportedWrite)),
                AttributeWriteResult(path: label, status: .success),
            ])
        #expect(pair.target.values[label] == .utf8("hub"))
    }

    @Test func `a write to every endpoint reaches each`() throws {
        var pair = InteractionPair(
            SmallTarget([onOff: .bool(true), ConcreteAttributePath(2, 6, 0): .bool(true)]))
        let results = try pair.write([AttributeWrite(path: AttributePath(nil, 6, 0), value: .bool(false))])
        #expect(results.count == 2)
        #expect(pair.target.values.values.allSatisfy { $0 == .bool(false) })
    }

    @Test func `a list longer than a message is written in chunks`() throws {
        let path = ConcreteAttributePath(0, 0x1F, 0)
        var pair = InteractionPair(SmallTarget([path: .array([.unsigned(99)])]))
        let list: [TLVValue] = (0..<100).map { .members((1, .unsigned($0)), (2, .utf8("entry number \($0)"))) }
        let results = try pair.write([AttributeWrite(path: AttributePath(0, 0x1F, 0), value: .array(list))])
        #expect(results == [AttributeWriteResult(path: path, status: .success)])
        #expect(pair.target.values[path] == .array(list))
        #expect(pair.sent.count > 2)
        #expect(pair.isClosed)
    }

    @Test func `a list that fits is written as one value`() throws {
        let path = ConcreteAttributePath(0, 0x1F, 0)
        var pair = InteractionPair(SmallTarget([path: .array([])]))
        _ = try pair.write([AttributeWrite(path: AttributePath(0, 0x1F, 0), value: .array([.unsigned(1)]))])
        #expect(pair.target.log == ["write replaceAll timed false"])
    }

    @Test func `a write at another version changes nothing`() throws {
        var pair = InteractionPair(SmallTarget([onOff: .bool(true)]))
        let write = AttributeWrite(
            path: AttributePath(1, 6, 0), version: DataVersion(rawValue: 5), value: .bool(false))
        #expect(try pair.write([write]).first?.status == StatusIB(.dataVersionMismatch))
        #expect(pair.target.values[onOff] == .bool(true))
    }

    @Test func `commands give statuses, cluster statuses and responses`() throws {
        var pair = InteractionPair(SmallTarget())
        #expect(try pair.invoke(CommandPath(1, 6, 1)).outcome == .status(.success))
        let busy = StatusIB(.failure, clusterStatus: 2)
        pair.target.outcomes[CommandID(rawValue: 2)] = .status(busy)
        #expect(try pair.invoke(CommandPath(1, 6, 2)).outcome == .status(busy))
        let fields = TLVValue.members((0, .unsigned(0)), (1, .utf8("")))
        pair.target.outcomes[CommandID(rawValue: 0)] = .response(CommandID(rawValue: 1), fields)
        let result = try pair.invoke(CommandPath(0, 0x30, 0), fields: .members((0, .unsigned(60)), (1, .unsigned(1))))
        #expect(result.outcome == .response(CommandID(rawValue: 1), fields))
        #expect(result.answers.first?.path == CommandPath(0, 0x30, 1))
    }

    @Test func `a command to every endpoint is answered by each`() throws {
        var pair = InteractionPair(SmallTarget())
        let result = try pair.invoke(CommandPath(nil, 6, 1))
        #expect(result.answers.map(\.path) == [CommandPath(1, 6, 1), CommandPath(2, 6, 1)])
    }

    @Test func `a response larger than a message is a status`() throws {
        var pair = InteractionPair(SmallTarget())
        pair.target.outcomes[CommandID(rawValue: 1)] = .response(
            CommandID(rawValue: 5), .members((0, .octets([UInt8](repeating: 0, count: 2000)))))
        #expect(try pair.invoke(CommandPath(1, 6, 1)).outcome == .status(StatusIB(.resourceExhausted)))
    }

    @Test func `timed writes and invokes are known to the target as timed`() throws {
        var pair = InteractionPair(SmallTarget([onOff: .bool(true)]))
        pair.target.timedOnly = [CommandID(rawValue: 0)]
        #expect(try pair.invoke(CommandPath(0, 0x3C, 0), timeout: 5000).outcome == .status(.success))
        #expect(
            try pair.invoke(CommandPath(0, 0x3C, 0)).outcome == .status(StatusIB(.needsTimedInteraction)))
        _ = try pair.write([AttributeWrite(path: AttributePath(1, 6, 0), value: .bool(false))], timeout: 1000)
        #expect(
            pair.target.log == ["invoke 0 timed true", "invoke 0 timed false", "write replaceAll timed true"])
    }

    @Test(arguments: 0..<100) func `damaged messages end a transaction and never the program`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var target = SmallTarget()
        for attribute: UInt32 in 0..<60 {
            target.values[ConcreteAttributePath(0, 0x1D, attribute)] = .octets(generator.bytes(40))
        }
        let server = InteractionServer(random: .seeded(seed))
        for request in [
            ReadRequest(attributes: [AttributePath(nil, nil, nil)]).encoded(),
            InvokeRequest(commands: [CommandDataIB(path: CommandPath(1, 6, 1))]).encoded(),
            WriteRequest(writes: [AttributeDataIB(path: AttributePath(0, 0x1D, 1), value: .null)]).encoded(),
            SubscribeRequest(
                keepsSubscriptions: false, minimumInterval: 0, maximumInterval: 60,
                attributes: [AttributePath(nil, nil, nil)]
            ).encoded(),
            TimedRequest(timeout: 500).encoded(), StatusResponse(.success).encoded(),
        ] {
            var target = target
            var server = server
            let exchange = ExchangeHandle(rawValue: 1)
            for _ in 0..<4 {
                let message = InboundMessage(
                    protocolID: .interactionModel, opcode: UInt8.random(in: 0...11, using: &generator),
                    payload: generator.mutated(request))
                let actions = server.received(message, on: exchange, context: .operational(), target: &target)
                #expect(!actions.isEmpty)
            }
        }
    }
}
