import MatterCrypto
import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("OperationalCredentials (Core §11.18)")
struct OperationalCredentialsTests {
    /// PASE with an armed fail-safe.
    private func commissioning() throws -> (TestNode, InteractionContext) {
        var node = try TestNode()
        let context = node.pase(node.establishPASE())
        return (node, context)
    }

    // MARK: AddTrustedRootCertificate and CSRRequest

    @Test func `without a fail-safe nothing is taken`() throws {
        var node = try TestNode()
        let admin = try TestAdmin(seed: 2)
        try node.commission(admin)
        let context = node.operational(TestAdmin.nodeID, on: 1)
        let required = StatusIB(.failsafeRequired)
        #expect(node.invoke(.operationalCredentials, 0x0B, admin.root, as: context).status == required)
        #expect(node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context).status == required)
        #expect(
            node.invoke(.operationalCredentials, 0x06, TestAdmin.addNOC([1]), as: context).status == required)
        #expect(
            node.invoke(.operationalCredentials, 0x07, .members((0, .octets([1]))), as: context).status == required)
    }

    @Test func `a root must be valid, and there is one in a period`() throws {
        var (node, context) = try commissioning()
        let admin = try TestAdmin(seed: 2)
        let garbage = TLVValue.members((0, .octets([1, 2, 3])))
        #expect(node.invoke(.operationalCredentials, 0x0B, garbage, as: context).status == StatusIB(.invalidCommand))
        let long = TLVValue.members((0, .octets([UInt8](repeating: 0, count: 401))))
        #expect(node.invoke(.operationalCredentials, 0x0B, long, as: context).status == StatusIB(.invalidCommand))
        #expect(node.invoke(.operationalCredentials, 0x0B, admin.root, as: context).status == .success)
        #expect(node.invoke(.operationalCredentials, 0x0B, admin.root, as: context).status == .success)
        let other = try TestAdmin(seed: 3).root
        #expect(node.invoke(.operationalCredentials, 0x0B, other, as: context).status == StatusIB(.constraintError))
    }

    @Test func `a certificate request needs a nonce of 32 bytes, and CASE for an update`() throws {
        var (node, context) = try commissioning()
        let short = TLVValue.members((0, .octets([1])))
        #expect(node.invoke(.operationalCredentials, 0x04, short, as: context).status == StatusIB(.invalidCommand))
        #expect(
            node.invoke(.operationalCredentials, 0x04, TestNode.updateNonce, as: context).status
                == StatusIB(.invalidCommand))
    }

    // MARK: AddNOC, every status

    @Test func `AddNOC without a request is MissingCsr`() throws {
        var (node, context) = try commissioning()
        #expect(node.invoke(.operationalCredentials, 0x06, TestAdmin.addNOC([1]), as: context).code == 4)
    }

    @Test func `AddNOC without a root, or with a chain that is not valid, is InvalidNOC`() throws {
        var (node, context) = try commissioning()
        let admin = try TestAdmin(seed: 2)
        let csr = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        let noc = TestAdmin.addNOC(try admin.noc(for: csr))
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 3)
        let other = try TestAdmin(seed: 3)
        _ = node.invoke(.operationalCredentials, 0x0B, other.root, as: context)
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 3)
        #expect(node.invoke(.operationalCredentials, 0x06, TestAdmin.addNOC([1, 2]), as: context).code == 3)
        #expect(node.node.fabrics.isEmpty && node.node.isFailSafeArmed)
        // The period goes on: the right certificate is taken.
        let right = TestAdmin.addNOC(try other.noc(for: csr), icac: [])
        #expect(node.invoke(.operationalCredentials, 0x06, right, as: context).code == 0)
    }

    @Test func `a NOC for another key is InvalidPublicKey`() throws {
        var (node, context) = try commissioning()
        let admin = try TestAdmin(seed: 2)
        let old = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        _ = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        _ = node.invoke(.operationalCredentials, 0x0B, admin.root, as: context)
        let noc = TestAdmin.addNOC(try admin.noc(for: old))
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 1)
    }

    @Test(arguments: [0, 0xFFFF_FFFD_ABCD_0000, 0xFFFF_FFFF_FFFF_0001, UInt64.max])
    func `an administrator that is no node and no tag is InvalidAdminSubject`(subject: UInt64) throws {
        var (node, context) = try commissioning()
        let admin = try TestAdmin(seed: 2)
        let csr = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        _ = node.invoke(.operationalCredentials, 0x0B, admin.root, as: context)
        let noc = TestAdmin.addNOC(try admin.noc(for: csr), subject: subject)
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 6)
    }

    @Test func `a tag may be the administrator`() throws {
        var (node, context) = try commissioning()
        let admin = try TestAdmin(seed: 2)
        let csr = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        _ = node.invoke(.operationalCredentials, 0x0B, admin.root, as: context)
        let noc = TestAdmin.addNOC(try admin.noc(for: csr), subject: 0xFFFF_FFFD_ABCD_0002)
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 0)
        let newer = node.operational(9, on: 1, tags: [0xABCD_0003])
        #expect(node.invoke(.generalCommissioning, 0x04, as: newer).code == 0)
    }

    @Test func `the same fabric twice is FabricConflict`() throws {
        var node = try TestNode()
        let admin = try TestAdmin(seed: 2)
        let fabric = try node.commission(admin)
        #expect(node.openWindow(fabric).status == .success)
        let context = node.pase(node.establishPASE())
        let csr = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        _ = node.invoke(.operationalCredentials, 0x0B, admin.root, as: context)
        let noc = TestAdmin.addNOC(try admin.noc(for: csr, node: 0x43))
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 9)
    }

    @Test func `a full table is TableFull`() throws {
        var node = try TestNode()
        for seed in 2..<7 {
            if let fabric = node.node.fabrics.first?.index { #expect(node.openWindow(fabric).status == .success) }
            try node.commission(try TestAdmin(seed: UInt64(seed)))
        }
        #expect(node.node.fabrics.map(\.index.rawValue) == [1, 2, 3, 4, 5])
        #expect(node.openWindow(FabricIndex(rawValue: 1)).status == .success)
        let context = node.pase(node.establishPASE())
        let admin = try TestAdmin(seed: 9)
        let csr = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        _ = node.invoke(.operationalCredentials, 0x0B, admin.root, as: context)
        let noc = TestAdmin.addNOC(try admin.noc(for: csr))
        #expect(node.invoke(.operationalCredentials, 0x06, noc, as: context).code == 5)
    }

    @Test func `fields out of range make the command invalid`() throws {
        var (node, context) = try commissioning()
        let invalid = StatusIB(.invalidCommand)
        for fields in [
            TestAdmin.addNOC([UInt8](repeating: 0, count: 401)),
            TestAdmin.addNOC([1], icac: [UInt8](repeating: 0, count: 401)), TestAdmin.addNOC([1], vendor: 0),
            TestAdmin.addNOC([1], vendor: 0xFFFF), TestAdmin.addNOC([1], ipk: 15), .structure([]),
        ] {
            #expect(node.invoke(.operationalCredentials, 0x06, fields, as: context).status == invalid)
        }
    }

    @Test func `after AddNOC no second one, no root and no request`() throws {
        var node = try TestNode()
        let admin = try TestAdmin(seed: 2)
        let (session, fabric) = try node.addFabric(admin)
        let context = node.pase(session, fabric: fabric)
        let late = StatusIB(.constraintError)
        #expect(node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context).status == late)
        #expect(node.invoke(.operationalCredentials, 0x0B, admin.root, as: context).status == late)
        #expect(node.invoke(.operationalCredentials, 0x06, TestAdmin.addNOC([1]), as: context).status == late)
    }

    // MARK: UpdateNOC

    /// A commissioned node whose administrator holds the fail-safe and has requested a key.
    private func updating() throws -> (TestNode, TestAdmin, InteractionContext, InvokeOutcome) {
        var node = try TestNode()
        let admin = try TestAdmin(seed: 2)
        try node.commission(admin)
        let context = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.invoke(.generalCommissioning, 0x00, TestNode.fields(arm: 60), as: context).code == 0)
        let csr = node.invoke(.operationalCredentials, 0x04, TestNode.updateNonce, as: context)
        _ = node.takeEffects()
        return (node, admin, context, csr)
    }

    @Test func `UpdateNOC replaces certificate and node id, and completion keeps them`() throws {
        var (node, admin, context, csr) = try updating()
        let noc = try admin.noc(for: csr, node: 0x77)
        let outcome = node.invoke(.operationalCredentials, 0x07, .members((0, .octets(noc))), as: context)
        #expect(outcome.code == 0)
        #expect(node.takeEffects().contains(.fabricUpdated(FabricIndex(rawValue: 1))))
        #expect(node.node.fabrics.first?.nodeID.rawValue == 0x77)
        // Not kept yet: a restart now has the old one.
        let restarted = try TestNode(restoring: node.node.snapshot())
        #expect(restarted.node.fabrics.first?.nodeID.rawValue == 0x42)
        #expect(node.invoke(.generalCommissioning, 0x04, as: context).code == 0)
        #expect(try TestNode(restoring: node.node.snapshot()).node.fabrics.first?.nodeID.rawValue == 0x77)
    }

    @Test func `UpdateNOC is undone with the fail-safe`() throws {
        var (node, admin, context, csr) = try updating()
        let before = node.node.fabrics.first?.credentials.noc
        let noc = try admin.noc(for: csr, node: 0x77)
        _ = node.invoke(.operationalCredentials, 0x07, .members((0, .octets(noc))), as: context)
        _ = node.takeEffects()
        node.advance(.seconds(60))
        let fabric = FabricIndex(rawValue: 1)
        #expect(node.takeEffects() == [.fabricUpdated(fabric), .closeSessions(of: fabric), .persist])
        #expect(node.node.fabrics.first?.nodeID.rawValue == 0x42)
        #expect(node.node.fabrics.first?.credentials.noc == before)
        #expect(node.node.listeningWindow == nil)
    }

    @Test func `UpdateNOC refuses another fabric, a missing key and a key for AddNOC`() throws {
        var (node, admin, context, csr) = try updating()
        let foreign = try admin.noc(for: csr, fabricID: FabricID(rawValue: 5))
        #expect(
            node.invoke(.operationalCredentials, 0x07, .members((0, .octets(foreign))), as: context).code == 3)
        #expect(
            node.invoke(.operationalCredentials, 0x06, TestAdmin.addNOC([1]), as: context).status
                == StatusIB(.constraintError))
        _ = node.invoke(.operationalCredentials, 0x04, TestNode.nonce, as: context)
        #expect(
            node.invoke(.operationalCredentials, 0x07, .members((0, .octets([1]))), as: context).status
                == StatusIB(.constraintError))
        node.advance(.seconds(60))
        let again = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.invoke(.generalCommissioning, 0x00, TestNode.fields(arm: 60), as: again).code == 0)
        #expect(node.invoke(.operationalCredentials, 0x07, .members((0, .octets([1]))), as: again).code == 4)
        _ = node.invoke(.operationalCredentials, 0x0B, try TestAdmin(seed: 5).root, as: again)
        #expect(
            node.invoke(.operationalCredentials, 0x07, .members((0, .octets([1]))), as: again).status
                == StatusIB(.constraintError))
    }

    // MARK: Labels and removal

    @Test func `labels are unique among fabrics`() throws {
        var node = try TestNode()
        let first = try node.commission(try TestAdmin(seed: 2))
        #expect(node.openWindow(first).status == .success)
        try node.commission(try TestAdmin(seed: 3))
        func label(_ text: String) -> TLVValue { .members((0, .utf8(text))) }
        let one = node.operational(TestAdmin.nodeID, on: 1)
        let two = node.operational(TestAdmin.nodeID, on: 2)
        #expect(node.invoke(.operationalCredentials, 0x09, label("home"), as: one).code == 0)
        #expect(node.invoke(.operationalCredentials, 0x09, label("home"), as: one).code == 0)
        #expect(node.invoke(.operationalCredentials, 0x09, label("home"), as: two).code == 10)
        #expect(node.invoke(.operationalCredentials, 0x09, label(""), as: two).code == 0)
        #expect(node.node.fabrics.map(\.label) == ["home", ""])
        let long = String(repeating: "x", count: 33)
        #expect(
            node.invoke(.operationalCredentials, 0x09, label(long), as: one).status == StatusIB(.constraintError))
    }

    @Test func `removing one of two fabrics closes its sessions and keeps the other`() throws {
        var node = try TestNode()
        let first = try node.commission(try TestAdmin(seed: 2))
        #expect(node.openWindow(first).status == .success)
        let second = try node.commission(try TestAdmin(seed: 3))
        _ = node.takeEffects()
        let context = node.operational(TestAdmin.nodeID, on: 2)
        let outcome = node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(1 as UInt8))), as: context)
        #expect(outcome.code == 0 && outcome.fields?[1] == .uint(1 as UInt8))
        #expect(node.takeEffects() == [.fabricRemoved(first), .closeSessions(of: first), .persist])
        #expect(node.node.fabrics.map(\.index) == [second])
        #expect(node.read(.accessControl, 0x0000, as: node.operational(TestAdmin.nodeID, on: 1)).status != nil)
        let unknown = node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(1 as UInt8))), as: context)
        #expect(unknown.code == 11)
        let invalid = node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(0 as UInt8))), as: context)
        #expect(invalid.status == StatusIB(.constraintError))
    }

    @Test func `removing the last fabric makes the node factory-fresh`() throws {
        var node = try TestNode()
        let fabric = try node.commission(try TestAdmin(seed: 2))
        let context = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.write(.basicInformation, 0x0005, .utf8("lamp"), as: context) == .success)
        _ = node.takeEffects()
        #expect(node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(1 as UInt8))), as: context).code == 0)
        let window = try #require(node.node.listeningWindow)
        #expect(
            node.takeEffects() == [
                .fabricRemoved(fabric), .closeSessions(of: fabric), .persist, .factoryReset, .windowOpened(window),
            ])
        #expect(window.kind == .initial)
        #expect(node.read(.basicInformation, 0x0005, as: node.pase()).value == .utf8(""))
        try node.commission(try TestAdmin(seed: 2))
        #expect(node.node.fabrics.map(\.index.rawValue) == [2])
    }

    @Test func `a fabric removed while its fail-safe is armed takes the fail-safe with it`() throws {
        var node = try TestNode()
        let (session, fabric) = try node.addFabric(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        let outcome = node.invoke(
            .operationalCredentials, 0x0A, .members((0, .uint(fabric.rawValue))),
            as: node.pase(session, fabric: fabric))
        #expect(outcome.code == 0)
        #expect(!node.node.isFailSafeArmed && node.node.fabrics.isEmpty)
        #expect(node.node.listeningWindow?.kind == .initial)
    }

    @Test func `the lists show each reader its own fabric`() throws {
        var node = try TestNode()
        let first = try node.commission(try TestAdmin(seed: 2))
        #expect(node.openWindow(first).status == .success)
        try node.commission(try TestAdmin(seed: 3))
        let one = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.read(.operationalCredentials, 0x0003, as: one).value == .uint(2 as UInt8))
        #expect(node.read(.operationalCredentials, 0x0005, as: one).value == .uint(1 as UInt8))
        #expect(node.read(.operationalCredentials, 0x0002, as: one).value == .uint(5 as UInt8))
        for attribute: UInt32 in [0x0000, 0x0001] {
            let own = node.read(.operationalCredentials, attribute, as: one).value?.array
            #expect(own?.map { $0[254] } == [.uint(1 as UInt8)])
            let all = node.read(.operationalCredentials, attribute, filtered: false, as: one).value?.array
            #expect(all?.map { $0[254] } == [.uint(1 as UInt8), .uint(2 as UInt8)])
        }
        let roots = node.read(.operationalCredentials, 0x0004, as: one).value?.array
        #expect(roots?.compactMap(\.octets) == node.node.fabrics.map(\.rootCertificate))
    }
}
