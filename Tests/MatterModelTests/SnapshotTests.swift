import MatterCrypto
import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("What a virtual node keeps over a restart")
struct SnapshotTests {
    private func usedNode() throws -> TestNode {
        var node = try TestNode()
        let first = try node.commission(try TestAdmin(seed: 2))
        #expect(node.openWindow(first).status == .success)
        try node.commission(try TestAdmin(seed: 3), node: 0x43)
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.write(.basicInformation, 5, .utf8("lamp"), as: admin) == .success)
        #expect(node.write(.basicInformation, 6, .utf8("CH"), as: admin) == .success)
        #expect(node.invoke(.operationalCredentials, 9, .members((0, .utf8("home"))), as: admin).code == 0)
        #expect(node.invoke(.onOff, 1, endpoint: 1, as: admin).status == .success)
        let entry = TLVValue.members(
            (1, .uint(3 as UInt8)), (2, .uint(2 as UInt8)), (3, .null),
            (4, .array([.members((0, .uint(6 as UInt32)), (1, .null), (2, .null))])))
        #expect(node.write(.accessControl, 0, entry, operation: .append, as: admin) == .success)
        let keySet = TLVValue.members(
            (0, .uint(1 as UInt16)), (1, .uint(0 as UInt8)), (2, .octets([UInt8](repeating: 3, count: 16))),
            (3, .uint(1 as UInt64)))
        #expect(node.invoke(.groupKeyManagement, 0, .members((0, keySet)), as: admin).status == .success)
        let mapping = TLVValue.array([.members((1, .uint(5 as UInt16)), (2, .uint(1 as UInt16)))])
        #expect(node.write(.groupKeyManagement, 0, mapping, as: admin) == .success)
        let group = TLVValue.members((0, .uint(5 as UInt16)), (1, .utf8("hall")))
        #expect(node.invoke(.groups, 0, group, endpoint: 1, as: admin).code == 0)
        return node
    }

    /// Every value that an administrator reads, without versions.
    private func values(_ node: inout TestNode) -> [ConcreteAttributePath: TLVValue] {
        let context = node.operational(TestAdmin.nodeID, on: 1)
        var values: [ConcreteAttributePath: TLVValue] = [:]
        for case .data(let path, _, let value) in node.node.read(
            [AttributePath()], fabricFiltered: false, context: context)
        {
            values[path] = value
        }
        return values
    }

    @Test func `fabrics, access, groups, labels and the light come back`() throws {
        var node = try usedNode()
        var restarted = try TestNode(seed: 99, restoring: node.node.snapshot())
        var before = values(&node)
        var after = values(&restarted)
        let reboots = TestNode.path(.generalDiagnostics, 1)
        #expect(before[reboots] == .uint(0 as UInt16) && after[reboots] == .uint(1 as UInt16))
        for path in [reboots, TestNode.path(.generalDiagnostics, 2)] {
            before[path] = nil
            after[path] = nil
        }
        #expect(before == after)
        #expect(
            restarted.takeEffects() == [
                .persist, .fabricAdded(FabricIndex(rawValue: 1)), .fabricAdded(FabricIndex(rawValue: 2)),
            ])
        for (old, new) in zip(node.node.fabrics, restarted.node.fabrics) {
            #expect(old.credentials.key.rawValue == new.credentials.key.rawValue)
            #expect(old.epochIPKs == new.epochIPKs && old.compressedFabricID == new.compressedFabricID)
        }
        #expect(restarted.node.listeningWindow == nil)
    }

    @Test func `indices go on after a restart`() throws {
        var node = try usedNode()
        let admin = node.operational(TestAdmin.nodeID, on: 1)
        #expect(node.invoke(.operationalCredentials, 0x0A, .members((0, .uint(2 as UInt8))), as: admin).code == 0)
        var restarted = try TestNode(restoring: node.node.snapshot())
        #expect(restarted.openWindow(FabricIndex(rawValue: 1)).status == .success)
        #expect(try restarted.commission(try TestAdmin(seed: 5)).rawValue == 3)
    }

    @Test func `indices begin anew after the last one, without one that is in use`() throws {
        var members = try TLVValue.decode(try usedNode().node.snapshot()).members ?? []
        #expect(members[1].value == .uint(3 as UInt8))
        members[1].value = .uint(254 as UInt8)
        var node = try TestNode(restoring: TLVValue.structure(members).encoded())
        for (seed, index) in [(5, 254), (6, 3)] as [(UInt64, UInt8)] {
            #expect(node.openWindow(FabricIndex(rawValue: 1)).status == .success)
            #expect(try node.commission(try TestAdmin(seed: seed)).rawValue == index)
        }
    }

    @Test func `a fabric under the fail-safe is not kept`() throws {
        var node = try TestNode()
        _ = try node.addFabric(try TestAdmin(seed: 2))
        let restarted = try TestNode(restoring: node.node.snapshot())
        #expect(restarted.node.fabrics.isEmpty)
        #expect(restarted.node.listeningWindow?.kind == .initial)
    }

    @Test func `a snapshot of a snapshot is the same but for the restarts`() throws {
        let node = try usedNode()
        let once = try TestNode(restoring: node.node.snapshot()).node.snapshot()
        #expect(once.count == node.node.snapshot().count)
        #expect(once != node.node.snapshot())
    }

    @Test func `a snapshot of another version is refused`() throws {
        var members = try TLVValue.decode(try usedNode().node.snapshot()).members ?? []
        members[0] = TLVElement(0, .uint(2 as UInt8))
        let bytes = TLVValue.structure(members).encoded()
        #expect {
            try TestNode(restoring: bytes)
        } throws: { error in
            (error as? SnapshotError)?.code == .unknownVersion(2)
        }
    }

    @Test func `more fabrics than fit are refused`() throws {
        let bytes = try usedNode().node.snapshot()
        var configuration = TestNode.configuration
        configuration.supportedFabrics = 1
        #expect {
            try TestNode(configuration: configuration, restoring: bytes)
        } throws: { error in
            (error as? SnapshotError)?.code == .tooManyFabrics
        }
    }

    @Test func `damaged snapshots are refused or whole, never a trap`() throws {
        let bytes = try usedNode().node.snapshot()
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            do {
                let node = try TestNode(restoring: generator.mutated(bytes))
                for fabric in node.node.fabrics {
                    #expect(!fabric.epochIPKs.isEmpty && fabric.nodeID.isOperational, "seed \(seed)")
                }
            } catch is SnapshotError {}
        }
    }
}

@Suite("Garbage in requests")
struct GarbageTests {
    @Test func `damaged fields of every command give a status or an answer, never a trap`() throws {
        let admin = try TestAdmin(seed: 2)
        var fresh = try TestNode()
        let commissioned = try fresh.commission(admin)
        let keySet = TLVValue.members(
            (0, .uint(1 as UInt16)), (1, .uint(0 as UInt8)), (2, .octets([UInt8](repeating: 3, count: 16))),
            (3, .uint(1 as UInt64)))
        let samples: [TLVValue] = [
            TestNode.fields(arm: 60), TestNode.nonce, TestNode.updateNonce, admin.root, TestNode.windowFields(),
            TestAdmin.addNOC(admin.authority.rootCertificateBytes, icac: admin.authority.rootCertificateBytes),
            .members((0, keySet)), .members((0, .uint(5 as UInt16)), (1, .utf8("hall"))),
            .members((0, .array([.uint(5 as UInt16)]))),
            .members((0, .uint(0 as UInt8)), (1, .uint(3 as UInt16)), (2, .uint(3 as UInt16))),
        ]
        for seed in 0..<400 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var node = fresh
            let context = node.operational(TestAdmin.nodeID, on: commissioned.rawValue, timed: true)
            _ = node.invoke(.generalCommissioning, 0, TestNode.fields(arm: 60), as: context)
            let sample = samples.randomElement(using: &generator) ?? .structure([])
            guard let fields = try? TLVValue.decode(generator.mutated(sample.encoded())) else { continue }
            for cluster in ClusterDefinition.served {
                for command in cluster.commands {
                    for endpoint: UInt16 in [0, 1] {
                        _ = node.invoke(cluster.id, command.id.rawValue, fields, endpoint: endpoint, as: context)
                    }
                }
                for attribute in cluster.attributes {
                    for operation in [AttributeWrite.ListOperation.replaceAll, .append] {
                        _ = node.write(cluster.id, attribute.id.rawValue, fields, operation: operation, as: context)
                    }
                }
            }
            _ = node.node.read([AttributePath()], fabricFiltered: false, context: node.pase())
        }
    }
}
