public import MatterWire

/// The server's side of every interaction of one node (Core §8): it answers reads, writes, invokes and timed
/// requests, and publishes subscriptions, over an ``InteractionTarget``.
///
/// One exchange:
///
///     opened ─┬─ ReadRequest ─────▶ last chunk sent ──▶ closed
///             │                     └─ more chunks ──▶ reporting ── StatusResponse ──▶ next chunk … closed
///             ├─ SubscribeRequest ─▶ reporting (priming) ── StatusResponse to the last ──▶ SubscribeResponse, closed
///             ├─ WriteRequest ────▶ WriteResponse, closed
///             │                     └─ more chunks ──▶ writing ── WriteRequest ──▶ …
///             ├─ InvokeRequest ───▶ InvokeResponse, closed
///             │                     └─ more chunks ──▶ invoking ── StatusResponse ──▶ …
///             ├─ TimedRequest ────▶ StatusResponse, timed ─┬─ Write, Invoke in time ──▶ as above
///             │                                            └─ late ──▶ StatusResponse(timeout), closed
///             └─ anything else ───▶ StatusResponse(invalidAction), closed
///
/// The driver hands over every interaction-model message, performs the actions in order, reports deliveries and
/// failures of exchanges, and calls ``timerFired(now:target:)`` at ``deadline``. Every exchange that was handed over is
/// closed by an action.
public struct InteractionServer: Sendable {
    /// What the driver must do.
    public enum Action: Hashable, Sendable {
        /// Send on this exchange.
        case send(OutboundMessage, on: ExchangeHandle)
        /// Nothing more happens on this exchange; close it, after what was sent is on its way.
        case close(ExchangeHandle)
        /// Open an exchange on the session, then call ``InteractionServer/reportOpened(_:on:now:)``, or
        /// ``InteractionServer/reportFailed(_:)`` when that is not possible.
        case openReport(SubscriptionID, on: SessionHandle)
        /// The subscription is set up.
        case subscribed(SubscriptionID, on: SessionHandle)
        /// The subscription is over.
        case unsubscribed(SubscriptionID)
    }

    /// How much a server takes.
    public struct Limits: Hashable, Sendable {
        /// Bytes of a payload that the server sends.
        public var payload = InteractionLimits.maximumPayload
        /// Commands in one invoke; what the session parameters tell the peer.
        public var pathsPerInvoke = 1
        /// Subscriptions of one fabric; the specification wants at least 3.
        public var subscriptionsPerFabric = 16
        /// Subscriptions in all.
        public var subscriptions = 128
        /// How long an exchange waits for its peer's next message.
        public var responseTime = Duration.seconds(30)
        /// The limits that suit a device.
        public init() {}
    }

    /// What an open exchange waits for.
    enum ExchangeState: Sendable {
        case reporting(ReportChunker)
        case priming(SubscriptionID, ReportChunker)
        case publishing(SubscriptionID)
        case writing(isTimed: Bool)
        case invoking([InvokeResponse])
        case timed(until: MonotonicInstant)
    }

    struct OpenExchange: Sendable {
        var state: ExchangeState
        var session: UInt64
        /// When the server gives up on the peer.
        var deadline: MonotonicInstant
    }

    /// The limits.
    public let limits: Limits
    let random: RandomSource
    var exchanges: [ExchangeHandle: OpenExchange] = [:]
    var subscriptions: [SubscriptionID: Subscription] = [:]

    /// Makes a server without exchanges.
    ///
    /// - Parameter random: draws subscription ids.
    public init(random: RandomSource, limits: Limits = Limits()) {
        self.random = random
        self.limits = limits
    }

    /// When ``timerFired(now:target:)`` is next due. O(n) in exchanges and subscriptions.
    public var deadline: MonotonicInstant? {
        let waits = exchanges.values.lazy.map(\.deadline).min()
        let reports = subscriptions.values.lazy.compactMap(\.deadline).min()
        return [waits, reports].compactMap(\.self).min()
    }

    /// The number of exchanges that wait for their peer.
    public var exchangeCount: Int { exchanges.count }

    /// The number of subscriptions that are set up or being set up.
    public var subscriptionCount: Int { subscriptions.count }

    // MARK: - Messages

    /// A peer opened an exchange with an interaction-model message, or sent one on an exchange that is open.
    ///
    /// - Parameter context: of the session and this moment; `isTimed` is set by the server.
    public mutating func received(
        _ message: InboundMessage, on exchange: ExchangeHandle, context: InteractionContext,
        target: inout some InteractionTarget
    ) -> [Action] {
        guard let open = exchanges.removeValue(forKey: exchange) else {
            return opened(message, on: exchange, context: context, target: &target)
        }
        switch open.state {
        case .reporting(let chunker):
            guard message.isSuccess else { return refuse(message, on: exchange) }
            return sendReport(chunker, on: exchange, context: context)
        case .priming(let id, let chunker):
            guard message.isSuccess else { return end(id, exchange: exchange, message) }
            return prime(id, chunker, on: exchange, context: context)
        case .publishing(let id):
            guard message.isSuccess else { return end(id, exchange: exchange, message) }
            return publishMore(id, on: exchange, context: context)
        case .writing(let isTimed):
            return write(message, on: exchange, isTimed: isTimed, context: context, target: &target)
        case .invoking(let rest):
            guard message.isSuccess else { return refuse(message, on: exchange) }
            return sendInvokeResponses(rest, on: exchange, context: context)
        case .timed(let until):
            guard message.interactionOpcode == .writeRequest || message.interactionOpcode == .invokeRequest else {
                return reply(.invalidAction, on: exchange)
            }
            guard context.now <= until else { return reply(.timeout, on: exchange) }
            return message.interactionOpcode == .writeRequest
                ? write(message, on: exchange, isTimed: true, context: context, target: &target)
                : invoke(message, on: exchange, isTimed: true, context: context, target: &target)
        }
    }

    private mutating func opened(
        _ message: InboundMessage, on exchange: ExchangeHandle, context: InteractionContext,
        target: inout some InteractionTarget
    ) -> [Action] {
        switch message.interactionOpcode {
        case .readRequest:
            return read(message, on: exchange, context: context, target: &target)
        case .subscribeRequest:
            return subscribe(message, on: exchange, context: context, target: &target)
        case .writeRequest:
            return write(message, on: exchange, isTimed: false, context: context, target: &target)
        case .invokeRequest:
            return invoke(message, on: exchange, isTimed: false, context: context, target: &target)
        case .timedRequest:
            guard let request = message.decoded(TimedRequest.self) else { return reply(.invalidAction, on: exchange) }
            let until = context.now.advanced(by: .milliseconds(Int(request.timeout)))
            wait(.timed(until: until), on: exchange, context: context, from: until)
            return [.send(OutboundMessage(StatusResponse(.success)), on: exchange)]
        case .reportData:
            // No subscription of ours opened this exchange.
            return reply(.invalidSubscription, on: exchange)
        case .statusResponse:
            // An answer to an answer could go on for ever.
            return [.close(exchange)]
        case .subscribeResponse, .writeResponse, .invokeResponse, nil:
            return reply(.invalidAction, on: exchange)
        }
    }

    // MARK: - Exchanges and sessions

    /// The message in flight on the exchange was acknowledged.
    public mutating func delivered(_ exchange: ExchangeHandle, now: MonotonicInstant) -> [Action] {
        guard case .publishing(let id) = exchanges[exchange]?.state,
            case .reporting(exchange, nil) = subscriptions[id]?.state
        else { return [] }
        // A keep-alive has no other answer.
        exchanges[exchange] = nil
        subscriptions[id]?.state = .idle
        return [.close(exchange)]
    }

    /// The exchange failed; the driver's layer has forgotten it.
    public mutating func failed(_ exchange: ExchangeHandle) -> [Action] {
        guard let open = exchanges.removeValue(forKey: exchange) else { return [] }
        switch open.state {
        case .priming(let id, _), .publishing(let id): return remove(id)
        case .reporting, .writing, .invoking, .timed: return []
        }
    }

    /// The session is over, with its exchanges and subscriptions.
    public mutating func sessionClosed(_ session: SessionHandle) -> [Action] {
        exchanges = exchanges.filter { $0.value.session != session.rawValue }
        return subscriptions.values.filter { $0.context.session == session.rawValue }
            .map(\.id).sorted { $0.rawValue < $1.rawValue }.flatMap { remove($0) }
    }

    /// Gives up on peers that are late and sends reports that are due.
    public mutating func timerFired(now: MonotonicInstant, target: inout some InteractionTarget) -> [Action] {
        var actions: [Action] = []
        let late = exchanges.filter { $0.value.deadline <= now }.keys.sorted { $0.rawValue < $1.rawValue }
        for exchange in late { actions += failed(exchange) + [.close(exchange)] }
        return actions + publishDue(now: now, target: &target)
    }

    // MARK: - Read

    private mutating func read(
        _ message: InboundMessage, on exchange: ExchangeHandle, context: InteractionContext,
        target: inout some InteractionTarget
    ) -> [Action] {
        guard let request = message.decoded(ReadRequest.self) else { return reply(.invalidAction, on: exchange) }
        let attributes =
            request.attributes.isEmpty
            ? []
            : target.read(
                request.attributes, fabricFiltered: request.isFabricFiltered,
                versionFilters: request.versionFilters, context: context)
        let events =
            request.events.isEmpty
            ? []
            : target.events(
                request.events, filters: request.eventFilters, fabricFiltered: request.isFabricFiltered,
                context: context)
        return sendReport(
            ReportChunker(attributes: attributes, events: events, limit: limits.payload), on: exchange,
            context: context)
    }

    private mutating func sendReport(
        _ chunker: ReportChunker, on exchange: ExchangeHandle, context: InteractionContext
    ) -> [Action] {
        var chunker = chunker
        let chunk = Action.send(OutboundMessage(chunker.next()), on: exchange)
        if chunker.isFinished { return [chunk, .close(exchange)] }
        wait(.reporting(chunker), on: exchange, context: context)
        return [chunk]
    }

    // MARK: - Write

    private mutating func write(
        _ message: InboundMessage, on exchange: ExchangeHandle, isTimed: Bool, context: InteractionContext,
        target: inout some InteractionTarget
    ) -> [Action] {
        guard let request = message.decoded(WriteRequest.self), !(request.suppressesResponse && request.hasMoreChunks),
            request.writes.allSatisfy({ $0.path.cluster != nil && $0.path.attribute != nil })
        else { return reply(.invalidAction, on: exchange) }
        guard request.isTimed == isTimed else { return reply(.timedRequestMismatch, on: exchange) }
        var context = context
        context.isTimed = isTimed
        var statuses: [WriteResponse.Status] = []
        for block in request.writes {
            let operation: AttributeWrite.ListOperation
            switch block.listIndex {
            case nil: operation = .replaceAll
            case .append: operation = .append
            case .item:
                // Replacing one item by its place is in no revision that peers speak.
                statuses.append(.init(path: block.path, status: StatusIB(.unsupportedWrite)))
                continue
            }
            let write = AttributeWrite(
                path: block.path, version: block.version, listOperation: operation, value: block.value)
            statuses += target.write(write, context: context).map {
                .init(path: AttributePath($0.path), status: $0.status)
            }
        }
        if request.suppressesResponse { return [.close(exchange)] }
        let response = OutboundMessage(WriteResponse(statuses: statuses))
        guard response.payload.count <= limits.payload else { return reply(.resourceExhausted, on: exchange) }
        guard request.hasMoreChunks else { return [.send(response, on: exchange), .close(exchange)] }
        wait(.writing(isTimed: isTimed), on: exchange, context: context)
        return [.send(response, on: exchange)]
    }

    // MARK: - Invoke

    private mutating func invoke(
        _ message: InboundMessage, on exchange: ExchangeHandle, isTimed: Bool, context: InteractionContext,
        target: inout some InteractionTarget
    ) -> [Action] {
        guard let request = message.decoded(InvokeRequest.self), isAcceptable(request.commands) else {
            return reply(.invalidAction, on: exchange)
        }
        guard request.isTimed == isTimed else { return reply(.timedRequestMismatch, on: exchange) }
        var context = context
        context.isTimed = isTimed
        var responses: [InvokeResponseIB] = []
        for command in request.commands {
            responses += target.invoke(command.path, fields: command.fields, context: context).map { path, outcome in
                response(to: path, reference: command.reference, outcome)
            }
        }
        if request.suppressesResponse { return [.close(exchange)] }
        return sendInvokeResponses(chunks(responses), on: exchange, context: context)
    }

    private func isAcceptable(_ commands: [CommandDataIB]) -> Bool {
        guard commands.count != 1 else { return true }
        let references = Set(commands.compactMap(\.reference))
        return !commands.isEmpty && commands.count <= limits.pathsPerInvoke && references.count == commands.count
            && Set(commands.map(\.path)).count == commands.count
            && commands.allSatisfy { $0.path.endpoint != nil }
    }

    private func response(
        to path: CommandPath, reference: UInt16?, _ outcome: InvokeOutcome
    ) -> InvokeResponseIB {
        switch outcome {
        case .status(let status):
            return .status(CommandStatusIB(path: path, status: status, reference: reference))
        case .response(let command, let fields):
            let path = CommandPath(endpoint: path.endpoint, cluster: path.cluster, command: command)
            return .command(CommandDataIB(path: path, fields: fields, reference: reference))
        }
    }

    /// The answers in messages that fit; one that fits none becomes a status.
    private func chunks(_ responses: [InvokeResponseIB]) -> [InvokeResponse] {
        func fits(_ responses: [InvokeResponseIB]) -> Bool {
            InvokeResponse(responses: responses, hasMoreChunks: true).encoded().count <= limits.payload
        }
        var chunks: [InvokeResponse] = [InvokeResponse(responses: [])]
        for var response in responses {
            if case .command(let block) = response, !fits([response]) {
                response = .status(
                    CommandStatusIB(path: block.path, status: StatusIB(.resourceExhausted), reference: block.reference))
            }
            let last = chunks.count - 1
            if chunks[last].responses.isEmpty || fits(chunks[last].responses + [response]) {
                chunks[last].responses.append(response)
            } else {
                chunks[last].hasMoreChunks = true
                chunks.append(InvokeResponse(responses: [response]))
            }
        }
        return chunks
    }

    private mutating func sendInvokeResponses(
        _ chunks: [InvokeResponse], on exchange: ExchangeHandle, context: InteractionContext
    ) -> [Action] {
        guard let first = chunks.first else { return [.close(exchange)] }
        let send = Action.send(OutboundMessage(first), on: exchange)
        guard first.hasMoreChunks else { return [send, .close(exchange)] }
        wait(.invoking(Array(chunks.dropFirst())), on: exchange, context: context)
        return [send]
    }

    // MARK: - Replies

    mutating func wait(
        _ state: ExchangeState, on exchange: ExchangeHandle, context: InteractionContext,
        from start: MonotonicInstant? = nil
    ) {
        exchanges[exchange] = OpenExchange(
            state: state, session: context.session,
            deadline: (start ?? context.now).advanced(by: limits.responseTime))
    }

    func reply(_ status: InteractionStatus, on exchange: ExchangeHandle) -> [Action] {
        [.send(OutboundMessage(StatusResponse(status)), on: exchange), .close(exchange)]
    }

    /// Ends an exchange whose peer did not say "go on": a status is the peer's end, anything else a mistake.
    func refuse(_ message: InboundMessage, on exchange: ExchangeHandle) -> [Action] {
        message.interactionOpcode == .statusResponse && message.decoded(StatusResponse.self) != nil
            ? [.close(exchange)] : reply(.invalidAction, on: exchange)
    }
}

extension InboundMessage {
    /// The payload as `type`; `nil` when it does not decode, which is all that a server tells its peer.
    func decoded<M: InteractionMessage>(_ type: M.Type) -> M? {
        do {
            return try M(decoding: payload)
        } catch {
            return nil
        }
    }

    /// Whether this is the status response that lets the sender go on.
    var isSuccess: Bool {
        interactionOpcode == .statusResponse && decoded(StatusResponse.self)?.status == .success
    }
}
