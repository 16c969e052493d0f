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

/// A hub whose Matter side is a real controller, in a home with a virtual light, on the home's clock.
struct LightHub: Sendable {
    static let trustFolder = "/var/lib/example/paa"

    let home: Home
    let service: HubService
    let ledger: HubLedger
    let caller: Caller
    let hooks: Hooks

    /// Runs a hub on the state in `folder` while the body runs.
    ///
    /// - Parameters:
    ///   - port: the hub's own, another one for each start.
    ///   - trust: `nil` for what a hub trusts.
    static func run<R>(
        _ home: Home, in folder: TemporaryFolder, port: UInt16 = 41, trust: AttestationTrustStore? = nil,
        _ body: (LightHub) async throws -> R
    ) async throws -> R {
        let hub = try await LightHub(home, folder, port, try trust ?? .standard())
        let serving = Task { await hub.service.run() }
        let result: Result<R, any Error>
        do { result = .success(try await body(hub)) } catch { result = .failure(error) }
        serving.cancel()
        await home.whileTimePasses { await serving.value }
        await hub.ledger.close()
        return try result.get()
    }

    private init(_ home: Home, _ folder: TemporaryFolder, _ port: UInt16, _ trust: AttestationTrustStore) async throws {
        self.home = home
        let ledger = try await HubLedger(store: try SQLiteStore(directory: folder.path))
        self.ledger = ledger
        let random = RandomSource.seeded(UInt64(port))
        let secrets = SeededSecretSource(seed: UInt64(port))
        if await ledger.state.structures.isEmpty {
            let structure = StructureRecord(
                id: TestHub.structure, name: "Home", controlCAKey: TestHub.authority.privateKey,
                controlCACertificate: TestHub.authority.certificate)
            let fabric = try FabricFounder.found(
                for: structure, at: home.wallClock(), random: random, secrets: secrets)
            try await ledger.commit([
                .setHub(HubID(rawValue: 1), name: "Hub"), .putStructure(structure), .putFabric(fabric),
            ])
        }
        let state = await ledger.state
        let node = try FabricFounder.controller(
            of: try #require(state.fabrics[TestHub.structure]),
            nodes: state.nodes(of: TestHub.structure, in: [.commissioned]), trust: trust,
            environment: ControllerEnvironment(
                link: home.network.link(port: port), clock: home.driverClock, wallClock: home.wallClock,
                random: random, secrets: secrets, discovery: nil))
        let hooks = Hooks()
        self.hooks = hooks
        let matter = ControllerOperator(node: node, policy: .strict, trustFolder: Self.trustFolder) {
            Set(await ledger.state.nodes(of: TestHub.structure, in: [.commissioned, .provisional]).map(\.id))
        }
        service = await HubService(
            ledger: ledger, operators: [TestHub.structure: HookedOperator(inner: matter, hooks: hooks)],
            environment: HubEnvironment(
                clock: home.driverClock, wallClock: home.wallClock, random: random, secrets: secrets))
        let token = try await service.createGrant(
            app: TestHub.phone, structure: TestHub.structure, scopes: [.admin])
        caller = try await service.authenticate(token)
        _ = await service.connected(caller)
    }

    func prepare() async throws { _ = try await service.prepare(by: caller, lifetime: nil) }

    /// Commissions the light, with its own code unless another is given.
    func commission(_ key: String, payload: OnboardingPayload? = nil) async throws -> JSONObject {
        try await service.commission(
            CommissionRequest(
                payload: (payload ?? home.identity.payload).qrCode!, clientKey: key,
                address: MemoryNetwork.address(Home.devicePort)), by: caller)
    }

    /// The error that commissioning the light ends with, while time passes.
    func commissionError(_ key: String, payload: OnboardingPayload? = nil) async throws -> ControlError {
        try await home.whileTimePasses {
            try await #require(throws: ControlError.self) { try await commission(key, payload: payload) }
        }
    }

    /// Commissions the light and completes.
    func addLight(_ key: String) async throws -> DeviceID {
        try await prepare()
        _ = try await commission(key)
        let ids = try await service.complete(by: caller, clientKey: key)
        return try #require(ids["deviceIds"]?.array?.first?.string.flatMap { DeviceID(text: $0) })
    }

    var nodes: [NodeRecord] {
        get async {
            await ledger.state.nodes(of: TestHub.structure, in: [.journalled, .provisional, .commissioned, .orphan])
        }
    }

    var devices: [DeviceRecord] { get async { await ledger.state.devices(of: TestHub.structure) } }

    /// Lets time pass until the light is as new and the hub has nothing to clean.
    func everythingIsClean(_ light: Home.Light) async {
        await home.whileTimePasses {
            await until {
                guard await nodes.isEmpty, await light.isFresh else { return false }
                return await service.runtimes[TestHub.structure]?.cleaning.isEmpty == true
            }
        }
    }
}

/// What a test does at moments of a commissioning.
final class Hooks: Sendable {
    private let actions = Locked<[String: @Sendable () async -> Void]>([:])

    /// Before a stage of the next commissioning is told, once; `done` is after its success.
    func at(_ stage: String, _ action: @escaping @Sendable () async -> Void) {
        actions.withLock { $0[stage] = action }
    }

    func reach(_ stage: String) async { await actions.withLock { $0.removeValue(forKey: stage) }?() }
}

/// An operator whose commissioning calls a test's hooks.
struct HookedOperator: FabricOperator {
    let inner: ControllerOperator
    let hooks: Hooks

    private struct Observer: CommissionObserver {
        let inner: any CommissionObserver
        let hooks: Hooks

        func stageBegan(_ stage: String, index: Int, total: Int, elapsed: Duration) async {
            await inner.stageBegan(stage, index: index, total: total, elapsed: elapsed)
            await hooks.reach(stage)
        }
        func journal(_ entry: CommissionJournalEntry) async throws { try await inner.journal(entry) }
    }

    func commission(_ order: CommissionOrder, observer: any CommissionObserver) async throws -> CommissionedNode {
        let node = try await inner.commission(order, observer: Observer(inner: observer, hooks: hooks))
        await hooks.reach("done")
        return node
    }
    func settle(_ node: NodeID, address: String) async -> SettleOutcome {
        await inner.settle(node, address: address)
    }
    func presence(of node: NodeID, address: String) async -> NodePresence {
        await inner.presence(of: node, address: address)
    }
    func read(_ paths: [AttributePath], of node: NodeID) async throws -> [AttributeReport] {
        try await inner.read(paths, of: node)
    }
    func write(_ write: AttributeWrite, to node: NodeID) async throws { try await inner.write(write, to: node) }
    func invoke(_ path: CommandPath, fields: TLVValue, timeout: UInt16?, on node: NodeID) async throws -> InvokeOutcome
    {
        try await inner.invoke(path, fields: fields, timeout: timeout, on: node)
    }
    func subscribe(to paths: [AttributePath], of node: NodeID) async throws -> NodeFeed {
        try await inner.subscribe(to: paths, of: node)
    }
    func unsubscribe(_ feed: Int, from node: NodeID) async { await inner.unsubscribe(feed, from: node) }
    func openWindow(on node: NodeID, timeout: Duration) async throws -> OpenedWindow {
        try await inner.openWindow(on: node, timeout: timeout)
    }
    func isReachable(_ node: NodeID) async -> Bool? { await inner.isReachable(node) }
    func run() async { await inner.run() }
}
