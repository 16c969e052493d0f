public import MatterWire

/// What commands led to.
public struct InvokeResult: Hashable, Sendable {
    /// One command's answer.
    public struct Answer: Hashable, Sendable {
        /// Where it came from; the command is the request's for a status, the response's for a response.
        public var path: CommandPath
        /// The reference of the request, when there were several.
        public var reference: UInt16?
        /// What came.
        public var outcome: InvokeOutcome
        /// Makes an answer.
        public init(path: CommandPath, reference: UInt16? = nil, outcome: InvokeOutcome) {
            self.path = path
            self.reference = reference
            self.outcome = outcome
        }
    }
    /// In the order of the peer's answer.
    public var answers: [Answer]
    /// Makes a result.
    public init(answers: [Answer]) { self.answers = answers }
    /// The first answer's outcome, the only one of a single command to one endpoint.
    public var outcome: InvokeOutcome? { answers.first?.outcome }
}

/// The client's side of one invoke, timed or not (Core §8.8).
///
///     idle ── start ──▶ awaitingTimedStatus ── success ──▶ awaitingResponse ── last chunk ──▶ finished
///       └── start, untimed ──────────────────────────────▶  ▲           │ │                       ▲
///                                                           └─ chunk ───┘ └── status, garbage ────┘
public struct InvokeTransaction: Sendable {
    /// What the owner must do.
    public typealias Action = InteractionAction<InvokeResult>

    private enum State: Sendable {
        case idle
        case awaitingTimedStatus
        case awaitingResponse([InvokeResult.Answer], chunks: Int)
        case finished
    }

    private let commands: [CommandDataIB]
    private let timeout: UInt16?
    private var state = State.idle

    /// Makes an invoke of one command.
    ///
    /// - Parameters:
    ///   - fields: a structure, empty when the command has no fields.
    ///   - timeout: milliseconds of the timed interaction; `nil` for an untimed one.
    public init(_ path: CommandPath, fields: TLVValue = .structure([]), timeout: UInt16? = nil) {
        self.init([CommandDataIB(path: path, fields: fields)], timeout: timeout)
    }

    /// Makes an invoke of several commands, each with a reference of its own. Only for a peer whose session
    /// parameters allow as many paths.
    public init(_ commands: [CommandDataIB], timeout: UInt16? = nil) {
        self.commands = commands
        self.timeout = timeout
    }

    /// Begins; call once.
    public mutating func start() -> [Action] {
        guard case .idle = state else { return [] }
        guard invoke.payload.count <= InteractionLimits.maximumPayload else {
            state = .finished
            return InteractionFailure(.requestTooLarge).end()
        }
        guard let timeout else { return sendInvoke() }
        state = .awaitingTimedStatus
        return [.send(OutboundMessage(TimedRequest(timeout: timeout)))]
    }

    /// A message came on the exchange.
    public mutating func received(_ message: InboundMessage) -> [Action] {
        do throws(InteractionFailure) {
            switch state {
            case .idle, .finished:
                return []
            case .awaitingTimedStatus:
                try message.requireSuccess()
                return sendInvoke()
            case .awaitingResponse(let before, let chunks):
                let response: InvokeResponse = try message.answer()
                let answers = before + response.responses.map(InvokeResult.Answer.init)
                if response.hasMoreChunks {
                    guard chunks < InteractionLimits.maximumChunks else { throw InteractionFailure(.answerTooLarge) }
                    state = .awaitingResponse(answers, chunks: chunks + 1)
                    return [.send(OutboundMessage(StatusResponse(.success)))]
                }
                try check(answers)
                state = .finished
                return [.finished(.success(InvokeResult(answers: answers)))]
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

    private var invoke: OutboundMessage {
        OutboundMessage(InvokeRequest(commands: commands, isTimed: timeout != nil))
    }

    private mutating func sendInvoke() -> [Action] {
        state = .awaitingResponse([], chunks: 0)
        return [.send(invoke)]
    }

    /// Checks that a single command to one endpoint got one answer, and from there.
    private func check(_ answers: [InvokeResult.Answer]) throws(InteractionFailure) {
        guard commands.count == 1, let command = commands.first?.path, let endpoint = command.endpoint else { return }
        guard let answer = answers.first, answers.count == 1, answer.path.cluster == command.cluster,
            answer.path.endpoint == nil || answer.path.endpoint == endpoint
        else { throw InteractionFailure(.mismatchedAnswer) }
    }
}

extension InvokeResult.Answer {
    fileprivate init(_ response: InvokeResponseIB) {
        switch response {
        case .command(let block):
            self.init(
                path: block.path, reference: block.reference, outcome: .response(block.path.command, block.fields))
        case .status(let block):
            self.init(path: block.path, reference: block.reference, outcome: .status(block.status))
        }
    }
}
