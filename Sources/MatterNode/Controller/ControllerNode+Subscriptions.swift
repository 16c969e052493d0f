import MatterProtocol
package import MatterWire
import NetIO

/// What a follower of a node hears.
package enum NodeUpdate: Hashable, Sendable {
    /// Attributes that are not what they were, in the order of the report.
    case changed([AttributeReport])
    /// Whether the node answers, when that changed.
    case reachable(Bool)
}

/// One follower's part of a node's subscription.
package struct NodeFeed: Sendable {
    /// Updates that a follower may leave unread; one that is slower loses the feed.
    package static let bufferedUpdates = 1_024
    /// For ``ControllerNode/unsubscribe(_:from:)``.
    package let number: Int
    /// The values that were asked for, as the node reported them last.
    package let current: [AttributeReport]
    /// What comes after ``current``; ends with ``ControllerNode/unsubscribe(_:from:)``, with the node's removal and
    /// when it is not read.
    package let updates: AsyncStream<NodeUpdate>

    package init(number: Int, current: [AttributeReport], updates: AsyncStream<NodeUpdate>) {
        self.number = number
        self.current = current
        self.updates = updates
    }
}

/// The subscription with one node, and who follows it.
struct NodeSubscription {
    struct Follower {
        let selection: [AttributePath]
        let updates: AsyncStream<NodeUpdate>.Continuation
        /// Whoever waits for the set-up; gone once the follower has its first values.
        var waiting: AsyncThrowingStream<[AttributeReport], any Error>.Continuation?

        func sees(_ report: AttributeReport) -> Bool { selection.contains { $0.covers(report.path) } }
    }

    var keeper: SubscriptionKeeper
    var followers: [Int: Follower] = [:]
    /// The connection or the set-up that is under way.
    var work: Task<Void, Never>?
}

extension ControllerNode {
    /// Follows attributes of a node: one subscription serves all followers, and is set up again when it is lost.
    ///
    /// - Parameter paths: not empty; wildcards are allowed.
    /// - Throws: ``NodeRequestFailure`` when the node cannot be reached or refuses, `CancellationError`.
    package func subscribe(to paths: [AttributePath], of node: NodeID) async throws -> NodeFeed {
        guard !isClosed else { throw CancellationError() }
        lastFollower += 1
        let number = lastFollower
        let (updates, continuation) = AsyncStream<NodeUpdate>.makeStream(
            bufferingPolicy: .bufferingOldest(NodeFeed.bufferedUpdates))
        let (result, waiting) = AsyncThrowingStream<[AttributeReport], any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(1))
        var follower = NodeSubscription.Follower(selection: paths, updates: continuation, waiting: waiting)
        if var subscription = subscriptions[node] {
            let actions = subscription.keeper.widen(to: paths) + subscription.keeper.hurry()
            if subscription.keeper.isLive {
                follower.waiting = nil
                waiting.yield(subscription.keeper.reports.filter(follower.sees))
                waiting.finish()
            }
            subscription.followers[number] = follower
            subscriptions[node] = subscription
            perform(actions, for: node)
        } else {
            var subscription = NodeSubscription(keeper: SubscriptionKeeper(paths))
            subscription.followers[number] = follower
            let actions = subscription.keeper.start()
            subscriptions[node] = subscription
            perform(actions, for: node)
        }
        do {
            for try await current in result { return NodeFeed(number: number, current: current, updates: updates) }
            throw CancellationError()
        } catch {
            unsubscribe(number, from: node)
            throw error
        }
    }

    /// Ends a feed; the node's subscription ends with its last follower.
    package func unsubscribe(_ number: Int, from node: NodeID) {
        guard let follower = subscriptions[node]?.followers.removeValue(forKey: number) else { return }
        follower.updates.finish()
        follower.waiting?.finish()
        if subscriptions[node]?.followers.isEmpty == true { endSubscription(with: node) }
    }

    /// Ends every feed of a node that is no longer ours.
    package func endSubscription(with node: NodeID) {
        guard var subscription = subscriptions.removeValue(forKey: node) else { return }
        subscription.work?.cancel()
        for follower in subscription.followers.values {
            follower.updates.finish()
            follower.waiting?.finish(throwing: CancellationError())
        }
        perform(subscription.keeper.stop(), for: node)
        armTimer()
    }

    // MARK: - Events

    /// A node that was silent answers again: its subscription need not wait any longer.
    func nodeAnswered(_ node: NodeID) { change(node) { $0.hurry() } }

    /// When a subscription has something to do next.
    var subscriptionDeadline: MonotonicInstant? { subscriptions.values.compactMap(\.keeper.deadline).min() }

    func subscriptionTimerFired() {
        for node in subscriptions.keys {
            let jitter = drawJitter()
            change(node) { $0.timerFired(now: link.now, jitter: jitter) }
        }
    }

    func subscriptionSessionClosed(_ session: SessionHandle) {
        for (node, subscription) in subscriptions where subscription.keeper.session == session {
            let jitter = drawJitter()
            change(node) { $0.sessionClosed(session, now: link.now, jitter: jitter) }
        }
    }

    func subscriptionExchangeFailed(_ exchange: ExchangeHandle) {
        for node in subscriptions.keys { subscriptions[node]?.keeper.exchangeFailed(exchange) }
    }

    /// Hands a message to the subscription that it may belong to.
    ///
    /// - Parameter session: `nil` for a later message on an exchange.
    /// - Returns: whether there is one.
    func subscriptionReceived(
        _ message: InboundMessage, on exchange: ExchangeHandle, of session: SessionHandle?
    ) -> Bool {
        guard message.protocolID == .interactionModel else { return false }
        let isReport = message.opcode == InteractionOpcode.reportData.rawValue
        for (node, subscription) in subscriptions {
            let keeper = subscription.keeper
            guard let own = keeper.session,
                session == nil ? keeper.isReporting(on: exchange) : isReport && own == session
            else { continue }
            let jitter = drawJitter()
            change(node) { $0.reported(message, on: exchange, of: own, now: link.now, jitter: jitter) }
            return true
        }
        return false
    }

    // MARK: - Driving

    private func change(_ node: NodeID, _ body: (inout SubscriptionKeeper) -> [SubscriptionKeeper.Action]) {
        guard var keeper = subscriptions[node]?.keeper else { return }
        let actions = body(&keeper)
        subscriptions[node]?.keeper = keeper
        perform(actions, for: node)
    }

    private func perform(_ actions: [SubscriptionKeeper.Action], for node: NodeID) {
        for action in actions {
            switch action {
            case .connect:
                subscriptions[node]?.work = Task { await self.connectSubscription(node) }
            case .subscribe(let request, let session):
                subscriptions[node]?.work?.cancel()
                subscriptions[node]?.work = Task { await self.setUp(request, on: session, with: node) }
            case .drop(let session):
                process(link.layer.closeSession(session, notifyPeer: true, now: link.now))
            case .failed(let failure): refuseFollowers(of: node, NodeRequestFailure.interaction(failure))
            case .send(let message, let exchange):
                // An answer that cannot leave is lost like a datagram: the publisher repeats itself.
                if let sent = try? link.layer.send(message, on: exchange, now: link.now) { process(sent) }
            case .close(let exchange): process(link.layer.close(exchange, now: link.now))
            case .established(let paths): answerFollowers(of: node, with: paths)
            case .changed(let reports): tell(node, reports)
            case .reachable(let isReachable):
                if isReachable { silentNodes.remove(node) } else { silentNodes.insert(node) }
                for follower in followers(of: node) { give(.reachable(isReachable), to: follower, of: node) }
            }
        }
        armTimer()
    }

    private func connectSubscription(_ node: NodeID) async {
        do {
            let session = try await operationalSession(with: node)
            guard !Task.isCancelled else { return }
            change(node) { $0.connected(session) }
        } catch {
            guard !Task.isCancelled else { return }
            let jitter = drawJitter()
            refuseFollowers(of: node, (error as? RaceFailure).map { NodeRequestFailure.unreachable($0) } ?? error)
            change(node) { $0.connectFailed(now: link.now, jitter: jitter) }
        }
    }

    private func setUp(_ request: SubscribeRequest, on session: SessionHandle, with node: NodeID) async {
        do {
            let established = try await conduct(
                SubscribeTransaction(request), on: session, allowance: Self.answerTime)
            guard !Task.isCancelled else { return }
            let interval = link.layer.session(session)?.peerTiming.idleInterval ?? .seconds(1)
            let slack = MRP.longestDelivery(interval: max(interval, .milliseconds(500)))
            let jitter = drawJitter()
            change(node) { $0.subscribed(established, slack: slack, now: link.now, jitter: jitter) }
        } catch {
            guard !Task.isCancelled else { return }
            let failure = error as? InteractionFailure ?? InteractionFailure(.sessionClosed)
            let jitter = drawJitter()
            change(node) { $0.subscribeFailed(failure, now: link.now, jitter: jitter) }
        }
    }

    private func drawJitter() -> Double {
        var random = environment.random
        return Double.random(in: 0...1, using: &random)
    }

    // MARK: - Followers

    private func followers(of node: NodeID) -> [Int] { subscriptions[node]?.followers.keys.sorted() ?? [] }

    /// Gives whoever waits the first values, if the subscription has what they asked for.
    private func answerFollowers(of node: NodeID, with paths: [AttributePath]) {
        guard let reports = subscriptions[node]?.keeper.reports else { return }
        for number in followers(of: node) {
            guard let follower = subscriptions[node]?.followers[number], let waiting = follower.waiting,
                follower.selection.allSatisfy({ each in paths.contains { $0.covers(each) } })
            else { continue }
            subscriptions[node]?.followers[number]?.waiting = nil
            waiting.yield(reports.filter(follower.sees))
            waiting.finish()
        }
    }

    /// Tells whoever waits for the set-up that it failed; the others go on.
    private func refuseFollowers(of node: NodeID, _ error: any Error) {
        for number in followers(of: node) {
            guard let waiting = subscriptions[node]?.followers[number]?.waiting else { continue }
            subscriptions[node]?.followers[number]?.waiting = nil
            waiting.finish(throwing: error)
        }
    }

    func tell(_ node: NodeID, _ reports: [AttributeReport]) {
        for number in followers(of: node) {
            guard let follower = subscriptions[node]?.followers[number], follower.waiting == nil else { continue }
            let seen = reports.filter(follower.sees)
            if !seen.isEmpty { give(.changed(seen), to: number, of: node) }
        }
    }

    private func give(_ update: NodeUpdate, to number: Int, of node: NodeID) {
        guard let follower = subscriptions[node]?.followers[number], follower.waiting == nil else { return }
        guard case .enqueued = follower.updates.yield(update) else { return unsubscribe(number, from: node) }
    }
}
