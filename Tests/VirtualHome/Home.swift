package import MatterCrypto
import MatterModel
package import MatterNode
package import MatterProtocol
package import MatterWire
package import NetIO
package import TestSupport

/// A light and controllers on a network in memory, on a clock that stands still until a test moves it.
package final class Home: Sendable {
    package static let devicePort: UInt16 = 5540
    package static let onOff = ConcreteAttributePath(
        endpoint: EndpointID(rawValue: 1), cluster: .onOff, attribute: AttributeID(rawValue: 0))

    package let clock = ManualClock()
    package let driverClock: DriverClock
    package let network: MemoryNetwork
    package let log: HappeningLog
    package let identity: DeviceIdentity
    package let secrets = SeededSecretSource(seed: 7)

    /// The wall clock, which goes with ``clock``.
    package var wallClock: @Sendable () -> EpochSeconds {
        { [clock] in EpochSeconds(unixSeconds: 1_760_000_000 + clock.now.sinceStart.components.seconds) }
    }

    /// - Parameters:
    ///   - kind: what the virtual device is; ``withLight(restoring:persisting:_:)`` runs it.
    ///   - bridged: what a bridge has behind it; `nil` for the usual ones.
    ///   - identity: of the light, when it is to be the same in several homes.
    ///   - isReal: whether the nodes live on the system's clock instead; ``clock`` then moves nobody.
    package init(
        _ kind: DeviceKind = .onOffLight, bridging bridged: [DeviceKind]? = nil, identity: DeviceIdentity? = nil,
        onRealTime isReal: Bool = false
    ) throws {
        driverClock = isReal ? DriverClock() : DriverClock(clock)
        let log = HappeningLog()
        self.log = log
        network = MemoryNetwork { port in if port == Self.devicePort { log.append(.sent) } }
        self.identity =
            try identity
            ?? DeviceIdentity(
                .init(kind: kind, bridged: bridged), secrets: secrets, random: .seeded(3))
    }

    /// A light that runs until the body of ``withLight(restoring:persisting:_:)`` ends.
    package struct Light: Sendable {
        package let node: DeviceNode
        package let events: EventReader
        package let advertiser: RecordingAdvertiser
        /// What was persisted last.
        package let stored: Locked<[UInt8]?>
        /// Ends when the node has.
        package let end: Task<Result<Void, any Error>, Never>
    }

    /// Runs a light while the body runs, then stops it.
    package func withLight<R>(
        restoring snapshot: [UInt8]? = nil, faults: FaultPlan = FaultPlan(), defects: Set<DeviceDefect> = [],
        observing: @escaping @Sendable (DeviceEvent) -> Void = { _ in },
        persisting: @escaping @Sendable () async throws -> Void = {}, traffic: TrafficObserver? = nil,
        _ body: (Light) async throws -> R
    ) async throws -> R {
        let node = try VirtualNode(
            configuration: try identity.configuration(
                name: nil,
                network: NetworkInterfaceDescription(name: "mem0", hardwareAddress: [2, 0, 0, 0, 0, 1]),
                defects: defects),
            attestation: identity.attestation, secrets: secrets, random: .seeded(11), restoring: snapshot,
            now: MonotonicInstant(sinceStart: driverClock.now))
        let events = EventReader()
        let advertiser = RecordingAdvertiser()
        let stored = Locked<[UInt8]?>(nil)
        var environment = DeviceEnvironment(
            link: network.link(port: Self.devicePort), port: Self.devicePort, clock: driverClock,
            wallClock: wallClock, random: .seeded(13), secrets: secrets, advertiser: advertiser,
            persist: { [log] bytes in
                try await persisting()
                stored.withLock { $0 = bytes }
                log.append(.persisted)
            },
            observe: { event in
                events.append(event)
                observing(event)
            }, faults: faults, defects: defects)
        environment.traffic = traffic
        let device = DeviceNode(node, environment: environment)
        let end = Task { () -> Result<Void, any Error> in
            do {
                return .success(try await device.run())
            } catch {
                return .failure(error)
            }
        }
        defer { device.close() }
        let result = try await body(
            Light(node: device, events: events, advertiser: advertiser, stored: stored, end: end))
        device.close()
        _ = await end.value
        return result
    }

    /// Runs a controller with a fabric of its own while the body runs.
    ///
    /// - Parameter trust: `nil` for what a hub trusts.
    package func withController<R>(
        port: UInt16, trust: AttestationTrustStore? = nil, discovery: (any NodeDiscovery)? = nil,
        traffic: TrafficObserver? = nil, _ body: (ControllerNode) async throws -> R
    ) async throws -> R {
        let secrets = SeededSecretSource(seed: UInt64(port))
        let start = EpochSeconds(unixSeconds: 1_700_000_000)
        let fabricID = FabricID(rawValue: UInt64(port))
        let root = try CertificateAuthority.create(rcacID: UInt64(port), notBefore: start, secrets: secrets)
        let key = try P256PrivateKey.generate(using: secrets)
        let noc = try root.issueNOC(
            publicKey: key.publicKey, nodeID: NodeID(rawValue: 0x1000 + UInt64(port)), fabricID: fabricID,
            notBefore: start, secrets: secrets)
        let epochKey = try secrets.bytes(16)
        let fabric = try FabricCredentials(
            fabricIndex: FabricIndex(rawValue: 1), rootCertificate: root.rootCertificateBytes, icac: nil,
            noc: noc.encoded(), operationalKey: key, epochKeys: [epochKey])
        var environment = ControllerEnvironment(
            link: network.link(port: port), clock: driverClock, wallClock: wallClock,
            random: .seeded(UInt64(port)), secrets: secrets, discovery: discovery)
        environment.traffic = traffic
        let controller = ControllerNode(
            fabric: fabric,
            authority: FabricAuthority(
                root: root, fabricID: fabricID, trust: try trust ?? .standard(), notBefore: start,
                secrets: secrets),
            ipkEpochKey: epochKey, environment: environment)
        let running = Task { await controller.run() }
        defer { running.cancel() }
        return try await body(controller)
    }

    /// What a controller needs to commission the light.
    package func order(_ node: UInt64, passcode: Passcode? = nil, payload: OnboardingPayload? = nil)
        -> CommissioningOrder
    {
        var payload = payload ?? identity.payload
        if let passcode { payload.passcode = passcode }
        return CommissioningOrder(
            payload: payload, nodeID: NodeID(rawValue: node), address: MemoryNetwork.address(Self.devicePort))
    }

    /// Waits for a task while time passes, a tenth of a second a turn.
    package func outcome<R: Sendable>(of task: Task<R, Never>) async -> R {
        let time = Task {
            while !Task.isCancelled {
                await clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        defer { time.cancel() }
        return await task.value
    }

    /// A command of the OnOff cluster: 0 off, 1 on, 2 toggle.
    package func command(_ id: UInt32) -> CommandPath {
        CommandPath(endpoint: EndpointID(rawValue: 1), cluster: .onOff, command: CommandID(rawValue: id))
    }
}

/// What a test wants to see the order of.
package enum Happening: Hashable, Sendable {
    /// A snapshot became durable.
    case persisted
    /// The light sent a datagram.
    case sent
}

/// Happenings in order.
package final class HappeningLog: Sendable {
    private let happenings = Locked<[Happening]>([])
    package func append(_ happening: Happening) { happenings.withLock { $0.append(happening) } }
    /// What happened since the last call.
    package func take() -> [Happening] {
        happenings.withLock { happenings in
            defer { happenings = [] }
            return happenings
        }
    }
}

/// A light's events, each awaited in turn.
package final class EventReader: Sendable {
    private let stream: AsyncStream<DeviceEvent>
    private let continuation: AsyncStream<DeviceEvent>.Continuation
    private let past = Locked<[DeviceEvent]>([])

    package init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .unbounded) }

    package func append(_ event: DeviceEvent) {
        past.withLock { $0.append(event) }
        continuation.yield(event)
    }

    /// All events so far.
    package var all: [DeviceEvent] { past.withLock { $0 } }

    /// Waits for an event of this kind; those before it are skipped.
    package func next(where isMeant: (DeviceEvent) -> Bool) async -> DeviceEvent? {
        for await event in stream where isMeant(event) { return event }
        return nil
    }
}

/// Remembers what was announced.
package final class RecordingAdvertiser: DeviceAdvertiser {
    private let wishes = Locked<[[ServiceAdvertisement]]>([])
    private let isClosed = Locked(false)

    package func announce(_ services: [ServiceAdvertisement]) { wishes.withLock { $0.append(services) } }
    package func run() async {}
    package func close() { isClosed.withLock { $0 = true } }

    /// What is announced now.
    package var services: [ServiceAdvertisement] { isClosed.withLock { $0 } ? [] : wishes.withLock { $0.last ?? [] } }
}

/// Follows a commissioning, and interferes at one stage.
package struct StageObserver: CommissioningObserver {
    package var stage: CommissioningStage?
    package var action: @Sendable () async -> Void = {}

    /// - Parameter stage: `nil` to interfere nowhere.
    package init(stage: CommissioningStage? = nil, action: @escaping @Sendable () async -> Void = {}) {
        self.stage = stage
        self.action = action
    }

    package func entered(_ stage: CommissioningStage) async { if stage == self.stage { await action() } }
    package func journal(_ entry: CommissioningJournalEntry, address: PeerAddress) async throws {}
}

extension CommissioningOutcome {
    /// The report of a success.
    package var report: CommissionedNodeReport? { if case .commissioned(let report) = self { report } else { nil } }
}
