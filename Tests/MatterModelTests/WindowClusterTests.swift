import MatterCrypto
import MatterModel
import MatterWire
import Testing

@Suite("AdministratorCommissioning (Core §11.19)")
struct WindowClusterTests {
    private let fabric = FabricIndex(rawValue: 1)

    private func commissioned() throws -> TestNode {
        var node = try TestNode()
        try node.commission(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        return node
    }

    private func admin(_ node: TestNode, timed: Bool = true) -> InteractionContext {
        node.operational(TestAdmin.nodeID, on: 1, timed: timed)
    }

    private func status(_ code: UInt8) -> StatusIB { StatusIB(.failure, clusterStatus: code) }

    private func shown(_ node: inout TestNode) -> [TLVValue?] {
        let context = admin(node)
        return (0...2).map { node.read(.administratorCommissioning, $0, as: context).value }
    }

    @Test func `an enhanced window has its own parameters`() throws {
        var node = try commissioned()
        #expect(node.openWindow(fabric).status == .success)
        let window = try #require(node.node.listeningWindow)
        #expect(window.kind == .enhanced && window.discriminator == 0x123 && window.commissioningMode == 2)
        #expect(node.takeEffects() == [.windowOpened(window)])
        #expect(shown(&node) == [.uint(1 as UInt8), .uint(1 as UInt8), .uint(0xFFF1 as UInt16)])
        #expect(node.node.deadline == node.now.advanced(by: .seconds(180)))
        node.advance(.seconds(180))
        #expect(node.takeEffects() == [.windowClosed])
        #expect(shown(&node) == [.uint(0 as UInt8), .null, .null])
    }

    @Test func `a basic window has the printed parameters`() throws {
        var node = try commissioned()
        let outcome = node.invoke(
            .administratorCommissioning, 0x01, .members((0, .uint(900 as UInt16))), as: admin(node))
        #expect(outcome.status == .success)
        let window = try #require(node.node.listeningWindow)
        #expect(window.kind == .basic && window.discriminator == 3840 && window.pake == TestNode.pake)
        #expect(shown(&node)[0] == .uint(2 as UInt8))
    }

    @Test func `all three commands must be timed`() throws {
        var node = try commissioned()
        for command: UInt32 in 0...2 {
            let outcome = node.invoke(
                .administratorCommissioning, command, TestNode.windowFields(), as: admin(node, timed: false))
            #expect(outcome.status == StatusIB(.needsTimedInteraction))
        }
    }

    @Test func `one window at a time, and none under a fail-safe`() throws {
        var node = try commissioned()
        #expect(node.openWindow(fabric).status == .success)
        #expect(node.openWindow(fabric).status == status(2))
        let basic = node.invoke(
            .administratorCommissioning, 0x01, .members((0, .uint(200 as UInt16))), as: admin(node))
        #expect(basic.status == status(2))
        node.advance(.seconds(180))
        #expect(node.invoke(.generalCommissioning, 0x00, TestNode.fields(arm: 30), as: admin(node)).code == 0)
        #expect(node.openWindow(fabric).status == status(2))
    }

    @Test func `bad PAKE parameters have their own status`() throws {
        var node = try commissioned()
        let verifier = TestNode.pake.verifier.serialized
        for fields in [
            TestNode.windowFields(verifier: Array(verifier.dropLast())),
            TestNode.windowFields(verifier: [UInt8](repeating: 0, count: 97)), TestNode.windowFields(iterations: 999),
            TestNode.windowFields(iterations: 100_001), TestNode.windowFields(salt: 15),
            TestNode.windowFields(salt: 33),
        ] {
            let outcome = node.invoke(.administratorCommissioning, 0x00, fields, as: admin(node))
            #expect(outcome.status == status(3))
        }
        #expect(node.node.listeningWindow == nil)
    }

    @Test func `times and discriminators out of range make the command invalid`() throws {
        var node = try commissioned()
        for fields in [
            TestNode.windowFields(seconds: 179), TestNode.windowFields(seconds: 901),
            TestNode.windowFields(discriminator: 0x1000), .structure([]),
        ] {
            let outcome = node.invoke(.administratorCommissioning, 0x00, fields, as: admin(node))
            #expect(outcome.status == StatusIB(.invalidCommand))
        }
        let basic = node.invoke(
            .administratorCommissioning, 0x01, .members((0, .uint(10 as UInt16))), as: admin(node))
        #expect(basic.status == StatusIB(.invalidCommand))
    }

    @Test func `revoking needs a window, and ends the commissioning in it`() throws {
        var node = try commissioned()
        #expect(node.invoke(.administratorCommissioning, 0x02, as: admin(node)).status == status(4))
        #expect(node.openWindow(fabric).status == .success)
        let (session, second) = try node.addFabric(try TestAdmin(seed: 3))
        _ = node.takeEffects()
        #expect(node.invoke(.administratorCommissioning, 0x02, as: admin(node)).status == .success)
        #expect(
            node.takeEffects() == [
                .closeSession(session), .fabricRemoved(second), .closeSessions(of: second), .persist,
            ])
        #expect(node.node.fabrics.map(\.index) == [fabric] && !node.node.isFailSafeArmed)
        #expect(shown(&node)[0] == .uint(0 as UInt8))
    }

    @Test func `a window survives an aborted commissioning`() throws {
        var node = try commissioned()
        #expect(node.openWindow(fabric, seconds: 600).status == .success)
        _ = try node.addFabric(try TestAdmin(seed: 3))
        #expect(node.node.listeningWindow == nil)
        node.advance(.seconds(60))
        #expect(node.node.listeningWindow?.kind == .enhanced)
        try node.commission(try TestAdmin(seed: 3))
        #expect(node.node.fabrics.count == 2 && node.node.listeningWindow == nil)
        #expect(shown(&node)[0] == .uint(0 as UInt8))
    }

    @Test func `a window whose administrator left names none`() throws {
        var node = try commissioned()
        #expect(node.openWindow(fabric).status == .success)
        try node.commission(try TestAdmin(seed: 3))
        #expect(node.openWindow(fabric).status == .success)
        let second = node.operational(TestAdmin.nodeID, on: 2)
        _ = node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(1 as UInt8))), as: second)
        #expect(node.read(.administratorCommissioning, 0x0000, as: second).value == .uint(1 as UInt8))
        #expect(node.read(.administratorCommissioning, 0x0001, as: second).value == .null)
        #expect(node.read(.administratorCommissioning, 0x0002, as: second).value == .uint(0xFFF1 as UInt16))
    }

    @Test func `a node whose only fabric left during a commissioning that failed is factory-fresh`() throws {
        var node = try commissioned()
        #expect(node.openWindow(fabric).status == .success)
        _ = try node.addFabric(try TestAdmin(seed: 3))
        _ = node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(1 as UInt8))), as: admin(node))
        #expect(node.node.fabrics.map(\.index.rawValue) == [2])
        node.advance(.seconds(60))
        #expect(node.node.fabrics.isEmpty)
        #expect(node.node.listeningWindow?.kind == .initial)
    }
}
