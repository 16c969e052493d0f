import MatterCrypto
import MatterNode
import MatterWire
import NetIO

/// Makes controllers, one a fabric. Sendable, since what changes is behind `state`.
public final class MTRDeviceControllerFactory: NSObject, @unchecked Sendable {
    private struct State {
        var shelf: FabricShelf?
        var trust: AttestationTrustStore?
        /// The port for the next controller.
        var port: UInt16 = 0
        var controllers: [String: MTRDeviceController] = [:]
    }

    private static let shared = MTRDeviceControllerFactory(.system(ProcessInfo.processInfo.environment))
    private let platform: MTRPlatform
    private let state = Locked(State())

    package init(_ platform: MTRPlatform) { self.platform = platform }

    /// The factory of this process; not started at first.
    public static func sharedInstance() -> MTRDeviceControllerFactory { shared }

    /// Whether controllers can be made.
    public var isRunning: Bool { state.withLock { $0.shelf != nil } }

    /// Gets ready; when that is done already, nothing happens.
    ///
    /// - Throws: ``MTRError`` `invalidArgument` for a port or a certificate that is none.
    public func start(_ params: MTRDeviceControllerFactoryParams) throws {
        guard !isRunning else { return }
        var trust = try AttestationTrustStore.standard()
        for der in params.productAttestationAuthorityCertificates ?? [] {
            try Self.checked("a product attestation authority") { try trust.add(authority: [UInt8](der)) }
        }
        for der in params.certificationDeclarationCertificates ?? [] {
            try Self.checked("a declaration signer") { try trust.add(signerCertificate: [UInt8](der)) }
        }
        guard let port = UInt16(exactly: params.port?.int64Value ?? 0) else {
            throw MTRError(.invalidArgument, message: "the port is none")
        }
        let shelf = FabricShelf(params.storage)
        state.withLock { [trust] in
            $0.shelf = shelf
            $0.trust = trust
            $0.port = port
        }
    }

    private static func checked(_ what: String, _ body: () throws -> Void) throws(MTRError) {
        do {
            try body()
        } catch {
            let reason = (error as? AttestationError)?.reason ?? "\(error)"
            throw MTRError(.invalidArgument, message: "a certificate of \(what) is refused: \(reason)")
        }
    }

    /// Shuts every controller down; the factory can be started again.
    public func stop() {
        let controllers = state.withLock { state in
            defer { state = State() }
            return Array(state.controllers.values)
        }
        for controller in controllers { controller.shutdown() }
    }

    /// Makes a controller on a fabric that is not in the store yet, and keeps it there.
    ///
    /// - Throws: ``MTRError``: `invalidState` when the factory is not started, `invalidArgument` for parameters that make no
    ///   fabric, and for a fabric that is there already.
    public func createController(onNewFabric params: MTRDeviceControllerStartupParams) throws -> MTRDeviceController {
        try create(params) { (plan, kept) throws -> KeptFabric in
            guard kept == nil else { throw MTRError(.invalidArgument, message: "the fabric is in the store already") }
            guard let vendor = plan.vendor else {
                throw MTRError(.invalidArgument, message: "a new fabric needs a vendorID")
            }
            let root = try AdministeredFabric.newRoot(
                at: plan.environment.wallClock(), fabricID: plan.fabricID, signer: plan.signer,
                random: plan.environment.random, secrets: plan.environment.secrets)
            return KeptFabric(fabric: try plan.fabric(under: root), vendor: vendor, addresses: [:])
        }
    }

    /// Makes a controller on a fabric of the store.
    ///
    /// - Throws: ``MTRError``: `invalidState` when the factory is not started or the fabric has a controller, `generalError`
    ///   when there is no such fabric.
    public func createController(
        onExistingFabric params: MTRDeviceControllerStartupParams
    ) throws -> MTRDeviceController {
        try create(params) { (plan, kept) throws -> KeptFabric in
            guard var kept else { throw MTRError(.generalError, message: "there is no such fabric in the store") }
            kept.vendor = plan.vendor ?? kept.vendor
            if let node = plan.nodeID, node != kept.fabric.nodeID {
                let root = try CertificateAuthority(restoring: kept.fabric.rootCertificate, signer: plan.signer)
                kept.fabric = try plan.fabric(under: root)
            }
            kept.fabric.ipkEpochKey = plan.ipk
            return kept
        }
    }

    private func create(
        _ params: MTRDeviceControllerStartupParams, _ make: (StartupPlan, KeptFabric?) throws -> KeptFabric
    ) throws -> MTRDeviceController {
        let (shelf, trust, port) = state.withLock { state in
            defer { state.port = 0 }
            return (state.shelf, state.trust, state.port)
        }
        guard let shelf, let trust else { throw MTRError(.invalidState, message: "the factory is not started") }
        let plan: StartupPlan
        do {
            plan = try StartupPlan(params, platform.makeEnvironment(port))
        } catch let error as NetError {
            throw MTRError(.generalError, message: "no UDP port: \(error)")
        }
        do {
            let key = try FabricShelf.key(rootKey: plan.signer.publicKey, fabricID: plan.fabricID)
            guard state.withLock({ $0.controllers[key] == nil }) else {
                throw MTRError(.invalidState, message: "the fabric has a controller")
            }
            let kept = try make(plan, try shelf.fabric(key))
            try shelf.put(kept, key)
            let root = try CertificateAuthority(restoring: kept.fabric.rootCertificate, signer: plan.signer)
            let node = try kept.fabric.controller(
                root: root, trust: trust, knownAddresses: kept.addresses.compactMapValues { PeerAddress(text: $0) },
                adminVendor: kept.vendor, environment: plan.environment)
            let controller = MTRDeviceController(
                node, nodeID: kept.fabric.nodeID, deviceAddress: platform.deviceAddress, shelf: shelf, key: key
            ) { [weak self] in
                self?.state.withLock { _ = $0.controllers.removeValue(forKey: key) }
            }
            state.withLock { $0.controllers[key] = controller }
            return controller
        } catch {
            plan.environment.link.close()
            if let error = error as? CryptoError { throw MTRError(.generalError, message: error.reason) }
            throw error
        }
    }
}

/// Startup parameters that make sense.
private struct StartupPlan {
    let signer: KeypairSigner
    let fabricID: FabricID
    let ipk: [UInt8]
    let vendor: VendorID?
    let nodeID: NodeID?
    let environment: ControllerEnvironment

    init(_ params: MTRDeviceControllerStartupParams, _ environment: ControllerEnvironment) throws(MTRError) {
        func fail(_ message: String) -> MTRError {
            environment.link.close()
            return MTRError(.invalidArgument, message: message)
        }
        guard let keypair = params.nocSigner else { throw fail("there is no nocSigner") }
        guard params.ipk.count == 16 else { throw fail("the ipk has \(params.ipk.count) bytes, not 16") }
        guard params.fabricID.uint64Value != 0 else { throw fail("the fabricID is 0") }
        vendor = params.vendorID.map { VendorID(rawValue: $0.uint16Value) }
        guard vendor?.rawValue != 0 else { throw fail("the vendorID is 0") }
        nodeID = params.nodeID.map { NodeID(rawValue: $0.uint64Value) }
        guard nodeID?.isOperational != false else { throw fail("the nodeID is not operational") }
        signer = KeypairSigner(keypair)
        fabricID = FabricID(rawValue: params.fabricID.uint64Value)
        ipk = [UInt8](params.ipk)
        self.environment = environment
    }

    func fabric(under root: CertificateAuthority) throws(CryptoError) -> AdministeredFabric {
        try .found(
            under: root, fabricID: fabricID, ipkEpochKey: ipk, nodeID: nodeID, random: environment.random,
            secrets: environment.secrets)
    }
}
