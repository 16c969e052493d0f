package import HubControl
import HubClient

/// What a trait is made of: a cluster of a device, with the values that the device gave.
public struct TraitSource: Hashable, Sendable {
    package let access: DeviceAccess
    package let endpoint: UInt16
    package let cluster: UInt32
    package let values: [UInt32: AttributeValue]
    package let connectivity: SourceConnectivity

    package init(
        access: DeviceAccess, endpoint: UInt16, cluster: UInt32, values: [UInt32: AttributeValue],
        connectivity: SourceConnectivity
    ) {
        self.access = access
        self.endpoint = endpoint
        self.cluster = cluster
        self.values = values
        self.connectivity = connectivity
    }

    /// Whether both say the same of the same device.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.access.device == rhs.access.device && lhs.endpoint == rhs.endpoint && lhs.cluster == rhs.cluster
            && lhs.values == rhs.values && lhs.connectivity == rhs.connectivity
    }
    /// Feeds the device and what it said.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(access.device)
        hasher.combine(cluster)
        hasher.combine(values)
    }

    // MARK: - Attributes

    /// Global attributes of every cluster (Core §7.13).
    private static let attributeList: UInt32 = 0xFFFB
    private static let acceptedCommandList: UInt32 = 0xFFF9

    /// One attribute.
    package func attribute<Value: TraitValue>(_ id: UInt32) -> TraitAttribute<Value> {
        TraitAttribute(values[id].flatMap { Value(attribute: $0) }, isSupported: has(id) ?? (values[id] != nil))
    }

    /// Whether the device has an attribute; `nil` when it did not say.
    private func has(_ attribute: UInt32) -> Bool? {
        values[Self.attributeList]?.array.map { $0.contains { $0.integer() == attribute } }
    }

    /// Whether the device takes a command; `nil` when it did not say.
    private func accepts(_ command: UInt32) -> Bool? {
        values[Self.acceptedCommandList]?.array.map { $0.contains { $0.integer() == command } }
    }

    /// Whether the device says that it takes a command.
    package func takes(_ command: UInt32) -> Bool { accepts(command) ?? false }

    // MARK: - Commands

    /// A command to the device.
    ///
    /// - Parameter isTimed: whether Matter takes it only as a timed one.
    package func command(
        _ id: UInt32, _ fields: [CommandField] = [], isTimed: Bool = false
    ) -> BatchableCommand<Void> {
        BatchableCommand(source: self, command: id, fields: fields, isTimed: isTimed)
    }

    /// Sends a command and waits until the device has done it.
    func send(_ command: UInt32, _ fields: [CommandField], isTimed: Bool) async throws(HomeError) {
        if access.link.validatesOperations, accepts(command) == false {
            throw .unimplemented("the device does not take the command 0x\(String(command, radix: 16))")
        }
        _ = try await access.link.callOnce(
            .invoke(
                command, fields: .structure(CommandField.members(fields)), endpoint: endpoint, cluster: cluster,
                timed: isTimed ? .seconds(10) : nil, on: access.device), deadline: DeviceAccess.limit)
        access.link.app.noteChange(of: access.device)
    }

    // MARK: - Writing

    /// Writes attributes one after the other, as far as the device takes them.
    ///
    /// - Returns: the cluster as it is after that.
    /// - Throws: ``HomeError``; with subtype ``HomeError/Subtype/bulk(errors:)`` when several were written and some refused.
    package func write(_ changes: AttributeChanges) async throws(HomeError) -> TraitSource {
        var errors: [HomeError] = []
        for (id, value) in changes.values {
            do throws(HomeError) {
                if access.link.validatesOperations, has(id) == false {
                    throw .unimplemented("the device does not have the attribute 0x\(String(id, radix: 16))")
                }
                try await access.link.callOnce(
                    .write(value, endpoint: endpoint, cluster: cluster, attribute: id, of: access.device),
                    deadline: DeviceAccess.limit)
            } catch {
                errors.append(error)
            }
        }
        access.link.app.noteChange(of: access.device)
        if let first = errors.first { throw changes.values.count == 1 ? first : .bulk(errors) }
        let values: [UInt32: AttributeValue]
        do throws(HomeError) {
            values = try await access.read(cluster: cluster, endpoint: endpoint)
        } catch {
            // It is written; what the device made of it is not known yet.
            values = self.values.merging(changes.values) { $1 }
        }
        return TraitSource(
            access: access, endpoint: endpoint, cluster: cluster, values: values, connectivity: connectivity)
    }
}

/// Attributes to write, in the order of the calls.
package struct AttributeChanges: Sendable {
    fileprivate(set) var values: [(key: UInt32, value: AttributeValue)] = []

    package init() {}

    /// Writes a value; `nil` for null.
    package mutating func set<Value: TraitValue>(_ id: UInt32, _ value: Value?) {
        values.removeAll { $0.key == id }
        values.append((id, value?.attributeValue ?? .null))
    }
}

/// One field of a command.
package struct CommandField: Hashable, Sendable {
    private let tag: UInt8
    private let value: AttributeValue?

    /// A field that may be null where the cluster allows it.
    package init<Value: TraitValue>(_ tag: UInt8, _ value: Value?) {
        self.tag = tag
        self.value = value?.attributeValue ?? .null
    }

    /// A field that is left out when there is no value.
    package init<Value: TraitValue>(_ tag: UInt8, optional value: Value?) {
        self.tag = tag
        self.value = value?.attributeValue
    }

    static func members(_ fields: [CommandField]) -> [UInt8: AttributeValue] {
        fields.reduce(into: [:]) { $0[$1.tag] = $1.value }
    }
}
