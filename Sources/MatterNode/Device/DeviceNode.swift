package import MatterModel
import MatterProtocol
package import MatterWire
import NetIO

/// A virtual node on a link: moves bytes, time and effects between the machines that make up a device.
///
/// ```
///  datagrams ─▶ ┌──────────────┐ ─▶ handshakes ─▶ ┌─────────────┐ ─▶ effects: store, announce, close sessions
///               │ MessageLayer │ ─▶ interactions ▶│ VirtualNode │
///  datagrams ◀─ └──────────────┘ ◀─ answers ◀──── └─────────────┘
/// ```
/// Datagrams and timers are handled one after another: what an answer depends on is durable before the answer leaves,
/// and nothing else happens meanwhile.
package actor DeviceNode {
    private enum Event: Sendable {
        case datagram([UInt8], from: PeerAddress)
        case timer
        case world(ConcreteAttributePath, TLVValue, @Sendable (WorldError?) -> Void)
    }

    /// Datagrams that may wait while one is handled; more are lost, as in a full kernel buffer.
    private static let eventLimit = 512

    let environment: DeviceEnvironment
    let link: MessageLink
    var node: ServedNode
    var handshakes: HandshakeServer
    var interactions: InteractionServer
    /// The random instance name of the window that is advertised now.
    var commissionableName: String?
    /// What goes wrong on purpose.
    var faults: FaultInjector
    /// What came, for defects in messages.
    var memory = DatagramMemory()
    /// How the window that is open now is announced.
    var announcement = FaultInjector.Announcement.right
    private let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    /// Puts a node, fresh or restored on the same clock, onto a link.
    package init(_ node: VirtualNode, environment: DeviceEnvironment) {
        self.node = ServedNode(node, defects: environment.defects)
        self.environment = environment.observed
        link = MessageLink(
            link: self.environment.link, clock: environment.clock, random: environment.random,
            traffic: environment.traffic)
        handshakes = HandshakeServer(
            sessionParameters: DeviceTiming.sessionParameters, secrets: environment.secrets)
        interactions = InteractionServer(random: environment.random)
        faults = FaultInjector(environment.faults)
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.eventLimit))
    }

    /// Serves until the task is cancelled or ``close()`` is called; then tells peers and withdraws the advertisements.
    ///
    /// - Throws: what ``DeviceEnvironment/persist`` threw: a device that can't keep what it promised must not go on.
    package func run() async throws {
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [link = environment.link, continuation] in
                    await link.receive { continuation.yield(.datagram($0, from: $1)) }
                }
                group.addTask { [firings = link.timer.firings, continuation] in
                    for await _ in firings { continuation.yield(.timer) }
                }
                group.addTask { [advertiser = environment.advertiser] in await advertiser.run() }
                do {
                    try await serve()
                } catch {
                    shutDown()
                    throw error
                }
                shutDown()
                try await group.waitForAll()
            }
        } onCancel: {
            continuation.finish()
        }
    }

    /// Ends ``run()``.
    package nonisolated func close() { continuation.finish() }

    /// The fabrics that the device is on.
    package var fabrics: [DeviceFabric] { node.fabrics.map(DeviceFabric.init) }

    /// Whether a commissioner may come now.
    package var isCommissionable: Bool { node.listeningWindow != nil }

    /// The present value of an attribute; `nil` when there is no such attribute.
    package func value(of path: ConcreteAttributePath) -> TLVValue? { node.value(of: path, now: link.now) }

    /// Changes an attribute as the world around the device does, after what happened before.
    ///
    /// - Parameter answer: told what came of it; not called when the device ends before.
    package nonisolated func worldSets(
        _ path: ConcreteAttributePath, to value: TLVValue, answer: @escaping @Sendable (WorldError?) -> Void
    ) {
        continuation.yield(.world(path, value, answer))
    }

    // MARK: - Events

    private func serve() async throws {
        try await perform(node.takeEffects())
        armTimer()
        for await event in events {
            switch event {
            case .datagram(let bytes, let peer):
                if link.isMute { continue }
                guard try await admit(bytes) else { continue }
                try await perform(link.layer.datagramReceived(bytes, from: peer, now: link.now))
            case .timer: try await timerFired()
            case .world(let path, let value, let answer): try await worldSets(path, to: value, answer)
            }
            armTimer()
        }
    }

    private func worldSets(
        _ path: ConcreteAttributePath, to value: TLVValue, _ answer: @Sendable (WorldError?) -> Void
    ) async throws {
        var refusal: WorldError?
        do throws(WorldError) {
            try node.worldSets(path, to: value, now: link.now)
        } catch {
            refusal = error
        }
        try await perform(node.takeEffects())
        answer(refusal)
    }

    private func timerFired() async throws {
        try await perform(link.layer.timerFired(now: link.now))
        try await perform(handshakes.timerFired(now: link.now))
        try await perform(node.timerFired(now: link.now))
        try await perform(interactions.timerFired(now: link.now, target: &node))
        try await perform(node.takeEffects())
        try await perform(faults.timerFired(now: link.now))
    }

    func armTimer() {
        let others = [handshakes.deadline, interactions.deadline, node.deadline, faults.deadline]
        link.armTimer(other: others.compactMap(\.self).min())
    }

    private func shutDown() {
        for session in link.layer.secureSessions {
            _ = link.perform(link.layer.closeSession(session, notifyPeer: true, now: link.now))
        }
        link.close()
        environment.advertiser.close()
    }
}

/// How patient peers should be with a device: it has mains power and never sleeps.
enum DeviceTiming {
    static let parameters = MRPParameters()
    /// What handshakes tell peers.
    static let sessionParameters = SessionParameters(
        idleInterval: 500, activeInterval: 300, activeThreshold: 4000, dataModelRevision: 18,
        interactionModelRevision: UInt16(InteractionModelRevision.sent), specificationVersion: 0x0104_0100,
        maxPathsPerInvoke: 1)
}
