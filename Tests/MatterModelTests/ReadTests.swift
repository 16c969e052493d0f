import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("Reading a virtual node (Core §8.4)")
struct ReadTests {
    private static let everything = AttributePath()

    /// A node of two fabrics with a group, a label and an open window: as many values as possible differ from defaults.
    private func usedNode() throws -> TestNode {
        var node = try TestNode()
        let first = try node.commission(try TestAdmin(seed: 2))
        #expect(node.openWindow(first).status == .success)
        try node.commission(try TestAdmin(seed: 3))
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        let keySet = TLVValue.members(
            (0, .uint(1 as UInt16)), (1, .uint(0 as UInt8)), (2, .octets([UInt8](repeating: 3, count: 16))),
            (3, .uint(1 as UInt64)), (4, .null), (5, .null), (6, .null), (7, .null))
        #expect(node.invoke(.groupKeyManagement, 0x00, .members((0, keySet)), as: admin).status == .success)
        let mapping = TLVValue.array([.members((1, .uint(5 as UInt16)), (2, .uint(1 as UInt16)))])
        #expect(node.write(.groupKeyManagement, 0x0000, mapping, as: admin) == .success)
        let group = TLVValue.members((0, .uint(5 as UInt16)), (1, .utf8("hall")))
        #expect(node.invoke(.groups, 0x00, group, endpoint: 1, as: admin).code == 0)
        #expect(node.openWindow(first).status == .success)
        return node
    }

    private func all(
        _ node: inout TestNode, filtered: Bool = false, as context: InteractionContext
    ) -> [AttributeReport] {
        node.node.read([Self.everything], fabricFiltered: filtered, context: context)
    }

    // MARK: Everything

    @Test func `a wildcard gives every attribute of every list, each once, in order`() throws {
        var node = try usedNode()
        let reports = all(&node, as: node.operational(TestAdmin.nodeID, on: 1))
        let paths = reports.compactMap { if case .data(let path, _, _) = $0 { path } else { nil } }
        #expect(paths.count == reports.count && Set(paths).count == paths.count)
        #expect(paths == paths.sorted { $0.order < $1.order })
        for path in paths where path.attribute == .attributeList {
            let listed = node.read(path.cluster, 0xFFFB, endpoint: path.endpoint.rawValue, as: node.pase()).value?.array
            let given = paths.filter { $0.endpoint == path.endpoint && $0.cluster == path.cluster }
            #expect(listed?.compactMap(\.unsigned) == given.map { UInt64($0.attribute.rawValue) })
            #expect(given.suffix(5).map(\.attribute.rawValue) == [0xFFF8, 0xFFF9, 0xFFFB, 0xFFFC, 0xFFFD])
        }
        #expect(
            Set(paths.filter { $0.endpoint == .root }.map(\.cluster)) == [
                .descriptor, .basicInformation, .accessControl, .generalCommissioning, .networkCommissioning,
                .generalDiagnostics, .administratorCommissioning, .operationalCredentials, .groupKeyManagement,
            ])
        #expect(
            Set(paths.filter { $0.endpoint.rawValue == 1 }.map(\.cluster)) == [.descriptor, .identify, .groups, .onOff])
    }

    @Test(arguments: [false, true]) func `every value has the type of its table`(isFresh: Bool) throws {
        var node = isFresh ? try TestNode() : try usedNode()
        let reports = all(&node, as: isFresh ? node.pase() : node.operational(TestAdmin.nodeID, on: 1))
        #expect(reports.count > 100)
        for case .data(let path, _, let value) in reports {
            let cluster = try #require(ClusterDefinition.of(path.cluster))
            let definitions = cluster.attributes + AttributeDefinition.global
            let definition = try #require(definitions.first { $0.id == path.attribute })
            #expect(definition.fault(in: value) == nil, "\(cluster.name).\(definition.name): \(value)")
        }
    }

    @Test(.enabled(if: SharedData.isPresent), arguments: [false, true])
    func `a strict decoder takes every value`(isFresh: Bool) throws {
        var node = isFresh ? try TestNode() : try usedNode()
        let reports = all(&node, as: isFresh ? node.pase() : node.operational(TestAdmin.nodeID, on: 1))
        for case .data(let path, _, let value) in reports {
            let cluster = try #require(ClusterDefinition.of(path.cluster))
            let file = try #require(DataModelFile.load(path.cluster, cluster.name))
            let element = try #require(file.attributes.first { $0.id == path.attribute.rawValue })
            let isHidden = path.cluster == .accessControl && path.attribute.rawValue == 0
            #expect(file.fault(in: value, of: element, hidden: isHidden) == nil, "\(cluster.name)")
        }
    }

    @Test func `the lists of commands name what is accepted and answered`() throws {
        var node = try TestNode()
        func lists(_ cluster: ClusterID, _ endpoint: UInt16) -> [[UInt64]?] {
            [0xFFF9, 0xFFF8].map {
                node.read(cluster, $0, endpoint: endpoint, as: node.pase()).value?.array?.compactMap(\.unsigned)
            }
        }
        #expect(lists(.networkCommissioning, 0) == [[], []])
        #expect(lists(.generalCommissioning, 0) == [[0, 2, 4], [1, 3, 5]])
        #expect(lists(.operationalCredentials, 0) == [[0, 2, 4, 6, 7, 9, 10, 11], [1, 3, 5, 8]])
        #expect(lists(.administratorCommissioning, 0) == [[0, 1, 2], []])
        #expect(lists(.onOff, 1) == [[0, 1, 2, 0x40, 0x41, 0x42], []])
        #expect(lists(.identify, 1) == [[0, 0x40], []])
    }

    @Test func `the descriptors describe the composition`() throws {
        var node = try TestNode()
        func value(_ attribute: UInt32, _ endpoint: UInt16) -> TLVValue? {
            node.read(.descriptor, attribute, endpoint: endpoint, as: node.pase()).value
        }
        #expect(value(0, 0) == .array([.members((0, .uint(0x16 as UInt32)), (1, .uint(3 as UInt16)))]))
        #expect(value(0, 1) == .array([.members((0, .uint(0x100 as UInt32)), (1, .uint(3 as UInt16)))]))
        #expect(value(3, 0) == .array([.uint(1 as UInt16)]) && value(3, 1) == .array([]))
        #expect(value(1, 1)?.array?.compactMap(\.unsigned) == [3, 4, 6, 0x1D])
        #expect(value(2, 0) == .array([]))
    }

    // MARK: Paths

    @Test func `a path without a wildcard tells why it can't be read`() throws {
        var node = try usedNode()
        let context = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.read(.onOff, 0, endpoint: 9, as: context).status == .unsupportedEndpoint)
        #expect(node.read(.levelControl, 0, endpoint: 1, as: context).status == .unsupportedCluster)
        #expect(node.read(.onOff, 1, endpoint: 1, as: context).status == .unsupportedAttribute)
        let stranger = node.operational(0x99, on: 1)
        #expect(node.read(.onOff, 0, endpoint: 1, as: stranger).status == .unsupportedAccess)
        #expect(node.read(.onOff, 0, endpoint: 1, as: node.operational(TestAdmin.nodeID, on: 7)).status != nil)
    }

    @Test func `a wildcard says nothing of what is not there or not allowed`() throws {
        var node = try usedNode()
        let context = node.operational(TestAdmin.nodeID, on: 1)
        let nothing = AttributePath(endpoint: EndpointID(rawValue: 9))
        #expect(node.node.read([nothing], fabricFiltered: true, context: context).isEmpty)
        let revisions = AttributePath(attribute: .clusterRevision)
        #expect(node.node.read([revisions], fabricFiltered: true, context: context).count == 13)
        #expect(all(&node, as: node.operational(0x99, on: 1)).isEmpty)
    }

    @Test func `a viewer sees what needs no more than view`() throws {
        var node = try usedNode()
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        let viewer = AccessControlEntry(privilege: .view, subjects: [0x99])
        let entry = TLVValue.members(
            (1, .uint(viewer.privilege.rawValue)), (2, .uint(2 as UInt8)), (3, .array([.uint(0x99 as UInt64)])),
            (4, .null))
        #expect(node.write(.accessControl, 0, entry, operation: .append, as: admin) == .success)
        let seen = all(&node, as: node.operational(0x99, on: 1))
        let everything = all(&node, as: admin)
        #expect(everything.count - seen.count == 7)  // ACL, NOCs, and five of NetworkCommissioning.
        #expect(node.read(.accessControl, 0, as: node.operational(0x99, on: 1)).status == .unsupportedAccess)
    }

    // MARK: Fabrics and versions

    @Test func `foreign entries of a sensitive list show only their fabric`() throws {
        var node = try usedNode()
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        let acl = node.read(.accessControl, 0, filtered: false, as: admin).value?.array
        #expect(acl?.count == 2)
        #expect(acl?.first?.members?.count == 5 && acl?.last == .members((254, .uint(2 as UInt8))))
        #expect(node.read(.accessControl, 0, as: admin).value?.array?.count == 1)
        #expect(node.read(.accessControl, 0, as: node.pase()).value == .array([]))
        let fabrics = node.read(.operationalCredentials, 1, filtered: false, as: node.pase()).value?.array
        #expect(fabrics?.map { $0.members?.count } == [6, 6])
    }

    @Test func `a cluster at the version that the reader has is left out`() throws {
        var node = try usedNode()
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        let endpoint = EndpointID(rawValue: 1)
        let version = try #require(node.read(.onOff, 0, endpoint: 1, as: admin).version)
        func read(_ path: AttributePath, _ version: DataVersion) -> Int {
            let filter = DataVersionFilter(endpoint: endpoint, cluster: .onOff, version: version)
            return node.node.read([path], fabricFiltered: true, versionFilters: [filter], context: admin).count
        }
        let older = DataVersion(rawValue: version.rawValue &- 1)
        #expect(read(AttributePath(endpoint: endpoint, cluster: .onOff), version) == 0)
        #expect(read(AttributePath(endpoint: endpoint, cluster: .onOff), older) == 10)
        #expect(read(TestNode.path(.onOff, 0, 1).wild, version) == 0)
        #expect(read(AttributePath(endpoint: endpoint, cluster: .identify), version) == 7)
        #expect(node.invoke(.onOff, 1, endpoint: 1, as: admin).status == .success)
        #expect(read(AttributePath(endpoint: endpoint, cluster: .onOff), version) == 10)
    }

    @Test func `a change counts the version up by one and is told once`() throws {
        var node = try usedNode()
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        let before = try #require(node.read(.basicInformation, 5, as: admin).version)
        #expect(node.write(.basicInformation, 5, .utf8("lamp"), as: admin) == .success)
        #expect(node.write(.basicInformation, 5, .utf8("lamp"), as: admin) == .success)
        #expect(node.read(.basicInformation, 5, as: admin).version?.rawValue == before.rawValue &+ 1)
        let write = AttributeWrite(path: TestNode.path(.basicInformation, 5).wild, value: .utf8("desk"))
        _ = node.node.write(write, context: admin)
        #expect(
            node.node.takeEffects() == [.attributeChanged(TestNode.path(.basicInformation, 5)), .persist])
    }

    @Test func `the time since the start goes on without a new version`() throws {
        var node = try usedNode()
        let context = node.operational(TestAdmin.nodeID, on: 1)
        let before = node.read(.generalDiagnostics, 2, as: context)
        node.advance(.milliseconds(2500))
        let after = node.read(.generalDiagnostics, 2, as: node.operational(TestAdmin.nodeID, on: 1))
        #expect(before.value == .uint(0 as UInt64) && after.value == .uint(2 as UInt64))
        #expect(before.version == after.version)
        let snapshot = node.invoke(.generalDiagnostics, 1, as: node.operational(TestAdmin.nodeID, on: 1))
        #expect(snapshot.fields?[0] == .uint(2500 as UInt64))
        #expect(snapshot.fields?[1] == .uint(UInt64(800_000_000 + EpochSeconds.unixOffset) * 1000))
    }
}

extension ConcreteAttributePath {
    /// Endpoint, cluster and attribute as one number that sorts like them.
    fileprivate var order: UInt128 {
        UInt128(endpoint.rawValue) << 64 | UInt128(cluster.rawValue) << 32 | UInt128(attribute.rawValue)
    }
}
