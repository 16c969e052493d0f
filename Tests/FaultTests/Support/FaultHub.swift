import Hub
import HubControl
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import VirtualHome

/// A hub with a real controller in a virtual home, which can be stopped well or dropped as a crash drops it.
final class FaultHub: Sendable {
    static let structure = StructureID(rawValue: 0xA1)
    static let app = AppIdentity(appID: "org.example.phone", appGroup: "group.example")
    static let authority = try! ControlCA.create(
        commonName: "test", validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 4_000_000_000))
    /// One founding for all homes: what is tested begins after it.
    static let founded: HubState = {
        let secrets = SeededSecretSource(seed: 40)
        let random = RandomSource.seeded(40)
        let home = StructureRecord(
            id: structure, name: "Home", controlCAKey: authority.privateKey,
            controlCACertificate: authority.certificate)
        var state = HubState()
        state.apply(.setHub(HubID(rawValue: 1), name: "Hub"))
        state.apply(.putStructure(home))
        let fabric = try! FabricFounder.found(
            for: home, at: EpochSeconds(unixSeconds: 1_760_000_000), random: random, secrets: secrets)
        state.apply(.putFabric(fabric))
        return state
    }()
    static let trust = Result { try AttestationTrustStore.standard() }

    let home: Home
    let port: UInt16
    let store: CrashStore
    let ledger: HubLedger
    let controller: ControllerNode
    let service: HubService
    let caller: Caller
    let connection: CallerConnection
    private let serving: Task<Void, Never>

    /// Starts a hub on what an earlier one left.
    init(
        _ home: Home, _ kept: HubState = founded, port: UInt16, discovery: (any NodeDiscovery)? = nil
    ) async throws {
        self.home = home
        self.port = port
        store = CrashStore(kept)
        ledger = try await HubLedger(store: store)
        let random = RandomSource.seeded(UInt64(port))
        let secrets = SeededSecretSource(seed: UInt64(port))
        let state = await ledger.state
        guard let fabric = state.fabrics[Self.structure] else { throw CancellationError() }
        let controller = try FabricFounder.controller(
            of: fabric, nodes: state.nodes(of: Self.structure, in: [.commissioned]), trust: try Self.trust.get(),
            environment: ControllerEnvironment(
                link: home.network.link(port: port), clock: home.driverClock, wallClock: home.wallClock,
                random: random, secrets: secrets, discovery: discovery))
        self.controller = controller
        let matter = ControllerOperator(node: controller, policy: .strict, trustFolder: "/trust") { [ledger] in
            Set(await ledger.state.nodes(of: Self.structure, in: [.commissioned, .provisional]).map(\.id))
        }
        let service = await HubService(
            ledger: ledger, operators: [Self.structure: matter],
            environment: HubEnvironment(
                clock: home.driverClock, wallClock: home.wallClock, random: random, secrets: secrets))
        self.service = service
        serving = Task { await service.run() }
        let token = try await service.createGrant(app: Self.app, structure: Self.structure, scopes: [.admin])
        caller = try await service.authenticate(token)
        connection = await service.connected(caller)
    }

    /// Stops as SIGTERM does, and waits for that.
    func stop() async throws {
        serving.cancel()
        try await home.lapse { [serving] in await serving.value }
        await ledger.close()
    }

    /// Dies: nothing is sent, heard or stored any more.
    ///
    /// - Returns: what a start finds.
    func crash() -> HubState {
        home.network.cut(port: port)
        let kept = store.die()
        serving.cancel()
        return kept
    }

    /// Waits until a crashed hub's tasks have ended.
    func buried() async throws {
        try await home.lapse { [serving] in await serving.value }
    }

    // MARK: - Requests

    func prepare() async throws { _ = try await service.prepare(by: caller, lifetime: nil) }

    func commission(_ key: String, searching: Bool = false) async throws -> JSONObject {
        try await service.commission(
            CommissionRequest(
                payload: home.identity.payload.qrCode!, clientKey: key,
                address: searching ? nil : MemoryNetwork.address(Home.devicePort)), by: caller)
    }

    func complete(_ key: String) async throws -> [DeviceID] {
        let answer = try await service.complete(by: caller, clientKey: key)
        return (answer["deviceIds"]?.array ?? []).compactMap { $0.string.flatMap { DeviceID(text: $0) } }
    }

    var nodes: [NodeRecord] {
        get async {
            await ledger.state.nodes(of: Self.structure, in: [.journalled, .provisional, .commissioned, .orphan])
        }
    }

    var devices: [DeviceRecord] { get async { await ledger.state.devices(of: Self.structure) } }

    /// Whether nothing is left of a session, in memory or on disk, beside finished devices.
    var isSettled: Bool {
        get async {
            var load = await service.load
            load.sessions = 0
            guard load == HubLoad() else { return false }
            return await nodes.allSatisfy { $0.state == .commissioned }
        }
    }
}

/// Finds what the light announces.
struct AnnouncedDiscovery: NodeDiscovery {
    let advertiser: @Sendable () -> RecordingAdvertiser?

    func commissionableNodes() -> AsyncThrowingStream<CommissionableEvent, any Error> {
        AsyncThrowingStream { continuation in
            for service in advertiser()?.services ?? [] where service.type == "_matterc._udp" {
                let txt = Dictionary(
                    uniqueKeysWithValues: ["D", "CM", "VP"].compactMap { key in service.txt[key].map { (key, $0) } })
                continuation.yield(
                    .found(
                        CommissionableRecord(
                            instance: service.name, port: service.port,
                            addresses: [MemoryNetwork.address(service.port)], txt: txt)))
            }
        }
    }

    func operationalNode(instance: String) -> AsyncThrowingStream<OperationalAddress, any Error> {
        AsyncThrowingStream { continuation in
            for service in advertiser()?.services ?? [] where service.name == instance {
                continuation.yield(
                    OperationalAddress(address: MemoryNetwork.address(service.port), timing: MRPParameters()))
            }
        }
    }
}
