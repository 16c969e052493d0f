import MatterModel
import MatterWire
import TestSupport
import Testing

/// A device type in the facts beside some checkouts.
private struct DeviceTypeFacts: Decodable {
    struct Child: Decodable {
        let name: String
        let conformance: String?
        let element: String
    }
    struct Cluster: Decodable {
        let name: String
        let id: UInt32
        let conformance: String
        let children: [Child]?
    }
    struct DeviceType: Decodable {
        /// Nothing for the abstract base of all types.
        let id: UInt32?
        let name: String
        let revision: UInt16?
        let serverClusters: [Cluster]
    }
    let deviceTypes: [DeviceType]

    static func of(_ id: DeviceTypeID) -> DeviceType? {
        SharedData.load(DeviceTypeFacts.self, "datamodel/device-types.json")?.deviceTypes
            .first { $0.id == id.rawValue }
    }
}

@Suite("What endpoints of each device type have (device library)")
struct DeviceTypeTests {
    /// What each device type needs besides Descriptor, in the project's own words: revision, clusters, features.
    private static let own: [UInt32: (revision: UInt16, clusters: [UInt32: UInt32])] = [
        0x0100: (3, [3: 0, 4: 0, 6: 1]), 0x0101: (3, [3: 0, 4: 0, 6: 1, 8: 3]),
        0x010C: (4, [3: 0, 4: 0, 6: 1, 8: 3, 0x300: 0x10]), 0x010D: (4, [3: 0, 4: 0, 6: 1, 8: 3, 0x300: 0x18]),
        0x010A: (3, [3: 0, 4: 0, 6: 1]), 0x000A: (3, [3: 0, 0x101: 0]), 0x0301: (4, [3: 0, 0x201: 3]),
        0x0202: (3, [3: 0, 0x102: 5]), 0x002B: (3, [3: 0, 4: 0, 0x202: 0]), 0x0015: (2, [3: 0, 0x45: 0]),
        0x0107: (4, [3: 0, 0x406: 2]), 0x0302: (2, [3: 0, 0x402: 0]), 0x000F: (3, [3: 0, 0x3B: 6]),
        0x000E: (2, [:]), 0x0013: (3, [0x39: 0]), 0x0016: (3, [0x28: 0, 0x1F: 0, 0x30: 0, 0x33: 0, 0x3C: 0, 0x3E: 0]),
    ]

    private struct Instance {
        var features: UInt32
        var attributes: Set<UInt32>
        var commands: Set<UInt32>
        var revision: UInt64?
    }

    private func instance(_ node: inout TestNode, _ cluster: UInt32, _ endpoint: UInt16) -> Instance? {
        let id = ClusterID(rawValue: cluster)
        guard let features = node.value(id, 0xFFFC, endpoint)?.unsigned else { return nil }
        func ids(_ attribute: UInt32) -> Set<UInt32> {
            Set((node.value(id, attribute, endpoint)?.array ?? []).compactMap(\.unsigned).map { UInt32($0) })
        }
        return Instance(
            features: UInt32(features), attributes: ids(0xFFFB), commands: ids(0xFFF9),
            revision: node.value(id, 0xFFFD, endpoint)?.unsigned)
    }

    private func types(_ node: inout TestNode, _ endpoint: UInt16) -> [DeviceTypeEntry] {
        (node.value(.descriptor, 0, endpoint)?.array ?? []).map {
            DeviceTypeEntry(
                DeviceTypeID(rawValue: UInt32($0[0]?.unsigned ?? 0)), revision: UInt16($0[1]?.unsigned ?? 0))
        }
    }

    private static let allEndpoints: [UInt16] = [0] + ManyDevices.endpoints.map(\.id.rawValue)

    @Test func `every endpoint has what its device types need`() throws {
        var node = try ManyDevices.node()
        var seen: Set<UInt32> = []
        for endpoint in Self.allEndpoints {
            let types = types(&node, endpoint)
            #expect(!types.isEmpty)
            for type in types {
                let needed = try #require(Self.own[type.id.rawValue], "type \(type.id.rawValue)")
                #expect(type.revision == needed.revision)
                for (cluster, features) in needed.clusters {
                    let instance = try #require(instance(&node, cluster, endpoint), "\(endpoint)/\(cluster)")
                    #expect(instance.features & features == features, "\(endpoint)/\(cluster)")
                }
                seen.insert(type.id.rawValue)
            }
        }
        #expect(seen == Set(Self.own.keys))
    }

    @Test(.enabled(if: SharedData.isPresent)) func `device types agree with the data model`() throws {
        var node = try ManyDevices.node()
        for endpoint in Self.allEndpoints {
            for type in types(&node, endpoint) {
                let facts = try #require(DeviceTypeFacts.of(type.id))
                #expect(type.revision == facts.revision, "\(facts.name)")
                for cluster in facts.serverClusters {
                    let instance = instance(&node, cluster.id, endpoint)
                    if cluster.conformance == "M" { #expect(instance != nil, "\(facts.name) has no \(cluster.name)") }
                    if cluster.conformance == "X" { #expect(instance == nil, "\(facts.name) has \(cluster.name)") }
                    guard let instance else { continue }
                    let file = try #require(DataModelFile.load(ClusterID(rawValue: cluster.id), cluster.name))
                    for child in cluster.children ?? [] where child.conformance == "M" {
                        let isThere = Self.has(instance, child, file)
                        #expect(isThere, "\(facts.name): \(cluster.name) lacks \(child.name)")
                    }
                }
            }
        }
    }

    private static func has(_ instance: Instance, _ child: DeviceTypeFacts.Child, _ file: DataModelFile) -> Bool {
        switch child.element {
        case "feature":
            let feature = file.features?.first { $0.name.uppercased() == child.name }
            return feature.map { instance.features >> $0.bit & 1 == 1 } ?? false
        case "attribute":
            let attribute = file.attributes.first { $0.name.lowercased() == child.name.lowercased() }
            return attribute.map { instance.attributes.contains($0.id) } ?? false
        default:
            let command = file.commands.first { $0.name == child.name && $0.direction == "request" }
            return command.map { instance.commands.contains($0.id) } ?? false
        }
    }

    @Test(.enabled(if: SharedData.isPresent)) func `every cluster has what its features need, and no more`() throws {
        var node = try ManyDevices.node()
        var looked = 0
        for endpoint in Self.allEndpoints {
            for cluster in node.value(.descriptor, 1, endpoint)?.array ?? [] {
                let id = ClusterID(rawValue: UInt32(cluster.unsigned ?? 0))
                let definition = try #require(ClusterDefinition.of(id))
                let instance = try #require(instance(&node, id.rawValue, endpoint))
                let file = try #require(DataModelFile.load(id, definition.name))
                let place = "\(endpoint)/\(definition.name)"
                #expect(instance.revision == UInt64(definition.revision), "\(place)")
                let features = file.features ?? []
                let codes = features.filter { instance.features >> $0.bit & 1 == 1 }.map(\.code)
                let names = file.attributes.filter { instance.attributes.contains($0.id) }.map(\.name)
                let present = Set(codes + names.map(Self.capital))
                let known = Set(features.map(\.code) + file.attributes.map(\.name).map(Self.capital))
                for element in file.attributes where element.id < 0xFFF0 {
                    guard let conformance = element.specConformance else { continue }
                    let verdict = ConformanceExpression(text: conformance).verdict(present, known: known)
                    check(verdict, instance.attributes.contains(element.id), "\(place)/\(element.name)")
                    looked += 1
                }
                for command in file.commands where command.direction == "request" {
                    guard let conformance = command.specConformance else { continue }
                    let verdict = ConformanceExpression(text: conformance).verdict(present, known: known)
                    check(verdict, instance.commands.contains(command.id), "\(place)/\(command.name)")
                }
                // Of a choice that needs one, there is one.
                let choice = features.filter { $0.conformance?.contains("O.a") == true }.map(\.code)
                #expect(choice.isEmpty || !Set(choice).isDisjoint(with: codes), "\(place)")
            }
        }
        #expect(looked > 500)
    }

    private func check(_ verdict: ConformanceExpression.Verdict, _ isThere: Bool, _ place: String) {
        switch verdict {
        case .mandatory: #expect(isThere, "\(place) is mandatory")
        case .absent: #expect(!isThere, "\(place) must not be there")
        case .optional, .unknown: break
        }
    }

    private static func capital(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    @Test(.enabled(if: SharedData.isPresent)) func `every value has its attribute's type`() throws {
        var node = try ManyDevices.node()
        let reports = node.node.read([AttributePath()], fabricFiltered: true, context: node.admin())
        #expect(reports.count > 400)
        for report in reports {
            guard case .data(let path, _, let value) = report, path.attribute.rawValue < 0xFFF0 else { continue }
            let cluster = try #require(ClusterDefinition.of(path.cluster))
            let file = try #require(DataModelFile.load(path.cluster, cluster.name))
            let element = try #require(file.attributes.first { $0.id == path.attribute.rawValue })
            #expect(file.fault(in: value, of: element) == nil, "endpoint \(path.endpoint.rawValue)")
        }
    }

    @Test func `first values fit their own attributes`() throws {
        for composition in ManyDevices.endpoints {
            for cluster in composition.clusters {
                let definition = try #require(ClusterDefinition.of(cluster.id))
                for (id, value) in cluster.values {
                    let attribute = definition.attributes.first { $0.id.rawValue == id }
                    #expect(attribute?.fault(in: value) == nil, "\(definition.name)/\(id)")
                }
            }
        }
    }

    @Test func `a bridge lists its devices, each with a label and an id of its own`() throws {
        var node = try ManyDevices.node()
        let behind = TLVValue.array([.uint(ManyDevices.bridgedLight), .uint(ManyDevices.bridgedContact)])
        #expect(node.value(.descriptor, 3, ManyDevices.bridge) == behind)
        let others = ManyDevices.endpoints.map { TLVValue.uint($0.id.rawValue) }
        #expect(node.value(.descriptor, 3, 0) == .array(others))
        #expect(types(&node, ManyDevices.bridgedLight).map(\.id) == [.dimmableLight, .bridgedNode])
        #expect(node.value(.bridgedDeviceBasicInformation, 5, ManyDevices.bridgedLight) == .utf8("Behind 21"))
        let ids = [ManyDevices.bridgedLight, ManyDevices.bridgedContact].map {
            node.value(.bridgedDeviceBasicInformation, 0x12, $0)
        }
        #expect(ids == [.utf8("U-21"), .utf8("U-22")])
        #expect(node.put(.bridgedDeviceBasicInformation, 5, .utf8("Attic"), on: ManyDevices.bridgedLight) == .success)
        #expect(
            node.world(.bridgedDeviceBasicInformation, 0x11, .bool(false), at: ManyDevices.bridgedContact) == nil)
        var restarted = try ManyDevices.node(restoring: node.node.snapshot())
        #expect(restarted.value(.bridgedDeviceBasicInformation, 5, ManyDevices.bridgedLight) == .utf8("Attic"))
        #expect(restarted.value(.bridgedDeviceBasicInformation, 0x11, ManyDevices.bridgedContact) == .bool(false))
    }
}

@Suite("Conformance expressions (Core §7.3)")
struct ConformanceExpressionTests {
    @Test(arguments: [
        ("M", ConformanceExpression.Verdict.mandatory), ("O", .optional), ("A", .mandatory), ("B", .absent),
        ("A & B", .absent), ("A | B", .mandatory), ("!B", .mandatory), ("[A]", .optional), ("[B]", .absent),
        ("B, O", .optional), ("A & !B", .mandatory), ("A & (B | C)", .mandatory), ("P, M", .optional),
        ("X", .absent), ("A > 0", .unknown), ("desc", .unknown), ("O.a+", .optional), ("[A & !C]", .absent),
    ]) func `mean what the features say`(_ text: String, _ verdict: ConformanceExpression.Verdict) {
        #expect(ConformanceExpression(text: text).verdict(["A", "C"], known: ["A", "B", "C"]) == verdict, "\(text)")
    }
}
