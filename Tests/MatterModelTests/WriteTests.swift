import MatterModel
import MatterWire
import Testing

@Suite("Writing to a virtual node (Core §8.7)")
struct WriteTests {
    private func commissioned() throws -> TestNode {
        var node = try TestNode()
        try node.commission(try TestAdmin(seed: 2))
        return node
    }

    private func admin(_ node: TestNode, session: UInt64 = 1000) -> InteractionContext {
        node.operational(TestAdmin.nodeID, on: 1, session: session)
    }

    private func entry(
        _ privilege: UInt8 = 5, mode: UInt8 = 2, subjects: TLVValue? = .array([.uint(TestAdmin.nodeID)]),
        targets: TLVValue? = .null, fabric: UInt8? = nil
    ) -> TLVValue {
        .members(
            (1, .uint(privilege)), (2, .uint(mode)), (3, subjects), (4, targets), (254, fabric.map { .uint($0) }))
    }

    private func subjects(_ subjects: UInt64...) -> TLVValue { .array(subjects.map { .uint($0) }) }

    private func target(_ cluster: TLVValue = .null, _ endpoint: TLVValue = .null, _ type: TLVValue = .null) -> TLVValue
    {
        .array([.members((0, cluster), (1, endpoint), (2, type))])
    }

    // MARK: Checks

    @Test func `the checks come in order`() throws {
        var node = try commissioned()
        let context = admin(node)
        let label = TLVValue.utf8("x")
        #expect(node.write(.basicInformation, 5, label, endpoint: 9, as: context).status == .unsupportedEndpoint)
        #expect(node.write(.basicInformation, 5, label, endpoint: 1, as: context).status == .unsupportedCluster)
        #expect(node.write(.basicInformation, 0x77, label, as: context).status == .unsupportedAttribute)
        #expect(node.write(.basicInformation, 1, label, as: context).status == .unsupportedWrite)
        #expect(node.write(.basicInformation, 0xFFFC, label, as: context).status == .unsupportedWrite)
        let stranger = node.operational(0x99, on: 1)
        #expect(node.write(.basicInformation, 5, .uint(1 as UInt8), as: stranger).status == .unsupportedAccess)
        #expect(node.write(.basicInformation, 5, .uint(1 as UInt8), as: context).status == .invalidDataType)
        let long = TLVValue.utf8(String(repeating: "x", count: 33))
        #expect(node.write(.basicInformation, 5, long, as: context).status == .constraintError)
        #expect(node.write(.basicInformation, 6, .utf8("C"), as: context).status == .constraintError)
        #expect(node.write(.basicInformation, 5, label, operation: .append, as: context).status == .invalidDataType)
        #expect(node.write(.basicInformation, 6, .utf8("CH"), as: context) == .success)
        #expect(node.read(.basicInformation, 6, as: context).value == .utf8("CH"))
    }

    @Test func `a write at an old version is refused`() throws {
        var node = try commissioned()
        let context = admin(node)
        let version = try #require(node.read(.basicInformation, 5, as: context).version)
        #expect(node.write(.basicInformation, 5, .utf8("a"), version: version, as: context) == .success)
        #expect(
            node.write(.basicInformation, 5, .utf8("b"), version: version, as: context).status == .dataVersionMismatch)
    }

    @Test func `a wildcard endpoint writes where it can and says nothing of the rest`() throws {
        var node = try commissioned()
        let wild = AttributeWrite(
            path: AttributePath(cluster: .identify, attribute: AttributeID(rawValue: 0)), value: .uint(5 as UInt16))
        let results = node.node.write(wild, context: admin(node))
        #expect(results == [AttributeWriteResult(path: TestNode.path(.identify, 0, 1), status: .success)])
        let bad = AttributeWrite(path: wild.path, value: .utf8("x"))
        #expect(node.node.write(bad, context: admin(node)).map(\.status) == [StatusIB(.invalidDataType)])
        let clusters = AttributeWrite(path: AttributePath(endpoint: .root), value: .null)
        #expect(node.node.write(clusters, context: admin(node)).isEmpty)
    }

    @Test func `the breadcrumb and the interface can be written`() throws {
        var node = try commissioned()
        let context = admin(node)
        #expect(node.write(.generalCommissioning, 0, .uint(77 as UInt8), as: context) == .success)
        #expect(node.read(.generalCommissioning, 0, as: context).value == .uint(77 as UInt8))
        #expect(node.write(.networkCommissioning, 4, .bool(true), as: context) == .success)
        #expect(node.write(.networkCommissioning, 4, .bool(false), as: context).status == .constraintError)
    }

    // MARK: Access control list

    @Test func `the list is replaced, and its fabric is the writer's`() throws {
        var node = try commissioned()
        let context = admin(node)
        let list = TLVValue.array([
            entry(fabric: 9),
            entry(3, subjects: subjects(0x99, 0xFFFF_FFFD_0001_0002), targets: target(.uint(6 as UInt32))),
        ])
        #expect(node.write(.accessControl, 0, list, as: context) == .success)
        let read = node.read(.accessControl, 0, as: context).value?.array
        #expect(read?.map { $0[254] } == [.uint(1 as UInt8), .uint(1 as UInt8)])
        #expect(node.node.fabrics[0].accessControl.count == 2)
        #expect(node.takeEffects().contains(.persist))
    }

    @Test func `entries are appended`() throws {
        var node = try commissioned()
        let context = admin(node)
        let more = entry(1, subjects: .null)
        #expect(node.write(.accessControl, 0, more, operation: .append, as: context) == .success)
        #expect(node.write(.accessControl, 0, more, operation: .append, as: context) == .success)
        #expect(node.write(.accessControl, 0, more, operation: .append, as: context) == .success)
        #expect(
            node.write(.accessControl, 0, more, operation: .append, as: context).status == .resourceExhausted)
        #expect(node.node.fabrics[0].accessControl.count == 4)
    }

    @Test func `a replacement that goes on with appends is one write`() throws {
        var node = try commissioned()
        let context = admin(node)
        #expect(node.write(.accessControl, 0, .array([]), as: context) == .success)
        // Without an entry the administrator may no longer do anything else, on this session or another.
        #expect(node.read(.accessControl, 2, as: admin(node, session: 7)).status == .unsupportedAccess)
        #expect(
            node.write(.accessControl, 0, entry(), operation: .append, as: admin(node, session: 7)).status
                == .unsupportedAccess)
        #expect(node.write(.accessControl, 0, entry(), operation: .append, as: context) == .success)
        #expect(node.write(.accessControl, 0, entry(1), operation: .append, as: context) == .success)
        #expect(node.node.fabrics[0].accessControl.map(\.privilege) == [.administer, .view])
    }

    @Test func `another request in between ends the write`() throws {
        var node = try commissioned()
        let context = admin(node)
        #expect(node.write(.accessControl, 0, .array([]), as: context) == .success)
        _ = node.read(.accessControl, 2, as: context)
        #expect(
            node.write(.accessControl, 0, entry(), operation: .append, as: context).status == .unsupportedAccess)
    }

    @Test func `a malformed replacement changes nothing`() throws {
        var node = try commissioned()
        let context = admin(node)
        let bad = TLVValue.array([entry(), entry(9)])
        #expect(node.write(.accessControl, 0, bad, as: context).status == .constraintError)
        #expect(node.node.fabrics[0].accessControl.count == 1)
        #expect(node.write(.accessControl, 0, .structure([]), as: context).status == .invalidDataType)
    }

    @Test func `entries keep the rules of their members`() throws {
        var node = try commissioned()
        let context = admin(node)
        func status(_ entry: TLVValue) -> InteractionStatus {
            node.write(.accessControl, 0, entry, operation: .append, as: context).status
        }
        #expect(status(entry(0)) == .constraintError)
        #expect(status(entry(6)) == .constraintError)
        #expect(status(entry(3, mode: 1)) == .constraintError)
        #expect(status(entry(3, mode: 4)) == .constraintError)
        #expect(status(entry(5, mode: 3, subjects: subjects(0xFFFF_FFFF_FFFF_0001))) == .constraintError)
        #expect(status(entry(3, mode: 3, subjects: subjects(1))) == .constraintError)
        #expect(status(entry(3, mode: 3, subjects: subjects(0xFFFF_FFFF_FFFF_0001))) == .success)
        for subject: UInt64 in [0, 0xFFFF_FFFD_0001_0000, 0xFFFF_FFF0_0000_0000, 0xFFFF_FFFF_FFFF_0001] {
            #expect(status(entry(3, subjects: subjects(subject))) == .constraintError)
        }
        #expect(status(entry(3, subjects: subjects(1, 2, 3, 4, 5))) == .resourceExhausted)
        #expect(status(entry(3, targets: target())) == .constraintError)
        #expect(status(entry(3, targets: target(.null, .uint(1 as UInt16), .uint(1 as UInt32)))) == .constraintError)
        #expect(status(entry(3, targets: target(.null, .uint(0xFFFF as UInt16)))) == .constraintError)
        #expect(status(entry(3, targets: target(.utf8("x")))) == .invalidDataType)
        let four = TLVValue.array([TLVValue](repeating: .members((1, .uint(1 as UInt16))), count: 4))
        #expect(status(entry(3, targets: four)) == .resourceExhausted)
        #expect(status(entry(3, subjects: nil)) == .invalidDataType)
        #expect(status(entry(3, targets: nil)) == .invalidDataType)
        #expect(status(.uint(1 as UInt8)) == .invalidDataType)
        #expect(status(entry(3, subjects: .array([]), targets: .array([]))) == .success)
        #expect(node.read(.accessControl, 0, as: context).value?.array?.last?[3] == .null)
    }

    @Test func `PASE without a fabric writes no fabric's list`() throws {
        var node = try TestNode()
        let context = node.pase(node.establishPASE())
        #expect(node.write(.accessControl, 0, .array([entry()]), as: context).status == .unsupportedAccess)
        #expect(node.write(.basicInformation, 5, .utf8("x"), as: context) == .success)
    }

    // MARK: Who may do what

    /// Whether node 0x99, version 2 of tag 1, may toggle the light and open windows under an entry.
    private func grants(_ entry: TLVValue) throws -> [Bool] {
        var node = try commissioned()
        #expect(node.write(.accessControl, 0, entry, operation: .append, as: admin(node)) == .success)
        let user = node.operational(0x99, on: 1, tags: [0x0001_0002], timed: true)
        let toggle = node.invoke(.onOff, 2, endpoint: 1, as: user)
        let identify = node.invoke(.identify, 0, .members((0, .uint(0 as UInt16))), endpoint: 1, as: user)
        let window = node.invoke(.administratorCommissioning, 0, TestNode.windowFields(), as: user)
        return [toggle, identify, window].map { $0.status == .success }
    }

    @Test func `privileges, subjects and targets decide`() throws {
        let me = subjects(0x99)
        #expect(try grants(entry(1, subjects: me)) == [false, false, false])
        #expect(try grants(entry(3, subjects: me)) == [true, false, false])
        #expect(try grants(entry(4, subjects: me)) == [true, true, false])
        #expect(try grants(entry(5, subjects: me)) == [true, true, true])
        #expect(try grants(entry(5, subjects: subjects(0x98))) == [false, false, false])
        #expect(try grants(entry(5, subjects: .null)) == [true, true, true])
        #expect(try grants(entry(5, subjects: subjects(0xFFFF_FFFD_0001_0001))) == [true, true, true])
        #expect(try grants(entry(5, subjects: subjects(0xFFFF_FFFD_0001_0003))) == [false, false, false])
        #expect(try grants(entry(5, subjects: subjects(0xFFFF_FFFD_0002_0001))) == [false, false, false])
        #expect(try grants(entry(5, subjects: me, targets: target(.uint(6 as UInt32)))) == [true, false, false])
        #expect(
            try grants(entry(5, subjects: me, targets: target(.null, .uint(0 as UInt16)))) == [false, false, true])
        #expect(
            try grants(entry(5, subjects: me, targets: target(.null, .null, .uint(0x100 as UInt32)))) == [
                true, true, false,
            ])
        #expect(
            try grants(entry(5, subjects: me, targets: target(.uint(6 as UInt32), .uint(0 as UInt16)))) == [
                false, false, false,
            ])
        #expect(try grants(entry(3, mode: 3, subjects: .null)) == [false, false, false])
    }
}
