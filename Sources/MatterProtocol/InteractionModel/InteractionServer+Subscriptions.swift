public import MatterWire

extension InteractionServer {
    // MARK: - Events of the driver

    /// Attributes changed; reports that are due at once are among the actions.
    public mutating func attributesChanged(
        _ paths: [ConcreteAttributePath], now: MonotonicInstant, target: inout some InteractionTarget
    ) -> [Action] {
        for id in subscriptions.keys {
            for path in paths { subscriptions[id]?.note(path) }
        }
        return publishDue(now: now, target: &target)
    }

    /// New events are there to read; reports that are due at once are among the actions.
    public mutating func eventsOccurred(now: MonotonicInstant, target: inout some InteractionTarget) -> [Action] {
        for id in subscriptions.keys where subscriptions[id]?.events.isEmpty == false {
            subscriptions[id]?.hasNewEvents = true
        }
        return publishDue(now: now, target: &target)
    }

    /// The driver opened the exchange that ``Action/openReport(_:on:)`` asked for.
    public mutating func reportOpened(
        _ id: SubscriptionID, on exchange: ExchangeHandle, now: MonotonicInstant
    ) -> [Action] {
        guard var subscription = subscriptions[id], case .opening(let chunker) = subscription.state else {
            return [.close(exchange)]
        }
        var context = subscription.context
        context.now = now
        subscription.lastReport = now
        wait(.publishing(id), on: exchange, context: context)
        guard var chunker else {
            subscription.state = .reporting(exchange, nil)
            subscriptions[id] = subscription
            return [.send(OutboundMessage(ReportData(subscription: id, suppressesResponse: true)), on: exchange)]
        }
        let chunk = chunker.next()
        subscription.state = .reporting(exchange, chunker)
        subscriptions[id] = subscription
        return [.send(OutboundMessage(chunk), on: exchange)]
    }

    /// The driver could not open the exchange: the session is gone.
    public mutating func reportFailed(_ id: SubscriptionID) -> [Action] { remove(id) }

    // MARK: - Set-up

    mutating func subscribe(
        _ message: InboundMessage, on exchange: ExchangeHandle, context: InteractionContext,
        target: inout some InteractionTarget
    ) -> [Action] {
        guard let request = message.decoded(SubscribeRequest.self),
            request.maximumInterval >= request.minimumInterval,
            !(request.attributes.isEmpty && request.events.isEmpty)
        else { return reply(.invalidAction, on: exchange) }
        var actions: [Action] = []
        if !request.keepsSubscriptions {
            let others = subscriptions.values.filter { $0.context.isSamePeer(as: context) }.map(\.id)
            for id in others.sorted(by: { $0.rawValue < $1.rawValue }) {
                actions += remove(id, closing: true)
            }
        }
        let ofFabric = subscriptions.values.count { $0.context.fabricIndex == context.fabricIndex }
        guard subscriptions.count < limits.subscriptions, ofFabric < limits.subscriptionsPerFabric else {
            return actions + reply(.resourceExhausted, on: exchange)
        }
        let id = newSubscriptionID()
        let subscription = Subscription(id: id, request: request, context: context)
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
        subscriptions[id] = subscription
        noteEvents(events, in: id)
        let chunker = ReportChunker(attributes: attributes, events: events, subscription: id, limit: limits.payload)
        return actions + sendPriming(id, chunker, on: exchange, context: context)
    }

    /// The subscriber took a priming chunk.
    mutating func prime(
        _ id: SubscriptionID, _ chunker: ReportChunker, on exchange: ExchangeHandle, context: InteractionContext
    ) -> [Action] {
        guard chunker.isFinished else { return sendPriming(id, chunker, on: exchange, context: context) }
        guard let subscription = subscriptions[id] else { return reply(.invalidSubscription, on: exchange) }
        subscriptions[id]?.state = .idle
        subscriptions[id]?.lastReport = context.now
        let response = SubscribeResponse(subscription: id, maximumInterval: subscription.maximumInterval)
        return [
            .send(OutboundMessage(response), on: exchange), .close(exchange),
            .subscribed(id, on: SessionHandle(rawValue: context.session)),
        ]
    }

    private mutating func sendPriming(
        _ id: SubscriptionID, _ chunker: ReportChunker, on exchange: ExchangeHandle, context: InteractionContext
    ) -> [Action] {
        var chunker = chunker
        let chunk = chunker.next()
        wait(.priming(id, chunker), on: exchange, context: context)
        return [.send(OutboundMessage(chunk), on: exchange)]
    }

    private func newSubscriptionID() -> SubscriptionID {
        while true {
            let id = SubscriptionID(rawValue: UInt32(truncatingIfNeeded: random.next()))
            if subscriptions[id] == nil { return id }
        }
    }

    // MARK: - Reports

    /// Asks for an exchange for every subscription that is due.
    mutating func publishDue(now: MonotonicInstant, target: inout some InteractionTarget) -> [Action] {
        var actions: [Action] = []
        for id in subscriptions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let deadline = subscriptions[id]?.deadline, deadline <= now else { continue }
            actions += publish(id, now: now, target: &target)
        }
        return actions
    }

    private mutating func publish(
        _ id: SubscriptionID, now: MonotonicInstant, target: inout some InteractionTarget
    ) -> [Action] {
        guard var subscription = subscriptions[id] else { return [] }
        var context = subscription.context
        context.now = now
        let changes = subscription.takeChanges().map { AttributePath($0) }
        var reports: [AttributeReport] = []
        if !changes.isEmpty {
            reports = target.read(
                changes, fabricFiltered: subscription.isFabricFiltered, versionFilters: [], context: context)
            // What a subscriber may not see, or is gone, is no change to report.
            reports.removeAll { if case .status = $0 { true } else { false } }
        }
        var events: [EventReportIB] = []
        if subscription.hasNewEvents {
            subscription.hasNewEvents = false
            events = target.events(
                subscription.events, filters: [EventFilter(minimum: subscription.nextEvent)],
                fabricFiltered: subscription.isFabricFiltered, context: context)
            events.removeAll { if case .status = $0 { true } else { false } }
        }
        let chunker = ReportChunker(attributes: reports, events: events, subscription: id, limit: limits.payload)
        let isKeepAlive = reports.isEmpty && events.isEmpty
        let isDueAnyway = subscription.lastReport.advanced(by: subscription.keepAliveInterval) <= now
        guard !isKeepAlive || isDueAnyway else {
            subscriptions[id] = subscription
            return []
        }
        subscription.state = .opening(isKeepAlive ? nil : chunker)
        subscriptions[id] = subscription
        noteEvents(events, in: id)
        return [.openReport(id, on: SessionHandle(rawValue: subscription.context.session))]
    }

    /// The subscriber took a chunk of a report.
    mutating func publishMore(
        _ id: SubscriptionID, on exchange: ExchangeHandle, context: InteractionContext
    ) -> [Action] {
        guard case .reporting(exchange, .some(var chunker)) = subscriptions[id]?.state, !chunker.isFinished else {
            subscriptions[id]?.state = .idle
            return [.close(exchange)]
        }
        let chunk = chunker.next()
        subscriptions[id]?.state = .reporting(exchange, chunker)
        wait(.publishing(id), on: exchange, context: context)
        return [.send(OutboundMessage(chunk), on: exchange)]
    }

    private mutating func noteEvents(_ events: [EventReportIB], in id: SubscriptionID) {
        guard var next = subscriptions[id]?.nextEvent else { return }
        for case .data(let event) in events { next = max(next, event.number &+ 1) }
        subscriptions[id]?.nextEvent = next
    }

    // MARK: - End

    /// The subscriber answered a report with something else than success.
    mutating func end(_ id: SubscriptionID, exchange: ExchangeHandle, _ message: InboundMessage) -> [Action] {
        refuse(message, on: exchange) + remove(id)
    }

    /// Forgets a subscription.
    ///
    /// - Parameter closing: also close the exchange that it uses, if any.
    mutating func remove(_ id: SubscriptionID, closing: Bool = false) -> [Action] {
        guard subscriptions.removeValue(forKey: id) != nil else { return [] }
        var actions: [Action] = []
        for (exchange, open) in exchanges {
            switch open.state {
            case .priming(id, _), .publishing(id):
                exchanges[exchange] = nil
                if closing { actions.append(.close(exchange)) }
            case .priming, .publishing, .reporting, .writing, .invoking, .timed:
                break
            }
        }
        return actions + [.unsubscribed(id)]
    }
}

extension InteractionContext {
    /// Whether two sessions are of one node of one fabric; a PASE session is only the same as itself.
    fileprivate func isSamePeer(as other: InteractionContext) -> Bool {
        switch (subject, other.subject) {
        case (.operational(let node, _), .operational(let otherNode, _)):
            fabricIndex == other.fabricIndex && node == otherNode
        case (.pase, .pase):
            session == other.session
        case (.pase, .operational), (.operational, .pase):
            false
        }
    }
}
