import MatterModel
import MatterWire
import Testing

@Suite("OnOff with lighting (application clusters §1.5)")
struct OnOffTests {
    private static let onOff: UInt32 = 0x0000
    private static let globalSceneControl: UInt32 = 0x4000
    private static let onTime: UInt32 = 0x4001
    private static let offWaitTime: UInt32 = 0x4002

    private func light() throws -> TestNode {
        var node = try TestNode()
        try node.commission(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        return node
    }

    private func value(_ node: inout TestNode, _ attribute: UInt32) -> TLVValue? {
        node.read(.onOff, attribute, endpoint: 1, as: node.operational(TestAdmin.nodeID, on: 1)).value
    }

    private func number(_ node: inout TestNode, _ attribute: UInt32) -> UInt64? { value(&node, attribute)?.unsigned }

    private func isOn(_ node: inout TestNode) -> Bool { value(&node, Self.onOff) == .bool(true) }

    @discardableResult
    private func invoke(
        _ node: inout TestNode, _ command: UInt32, _ fields: TLVValue = .structure([])
    ) -> InteractionStatus? {
        node.invoke(.onOff, command, fields, endpoint: 1, as: node.operational(TestAdmin.nodeID, on: 1)).status?.status
    }

    private func timed(_ control: UInt8, _ on: UInt16, _ wait: UInt16) -> TLVValue {
        .members((0, .uint(control)), (1, .uint(on)), (2, .uint(wait)))
    }

    @Test func `on, off and toggle switch, and the state is kept`() throws {
        var node = try light()
        #expect(invoke(&node, 1) == .success)
        #expect(isOn(&node))
        #expect(node.takeEffects() == [.persist])
        #expect(invoke(&node, 0) == .success)
        #expect(!isOn(&node))
        #expect(invoke(&node, 2) == .success)
        #expect(isOn(&node))
        let context = node.operational(TestAdmin.nodeID, on: 1)
        let path = CommandPath(
            endpoint: EndpointID(rawValue: 1), cluster: .onOff, command: CommandID(rawValue: 0))
        _ = node.node.invoke(path, fields: .structure([]), context: context)
        #expect(node.node.takeEffects().contains(.attributeChanged(TestNode.path(.onOff, 0, 1))))
    }

    @Test func `off with effect lets only the next recall switch on`() throws {
        var node = try light()
        invoke(&node, 1)
        #expect(invoke(&node, 0x41) == .success)
        #expect(invoke(&node, 0x40, .members((0, .uint(0 as UInt8)), (1, .uint(1 as UInt8)))) == .success)
        #expect(!isOn(&node))
        #expect(value(&node, Self.globalSceneControl) == .bool(false))
        #expect(invoke(&node, 0x41) == .success)
        #expect(isOn(&node))
        #expect(value(&node, Self.globalSceneControl) == .bool(true))
        #expect(invoke(&node, 0x40, .members((0, .uint(2 as UInt8)), (1, .uint(0 as UInt8)))) == .constraintError)
        #expect(invoke(&node, 0x40) == .invalidCommand)
    }

    @Test func `a timed on counts down and switches off`() throws {
        var node = try light()
        #expect(invoke(&node, 0x42, timed(0, 20, 0)) == .success)
        #expect(isOn(&node))
        node.advance(.milliseconds(550))
        #expect(number(&node, Self.onTime) == 15)
        #expect(node.node.deadline == node.now.advanced(by: .milliseconds(1450)))
        node.advance(.milliseconds(1450))
        #expect(!isOn(&node))
        #expect(number(&node, Self.onTime) == 0)
        #expect(node.node.deadline == nil)
    }

    @Test func `a longer time wins, and only when on if asked so`() throws {
        var node = try light()
        #expect(invoke(&node, 0x42, timed(1, 20, 0)) == .success)
        #expect(!isOn(&node))
        invoke(&node, 0x42, timed(0, 20, 0))
        invoke(&node, 0x42, timed(1, 10, 0))
        #expect(number(&node, Self.onTime) == 20)
        invoke(&node, 0x42, timed(1, 30, 0))
        #expect(number(&node, Self.onTime) == 30)
    }

    @Test func `off in a timed on starts the wait that keeps it off`() throws {
        var node = try light()
        invoke(&node, 0x42, timed(0, 20, 30))
        invoke(&node, 0)
        #expect(!isOn(&node))
        #expect(number(&node, Self.offWaitTime) == 30)
        node.advance(.seconds(1))
        #expect(number(&node, Self.offWaitTime) == 20)
        invoke(&node, 0x42, timed(0, 20, 5))
        #expect(!isOn(&node))
        #expect(number(&node, Self.offWaitTime) == 5)
        node.advance(.milliseconds(500))
        invoke(&node, 0x42, timed(0, 20, 5))
        #expect(isOn(&node))
    }

    @Test func `on ends the wait`() throws {
        var node = try light()
        invoke(&node, 0x42, timed(0, 20, 30))
        invoke(&node, 0)
        invoke(&node, 1)
        #expect(isOn(&node))
        #expect(number(&node, Self.offWaitTime) == 0)
        #expect(node.node.deadline == nil)
    }

    @Test func `times can be written, and an endless one is refused in the command`() throws {
        var node = try light()
        let context = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.write(.onOff, Self.onTime, .uint(50 as UInt16), endpoint: 1, as: context) == .success)
        #expect(number(&node, Self.onTime) == 50)
        #expect(node.node.deadline == nil)
        #expect(invoke(&node, 0x42, timed(0, 0xFFFF, 0)) == .constraintError)
        #expect(invoke(&node, 0x42, timed(2, 1, 0)) == .constraintError)
        invoke(&node, 0x42, timed(0, 10, 0))
        #expect(number(&node, Self.onTime) == 50)
        #expect(node.write(.onOff, Self.onTime, .uint(5 as UInt16), endpoint: 1, as: context) == .success)
        node.advance(.milliseconds(500))
        #expect(!isOn(&node))
    }

    @Test(arguments: [(0, false), (1, true), (2, true), (nil, false)] as [(UInt8?, Bool)])
    func `the start-up setting decides after a restart`(setting: UInt8?, expected: Bool) throws {
        var node = try light()
        let context = node.operational(TestAdmin.nodeID, on: 1)
        let value = setting.map { TLVValue.uint($0) } ?? .null
        #expect(node.write(.onOff, 0x4003, value, endpoint: 1, as: context) == .success)
        #expect(
            node.write(.onOff, 0x4003, .uint(3 as UInt8), endpoint: 1, as: context).status == .constraintError)
        var restarted = try TestNode(restoring: node.node.snapshot())
        #expect(isOn(&restarted) == expected)
    }
}

@Suite("Identify (application clusters §1.2)")
struct IdentifyTests {
    private func time(_ node: inout TestNode) -> UInt64? {
        node.read(.identify, 0, endpoint: 1, as: node.pase()).value?.unsigned
    }

    @Test func `the time counts down in seconds`() throws {
        var node = try TestNode()
        let start = node.invoke(.identify, 0, .members((0, .uint(10 as UInt16))), endpoint: 1, as: node.pase())
        #expect(start.status == .success)
        node.advance(.milliseconds(2100))
        #expect(time(&node) == 8)
        node.advance(.milliseconds(7900))
        #expect(time(&node) == 0)
        #expect(node.node.deadline == nil)
    }

    @Test func `a written time counts down too, and zero stops it`() throws {
        var node = try TestNode()
        #expect(node.write(.identify, 0, .uint(5 as UInt16), endpoint: 1, as: node.pase()) == .success)
        #expect(node.node.deadline == node.now.advanced(by: .seconds(5)))
        #expect(node.write(.identify, 0, .uint(0 as UInt16), endpoint: 1, as: node.pase()) == .success)
        #expect(node.node.deadline == nil)
    }

    @Test func `the stop effect stops it, and unknown effects are refused`() throws {
        var node = try TestNode()
        func effect(_ id: UInt8) -> StatusIB? {
            node.invoke(
                .identify, 0x40, .members((0, .uint(id)), (1, .uint(0 as UInt8))), endpoint: 1, as: node.pase()
            ).status
        }
        _ = node.invoke(.identify, 0, .members((0, .uint(10 as UInt16))), endpoint: 1, as: node.pase())
        #expect(effect(0) == .success && time(&node) == 10)
        #expect(effect(0xFF) == .success && time(&node) == 0)
        #expect(effect(5) == StatusIB(.constraintError))
    }

    @Test func `a wildcard endpoint reaches every endpoint that has the command`() throws {
        var node = try TestNode()
        let path = CommandPath(endpoint: nil, cluster: .identify, command: CommandID(rawValue: 0))
        let outcomes = node.node.invoke(path, fields: .members((0, .uint(1 as UInt16))), context: node.pase())
        #expect(outcomes.map(\.0.endpoint) == [EndpointID(rawValue: 1)])
        let unknown = CommandPath(endpoint: nil, cluster: .levelControl, command: CommandID(rawValue: 0))
        #expect(node.node.invoke(unknown, fields: .structure([]), context: node.pase()).isEmpty)
    }

    @Test func `a command that is not there says why`() throws {
        var node = try TestNode()
        let fields = TLVValue.members((0, .uint(1 as UInt16)))
        func status(_ cluster: ClusterID, _ command: UInt32, _ endpoint: UInt16) -> InteractionStatus? {
            node.invoke(cluster, command, fields, endpoint: endpoint, as: node.pase()).status?.status
        }
        #expect(status(.identify, 0, 7) == .unsupportedEndpoint)
        #expect(status(.identify, 0, 0) == .unsupportedCluster)
        #expect(status(.identify, 9, 1) == .unsupportedCommand)
        #expect(node.invoke(.identify, 0, .array([]), endpoint: 1, as: node.pase()).status == StatusIB(.invalidCommand))
    }
}
