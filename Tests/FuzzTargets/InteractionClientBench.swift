import MatterProtocol
import MatterWire
import TestSupport

/// A client's transactions and the readers of a commissioner, answered by the input.
enum InteractionClientBench {
    /// A message begins with its opcode; each goes to every transaction that is not over.
    static func run(_ input: [UInt8]) throws -> FuzzTarget.Outcome {
        let path = AttributePath(endpoint: EndpointID(rawValue: 1))
        var read = ReadTransaction([path])
        var invoke = InvokeTransaction(
            CommandPath(
                endpoint: EndpointID(rawValue: 1), cluster: ClusterID(rawValue: 6), command: CommandID(rawValue: 2)),
            timeout: 100)
        var subscribe = SubscribeTransaction(
            SubscribeRequest(keepsSubscriptions: true, minimumInterval: 0, maximumInterval: 60, attributes: [path]))
        var ends = (read: count(read.start()), invoke: count(invoke.start()), subscribe: count(subscribe.start()))
        var wasUnderstood = false
        for message in FuzzMessages(input) {
            guard let opcode = message.bytes.first else { continue }
            let inbound = InboundMessage(
                protocolID: .interactionModel, opcode: opcode, payload: Array(message.bytes.dropFirst()))
            ends.read += count(read.received(inbound))
            ends.invoke += count(invoke.received(inbound))
            ends.subscribe += count(subscribe.received(inbound))
            wasUnderstood = wasUnderstood || readFields(inbound.payload)
        }
        ends.read += count(read.failed(.unreachable))
        ends.invoke += count(invoke.failed(.unreachable))
        ends.subscribe += count(subscribe.failed(.unreachable))
        try hold(ends == (1, 1, 1), "transactions that end \(ends) times")
        return wasUnderstood ? .accepted : .rejected
    }

    private static func count<Value>(_ actions: [InteractionAction<Value>]) -> Int {
        actions.count { if case .finished = $0 { true } else { false } }
    }

    /// What a commissioner makes of the fields of an answer.
    private static func readFields(_ payload: [UInt8]) -> Bool {
        guard let message = try? InvokeResponse(decoding: payload) else {
            return (try? ReportData(decoding: payload)) != nil
        }
        for case .command(let block) in message.responses {
            // Each kind of answer refuses the others' fields.
            _ = try? GeneralCommissioningResponse(fields: block.fields)
            _ = try? NOCResponse(fields: block.fields)
            _ = try? SignedElementsResponse(fields: block.fields)
            _ = try? FabricDescriptor(value: block.fields)
        }
        return true
    }

    static var seeds: [[UInt8]] {
        let path = CommandPath(
            endpoint: EndpointID(rawValue: 1), cluster: ClusterID(rawValue: 6), command: CommandID(rawValue: 2))
        let report = ReportData(
            attributes: [
                .data(
                    AttributeDataIB(
                        path: AttributePath(
                            endpoint: EndpointID(rawValue: 1), cluster: ClusterID(rawValue: 6),
                            attribute: AttributeID(rawValue: 0)), value: .array([.uint(1 as UInt8), .utf8("x")])))
            ], hasMoreChunks: true)
        let answers = [
            InvokeResponse(responses: [.status(CommandStatusIB(path: path, status: StatusIB(.success)))]),
            InvokeResponse(responses: [
                .command(
                    CommandDataIB(
                        path: path,
                        fields: .members(
                            (0, .uint(0 as UInt8)), (1, .utf8("text")), (2, .octets([UInt8](repeating: 1, count: 64)))))
                )
            ]),
        ]
        func bytes<Message: InteractionMessage>(_ message: Message) -> (control: UInt8, bytes: [UInt8]) {
            (0, [Message.opcode.rawValue] + message.encoded())
        }
        return answers.map { FuzzMessages.encode([bytes(StatusResponse(.success)), bytes($0)]) } + [
            FuzzMessages.encode([
                bytes(report), bytes(report),
                bytes(SubscribeResponse(subscription: SubscriptionID(rawValue: 1), maximumInterval: 60)),
            ])
        ]
    }
}
