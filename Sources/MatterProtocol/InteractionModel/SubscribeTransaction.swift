public import MatterWire

/// A subscription that its publisher has set up.
public struct EstablishedSubscription: Hashable, Sendable {
    /// The publisher's number.
    public var id: SubscriptionID
    /// The longest time between two reports that the publisher promises, seconds.
    public var maximumInterval: UInt16
    /// What the publisher reported first: everything that was asked for.
    public var values: ReadResult
    /// Makes a subscription.
    public init(id: SubscriptionID, maximumInterval: UInt16, values: ReadResult = ReadResult()) {
        self.id = id
        self.maximumInterval = maximumInterval
        self.values = values
    }
}

/// The client's side of setting one subscription up (Core §8.5); what follows is ``SubscriptionKeeper``'s.
///
///     idle ── start ──▶ priming ─── last chunk ──▶ awaitingResponse ── SubscribeResponse ──▶ finished
///                        ▲    │ │                        │                                    ▲
///                        └────┘ └── status, garbage ─────┴────────────────────────────────────┘
///                        chunk
public struct SubscribeTransaction: Sendable {
    /// What the owner must do.
    public typealias Action = InteractionAction<EstablishedSubscription>

    private enum State: Sendable {
        case idle
        /// `id` as the chunks so far name it.
        case priming(ReportAssembler, id: SubscriptionID?)
        case awaitingResponse(ReadResult, id: SubscriptionID)
        case finished
    }

    private let request: SubscribeRequest
    private var state = State.idle

    /// Makes the set-up of a whole request.
    public init(_ request: SubscribeRequest) { self.request = request }

    /// Begins; call once.
    public mutating func start() -> [Action] {
        guard case .idle = state else { return [] }
        let message = OutboundMessage(request)
        guard message.payload.count <= InteractionLimits.maximumPayload else {
            state = .finished
            return InteractionFailure(.requestTooLarge).end()
        }
        state = .priming(ReportAssembler(), id: nil)
        return [.send(message)]
    }

    /// A message came on the exchange.
    public mutating func received(_ message: InboundMessage) -> [Action] {
        do throws(InteractionFailure) {
            switch state {
            case .idle, .finished:
                return []
            case .priming(var assembler, let known):
                let report: ReportData = try message.answer()
                guard let id = report.subscription, known == nil || known == id else {
                    throw InteractionFailure(.mismatchedAnswer)
                }
                try assembler.add(report, size: message.payload.count)
                state = report.hasMoreChunks ? .priming(assembler, id: id) : .awaitingResponse(assembler.result, id: id)
                // Every chunk is answered, also the last: the publisher waits for that before its own answer.
                return [.send(OutboundMessage(StatusResponse(.success)))]
            case .awaitingResponse(let values, let id):
                let response: SubscribeResponse = try message.answer()
                guard response.subscription == id else { throw InteractionFailure(.mismatchedAnswer) }
                state = .finished
                return [
                    .finished(
                        .success(
                            EstablishedSubscription(
                                id: id, maximumInterval: response.maximumInterval, values: values)))
                ]
            }
        } catch {
            state = .finished
            return error.end()
        }
    }

    /// The exchange or session failed, or the owner's time is over.
    public mutating func failed(_ code: InteractionFailure.Code) -> [Action] {
        if case .finished = state { return [] }
        state = .finished
        return [.finished(.failure(InteractionFailure(code)))]
    }
}
