import Foundation
import HubControl
import MatterCrypto
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

/// A hub service with a scripted Matter side, on a clock that the test moves.
struct TestHub: Sendable {
    /// The wall clock when the manual clock shows zero.
    static let epoch: Int64 = 800_000_000
    static let structure = StructureID(rawValue: 0xA1)
    static let authority = try! ControlCA.create(
        commonName: "test", validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 4_000_000_000))
    static let phone = AppIdentity(appID: "org.example.phone", appGroup: "group.example")
    static let other = AppIdentity(appID: "org.example.other", appGroup: "group.other")

    let clock: ManualClock
    let matter: ScriptedOperator
    let ledger: HubLedger
    let service: HubService
    /// How far the wall clock has jumped, in s.
    let wallJump = Locked<Int64>(0)
    private let connections = Locked<[GrantID: CallerConnection]>([:])

    init(
        store: any HubStore, clock: ManualClock = ManualClock(), matter: ScriptedOperator = ScriptedOperator(),
        seed: UInt64 = 1, settleAttempts: Int = 5, faults: HubFaults = HubFaults()
    ) async throws {
        self.clock = clock
        self.matter = matter
        ledger = try await HubLedger(store: FaultyStore(store, faults: faults, clock: DriverClock(clock)))
        if await ledger.state.structures.isEmpty {
            try await ledger.commit([
                .setHub(HubID(rawValue: 1), name: "Hub"),
                .putStructure(
                    StructureRecord(
                        id: Self.structure, name: "Home", controlCAKey: Self.authority.privateKey,
                        controlCACertificate: Self.authority.certificate)),
            ])
        }
        service = await HubService(
            ledger: ledger, operators: [Self.structure: matter],
            environment: HubEnvironment(
                clock: DriverClock(clock),
                wallClock: { [wallJump] in
                    let jump = wallJump.withLock { $0 }
                    return EpochSeconds(rawValue: Self.epoch + jump + clock.now.sinceStart.components.seconds)
                },
                random: .seeded(seed), secrets: SeededSecretSource(seed: seed), settleAttempts: settleAttempts,
                faults: faults))
    }

    /// The payload of device `number`.
    static func payload(_ number: UInt16 = 0) -> String {
        let payload = OnboardingPayload(
            vendorID: VendorID(rawValue: 0xFFF1), productID: ProductID(rawValue: 0x8001),
            discoveryCapabilities: .onNetwork, discriminator: .long(Discriminator(rawValue: 0xF00 | number)!),
            passcode: Passcode(rawValue: 20_202_021)!)
        return payload.qrCode!
    }

    /// An app with a grant, without a connection.
    func app(
        _ identity: AppIdentity = phone, scopes: GrantScopes = [.commissioning, .structureRead]
    ) async throws -> Caller {
        let token = try await service.createGrant(app: identity, structure: Self.structure, scopes: scopes)
        return try await service.authenticate(token)
    }

    /// An app with a grant and one open connection.
    func connectedApp(_ identity: AppIdentity = phone) async throws -> Caller {
        let caller = try await app(identity)
        await connect(caller)
        return caller
    }

    /// Opens the app's one connection.
    func connect(_ caller: Caller) async {
        let connection = await service.connected(caller)
        connections.withLock { $0[caller.grant] = connection }
    }

    /// Closes the app's one connection.
    func disconnect(_ caller: Caller) async {
        guard let connection = connections.withLock({ $0.removeValue(forKey: caller.grant) }) else { return }
        await service.disconnected(connection)
    }

    func prepare(_ caller: Caller, lifetime: Duration? = nil) async throws -> CommissioningSessionID {
        try await service.prepare(by: caller, lifetime: lifetime).session
    }

    func commission(
        _ caller: Caller, _ number: UInt16 = 0, key: String? = nil, limit: Duration = .seconds(120)
    ) async throws -> JSONObject {
        try await service.commission(
            CommissionRequest(
                payload: Self.payload(number), clientKey: key ?? "commission-\(number)", timeLimit: limit), by: caller)
    }

    /// The error that a commission ends with.
    func commissionError(
        _ caller: Caller, _ number: UInt16 = 0, key: String? = nil, limit: Duration = .seconds(120)
    ) async throws -> ControlError {
        try await #require(throws: ControlError.self) { try await commission(caller, number, key: key, limit: limit) }
    }

    /// The reason of the error that `body` ends with.
    func refusal(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch let error as ControlError {
            return error.reason
        } catch {
            return "\(error)"
        }
    }

    var sessionIsActive: Bool {
        get async { await service.runtimes[Self.structure]?.machine.session != nil }
    }

    /// Whether a commission of the session runs, or waits for its device to be clean.
    var isCommissioning: Bool {
        get async { await service.runtimes[Self.structure]?.machine.running != nil }
    }

    /// Waits until something sleeps on the clock for at most `limit` from now.
    func sleeper(within limit: Duration) async {
        await eventually("somebody waits at most \(limit)") {
            guard let next = await clock.nextDeadline else { return false }
            return next <= clock.now.advanced(by: limit)
        }
    }

    /// Names of the events from `number` on.
    func events(from number: UInt64 = 1) async -> [String] {
        await service.runtimes[Self.structure]?.events.replay(from: number).events.map(\.event.name) ?? []
    }

    /// Data of the events of one name.
    func events(named name: String) async -> [JSONObject] {
        let all = await service.runtimes[Self.structure]?.events.replay(from: 1).events ?? []
        return all.map(\.event).filter { $0.name == name }.map(\.data)
    }

    var nodes: [NodeRecord] {
        get async {
            await ledger.state.nodes(
                of: Self.structure, in: [.journalled, .provisional, .commissioned, .orphan])
        }
    }

    var devices: [DeviceRecord] { get async { await ledger.state.devices(of: Self.structure) } }
}

/// Runs a test with a hub that serves, and stops it after.
func withHub<Result: Sendable>(
    store: (any HubStore)? = nil, clock: ManualClock = ManualClock(), matter: ScriptedOperator = ScriptedOperator(),
    seed: UInt64 = 1, settleAttempts: Int = 5, faults: HubFaults = HubFaults(),
    _ body: (TestHub) async throws -> Result
) async throws -> Result {
    let hub = try await TestHub(
        store: store ?? MemoryStore(), clock: clock, matter: matter, seed: seed, settleAttempts: settleAttempts,
        faults: faults)
    let serving = Task { await hub.service.run() }
    do {
        let result = try await body(hub)
        serving.cancel()
        await serving.value
        return result
    } catch {
        serving.cancel()
        await serving.value
        throw error
    }
}

/// Lets other tasks run until `condition` holds.
///
/// Nothing here waits for time to pass: the limit only ends a test that would never end.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
    let limit = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < limit {
        if await condition() { return }
        await Task.yield()
    }
    Issue.record(what, sourceLocation: sourceLocation)
}

/// A folder that is gone after the test.
final class TemporaryFolder: Sendable {
    let path = NSTemporaryDirectory() + "matterhub-test-\(UUID().uuidString)"
    deinit {
        // Nothing reads the folder after the test; a leftover only costs disk.
        try? FileManager.default.removeItem(atPath: path)
    }
}
