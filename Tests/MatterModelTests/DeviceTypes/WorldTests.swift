import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("What the world does to a device")
struct WorldTests {
    private func changes(_ node: inout TestNode) -> Set<ConcreteAttributePath> {
        Set(
            node.node.takeEffects().compactMap {
                if case .attributeChanged(let path) = $0 { path } else { nil }
            })
    }

    @Test func `a sensor shows it, tells it and keeps it`() throws {
        let cases: [(ClusterID, UInt32, TLVValue, UInt16)] = [
            (.booleanState, 0, .bool(false), ManyDevices.contact),
            (.occupancySensing, 0, .uint(1 as UInt8), ManyDevices.occupancy),
            (.temperatureMeasurement, 0, .signed(-150), ManyDevices.thermometer),
            (.switchCluster, 1, .uint(1 as UInt8), ManyDevices.button),
            (.thermostat, 0, .signed(1500), ManyDevices.thermostat),
        ]
        for (cluster, attribute, value, endpoint) in cases {
            var node = try ManyDevices.node()
            let path = TestNode.path(cluster, attribute, endpoint)
            let version = node.read(cluster, attribute, endpoint: endpoint, as: node.admin()).version
            try node.node.worldSets(path, to: value, now: node.now)
            #expect(changes(&node).contains(path))
            #expect(node.value(cluster, attribute, endpoint) == value)
            #expect(node.read(cluster, attribute, endpoint: endpoint, as: node.admin()).version != version)
            var restarted = try ManyDevices.node(restoring: node.node.snapshot())
            #expect(restarted.value(cluster, attribute, endpoint) == value)
            // What is so already is no change.
            try node.node.worldSets(path, to: value, now: node.now)
            #expect(!changes(&node).contains(path))
        }
    }

    @Test(arguments: [
        (9, ClusterID.booleanState, 0, TLVValue.bool(true), "endpoint 9 has no such cluster"),
        (99, .booleanState, 0, .bool(true), "there is no endpoint 99; there are 0, 1, 2"),
        (10, .booleanState, 5, .bool(true), "BooleanState has no such attribute on this device"),
        (10, .booleanState, 0xFFFC, .uint(0 as UInt8), "featureMap is not set from outside"),
        (10, .booleanState, 0, .uint(1 as UInt8), "stateValue is true or false"),
        (
            11, .occupancySensing, 0, .uint(2 as UInt8),
            "occupancy is out of its limits: it is a whole number from 0 to 1"
        ),
        (12, .temperatureMeasurement, 0, .signed(20_000), "measuredValue is out of its limits"),
        (12, .temperatureMeasurement, 0, .bool(true), "from -27315 to 32767, or null"),
        (13, .switchCluster, 1, .uint(2 as UInt8), "currentPosition is out of its limits"),
        (9, .fanControl, 2, .null, "percentSetting cannot be set now"),
        (0, .basicInformation, 5, .utf8("x"), "nodeLabel is not set from outside"),
    ]) func `what cannot be is refused in words`(
        _ endpoint: UInt16, _ cluster: ClusterID, _ attribute: UInt32, _ value: TLVValue, _ words: String
    ) throws {
        var node = try ManyDevices.node()
        let before = node.node.snapshot()
        let error = node.world(cluster, attribute, value, at: endpoint)
        #expect(error?.contains(words) == true, "\(error ?? "none")")
        #expect(node.node.snapshot() == before)
    }

    @Test func `what can be set is listed, and can be`() throws {
        var node = try ManyDevices.node()
        let attributes = node.node.worldAttributes
        #expect(attributes.count > 60)
        #expect(attributes.contains { $0.path == TestNode.path(.booleanState, 0, ManyDevices.bridgedContact) })
        for (path, _) in attributes {
            guard let value = node.node.value(of: path, now: node.now), !value.isNull else { continue }
            #expect(throws: Never.self) { try node.node.worldSets(path, to: value, now: node.now) }
        }
    }
}

@Suite("Snapshots of all device types")
struct DeviceSnapshotTests {
    @Test func `a snapshot of before the device types still loads`() throws {
        var light = try TestNode()
        try light.commission(try TestAdmin(seed: 2))
        _ = light.invoke(.onOff, 1, endpoint: 1, as: light.admin())
        var restored = try ManyDevices.node(restoring: light.node.snapshot())
        #expect(restored.value(.onOff, 0, ManyDevices.onOffLight) == .bool(true))
        #expect(restored.number(.levelControl, 0, ManyDevices.dimmable) == 254)
    }

    @Test func `values that no longer fit keep their defaults`() throws {
        var node = try ManyDevices.node()
        _ = node.world(.temperatureMeasurement, 0, .signed(99), at: ManyDevices.thermometer)
        var root = try #require(try TLVValue.decode(node.node.snapshot()).members)
        let values = (root[3].value.array ?? []).map { value -> TLVValue in
            guard value[1] == .uint(ClusterID.temperatureMeasurement.rawValue) else { return value }
            return .members((0, value[0]), (1, value[1]), (2, value[2]), (3, .utf8("warm")))
        }
        root[3].value = .array(values)
        var restored = try ManyDevices.node(restoring: TLVValue.structure(root).encoded())
        #expect(restored.number(.temperatureMeasurement, 0, ManyDevices.thermometer) == 2000)
    }

    @Test func `damaged snapshots are refused or whole, never a trap`() throws {
        var node = try ManyDevices.node()
        _ = node.send(.onOff, 1, to: ManyDevices.color)
        _ = node.world(.fanControl, 2, .uint(70 as UInt8), at: ManyDevices.fan)
        let bytes = node.node.snapshot()
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            do {
                var restored = try ManyDevices.node(restoring: generator.mutated(bytes))
                restored.live(.seconds(3))
                let reports = restored.node.read([AttributePath()], fabricFiltered: false, context: restored.pase())
                for case .status(let path, let status) in reports {
                    Issue.record("seed \(seed): \(path) \(status)")
                }
            } catch is SnapshotError {}
        }
    }

    @Test func `damaged commands at any time give a status, never a trap`() throws {
        let fresh = try ManyDevices.node()
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var node = fresh
            for _ in 0..<30 {
                let endpoint = ManyDevices.endpoints.randomElement(using: &generator)
                guard let cluster = endpoint?.clusters.randomElement(using: &generator),
                    let definition = ClusterDefinition.of(cluster.id),
                    let command = definition.commands.randomElement(using: &generator)
                else { continue }
                // Fields of the right types with any numbers reach further than damaged bytes.
                let members = (command.fields ?? []).compactMap { field -> TLVElement? in
                    let number = UInt64.random(in: 0...300, using: &generator)
                    return switch field.type {
                    case .bool: TLVElement(field.tag, .bool(number % 2 == 0))
                    case .signed: TLVElement(field.tag, .signed(Int64(number) - 150))
                    case .octets: nil
                    default: TLVElement(field.tag, .unsigned(number % 5 == 0 ? number * 200 : number % 6))
                    }
                }
                _ = node.send(
                    cluster.id, command.id.rawValue, .structure(members), to: endpoint?.id.rawValue ?? 0, timed: true)
                for attribute in definition.attributes where attribute.write != nil {
                    let value = UInt64.random(in: 0...3000, using: &generator)
                    _ = node.put(cluster.id, attribute.id.rawValue, .unsigned(value), on: endpoint?.id.rawValue ?? 0)
                    _ = node.put(
                        cluster.id, attribute.id.rawValue, .signed(Int64(value)), on: endpoint?.id.rawValue ?? 0)
                }
                node.live(.milliseconds(Int64.random(in: 0...2500, using: &generator)))
            }
            for (path, definition) in node.node.worldAttributes {
                let value = node.node.value(of: path, now: node.now) ?? .null
                #expect(definition.fault(in: value) == nil, "seed \(seed): \(definition.name) is \(value)")
            }
        }
    }
}
