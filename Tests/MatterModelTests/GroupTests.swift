import MatterModel
import MatterWire
import Testing

@Suite("Groups and their keys (Core §11.2, application clusters §1.3)")
struct GroupTests {
    private let fabric = FabricIndex(rawValue: 1)

    private func commissioned() throws -> TestNode {
        var node = try TestNode()
        try node.commission(try TestAdmin(seed: 2))
        _ = node.takeEffects()
        return node
    }

    private func admin(_ node: TestNode, _ fabric: UInt8 = 1) -> InteractionContext {
        node.operational(TestAdmin.nodeID, on: fabric)
    }

    private func keySet(_ id: UInt16, policy: UInt8 = 0, starts: [UInt64?] = [1], keys: [Int?]? = nil) -> TLVValue {
        let keys = keys ?? starts.map { $0 == nil ? nil : 16 }
        var members = [TLVElement(0, .uint(id)), TLVElement(1, .uint(policy))]
        for index in 0..<3 {
            let key = index < keys.count ? keys[index] : nil
            let start = index < starts.count ? starts[index] : nil
            members.append(
                TLVElement(
                    UInt8(2 + 2 * index), key.map { .octets([UInt8](repeating: UInt8(index), count: $0)) } ?? .null))
            members.append(TLVElement(UInt8(3 + 2 * index), start.map { .uint($0) } ?? .null))
        }
        return .members((0, .structure(members)))
    }

    private func id(_ number: UInt16) -> TLVValue { .members((0, .uint(number))) }

    // MARK: Keys

    @Test func `the identity protection key is set 0, readable without its key`() throws {
        var node = try commissioned()
        let read = node.invoke(.groupKeyManagement, 1, id(0), as: admin(node)).fields?[0]
        #expect(read?[0] == .uint(0 as UInt16) && read?[2] == .null && read?[3] == .uint(0 as UInt64))
        #expect(read?.members?.count == 8)
        let all = node.invoke(.groupKeyManagement, 4, as: admin(node)).fields?[0]
        #expect(all == .array([.uint(0 as UInt16)]))
        #expect(node.invoke(.groupKeyManagement, 3, id(0), as: admin(node)).status == StatusIB(.invalidCommand))
        #expect(node.invoke(.groupKeyManagement, 1, id(5), as: admin(node)).status == StatusIB(.notFound))
        #expect(node.invoke(.groupKeyManagement, 3, id(5), as: admin(node)).status == StatusIB(.notFound))
    }

    @Test func `writing set 0 renews the keys of CASE`() throws {
        var node = try commissioned()
        let outcome = node.invoke(.groupKeyManagement, 0, keySet(0, starts: [1, 5]), as: admin(node))
        #expect(outcome.status == .success)
        #expect(node.takeEffects() == [.fabricUpdated(fabric), .persist])
        #expect(node.node.fabrics[0].epochIPKs == [0, 1].map { [UInt8](repeating: $0, count: 16) })
    }

    @Test func `sets are written, listed and removed with their mappings`() throws {
        var node = try commissioned()
        for set: UInt16 in [2, 1] {
            #expect(node.invoke(.groupKeyManagement, 0, keySet(set), as: admin(node)).status == .success)
        }
        #expect(
            node.invoke(.groupKeyManagement, 0, keySet(3), as: admin(node)).status == StatusIB(.resourceExhausted))
        let all = node.invoke(.groupKeyManagement, 4, as: admin(node)).fields?[0]?.array?.compactMap(\.unsigned)
        #expect(all == [0, 1, 2])
        let mapping = TLVValue.members((1, .uint(9 as UInt16)), (2, .uint(1 as UInt16)))
        #expect(node.write(.groupKeyManagement, 0, .array([mapping]), as: admin(node)) == .success)
        #expect(node.invoke(.groupKeyManagement, 3, id(1), as: admin(node)).status == .success)
        #expect(node.read(.groupKeyManagement, 0, as: admin(node)).value == .array([]))
    }

    @Test func `key sets keep the rules of their members`() throws {
        var node = try commissioned()
        func status(_ fields: TLVValue) -> InteractionStatus? {
            node.invoke(.groupKeyManagement, 0, fields, as: admin(node)).status?.status
        }
        #expect(status(keySet(1, policy: 1)) == .invalidCommand)
        #expect(status(keySet(1, starts: [nil])) == .invalidCommand)
        #expect(status(keySet(1, starts: [0])) == .invalidCommand)
        #expect(status(keySet(1, starts: [1], keys: [nil])) == .invalidCommand)
        #expect(status(keySet(1, starts: [1], keys: [15])) == .constraintError)
        #expect(status(keySet(1, starts: [2, 2])) == .invalidCommand)
        #expect(status(keySet(1, starts: [1, nil, 3])) == .invalidCommand)
        #expect(status(keySet(1, starts: [1, 2, 3])) == .success)
        #expect(status(.structure([])) == .invalidCommand)
        #expect(status(.members((0, .uint(1 as UInt8)))) == .invalidCommand)
    }

    @Test func `mappings name each group once, and never the identity protection key`() throws {
        var node = try commissioned()
        func write(_ pairs: (UInt16, UInt16)...) -> InteractionStatus {
            let list = pairs.map { TLVValue.members((1, .uint($0.0)), (2, .uint($0.1))) }
            return node.write(.groupKeyManagement, 0, .array(list), as: admin(node)).status
        }
        #expect(write((1, 1), (1, 2)) == .constraintError)
        #expect(write((1, 0)) == .constraintError)
        #expect(write((0, 1)) == .constraintError)
        #expect(write((1, 1), (2, 1)) == .success)
        #expect(node.write(.groupKeyManagement, 0, .array([.null]), as: admin(node)).status == .invalidDataType)
        #expect(node.read(.groupKeyManagement, 0, as: admin(node)).value?.array?.count == 2)
    }

    // MARK: Memberships

    /// A node on which groups 5 and 6 have keys.
    private func withKeys() throws -> TestNode {
        var node = try commissioned()
        _ = node.invoke(.groupKeyManagement, 0, keySet(1), as: admin(node))
        let list = [5, 6].map { TLVValue.members((1, .uint($0 as UInt16)), (2, .uint(1 as UInt16))) }
        #expect(node.write(.groupKeyManagement, 0, .array(list), as: admin(node)) == .success)
        return node
    }

    private func add(_ node: inout TestNode, _ group: UInt16, _ name: String = "hall") -> UInt64? {
        node.invoke(.groups, 0, .members((0, .uint(group)), (1, .utf8(name))), endpoint: 1, as: admin(node)).code
    }

    @Test func `an endpoint joins groups that have keys`() throws {
        var node = try withKeys()
        #expect(add(&node, 5) == 0)
        #expect(add(&node, 7) == UInt64(InteractionStatus.unsupportedAccess.rawValue))
        #expect(add(&node, 0) == UInt64(InteractionStatus.constraintError.rawValue))
        #expect(add(&node, 6, String(repeating: "x", count: 17)) == UInt64(InteractionStatus.constraintError.rawValue))
        #expect(add(&node, 5, "room") == 0)
        let view = node.invoke(.groups, 1, id(5), endpoint: 1, as: admin(node))
        #expect(view.code == 0 && view.fields?[2] == .utf8("room"))
        let table = node.read(.groupKeyManagement, 1, as: admin(node)).value?.array
        #expect(
            table == [
                .members(
                    (1, .uint(5 as UInt16)), (2, .array([.uint(1 as UInt16)])), (3, .utf8("room")),
                    (254, .uint(1 as UInt8)))
            ])
        let missing = node.invoke(.groups, 1, id(6), endpoint: 1, as: admin(node))
        #expect(missing.code == UInt64(InteractionStatus.notFound.rawValue))
    }

    @Test func `memberships are listed, all or those asked for`() throws {
        var node = try withKeys()
        _ = add(&node, 5)
        _ = add(&node, 6)
        func list(_ asked: UInt16...) -> [UInt64]? {
            let fields = TLVValue.members((0, .array(asked.map { .uint($0) })))
            return node.invoke(.groups, 2, fields, endpoint: 1, as: admin(node)).fields?[1]?.array?
                .compactMap(\.unsigned)
        }
        #expect(list() == [5, 6] && list(6, 7) == [6] && list(9) == [])
        #expect(node.invoke(.groups, 2, endpoint: 1, as: admin(node)).status == StatusIB(.invalidCommand))
    }

    @Test func `an endpoint leaves one group or all`() throws {
        var node = try withKeys()
        _ = add(&node, 5)
        _ = add(&node, 6)
        #expect(node.invoke(.groups, 3, id(5), endpoint: 1, as: admin(node)).code == 0)
        #expect(
            node.invoke(.groups, 3, id(5), endpoint: 1, as: admin(node)).code
                == UInt64(InteractionStatus.notFound.rawValue))
        #expect(node.invoke(.groups, 4, endpoint: 1, as: admin(node)).status == .success)
        #expect(node.read(.groupKeyManagement, 1, as: admin(node)).value == .array([]))
    }

    @Test func `joining while identifying needs to identify`() throws {
        var node = try withKeys()
        let fields = TLVValue.members((0, .uint(5 as UInt16)), (1, .utf8("")))
        #expect(node.invoke(.groups, 5, fields, endpoint: 1, as: admin(node)).status == .success)
        #expect(node.read(.groupKeyManagement, 1, as: admin(node)).value == .array([]))
        _ = node.invoke(.identify, 0, .members((0, .uint(10 as UInt16))), endpoint: 1, as: admin(node))
        #expect(node.invoke(.groups, 5, fields, endpoint: 1, as: admin(node)).status == .success)
        #expect(node.read(.groupKeyManagement, 1, as: admin(node)).value?.array?.count == 1)
    }

    @Test func `groups of fabrics do not meet`() throws {
        var node = try withKeys()
        _ = add(&node, 5)
        #expect(node.openWindow(fabric).status == .success)
        try node.commission(try TestAdmin(seed: 3))
        #expect(node.invoke(.groups, 1, id(5), endpoint: 1, as: admin(node, 2)).code != 0)
        #expect(node.read(.groupKeyManagement, 1, as: admin(node, 2)).value == .array([]))
        let pase = node.invoke(.groups, 1, id(5), endpoint: 1, as: node.pase())
        #expect(pase.status == StatusIB(.unsupportedAccess))
    }
}
