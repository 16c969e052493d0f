import MatterCrypto
import MatterModel
import MatterWire
import TestSupport
import Testing

/// A node on the bench: its clock is moved by hand, and its effects are collected.
struct TestNode {
    static let dacKey = keep { () throws(CryptoError) in try P256PrivateKey(rawValue: [UInt8](repeating: 7, count: 32))
    }
    static let pake = PAKEParameters(
        verifier: keep { () throws(CryptoError) in
            try PAKEVerifier.compute(passcode: 20_202_021, salt: [UInt8](repeating: 1, count: 16), iterations: 1000)
        },
        salt: [UInt8](repeating: 1, count: 16), iterations: 1000)
    static let challenge = [UInt8](repeating: 0xCC, count: 16)

    var node: VirtualNode
    var effects: [NodeEffect] = []
    var now = MonotonicInstant(sinceStart: .seconds(100))
    private var lastSession: UInt64 = 0

    static var configuration: NodeConfiguration {
        var configuration = NodeConfiguration(
            vendorID: VendorID(rawValue: 0xFFF1), vendorName: "MatterHub", productID: ProductID(rawValue: 0x8000),
            productName: "Virtual light", serialNumber: "S-1", uniqueID: "unique", discriminator: 3840, pake: pake,
            network: NetworkInterfaceDescription(
                name: "eth0", hardwareAddress: [2, 0, 0, 0, 0, 1], ipv4: [[127, 0, 0, 1]],
                ipv6: [[UInt8](repeating: 0, count: 15) + [1]]),
            endpoints: [.onOffLight(EndpointID(rawValue: 1))])
        configuration.supportedFabrics = 5
        return configuration
    }

    init(
        seed: UInt64 = 1, configuration: NodeConfiguration = configuration, restoring: [UInt8]? = nil
    ) throws {
        node = try VirtualNode(
            configuration: configuration,
            attestation: DeviceAttestationCredentials(
                dac: [1, 2, 3], pai: [4, 5, 6], certificationDeclaration: [7, 8, 9], dacKey: Self.dacKey),
            secrets: SeededSecretSource(seed: seed), random: .seeded(seed), restoring: restoring, now: now)
        collect()
    }

    private static func keep<Value>(_ make: () throws(CryptoError) -> Value) -> Value {
        do throws(CryptoError) { return try make() } catch { fatalError("\(error)") }
    }

    /// Takes the waiting effects over into ``effects``, without attribute changes.
    mutating func collect() { record(node.takeEffects()) }

    mutating func record(_ new: [NodeEffect]) {
        effects += new.filter {
            switch $0 {
            case .attributeChanged, .eventRecorded: false
            default: true
            }
        }
    }

    /// The effects since the last call, without attribute changes.
    mutating func takeEffects() -> [NodeEffect] {
        collect()
        defer { effects = [] }
        return effects
    }

    mutating func advance(_ duration: Duration) {
        now = now.advanced(by: duration)
        record(node.timerFired(now: now))
    }

    // MARK: Requesters

    mutating func newSession() -> UInt64 {
        lastSession += 1
        return lastSession
    }

    func pase(_ session: UInt64 = 1, fabric: FabricIndex = .none, timed: Bool = false) -> InteractionContext {
        context(.pase, fabric, session, timed)
    }

    func operational(
        _ node: UInt64, on fabric: UInt8, tags: [UInt32] = [], session: UInt64 = 1000, timed: Bool = false
    ) -> InteractionContext {
        context(
            .operational(NodeID(rawValue: node), tags: tags.map(CASEAuthenticatedTag.init(rawValue:))),
            FabricIndex(rawValue: fabric), session, timed)
    }

    private func context(
        _ subject: InteractionSubject, _ fabric: FabricIndex, _ session: UInt64, _ timed: Bool
    ) -> InteractionContext {
        InteractionContext(
            subject: subject, fabricIndex: fabric, session: session, attestationChallenge: Self.challenge,
            isTimed: timed, now: now, wallClock: EpochSeconds(rawValue: 800_000_000))
    }

    // MARK: Requests

    mutating func invoke(
        _ cluster: ClusterID, _ command: UInt32, _ fields: TLVValue = .structure([]), endpoint: UInt16 = 0,
        as context: InteractionContext
    ) -> InvokeOutcome {
        let path = CommandPath(
            endpoint: EndpointID(rawValue: endpoint), cluster: cluster, command: CommandID(rawValue: command))
        let outcomes = node.invoke(path, fields: fields, context: context)
        collect()
        precondition(outcomes.count == 1, "a concrete path has one outcome")
        return outcomes[0].1
    }

    mutating func read(
        _ cluster: ClusterID, _ attribute: UInt32, endpoint: UInt16 = 0, filtered: Bool = true,
        as context: InteractionContext
    ) -> AttributeReport {
        let reports = node.read(
            [Self.path(cluster, attribute, endpoint).wild], fabricFiltered: filtered, context: context)
        precondition(reports.count == 1, "a concrete path has one report")
        return reports[0]
    }

    mutating func write(
        _ cluster: ClusterID, _ attribute: UInt32, _ value: TLVValue, endpoint: UInt16 = 0,
        operation: AttributeWrite.ListOperation = .replaceAll, version: DataVersion? = nil,
        as context: InteractionContext
    ) -> StatusIB {
        let write = AttributeWrite(
            path: Self.path(cluster, attribute, endpoint).wild, version: version, listOperation: operation,
            value: value)
        let results = node.write(write, context: context)
        collect()
        precondition(results.count == 1, "a concrete path has one result")
        return results[0].status
    }

    static func path(_ cluster: ClusterID, _ attribute: UInt32, _ endpoint: UInt16 = 0) -> ConcreteAttributePath {
        ConcreteAttributePath(
            endpoint: EndpointID(rawValue: endpoint), cluster: cluster, attribute: AttributeID(rawValue: attribute))
    }
}

extension ConcreteAttributePath {
    var wild: AttributePath { AttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute) }
}

extension AttributeReport {
    var value: TLVValue? { if case .data(_, _, let value) = self { value } else { nil } }
    var version: DataVersion? { if case .data(_, let version, _) = self { version } else { nil } }
    var status: InteractionStatus? { if case .status(_, let status) = self { status.status } else { nil } }
}

extension InvokeOutcome {
    var fields: TLVValue? { if case .response(_, let fields) = self { fields } else { nil } }
    var status: StatusIB? { if case .status(let status) = self { status } else { nil } }
    /// Member 0 of a response: the error code or status of the commissioning clusters.
    var code: UInt64? { fields?[0]?.unsigned }
}

// MARK: - Commissioning

/// A fabric's owner, who commissions nodes by direct calls.
struct TestAdmin {
    static let nodeID: UInt64 = 0x1122

    let authority: CertificateAuthority
    let fabricID: FabricID
    let secrets: SeededSecretSource

    init(seed: UInt64, fabricID: UInt64 = 0xFAB0_0000_0000_0001) throws {
        secrets = SeededSecretSource(seed: seed)
        self.fabricID = FabricID(rawValue: fabricID)
        authority = try CertificateAuthority.create(
            rcacID: seed, notBefore: EpochSeconds(rawValue: 600_000_000), secrets: secrets)
    }

    var root: TLVValue { .members((0, .octets(authority.rootCertificateBytes))) }

    func noc(
        for csr: InvokeOutcome, node: UInt64 = 0x42, fabricID: FabricID? = nil
    ) throws -> [UInt8] {
        let elements = try TLVValue.decode(try #require(csr.fields).octets(0))
        let key = try CertificateSigningRequest.publicKey(of: elements.octets(1))
        return try authority.issueNOC(
            publicKey: key, nodeID: NodeID(rawValue: node), fabricID: fabricID ?? self.fabricID,
            notBefore: EpochSeconds(rawValue: 600_000_000), secrets: secrets
        ).encoded()
    }

    static func addNOC(
        _ noc: [UInt8], icac: [UInt8]? = nil, subject: UInt64 = nodeID, vendor: UInt16 = 0xFFF1, ipk: Int = 16
    ) -> TLVValue {
        .members(
            (0, .octets(noc)), (1, icac.map { .octets($0) }), (2, .octets([UInt8](repeating: 0x1F, count: ipk))),
            (3, .uint(subject)), (4, .uint(vendor)))
    }
}

extension TestNode {
    static let nonce = TLVValue.members((0, .octets([UInt8](repeating: 9, count: 32))))
    static let updateNonce = TLVValue.members((0, .octets([UInt8](repeating: 9, count: 32))), (1, .bool(true)))

    static func fields(arm seconds: UInt16, breadcrumb: UInt64 = 0) -> TLVValue {
        .members((0, .uint(seconds)), (1, .uint(breadcrumb)))
    }

    mutating func establishPASE() -> UInt64 {
        let session = newSession()
        record(node.paseEstablished(session: session, now: now))
        return session
    }

    /// PASE, fail-safe, CSR, root and NOC.
    ///
    /// - Returns: the PASE session and the new fabric.
    mutating func addFabric(_ admin: TestAdmin, node id: UInt64 = 0x42) throws -> (UInt64, FabricIndex) {
        let session = establishPASE()
        let context = pase(session)
        #expect(invoke(.generalCommissioning, 0x00, Self.fields(arm: 60, breadcrumb: 3), as: context).code == 0)
        let csr = invoke(.operationalCredentials, 0x04, Self.nonce, as: context)
        #expect(invoke(.operationalCredentials, 0x0B, admin.root, as: context).status == .success)
        let added = invoke(
            .operationalCredentials, 0x06, TestAdmin.addNOC(try admin.noc(for: csr, node: id)), as: context)
        #expect(added.code == 0)
        return (session, FabricIndex(rawValue: UInt8(try #require(added.fields?[1]?.unsigned))))
    }

    /// A whole commissioning in the window that is open.
    @discardableResult
    mutating func commission(_ admin: TestAdmin, node id: UInt64 = 0x42) throws -> FabricIndex {
        let (session, fabric) = try addFabric(admin, node: id)
        let complete = invoke(
            .generalCommissioning, 0x04, as: operational(TestAdmin.nodeID, on: fabric.rawValue, session: 1000))
        #expect(complete.code == 0)
        record(node.sessionClosed(session, now: now))
        return fabric
    }

    /// An enhanced window opened by an administrator.
    mutating func openWindow(_ fabric: FabricIndex, seconds: UInt16 = 180) -> InvokeOutcome {
        invoke(
            .administratorCommissioning, 0x00, Self.windowFields(seconds: seconds),
            as: operational(TestAdmin.nodeID, on: fabric.rawValue, timed: true))
    }

    static func windowFields(
        seconds: UInt16 = 180, verifier: [UInt8] = pake.verifier.serialized, discriminator: UInt16 = 0x123,
        iterations: UInt32 = 1000, salt: Int = 16
    ) -> TLVValue {
        .members(
            (0, .uint(seconds)), (1, .octets(verifier)), (2, .uint(discriminator)), (3, .uint(iterations)),
            (4, .octets([UInt8](repeating: 1, count: salt))))
    }
}
