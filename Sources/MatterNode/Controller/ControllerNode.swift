package import MatterCrypto
package import MatterProtocol
package import MatterWire
package import NetIO

/// What a controller node is made of. Time and chance are injected.
package struct ControllerEnvironment: Sendable {
    package var link: any DatagramLink
    package var clock: DriverClock
    /// Wall-clock time, for certificates.
    package var wallClock: @Sendable () -> EpochSeconds
    package var random: RandomSource
    package var secrets: any SecretSource
    /// `nil` where there is no multicast: only given addresses are used.
    package var discovery: (any NodeDiscovery)?
    /// Told of datagrams, keys and stages; `nil` for nobody.
    package var traffic: TrafficObserver?

    package init(
        link: any DatagramLink, clock: DriverClock, wallClock: @escaping @Sendable () -> EpochSeconds,
        random: RandomSource,
        secrets: any SecretSource, discovery: (any NodeDiscovery)?
    ) {
        self.link = link
        self.clock = clock
        self.wallClock = wallClock
        self.random = random
        self.secrets = secrets
        self.discovery = discovery
    }
}

/// A node that commissions and controls others on one fabric, over one link.
///
/// ``run()`` must be running for anything else to end. Protocol decisions are the machines' of MatterProtocol: this
/// actor moves bytes, time and results between them.
package actor ControllerNode {
    let fabric: FabricCredentials
    /// Signs and judges when this node commissions.
    let authority: any CommissioningAuthority
    /// Epoch key of group key set 0, 16 bytes, as AddNOC carries it.
    let ipkEpochKey: [UInt8]
    /// What devices are told of this administrator.
    let adminVendor: VendorID
    let environment: ControllerEnvironment
    let link: MessageLink
    var inboxes = ExchangeInboxes()
    /// CASE handshakes that run, one a node: callers share them.
    var connecting: [NodeID: SharedHandshake] = [:]
    /// Tells handshakes and their waiters apart.
    var lastWaiter = 0
    /// Failed commissionings that still clean up, and running ones.
    var cleanings: [NodeID: Task<DeviceState, Never>] = [:]
    /// Who wants to know of a session's end.
    var watchers: [SessionHandle: @Sendable () -> Void] = [:]
    /// Nodes that are subscribed to.
    var subscriptions: [NodeID: NodeSubscription] = [:]
    /// Tells followers of subscriptions apart.
    var lastFollower = 0
    /// Nodes that did not answer the last time they were asked.
    var silentNodes: Set<NodeID> = []
    /// Where operational nodes were heard last.
    var knownAddresses: [NodeID: PeerAddress]
    private(set) var isClosed = false

    /// - Parameter knownAddresses: where nodes were heard in an earlier run; they may have moved.
    package init(
        fabric: FabricCredentials, authority: any CommissioningAuthority, ipkEpochKey: [UInt8],
        adminVendor: VendorID = VendorID(rawValue: 0xFFF1), knownAddresses: [NodeID: PeerAddress] = [:],
        environment: ControllerEnvironment
    ) {
        self.fabric = fabric
        self.authority = authority
        self.ipkEpochKey = ipkEpochKey
        self.adminVendor = adminVendor
        self.knownAddresses = knownAddresses
        self.environment = environment.observed
        link = MessageLink(
            link: self.environment.link, clock: environment.clock, random: environment.random,
            traffic: environment.traffic)
    }

    /// The clock that deadlines and failures of this node are measured on.
    package nonisolated var clock: DriverClock { environment.clock }
    /// Now, on ``clock``.
    package nonisolated var now: MonotonicInstant { MonotonicInstant(sinceStart: environment.clock.now) }

    /// Serves the link and the timer until the task is cancelled or ``close()`` is called.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await self.environment.link.receive { await self.received($0, from: $1) } }
                group.addTask { [firings = link.timer.firings] in
                    for await _ in firings { await self.timerFired() }
                }
            }
        } onCancel: {
            environment.link.close()
        }
        close()
    }

    /// Tells peers that the sessions end, fails what is waited for, and stops ``run()``.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        for node in subscriptions.keys { endSubscription(with: node) }
        for session in link.layer.secureSessions {
            _ = link.perform(link.layer.closeSession(session, notifyPeer: true, now: link.now))
        }
        inboxes.failAll(.closed)
        for handshake in connecting.values { handshake.task.cancel() }
        for task in cleanings.values { task.cancel() }
        link.close()
    }

    // MARK: - Events

    private func received(_ datagram: [UInt8], from peer: PeerAddress) {
        process(link.layer.datagramReceived(datagram, from: peer, now: link.now))
    }

    private func timerFired() {
        inboxes.expire(now: link.now)
        subscriptionTimerFired()
        process(link.layer.timerFired(now: link.now))
    }

    /// Performs what the layer wants and hands out what it tells.
    func process(_ actions: [MessageLayer.Action]) {
        for action in link.perform(actions) {
            switch action {
            case .transmit, .delivered: break
            case .sessionClosed(let session, _):
                watchers.removeValue(forKey: session)?()
                subscriptionSessionClosed(session)
            case .received(let exchange, let message):
                guard !inboxes.deliver(message, on: exchange),
                    !subscriptionReceived(message, on: exchange, of: nil)
                else { break }
                _ = link.perform(closing(exchange))
            case .failed(let exchange, let failure):
                inboxes.fail(exchange, .failed(failure))
                subscriptionExchangeFailed(exchange)
            case .opened(let exchange, let session, let message):
                guard !subscriptionReceived(message, on: exchange, of: session) else { break }
                _ = link.perform(refusal(of: message, on: exchange))
            }
        }
        armTimer()
    }

    func armTimer() { link.armTimer(other: [inboxes.deadline, subscriptionDeadline].compactMap(\.self).min()) }

    private func closing(_ exchange: ExchangeHandle) -> [MessageLayer.Action] {
        link.layer.close(exchange, now: link.now)
    }

    /// A controller serves nothing: reports of forgotten subscriptions, and handshakes, get an answer that ends them.
    private func refusal(of message: InboundMessage, on exchange: ExchangeHandle) -> [MessageLayer.Action] {
        let answer = ControllerRefusal.answer(to: message)
        // Without room for the answer the peer repeats itself and finds it later.
        let sent = (try? link.layer.send(answer, on: exchange, now: link.now)) ?? []
        return sent + closing(exchange)
    }
}
