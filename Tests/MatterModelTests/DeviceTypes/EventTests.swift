import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("Events of virtual nodes (Core §7.14, §8.9.3)")
struct EventTests {
    private func path(_ cluster: ClusterID, _ event: UInt32, _ endpoint: UInt16) -> EventPath {
        EventPath(endpoint: EndpointID(rawValue: endpoint), cluster: cluster, event: EventID(rawValue: event))
    }

    private func read(
        _ node: inout TestNode, _ paths: [EventPath], from minimum: UInt64 = 0, as context: InteractionContext? = nil
    ) -> [EventDataIB] {
        node.node.events(
            paths, filters: [EventFilter(minimum: minimum)], fabricFiltered: true, context: context ?? node.admin()
        ).compactMap { if case .data(let event) = $0 { event } else { nil } }
    }

    @Test func `a start is recorded`() throws {
        var node = try ManyDevices.node()
        let events = read(&node, [EventPath()])
        #expect(events.map(\.path) == [path(.basicInformation, 0, 0), path(.generalDiagnostics, 3, 0)])
        #expect(events.map(\.fields) == [.members((0, .uint(1 as UInt32))), .members((0, .uint(1 as UInt8)))])
        #expect(events.allSatisfy { $0.priority == .critical && $0.timestamp == .system(0) })
    }

    @Test func `sensors and switches tell what they see`() throws {
        var node = try ManyDevices.node()
        _ = node.node.takeEffects()
        node.live(.milliseconds(1500))
        let cases: [(ClusterID, UInt32, TLVValue, UInt16, UInt32, TLVValue)] = [
            (.booleanState, 0, .bool(false), ManyDevices.contact, 0, .bool(false)),
            (.occupancySensing, 0, .uint(1 as UInt8), ManyDevices.occupancy, 0, .uint(1 as UInt8)),
            (.switchCluster, 1, .uint(1 as UInt8), ManyDevices.button, 1, .uint(1 as UInt8)),
            (.switchCluster, 1, .uint(0 as UInt8), ManyDevices.button, 3, .uint(1 as UInt8)),
            (.bridgedDeviceBasicInformation, 0x11, .bool(false), ManyDevices.bridgedContact, 3, .bool(false)),
        ]
        for (cluster, attribute, value, endpoint, event, field) in cases {
            let before = read(&node, [EventPath()]).last?.number ?? 0
            try node.node.worldSets(TestNode.path(cluster, attribute, endpoint), to: value, now: node.now)
            #expect(node.node.takeEffects().contains(.eventRecorded))
            let events = read(&node, [EventPath()], from: before + 1)
            #expect(events.map(\.path) == [path(cluster, event, endpoint)])
            #expect(events.first?.fields == .members((0, field)))
            #expect(events.first?.timestamp == .system(1500) && events.first?.number == before + 1)
            // What is so already is no event.
            try node.node.worldSets(TestNode.path(cluster, attribute, endpoint), to: value, now: node.now)
            #expect(!node.node.takeEffects().contains(.eventRecorded))
        }
    }

    @Test func `a lock tells who did what, and what it refused`() throws {
        var node = try ManyDevices.node()
        let lock = ManyDevices.lock
        _ = node.send(.doorLock, 3, .members((0, .uint(5 as UInt16))), to: lock, timed: true)
        node.live(.seconds(5))
        _ = node.world(.doorLock, 0, .uint(2 as UInt8), at: lock)
        _ = node.put(.doorLock, 0x25, .uint(3 as UInt8), on: lock)
        _ = node.send(.doorLock, 0, to: lock, timed: true)
        let operations = read(&node, [path(.doorLock, 2, lock)])
        // Type 1 unlocks; sources: remote, by itself, by hand.
        #expect(operations.map { $0.fields?[0] } == [.uint(1 as UInt8), .uint(0 as UInt8), .uint(1 as UInt8)])
        #expect(operations.map { $0.fields?[1] } == [.uint(7 as UInt8), .uint(4 as UInt8), .uint(1 as UInt8)])
        #expect(operations.map { $0.fields?[3] } == [.uint(1 as UInt8), .null, .null])
        #expect(operations.map { $0.fields?[4] } == [.uint(TestAdmin.nodeID), .null, .null])
        let errors = read(&node, [path(.doorLock, 3, lock)])
        #expect(errors.map { $0.fields?[2] } == [.uint(3 as UInt8)])
    }

    @Test func `paths, filters and access choose`() throws {
        var node = try ManyDevices.node()
        _ = node.world(.booleanState, 0, .bool(false), at: ManyDevices.contact)
        #expect(read(&node, [EventPath(cluster: .booleanState)]).count == 1)
        #expect(read(&node, [EventPath(endpoint: .root)]).count == 2)
        #expect(read(&node, [EventPath()], from: 2).map(\.path.cluster) == [.booleanState])
        #expect(read(&node, [EventPath()], as: node.operational(0x99, on: 1)).isEmpty)
        func status(_ path: EventPath, _ context: InteractionContext) -> InteractionStatus? {
            let reports = node.node.events([path], filters: [], fabricFiltered: true, context: context)
            if case .status(_, let status)? = reports.first { return status.status }
            return nil
        }
        #expect(status(path(.booleanState, 0, 99), node.admin()) == .unsupportedEndpoint)
        #expect(status(path(.booleanState, 0, 0), node.admin()) == .unsupportedCluster)
        #expect(status(path(.booleanState, 9, ManyDevices.contact), node.admin()) == .unsupportedEvent)
        #expect(
            status(path(.booleanState, 0, ManyDevices.contact), node.operational(0x99, on: 1)) == .unsupportedAccess)
        #expect(status(path(.booleanState, 0, ManyDevices.contact), node.admin()) == nil)
    }

    @Test func `numbers go on behind those that were used, over restarts and many events`() throws {
        var node = try ManyDevices.node()
        for index in 0..<1500 {
            _ = node.world(.booleanState, 0, .bool(index % 2 == 1), at: ManyDevices.contact)
        }
        let events = read(&node, [EventPath()])
        #expect(events.count == 128 && events.last?.number == 1501)
        #expect(zip(events, events.dropFirst()).allSatisfy { $0.number + 1 == $1.number })
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        let numbers = read(&restarted, [EventPath()]).map(\.number)
        #expect(numbers.count == 2 && numbers[0] > 1501)
    }

    @Test func `a snapshot with an event number beyond use is refused`() throws {
        var members = try TLVValue.decode(try ManyDevices.node().node.snapshot()).members ?? []
        members[4].value = .unsigned(.max)
        let bytes = TLVValue.structure(members).encoded()
        #expect {
            try ManyDevices.node(restoring: bytes)
        } throws: { error in
            (error as? SnapshotError)?.code == .damaged
        }
        members.remove(at: 4)
        var older = try ManyDevices.node(restoring: TLVValue.structure(members).encoded())
        #expect(read(&older, [EventPath()]).map(\.number) == [0, 1])
    }
}
