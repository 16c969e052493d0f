import MatterModel
import MatterWire
import TestSupport
import Testing

@Suite("The cluster tables")
struct ClusterTableTests {
    @Test func `ids ascend and are unique`() {
        #expect(Set(ClusterDefinition.served.map(\.id)).count == ClusterDefinition.served.count)
        for cluster in ClusterDefinition.served {
            let attributes = cluster.attributes.map(\.id.rawValue)
            #expect(attributes == Set(attributes).sorted(), "\(cluster.name)")
            let commands = cluster.commands.map(\.id.rawValue)
            #expect(commands == Set(commands).sorted(), "\(cluster.name)")
            #expect(ClusterDefinition.of(cluster.id) == cluster)
        }
        #expect(ClusterDefinition.of(ClusterID(rawValue: 0xFFFF_0000)) == nil)
    }

    /// Clusters of endpoint 0 that are served as 1.4.1 has them, without what 1.4.2 added.
    private static let earlier: [ClusterID: UInt16] = [.descriptor: 2, .operationalCredentials: 1]

    @Test(.enabled(if: SharedData.isPresent), arguments: ClusterDefinition.served)
    func `elements agree with the data model`(_ cluster: ClusterDefinition) throws {
        let file = try #require(DataModelFile.load(cluster.id, cluster.name))
        #expect(cluster.revision == Self.earlier[cluster.id] ?? file.revision)
        let elements = Dictionary(uniqueKeysWithValues: file.attributes.map { ($0.id, $0) })
        for attribute in cluster.attributes {
            let element = try #require(elements[attribute.id.rawValue])
            #expect(
                attribute.name == element.name.prefix(1).lowercased() + element.name.dropFirst()
                    || attribute.name == element.name)
            #expect(name(attribute.read) == element.readPrivilege ?? "view", "\(attribute.name)")
            #expect(attribute.write.map(name) == (element.writable == true ? element.writePrivilege ?? "operate" : nil))
            #expect(attribute.qualities.contains(.nullable) == (element.nullable == true), "\(attribute.name)")
            let quality = element.specQuality?.split(separator: " ") ?? []
            #expect(attribute.qualities.contains(.nonVolatile) == quality.contains("N"), "\(attribute.name)")
            #expect(attribute.qualities.contains(.changesOmitted) == quality.contains("C"), "\(attribute.name)")
            let structure = file.structs.first { $0.name == element.type }
            #expect(attribute.qualities.contains(.fabricScoped) == (structure?.fabricScoped == true))
            if element.specConformance == "M" { #expect(attribute.conformance == .mandatory, "\(attribute.name)") }
        }
        let requests = file.commands.filter { $0.direction == "request" }
        for command in cluster.commands {
            let element = try #require(requests.first { $0.id == command.id.rawValue })
            #expect(command.name == element.name)
            #expect(name(command.invoke) == element.invokePrivilege ?? "operate", "\(command.name)")
            #expect(command.isTimed == (element.timed == true), "\(command.name)")
            #expect(command.isFabricScoped == (element.fabricScoped == true), "\(command.name)")
            #expect(command.response?.rawValue == element.responseId, "\(command.name)")
            if let fields = command.fields { check(fields, of: element) }
        }
        for event in cluster.events {
            let element = try #require(file.events.first { $0.id == event.id.rawValue })
            #expect(event.name == element.name && "\(event.priority)" == element.priority)
            #expect(name(event.read) == element.readPrivilege ?? "view", "\(event.name)")
        }
        let mandatory = file.attributes.filter { $0.specConformance == "M" && $0.id < 0xFFF0 }.map(\.id)
        #expect(Set(mandatory).isSubset(of: cluster.attributes.map(\.id.rawValue)))
        let mandatoryCommands = requests.filter { $0.specConformance == "M" }.map(\.id)
        #expect(Set(mandatoryCommands).isSubset(of: cluster.commands.map(\.id.rawValue)))
    }

    private func check(_ fields: [FieldDefinition], of command: DataModelFile.Command) {
        let elements = command.fields ?? []
        #expect(fields.map { UInt32($0.tag) } == elements.map(\.id), "\(command.name)")
        for (field, element) in zip(fields, elements) {
            #expect(field.name == element.name, "\(command.name)")
            #expect(field.isNullable == (element.nullable == true), "\(command.name).\(field.name)")
            #expect(field.isOptional == (element.optional == true), "\(command.name).\(field.name)")
        }
    }

    private func name(_ privilege: Privilege) -> String { "\(privilege)" }
}

@Suite("Types of attribute values")
struct ValueTypeTests {
    @Test func `a value must have the type and the range`() {
        #expect(ValueType.bool.fault(in: .bool(true)) == nil)
        #expect(ValueType.bool.fault(in: .uint(1 as UInt8)) == .invalidDataType)
        #expect(ValueType.uint16.fault(in: .unsigned(0x1_0000)) == .constraintError)
        #expect(ValueType.uint16.fault(in: .signed(1)) == .invalidDataType)
        #expect(ValueType.int32.fault(in: .signed(-5)) == nil)
        #expect(ValueType.string(2...2).fault(in: .utf8("é")) == nil)
        #expect(ValueType.string(2...2).fault(in: .utf8("abc")) == .constraintError)
        #expect(ValueType.octets(max: 1).fault(in: .octets([1, 2])) == .constraintError)
        #expect(ValueType.octets(max: 1).fault(in: .utf8("a")) == .invalidDataType)
        #expect(ValueType.structure.fault(in: .list([])) == .invalidDataType)
        let list = ValueType.list(.uint8, max: 2)
        #expect(list.fault(in: .array([.unsigned(1), .unsigned(2)])) == nil)
        #expect(list.fault(in: .array([.unsigned(1), .unsigned(2), .unsigned(3)])) == .constraintError)
        #expect(list.fault(in: .array([.unsigned(256)])) == .constraintError)
        #expect(list.fault(in: .structure([])) == .invalidDataType)
    }

    @Test func `null fits only a nullable attribute`() {
        let nullable = AttributeDefinition(0, "x", .uint8, qualities: [.nullable])
        #expect(nullable.fault(in: .null) == nil)
        #expect(AttributeDefinition(0, "x", .uint8).fault(in: .null) == .invalidDataType)
    }
}
