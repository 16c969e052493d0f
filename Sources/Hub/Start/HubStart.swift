import Foundation
package import HubControl
import MatterCrypto
package import MatterNode
package import MatterProtocol
import MatterWire
package import NetIO
package import Transcript

/// How a hub is started.
package struct HubOptions: Sendable {
    /// Folder of the store, `paa/` and `admin.grant`.
    package var stateDirectory: String
    /// `nil` for the stored one; at the first start that is one of its own, so that hubs beside each other don't collide.
    package var hubName: String?
    package var structureName: String
    /// TCP port of the control protocol; 0 for any.
    package var port: UInt16
    package var allowsPlain: Bool
    package var usesMulticast: Bool
    package var attestation: CommissioningPlan.AttestationPolicy
    package var trustsTestDevices: Bool
    package var approval: ApprovalPolicy
    package var startsOffline: Bool
    package var version: String
    /// What goes wrong on purpose, and whether clients may say so.
    package var faults: HubFaults
    /// Where every dialogue is written down; `nil` for nowhere.
    package var transcript: DialogueLog?
    /// Where TLS secrets are written; `nil` for nowhere.
    package var tlsKeys: TLSKeyLog?
    /// Makes the capture of the Matter side, from the port of its socket; `nil` for none.
    package var capture: (@Sendable (_ port: UInt16) throws -> CaptureLog)?

    package init(
        stateDirectory: String, hubName: String? = nil, structureName: String = "Home", port: UInt16 = 5543,
        allowsPlain: Bool = false, usesMulticast: Bool = true,
        attestation: CommissioningPlan.AttestationPolicy = .strict, trustsTestDevices: Bool = false,
        approval: ApprovalPolicy = .ask, startsOffline: Bool = false, version: String,
        faults: HubFaults = HubFaults()
    ) {
        self.stateDirectory = stateDirectory
        self.hubName = hubName
        self.structureName = structureName
        self.port = port
        self.allowsPlain = allowsPlain
        self.usesMulticast = usesMulticast
        self.attestation = attestation
        self.trustsTestDevices = trustsTestDevices
        self.approval = approval
        self.startsOffline = startsOffline
        self.version = version
        self.faults = faults
    }
}

/// A hub that is ready to run, made of its parts.
package struct StartedHub: Sendable {
    package let service: HubService
    package let server: ControlServer
    package let hubID: HubID
    package let structure: StructureRecord
    /// Where the admin grant was written.
    package let adminGrantPath: String
    private let options: HubOptions
    private let hubName: String
    private let store: SQLiteStore
    private let lock: HubFolderLock
    private let log: @Sendable (String) -> Void
    private let clock: DriverClock

    /// Opens the store, makes what a first start needs, and binds the ports.
    package static func start(
        _ options: HubOptions, clock: DriverClock = DriverClock(), log: @escaping @Sendable (String) -> Void
    ) async throws -> StartedHub {
        let random = RandomSource { UInt64.random(in: .min ... .max) }
        let secrets = SystemSecretSource()
        let wallClock: @Sendable () -> EpochSeconds = {
            EpochSeconds(unixSeconds: Int64(Date().timeIntervalSince1970))
        }
        let store = try SQLiteStore(directory: options.stateDirectory)
        let lock = try HubFolderLock(directory: options.stateDirectory)
        let faults = options.faults
        let ledger = try await HubLedger(store: FaultyStore(store, faults: faults, clock: clock))
        let founding = HubFounding(random: random, secrets: secrets, now: wallClock())
        let structure = try await founding.structure(in: ledger, options: options)
        let state = await ledger.state
        guard let fabric = state.fabrics[structure.id], let hubID = state.hub else {
            throw StoreError(
                code: .corrupt, path: options.stateDirectory, reason: "the structure has no fabric, or the hub no id")
        }
        let socket = try UDPSocket(port: 0)
        var controller = ControllerEnvironment(
            link: socket, clock: clock, wallClock: wallClock, random: random, secrets: secrets,
            discovery: options.usesMulticast ? DNSServiceNodeDiscovery(directory: DNSServiceDirectory()) : nil)
        controller.traffic = try options.capture?(socket.localAddress.port).observer
        let node = try FabricFounder.controller(
            of: fabric, nodes: state.nodes(of: structure.id, in: [.commissioned]),
            trust: try TrustFolder.load(options), environment: controller)
        let structureID = structure.id
        let matter = ControllerOperator(
            node: node, policy: options.attestation, trustFolder: TrustFolder.path(options)
        ) {
            Set(await ledger.state.nodes(of: structureID, in: [.commissioned, .provisional]).map(\.id))
        }
        let service = await HubService(
            ledger: ledger, operators: [structureID: matter],
            environment: HubEnvironment(
                clock: clock, wallClock: wallClock, random: random, secrets: secrets, faults: faults))
        await service.setApprovalPolicy(options.approval)
        if options.startsOffline { await service.setReachable(false) }
        let grantPath = try await founding.writeAdminGrant(service, structure: structure, options: options)
        let listener = try TCPListener(port: options.port, writeQueueLimit: ControlServer.writeQueueLimit)
        let authority = try ControlCA(
            certificate: structure.controlCACertificate, privateKey: structure.controlCAKey)
        let credentials = try authority.issue(
            commonName: "MatterHub \(hubID.text)", validity: founding.leafValidity)
        var serving = ControlServerConfiguration(
            allowsPlain: options.allowsPlain, name: state.hubName, version: options.version)
        serving.transcript = options.transcript
        let server = ControlServer(
            listener: listener,
            tls: try TLSContext.server(
                credentials, applicationProtocol: "matterhub/1", keyLog: options.tlsKeys),
            router: ControlRouter(
                service: service, defaultStructure: structureID, name: state.hubName, version: options.version),
            configuration: serving, clock: clock, log: log)
        return StartedHub(
            service: service, server: server, hubID: hubID, structure: structure, adminGrantPath: grantPath,
            options: options, hubName: state.hubName, store: store, lock: lock, log: log, clock: clock)
    }

    /// Serves until the task is cancelled; then withdraws the advertisement, says goaway and closes the store.
    ///
    /// - Parameter advertised: called with the name under which the hub is found.
    package func run(advertised: @escaping @Sendable (String) -> Void) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await service.run() }
            group.addTask { await server.run() }
            if options.usesMulticast { group.addTask { await advertise(advertised) } }
        }
        await store.close()
    }

    /// Announces the hub, anew whenever it begins or ceases to play an offline one.
    private func advertise(_ advertised: @escaping @Sendable (String) -> Void) async {
        let changes = await service.reachabilityChanges()
        var announcement = announcing(await service.isReachable, advertised)
        for await isReachable in changes {
            announcement.cancel()
            await announcement.value
            announcement = announcing(isReachable, advertised)
        }
        announcement.cancel()
        await announcement.value
    }

    private func announcing(
        _ isReachable: Bool, _ advertised: @escaping @Sendable (String) -> Void
    ) -> Task<Void, Never> {
        Task { await announce(isReachable, advertised) }
    }

    private func announce(_ isReachable: Bool, _ advertised: @Sendable (String) -> Void) async {
        let txt = TXTRecord([
            "txtvers": "1", "id": hubID.text, "name": hubName, "st": structure.id.text,
            "proto": ControlLimits.protocolVersion,
            "state": isReachable ? "ready" : "offline",
        ])
        let label = DisplayName.dnsLabel(hubName)
        let service = ServiceAdvertisement(
            name: label, type: "_matter-hub._tcp", port: server.port, txt: txt, mayRename: true)
        await DNSServiceDirectory().advertise(service, clock: clock) { state in
            switch state {
            case .announced(let name):
                if name != label { log("the name \(label) is taken; this hub is \(name)") }
                advertised(name)
            case .failed(let error): log("the hub is not advertised, and tries again: \(error)")
            }
        }
    }
}
