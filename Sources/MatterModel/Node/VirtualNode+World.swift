public import MatterWire

/// Why the world can't change an attribute, in words for a person.
public struct WorldError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// What happens at the thing itself and not over the network: a door opens, a room warms up, a finger presses a switch.
extension VirtualNode {
    /// Changes an attribute as the world around the device does.
    ///
    /// Attributes that show the thing's own state can be set, and those that anyone may write over the network; with
    /// the same limits and the same consequences.
    ///
    /// - Throws: ``WorldError``; nothing changes then.
    public mutating func worldSets(
        _ path: ConcreteAttributePath, to value: TLVValue, now: MonotonicInstant
    ) throws(WorldError) {
        settle(now: now)
        guard let endpoint = store[path.endpoint] else {
            let known = store.endpointIDs.map { String($0.rawValue) }.joined(separator: ", ")
            throw WorldError("there is no endpoint \(path.endpoint.rawValue); there are \(known)")
        }
        guard let instance = endpoint.clusters[path.cluster] else {
            throw WorldError("endpoint \(path.endpoint.rawValue) has no such cluster")
        }
        guard let definition = instance.attributes[path.attribute] else {
            throw WorldError("\(instance.definition.name) has no such attribute on this device")
        }
        let isPhysical = definition.qualities.contains(.physical)
        guard isPhysical || Self.isWorldWritable(definition, path) else {
            throw WorldError("\(definition.name) is not set from outside: the device works it out itself")
        }
        if let fault = definition.fault(in: value) { throw Self.refusal(of: definition, fault) }
        do throws(StatusIB) {
            try isPhysical ? happen(value, at: path, now: now) : writeApplicationValue(value, at: path, now: now)
        } catch {
            throw Self.refusal(of: definition, error.status)
        }
    }

    /// The attributes that ``worldSets(_:to:now:)`` takes, in the order of their paths.
    public var worldAttributes: [(path: ConcreteAttributePath, definition: AttributeDefinition)] {
        store.endpointIDs.flatMap { endpoint in
            (store[endpoint]?.clusterIDs ?? []).flatMap { cluster in
                (store[endpoint, cluster]?.attributeIDs ?? []).compactMap { attribute in
                    let path = ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
                    guard let definition = store[endpoint, cluster]?.attributes[attribute],
                        definition.qualities.contains(.physical) || Self.isWorldWritable(definition, path)
                    else { return nil }
                    return (path, definition)
                }
            }
        }
    }

    /// What may be written over the network can be set on the device too; the root's clusters are for administrators.
    private static func isWorldWritable(_ definition: AttributeDefinition, _ path: ConcreteAttributePath) -> Bool {
        guard path.endpoint != .root, definition.write != nil else { return false }
        if case .list = definition.type { return false }
        return true
    }

    private static func refusal(of definition: AttributeDefinition, _ status: InteractionStatus) -> WorldError {
        let wanted = definition.type.words + (definition.qualities.contains(.nullable) ? ", or null" : "")
        return switch status {
        case .invalidDataType: WorldError("\(definition.name) is \(wanted)")
        case .constraintError: WorldError("\(definition.name) is out of its limits: it is \(wanted)")
        default: WorldError("\(definition.name) cannot be set now: \(status)")
        }
    }

    private mutating func happen(
        _ value: TLVValue, at path: ConcreteAttributePath, now: MonotonicInstant
    ) throws(StatusIB) {
        switch (path.cluster, path.attribute.rawValue) {
        case (.onOff, 0x0000): setOnOff(path.endpoint, value == .bool(true), now)
        case (.levelControl, 0x0000):
            guard let level = value.unsigned else { throw StatusIB(.constraintError) }
            try dimmerTurned(path.endpoint, to: Int(level), now)
        case (.colorControl, _): try colorTurned(path, to: value, now)
        case (.windowCovering, 0x000E): coverPulled(path.endpoint, to: value)
        case (.doorLock, 0x0000): keyTurned(path.endpoint, to: value, now)
        case (.thermostat, 0x0000):
            set(path, to: value)
            heatOrCool(path.endpoint)
        case (.switchCluster, 0x0001):
            let positions = store[ConcreteAttributePath(path.endpoint, .switchCluster, 0x0000)]?.unsigned ?? 2
            guard let position = value.unsigned, position < positions else { throw StatusIB(.constraintError) }
            set(path, to: value)
        case (.temperatureMeasurement, 0x0000):
            func limit(_ attribute: UInt32) -> Int64? {
                store[ConcreteAttributePath(path.endpoint, path.cluster, attribute)]?.signed
            }
            if let measured = value.signed, measured < limit(0x0001) ?? .min || measured > limit(0x0002) ?? .max {
                throw StatusIB(.constraintError)
            }
            set(path, to: value)
        default: set(path, to: value)
        }
    }
}

extension ValueType {
    /// The type in words: “true or false”, “a whole number from 0 to 254”.
    public var words: String {
        switch self {
        case .bool: "true or false"
        case .unsigned(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .signed(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .string(let range): "text of at most \(range.upperBound) bytes"
        case .octets(let range): "at most \(range.upperBound) bytes"
        case .structure: "a structure"
        case .list(_, let max): "a list of at most \(max)"
        }
    }
}

// MARK: - Application clusters

extension VirtualNode {
    /// Writes a value that has the attribute's type and range, with what follows from it.
    mutating func writeApplicationValue(
        _ value: TLVValue, at path: ConcreteAttributePath, now: MonotonicInstant
    ) throws(StatusIB) {
        switch (path.cluster, path.attribute.rawValue) {
        case (.identify, 0x0000), (.onOff, 0x4001), (.onOff, 0x4002):
            writeCountdown(UInt16(value.unsigned ?? 0), at: path, now: now)
        case (.doorLock, 0x0025): try writeOperatingMode(value, at: path)
        case (.windowCovering, 0x0017): writeCoverMode(value, at: path)
        case (.thermostat, _): try writeThermostat(value, at: path)
        case (.fanControl, _): try writeFan(value, at: path)
        default: set(path, to: value)
        }
    }

    /// Brings the applications of a restored node into the state in which they start.
    mutating func startApplications() {
        applyStartUpOnOff()
        applyStartUpLevel()
        applyStartUpColor()
        applyStartUpCover()
        applyStartUpThermostat()
    }
}
