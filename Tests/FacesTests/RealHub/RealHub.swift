import Foundation
import HubClient
import HubControl
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import Testing
import VirtualHome

@testable import Hub

/// A whole hub with its control server on loopback, and a virtual light that it finds, on the system's clock.
///
/// Between hub and light the network is in memory; between app and hub it is real TLS.
struct RealHub: Sendable {
    static let structure = StructureID(rawValue: 0xA1)

    let home: Home
    let light: Home.Light
    let service: HubService
    /// Of the control server, on 127.0.0.1.
    let port: UInt16
    /// The light's code.
    let payload: String
    /// The light's code with another passcode.
    let wrongPayload: String

    /// Runs a hub that approves every request for a grant, while the body runs.
    ///
    /// - Parameters:
    ///   - kind: what the virtual device is.
    ///   - bridged: what a bridge has behind it.
    static func run(
        _ kind: DeviceKind = .onOffLight, bridging bridged: [DeviceKind]? = nil,
        _ body: (RealHub) async throws -> Void
    ) async throws {
        let home = try Home(kind, bridging: bridged, onRealTime: true)
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("matterhub-\(UUID().uuidString)").path
        defer {
            // A leftover only costs disk.
            try? FileManager.default.removeItem(atPath: folder)
        }
        try await home.withLight { light in
            let (hub, server, ledger) = try await start(home, light, folder)
            let serving = Task {
                await withDiscardingTaskGroup { group in
                    group.addTask { await hub.service.run() }
                    group.addTask { await server.run() }
                }
            }
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(hub)) } catch { outcome = .failure(error) }
            serving.cancel()
            await serving.value
            await ledger.close()
            try outcome.get()
        }
    }

    private static func start(
        _ home: Home, _ light: Home.Light, _ folder: String
    ) async throws -> (RealHub, ControlServer, HubLedger) {
        let validity = CertificateValidity(notBefore: 1_500_000_000, notAfter: 4_102_444_800)
        let authority = try ControlCA.create(commonName: "Control CA", validity: validity)
        let (random, secrets) = (RandomSource.seeded(41), SeededSecretSource(seed: 41))
        let record = StructureRecord(
            id: structure, name: "Home", controlCAKey: authority.privateKey,
            controlCACertificate: authority.certificate)
        let ledger = try await HubLedger(store: try SQLiteStore(directory: folder))
        let fabric = try FabricFounder.found(for: record, at: home.wallClock(), random: random, secrets: secrets)
        try await ledger.commit([
            .setHub(HubID(rawValue: 1), name: "Hub"), .putStructure(record), .putFabric(fabric),
        ])
        let node = try FabricFounder.controller(
            of: fabric, nodes: [], trust: try .standard(),
            environment: ControllerEnvironment(
                link: home.network.link(port: 41), clock: home.driverClock, wallClock: home.wallClock,
                random: random, secrets: secrets, discovery: LightDiscovery(record: home.record())))
        let matter = ControllerOperator(node: node, policy: .strict, trustFolder: "/paa") {
            Set(await ledger.state.nodes(of: structure, in: [.commissioned, .provisional]).map(\.id))
        }
        let service = await HubService(
            ledger: ledger, operators: [structure: matter],
            environment: HubEnvironment(
                clock: home.driverClock, wallClock: home.wallClock, random: random, secrets: secrets))
        await service.setApprovalPolicy(.auto)
        let listener = try TCPListener(addresses: [.loopbackV4], pendingConnections: 256)
        let server = ControlServer(
            listener: listener,
            tls: try TLSContext.server(
                authority.issue(commonName: "Hub", validity: validity), applicationProtocol: "matterhub/1"),
            router: ControlRouter(service: service, defaultStructure: structure, name: "Hub", version: "1"),
            configuration: ControlServerConfiguration(allowsPlain: false, name: "Hub", version: "1"),
            clock: DriverClock(), log: { _ in })
        var wrong = home.identity.payload
        wrong.passcode = try #require(Passcode(rawValue: wrong.passcode.rawValue == 7 ? 8 : 7))
        let hub = RealHub(
            home: home, light: light, service: service, port: listener.port,
            payload: try #require(home.identity.payload.qrCode), wrongPayload: try #require(wrong.qrCode))
        return (hub, server, ledger)
    }

    /// What the device itself says of an attribute.
    func value(_ endpoint: UInt16, _ cluster: ClusterID, _ attribute: UInt32) async -> TLVValue? {
        await light.node.value(
            of: ConcreteAttributePath(
                endpoint: EndpointID(rawValue: endpoint), cluster: cluster,
                attribute: AttributeID(rawValue: attribute)))
    }

    /// Whether the light shines, as it says itself.
    var isShining: Bool { get async { await light.node.value(of: Home.onOff) == .bool(true) } }

    /// How many fabrics the light is on.
    var fabricCount: Int { get async { await light.node.fabrics.count } }

    /// Takes every app's permission away.
    func revokeAll() async throws {
        for grant in await service.ledger.state.grants.values {
            try await service.revokeGrant(grant.id, in: Self.structure)
        }
    }
}

/// Finds the light, as often as it is looked for.
private struct LightDiscovery: NodeDiscovery {
    let record: CommissionableRecord

    func commissionableNodes() -> AsyncThrowingStream<CommissionableEvent, any Error> {
        // Like a browse, it goes on until nobody listens.
        AsyncThrowingStream { $0.yield(.found(record)) }
    }

    func operationalNode(instance: String) -> AsyncThrowingStream<OperationalAddress, any Error> {
        AsyncThrowingStream { _ in }
    }
}

/// Makes a call that blocks, on a thread of its own: the hub of these tests lives on the pool's threads, of which a blocked
/// test would take one.
func offThePool<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
