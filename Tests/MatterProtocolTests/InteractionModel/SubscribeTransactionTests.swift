import MatterProtocol
import MatterWire
import TestSupport
import Testing

private let id = SubscriptionID(rawValue: 7)
private let proceed = OutboundMessage(expected: StatusResponse(.success))
private let invalidAction = OutboundMessage(expected: StatusResponse(.invalidAction))
private let path = ConcreteAttributePath(1, 6, 0)

private func value(_ value: TLVValue, _ path: AttributePath = AttributePath(1, 6, 0)) -> AttributeReportIB {
    .data(AttributeDataIB(version: DataVersion(rawValue: 1), path: path, value: value))
}

@Suite("Subscribe transaction (Core §8.5)") struct SubscribeTransactionTests {
    private let request = SubscribeRequest(
        keepsSubscriptions: false, minimumInterval: 0, maximumInterval: 60, attributes: [AttributePath(1, 6, 0)])
    private let response = SubscribeResponse(subscription: id, maximumInterval: 55)

    private func started() -> SubscribeTransaction {
        var transaction = SubscribeTransaction(request)
        #expect(transaction.start() == [.send(OutboundMessage(expected: request))])
        #expect(transaction.start().isEmpty)
        return transaction
    }

    @Test func `chunks, each confirmed, then the response, make a subscription`() {
        var transaction = started()
        let chunks = [
            ReportData(subscription: id, attributes: [value(.bool(true))], hasMoreChunks: true),
            ReportData(subscription: id, attributes: [value(.unsigned(3), AttributePath(1, 8, 0))]),
        ]
        #expect(transaction.received(InboundMessage(chunks[0])) == [.send(proceed)])
        #expect(transaction.received(InboundMessage(chunks[1])) == [.send(proceed)])
        let version = DataVersion(rawValue: 1)
        #expect(
            transaction.received(InboundMessage(response)) == [
                .finished(
                    .success(
                        EstablishedSubscription(
                            id: id, maximumInterval: 55,
                            values: ReadResult(attributes: [
                                .data(path: path, version: version, value: .bool(true)),
                                .data(path: ConcreteAttributePath(1, 8, 0), version: version, value: .unsigned(3)),
                            ]))))
            ])
        #expect(transaction.received(InboundMessage(response)).isEmpty)
    }

    @Test func `a status instead of a report is a refusal`() {
        var transaction = started()
        #expect(
            transaction.received(InboundMessage(StatusResponse(.resourceExhausted))) == [
                .finished(.failure(InteractionFailure(.status(.resourceExhausted))))
            ])
    }

    @Test func `a status instead of the response is a refusal`() {
        var transaction = started()
        _ = transaction.received(InboundMessage(ReportData(subscription: id)))
        #expect(
            transaction.received(InboundMessage(StatusResponse(.busy))) == [
                .finished(.failure(InteractionFailure(.status(.busy))))
            ])
    }

    @Test func `a response before the report, or a report after the last, ends it`() {
        var early = started()
        #expect(
            early.received(InboundMessage(response)) == [
                .send(invalidAction), .finished(.failure(InteractionFailure(.unexpectedMessage(opcode: 4)))),
            ])
        var late = started()
        _ = late.received(InboundMessage(ReportData(subscription: id)))
        #expect(
            late.received(InboundMessage(ReportData(subscription: id))) == [
                .send(invalidAction), .finished(.failure(InteractionFailure(.unexpectedMessage(opcode: 5)))),
            ])
    }

    @Test func `reports without a number, of two numbers, and a response of another one end it`() {
        let mismatch: [SubscribeTransaction.Action] = [
            .send(invalidAction), .finished(.failure(InteractionFailure(.mismatchedAnswer))),
        ]
        var anonymous = started()
        #expect(anonymous.received(InboundMessage(ReportData())) == mismatch)
        var changing = started()
        _ = changing.received(InboundMessage(ReportData(subscription: id, hasMoreChunks: true)))
        #expect(
            changing.received(InboundMessage(ReportData(subscription: SubscriptionID(rawValue: 8)))) == mismatch)
        var other = started()
        _ = other.received(InboundMessage(ReportData(subscription: id)))
        #expect(
            other.received(
                InboundMessage(SubscribeResponse(subscription: SubscriptionID(rawValue: 8), maximumInterval: 1)))
                == mismatch)
    }

    @Test func `a malformed message is answered and ends it`() {
        var transaction = started()
        let garbage = InboundMessage(protocolID: .interactionModel, opcode: 5, payload: [0x15, 0x36])
        #expect(
            transaction.received(garbage) == [
                .send(invalidAction),
                .finished(.failure(InteractionFailure(.malformed(TLVError(code: .truncated, offset: 2))))),
            ])
    }

    @Test func `a failed exchange ends it once, in each state`() {
        let end: [SubscribeTransaction.Action] = [.finished(.failure(InteractionFailure(.unreachable)))]
        var first = started()
        #expect(first.failed(.unreachable) == end)
        #expect(first.failed(.timedOut).isEmpty)
        #expect(first.received(InboundMessage(ReportData(subscription: id))).isEmpty)
        var second = started()
        _ = second.received(InboundMessage(ReportData(subscription: id)))
        #expect(second.failed(.unreachable) == end)
    }

    @Test func `nothing is received before the start, and a request too large fails at once`() {
        var idle = SubscribeTransaction(request)
        #expect(idle.received(InboundMessage(response)).isEmpty)
        var large = SubscribeTransaction(
            SubscribeRequest(
                keepsSubscriptions: false, minimumInterval: 0, maximumInterval: 60,
                attributes: [AttributePath](repeating: AttributePath(1, 6, 0), count: 200)))
        #expect(large.start() == [.finished(.failure(InteractionFailure(.requestTooLarge)))])
    }

    @Test(arguments: 0..<200) func `a mutated answer is an error or a result, never a trap`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let report = ReportData(
            subscription: id, attributes: [value(.array([.unsigned(1), .utf8("x")]))], hasMoreChunks: seed % 2 == 0)
        var transaction = started()
        for message in [OutboundMessage(expected: report), OutboundMessage(expected: response)] {
            var payload = message.payload
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !payload.isEmpty {
                payload[Int.random(in: 0..<payload.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            let actions = transaction.received(
                InboundMessage(protocolID: .interactionModel, opcode: message.opcode, payload: payload))
            #expect(actions.count <= 2)
        }
    }
}
