import MatterCrypto
import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("Commissioning a virtual node (Core §5.5, §11.10, §11.18)")
struct CommissioningTests {
    private let first = FabricIndex(rawValue: 1)

    private func initialWindow(_ node: TestNode) throws -> CommissioningWindow {
        let window = try #require(node.node.listeningWindow)
        #expect(window.kind == .initial && window.commissioningMode == 1 && window.discriminator == 3840)
        return window
    }

    // MARK: The whole flow

    @Test func `a new node listens with its printed passcode`() throws {
        var node = try TestNode()
        #expect(node.takeEffects() == [.persist, .windowOpened(try initialWindow(node))])
        #expect(node.node.deadline == nil)
        #expect(node.read(.administratorCommissioning, 0x0000, as: node.pase()).value == .uint(0 as UInt8))
    }

    @Test func `a commissioning leads to one fabric and a closed window`() throws {
        var node = try TestNode()
        _ = node.takeEffects()
        let admin = try TestAdmin(seed: 2)
        let (session, fabric) = try node.addFabric(admin)
        #expect(fabric == first)
        #expect(
            node.takeEffects() == [
                .windowClosed, .fabricAdded(first), .bindPASESession(session, to: first), .persist,
            ])
        #expect(node.node.isFailSafeArmed && node.node.listeningWindow == nil)
        let complete = node.invoke(.generalCommissioning, 0x04, as: node.operational(TestAdmin.nodeID, on: 1))
        #expect(complete == .response(CommandID(rawValue: 5), .members((0, .uint(0 as UInt8)), (1, .utf8("")))))
        #expect(node.takeEffects() == [.closeSession(session), .persist, .commissioningCompleted(first)])
        #expect(!node.node.isFailSafeArmed && node.node.deadline == nil && node.node.listeningWindow == nil)
        let kept = try #require(node.node.fabrics.first)
        #expect(kept.fabricID == admin.fabricID && kept.nodeID.rawValue == 0x42)
        #expect(kept.epochIPKs == [[UInt8](repeating: 0x1F, count: 16)])
        #expect(kept.rootCertificate == admin.authority.rootCertificateBytes)
        #expect(kept.rootPublicKey == admin.authority.signer.publicKey)
        #expect(kept.accessControl == [AccessControlEntry(privilege: .administer, subjects: [TestAdmin.nodeID])])
        let identity = try OperationalChain.validate(
            noc: kept.credentials.noc, icac: kept.credentials.icac, rcac: kept.rootCertificate)
        #expect(identity.publicKey == kept.credentials.key.publicKey)
    }

    @Test func `attestation and certificate requests are signed by the device key over the challenge`() throws {
        var node = try TestNode()
        let context = node.pase(node.establishPASE())
        for (command, answer, tag) in [(0x00, 0x01, UInt8(2)), (0x04, 0x05, 2)] as [(UInt32, UInt32, UInt8)] {
            let outcome = node.invoke(.operationalCredentials, command, TestNode.nonce, as: context)
            guard case .response(let id, let fields) = outcome else {
                Issue.record("no response")
                continue
            }
            #expect(id.rawValue == answer)
            let elements = try fields.octets(0)
            #expect(
                try TestNode.dacKey.publicKey.verify(
                    signature: try fields.octets(1), message: elements + TestNode.challenge))
            #expect(try TLVValue.decode(elements).octets(tag) == [UInt8](repeating: 9, count: 32))
        }
        for (type, bytes) in [(1, [1, 2, 3]), (2, [4, 5, 6])] as [(UInt8, [UInt8])] {
            let outcome = node.invoke(
                .operationalCredentials, 0x02, .members((0, .uint(type))), as: context)
            #expect(try outcome.fields?.octets(0) == bytes)
        }
        let unknown = node.invoke(.operationalCredentials, 0x02, .members((0, .uint(3 as UInt8))), as: context)
        #expect(unknown.status == StatusIB(.invalidCommand))
    }

    // MARK: The fail-safe through the cluster

    @Test func `PASE arms the fail-safe for 60 s`() throws {
        var node = try TestNode()
        _ = node.establishPASE()
        #expect(node.node.deadline == node.now.advanced(by: .seconds(60)))
    }

    @Test func `the end of the fail-safe takes the new fabric away and opens the window again`() throws {
        var node = try TestNode()
        let (session, fabric) = try node.addFabric(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        #expect(
            node.read(.generalCommissioning, 0x0000, as: node.pase(session, fabric: fabric)).value == .uint(3 as UInt8))
        node.advance(.seconds(60))
        #expect(
            node.takeEffects() == [
                .closeSession(session), .fabricRemoved(fabric), .closeSessions(of: fabric), .persist,
                .windowOpened(try initialWindow(node)),
            ])
        #expect(node.node.fabrics.isEmpty && !node.node.isFailSafeArmed)
        #expect(node.read(.generalCommissioning, 0x0000, as: node.pase(session)).value == .uint(0 as UInt8))
        try node.commission(try TestAdmin(seed: 2))
        #expect(node.node.fabrics.map(\.index.rawValue) == [2])
    }

    @Test func `arming with zero ends the fail-safe at once`() throws {
        var node = try TestNode()
        let (session, fabric) = try node.addFabric(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        let outcome = node.invoke(
            .generalCommissioning, 0x00, TestNode.fields(arm: 0), as: node.pase(session, fabric: fabric))
        #expect(outcome.code == 0)
        #expect(node.takeEffects().contains(.fabricRemoved(fabric)))
        #expect(node.node.listeningWindow?.kind == .initial)
    }

    @Test func `a PASE session that ends before AddNOC ends the commissioning`() throws {
        var node = try TestNode()
        let session = node.establishPASE()
        _ = node.takeEffects()
        node.record(node.node.sessionClosed(session, now: node.now))
        #expect(node.takeEffects() == [.windowOpened(try initialWindow(node))])
        #expect(!node.node.isFailSafeArmed)
    }

    @Test func `a PASE session that ends after AddNOC leaves the time to come back over CASE`() throws {
        var node = try TestNode()
        let (session, fabric) = try node.addFabric(try TestAdmin(seed: 2))
        node.record(node.node.sessionClosed(session, now: node.now))
        #expect(node.node.isFailSafeArmed)
        let complete = node.invoke(
            .generalCommissioning, 0x04, as: node.operational(TestAdmin.nodeID, on: fabric.rawValue))
        #expect(complete.code == 0)
    }

    @Test func `PASE without an open window is closed`() throws {
        var node = try TestNode()
        try node.commission(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        let session = node.establishPASE()
        #expect(node.takeEffects() == [.closeSession(session)])
        #expect(!node.node.isFailSafeArmed)
    }

    @Test func `twenty failed attempts close the initial window`() throws {
        var node = try TestNode()
        _ = node.takeEffects()
        for _ in 0..<20 { node.record(node.node.paseFailed(now: node.now)) }
        #expect(node.takeEffects() == [.windowClosed])
        #expect(node.node.listeningWindow == nil)
    }

    @Test func `another fabric finds the fail-safe busy`() throws {
        var node = try TestNode()
        let fabric = try node.commission(try TestAdmin(seed: 2))
        let admin = node.operational(TestAdmin.nodeID, on: fabric.rawValue)
        #expect(node.openWindow(fabric).status == .success)
        _ = node.establishPASE()
        let outcome = node.invoke(.generalCommissioning, 0x00, TestNode.fields(arm: 30), as: admin)
        #expect(outcome.code == 4)
        let complete = node.invoke(.generalCommissioning, 0x04, as: admin)
        #expect(complete.code == 2)
    }

    @Test func `an administrator does not take the fail-safe while a window is open`() throws {
        var node = try TestNode()
        let fabric = try node.commission(try TestAdmin(seed: 2))
        #expect(node.openWindow(fabric).status == .success)
        let outcome = node.invoke(
            .generalCommissioning, 0x00, TestNode.fields(arm: 30),
            as: node.operational(TestAdmin.nodeID, on: fabric.rawValue))
        #expect(outcome.code == 4)
    }

    @Test func `completion needs CASE of the right fabric and an armed fail-safe`() throws {
        var node = try TestNode()
        let fabric = try node.commission(try TestAdmin(seed: 2))
        let none = node.invoke(
            .generalCommissioning, 0x04, as: node.operational(TestAdmin.nodeID, on: fabric.rawValue))
        #expect(none.code == 3)
        #expect(node.openWindow(fabric).status == .success)
        let (session, second) = try node.addFabric(try TestAdmin(seed: 3))
        let overPASE = node.invoke(.generalCommissioning, 0x04, as: node.pase(session, fabric: second))
        #expect(overPASE.code == 2)
        let foreign = node.invoke(
            .generalCommissioning, 0x04, as: node.operational(TestAdmin.nodeID, on: fabric.rawValue))
        #expect(foreign.code == 2)
        #expect(node.node.isFailSafeArmed)
    }

    @Test func `completion over PASE without a fabric is no access`() throws {
        var node = try TestNode()
        let outcome = node.invoke(.generalCommissioning, 0x04, as: node.pase(node.establishPASE()))
        #expect(outcome.status == StatusIB(.unsupportedAccess))
    }

    @Test func `regulatory settings are taken over`() throws {
        var node = try TestNode()
        let context = node.pase(node.establishPASE())
        func fields(_ config: UInt8, _ country: String) -> TLVValue {
            .members((0, .uint(config)), (1, .utf8(country)), (2, .uint(7 as UInt8)))
        }
        #expect(node.invoke(.generalCommissioning, 0x02, fields(1, "CH"), as: context).code == 0)
        #expect(node.read(.generalCommissioning, 0x0002, as: context).value == .uint(1 as UInt8))
        #expect(node.read(.basicInformation, 0x0006, as: context).value == .utf8("CH"))
        #expect(node.read(.generalCommissioning, 0x0000, as: context).value == .uint(7 as UInt8))
        #expect(node.invoke(.generalCommissioning, 0x02, fields(3, "CH"), as: context).code == 1)
        #expect(
            node.invoke(.generalCommissioning, 0x02, fields(0, "CHE"), as: context).status
                == StatusIB(.constraintError))
    }
}
