import MatterProtocol
import MatterWire
import Testing

private let invalidAction = OutboundMessage(expected: StatusResponse(.invalidAction))
private let proceed = OutboundMessage(expected: StatusResponse(.success))
private let path = ConcreteAttributePath(1, 6, 0)

private func value(_ value: TLVValue, index: ListIndex? = nil, version: UInt32? = 1) -> AttributeReportIB {
    .data(
        AttributeDataIB(
            version: version.map(DataVersion.init(rawValue:)), path: AttributePath(1, 6, 0), listIndex: index,
            value: value))
}

/// Messages that no transaction awaits, and what they end it with.
private let strangers: [(InboundMessage, InteractionFailure.Code)] = [
    (InboundMessage(StatusResponse(.busy)), .status(.busy)),
    (InboundMessage(StatusResponse(.unsupportedAccess)), .status(.unsupportedAccess)),
    (
        InboundMessage(SubscribeResponse(subscription: .init(rawValue: 1), maximumInterval: 2)),
        .unexpectedMessage(opcode: 4)
    ),
    (InboundMessage(protocolID: .secureChannel, opcode: 0x40, payload: []), .unexpectedMessage(opcode: nil)),
    (InboundMessage(protocolID: .interactionModel, opcode: 0x7F, payload: []), .unexpectedMessage(opcode: 0x7F)),
]

@Suite("Read transaction (Core §8.4)") struct ReadTransactionTests {
    private func started() -> ReadTransaction {
        var transaction = ReadTransaction([AttributePath(1, 6, 0)], isFabricFiltered: false)
        #expect(
            transaction.start() == [
                .send(
                    OutboundMessage(
                        expected: ReadRequest(attributes: [AttributePath(1, 6, 0)], isFabricFiltered: false)))
            ])
        return transaction
    }

    @Test func `one suppressed report ends it`() {
        var transaction = started()
        let report = ReportData(attributes: [value(.bool(true))], suppressesResponse: true)
        #expect(
            transaction.received(InboundMessage(report)) == [
                .finished(
                    .success(
                        ReadResult(attributes: [.data(path: path, version: .init(rawValue: 1), value: .bool(true))])))
            ])
    }

    @Test func `a last chunk that wants a response gets one`() {
        var transaction = started()
        #expect(
            transaction.received(InboundMessage(ReportData())) == [.send(proceed), .finished(.success(ReadResult()))])
    }

    @Test func `every chunk but the last is confirmed, and lists grow item by item`() {
        var transaction = started()
        let chunks = [
            ReportData(attributes: [value(.array([.unsigned(1)]))], hasMoreChunks: true),
            ReportData(
                attributes: [value(.unsigned(2), index: .append), value(.unsigned(3), index: .append, version: nil)],
                hasMoreChunks: true),
            ReportData(attributes: [value(.unsigned(9), index: .item(0))], suppressesResponse: true),
        ]
        #expect(transaction.received(InboundMessage(chunks[0])) == [.send(proceed)])
        #expect(transaction.received(InboundMessage(chunks[1])) == [.send(proceed)])
        #expect(
            transaction.received(InboundMessage(chunks[2])) == [
                .finished(
                    .success(
                        ReadResult(attributes: [
                            .data(
                                path: path, version: .init(rawValue: 1),
                                value: .array([.unsigned(9), .unsigned(2), .unsigned(3)]))
                        ])))
            ])
    }

    @Test func `items without a list before them make one`() {
        var transaction = started()
        let report = ReportData(attributes: [value(.unsigned(2), index: .append)], suppressesResponse: true)
        guard case .finished(.success(let result)) = transaction.received(InboundMessage(report)).last else {
            Issue.record("not finished")
            return
        }
        #expect(result[path] == .array([.unsigned(2)]))
    }

    @Test(arguments: [
        [value(.bool(true)), value(.bool(true), index: .append)],
        [value(.array([])), value(.bool(true), index: .item(0))],
        [.data(AttributeDataIB(path: AttributePath(1, nil, 0), value: .null))],
    ]) private func `an item or a path that makes no sense ends it`(_ reports: [AttributeReportIB]) {
        var transaction = started()
        #expect(
            transaction.received(InboundMessage(ReportData(attributes: reports))) == [
                .send(invalidAction), .finished(.failure(InteractionFailure(.mismatchedAnswer))),
            ])
    }

    @Test(arguments: strangers) private func `another message ends it`(
        _ message: InboundMessage, _ code: InteractionFailure.Code
    ) {
        var transaction = started()
        #expect(transaction.received(message).last == .finished(.failure(InteractionFailure(code))))
        #expect(transaction.received(message).isEmpty)
    }

    @Test func `a malformed report is answered and ends it`() {
        var transaction = started()
        let garbage = InboundMessage(protocolID: .interactionModel, opcode: 5, payload: [0x15, 0x36])
        #expect(
            transaction.received(garbage) == [
                .send(invalidAction),
                .finished(.failure(InteractionFailure(.malformed(TLVError(code: .truncated, offset: 2))))),
            ])
    }

    @Test func `a peer that never ends meets the limit`() {
        var transaction = started()
        let chunk = InboundMessage(
            ReportData(attributes: [value(.octets([UInt8](repeating: 0, count: 1100)))], hasMoreChunks: true))
        var actions: [ReadTransaction.Action] = []
        for _ in 0..<5000 where actions.count < 2 { actions = transaction.received(chunk) }
        #expect(actions == [.send(invalidAction), .finished(.failure(InteractionFailure(.answerTooLarge)))])
    }

    @Test func `a failed exchange ends it once`() {
        var transaction = started()
        #expect(
            transaction.failed(.unreachable) == [.finished(.failure(InteractionFailure(.unreachable)))])
        #expect(transaction.failed(.timedOut).isEmpty)
        #expect(transaction.start().isEmpty)
    }

    @Test func `nothing is received before the start`() {
        var transaction = ReadTransaction([])
        #expect(transaction.received(InboundMessage(ReportData())).isEmpty)
    }

    @Test func `a request larger than a message fails at once`() {
        var transaction = ReadTransaction([AttributePath](repeating: AttributePath(1, 6, 0), count: 200))
        #expect(transaction.start() == [.finished(.failure(InteractionFailure(.requestTooLarge)))])
    }
}

@Suite("Write transaction (Core §8.7)") struct WriteTransactionTests {
    private let write = AttributeWrite(path: AttributePath(1, 6, 0), value: .bool(true))
    private let block = AttributeDataIB(path: AttributePath(1, 6, 0), value: .bool(true))
    private let done = WriteResponse(statuses: [.init(path: AttributePath(1, 6, 0), status: .success)])

    @Test func `an untimed write is one request and one response`() {
        var transaction = WriteTransaction([write])
        #expect(transaction.start() == [.send(OutboundMessage(expected: WriteRequest(writes: [block])))])
        #expect(
            transaction.received(InboundMessage(done)) == [
                .finished(.success([AttributeWriteResult(path: path, status: .success)]))
            ])
        #expect(transaction.received(InboundMessage(done)).isEmpty)
    }

    @Test func `a timed write waits for the status first`() {
        var transaction = WriteTransaction([write], timeout: 800)
        #expect(transaction.start() == [.send(OutboundMessage(expected: TimedRequest(timeout: 800)))])
        #expect(
            transaction.received(InboundMessage(StatusResponse(.success))) == [
                .send(OutboundMessage(expected: WriteRequest(writes: [block], isTimed: true)))
            ])
    }

    @Test func `a refused timed request ends it`() {
        var transaction = WriteTransaction([write], timeout: 800)
        _ = transaction.start()
        #expect(
            transaction.received(InboundMessage(StatusResponse(.invalidAction))) == [
                .finished(.failure(InteractionFailure(.status(.invalidAction))))
            ])
    }

    @Test(arguments: strangers) private func `another message ends it`(
        _ message: InboundMessage, _ code: InteractionFailure.Code
    ) {
        var transaction = WriteTransaction([write])
        _ = transaction.start()
        #expect(transaction.received(message).last == .finished(.failure(InteractionFailure(code))))
    }

    @Test func `a chunk refused half-way ends it`() throws {
        let long = AttributeWrite(
            path: AttributePath(0, 0x1F, 0),
            value: .array((0..<3).map { _ in .octets([UInt8](repeating: 0, count: 600)) }))
        var transaction = WriteTransaction([long])
        guard case .send(let first) = transaction.start().first else {
            Issue.record("nothing sent")
            return
        }
        #expect(try WriteRequest(decoding: first.payload).hasMoreChunks)
        _ = transaction.received(InboundMessage(done))
        #expect(
            transaction.received(InboundMessage(StatusResponse(.resourceExhausted))) == [
                .finished(.failure(InteractionFailure(.status(.resourceExhausted))))
            ])
    }

    @Test func `an item larger than a message fails at once`() {
        let huge = AttributeWrite(
            path: AttributePath(0, 0x1F, 0), value: .array([.octets([UInt8](repeating: 0, count: 1300))]))
        var transaction = WriteTransaction([huge])
        #expect(transaction.start() == [.finished(.failure(InteractionFailure(.requestTooLarge)))])
    }

    @Test func `the first error of an attribute is what counts`() {
        var transaction = WriteTransaction([write])
        _ = transaction.start()
        let statuses = [StatusIB(.success, clusterStatus: 0), StatusIB(.constraintError), .success].map {
            WriteResponse.Status(path: AttributePath(1, 6, 0), status: $0)
        }
        #expect(
            transaction.received(InboundMessage(WriteResponse(statuses: statuses))) == [
                .finished(.success([AttributeWriteResult(path: path, status: StatusIB(.constraintError))]))
            ])
    }
}

@Suite("Invoke transaction (Core §8.8)") struct InvokeTransactionTests {
    private let command = CommandPath(1, 6, 2)
    private func status(_ path: CommandPath) -> InvokeResponseIB {
        .status(CommandStatusIB(path: path, status: .success))
    }

    @Test func `an untimed invoke is one request and one response`() {
        var transaction = InvokeTransaction(command)
        #expect(
            transaction.start() == [
                .send(OutboundMessage(expected: InvokeRequest(commands: [CommandDataIB(path: command)])))
            ])
        #expect(
            transaction.received(InboundMessage(InvokeResponse(responses: [status(command)]))) == [
                .finished(.success(InvokeResult(answers: [.init(path: command, outcome: .status(.success))])))
            ])
    }

    @Test func `a timed invoke waits for the status first`() {
        var transaction = InvokeTransaction(command, timeout: 5000)
        #expect(transaction.start() == [.send(OutboundMessage(expected: TimedRequest(timeout: 5000)))])
        #expect(
            transaction.received(InboundMessage(StatusResponse(.success))) == [
                .send(
                    OutboundMessage(
                        expected: InvokeRequest(commands: [CommandDataIB(path: command)], isTimed: true)))
            ])
    }

    @Test func `a peer without timed invokes ends it with its status`() {
        var transaction = InvokeTransaction(command, timeout: 5000)
        _ = transaction.start()
        #expect(
            transaction.received(InboundMessage(StatusResponse(.invalidAction))) == [
                .finished(.failure(InteractionFailure(.status(.invalidAction))))
            ])
    }

    @Test func `chunks are put together`() {
        var transaction = InvokeTransaction([
            CommandDataIB(path: command, reference: 1), CommandDataIB(path: CommandPath(2, 6, 2), reference: 2),
        ])
        _ = transaction.start()
        let first = InvokeResponse(
            responses: [.status(CommandStatusIB(path: command, status: .success, reference: 1))], hasMoreChunks: true)
        #expect(transaction.received(InboundMessage(first)) == [.send(proceed)])
        let second = InvokeResponse(responses: [
            .status(CommandStatusIB(path: CommandPath(2, 6, 2), status: .success, reference: 2))
        ])
        guard case .finished(.success(let result)) = transaction.received(InboundMessage(second)).last else {
            Issue.record("not finished")
            return
        }
        #expect(result.answers.map(\.reference) == [1, 2])
    }

    @Test(arguments: [
        [], [CommandPath(1, 8, 2)], [CommandPath(2, 6, 2)], [CommandPath(1, 6, 2), CommandPath(1, 6, 2)],
    ]) private func `an answer about something else ends it`(_ paths: [CommandPath]) {
        var transaction = InvokeTransaction(command)
        _ = transaction.start()
        #expect(
            transaction.received(InboundMessage(InvokeResponse(responses: paths.map(status)))) == [
                .send(invalidAction), .finished(.failure(InteractionFailure(.mismatchedAnswer))),
            ])
    }

    @Test(arguments: strangers) private func `another message ends it`(
        _ message: InboundMessage, _ code: InteractionFailure.Code
    ) {
        var transaction = InvokeTransaction(command)
        _ = transaction.start()
        #expect(transaction.received(message).last == .finished(.failure(InteractionFailure(code))))
    }

    @Test func `fields that fit no message fail at once`() {
        var transaction = InvokeTransaction(command, fields: .members((0, .octets([UInt8](repeating: 0, count: 1300)))))
        #expect(transaction.start() == [.finished(.failure(InteractionFailure(.requestTooLarge)))])
    }
}
