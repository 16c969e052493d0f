import MatterCrypto
import MatterWire

/// For whom a value is read.
struct Reader {
    let fabric: FabricIndex
    /// Only entries of ``fabric``.
    let filtered: Bool
    /// Of other fabrics' entries only the fabric index.
    let hidesForeign: Bool
    let now: MonotonicInstant
}

extension VirtualNode {
    /// The present value of an attribute that exists; `nil` when the tables promise one that nobody computes.
    func value(of path: ConcreteAttributePath, _ instance: ClusterInstance, for reader: Reader) -> TLVValue? {
        if let global = instance.globalValue(path.attribute) { return global }
        if let countdown = countdowns[path] { return .uint(countdown.value(at: reader.now)) }
        if let moving = moving[path] { return .unsigned(UInt64(moving.transition.value(at: reader.now))) }
        return instance.values[path.attribute] ?? computedValue(of: path, for: reader)
    }

    private func computedValue(of path: ConcreteAttributePath, for reader: Reader) -> TLVValue? {
        switch path.cluster {
        case .descriptor: return descriptorValue(path)
        case .accessControl: return scoped(reader) { $0.accessControl.map(\.members) }
        case .generalDiagnostics:
            let seconds = bootedAt.duration(to: reader.now).components.seconds
            return path.attribute.rawValue == 0x0002 ? .uint(UInt64(max(0, seconds))) : nil
        case .administratorCommissioning: return windowValue(path.attribute)
        case .operationalCredentials: return credentialsValue(path.attribute, for: reader)
        case .groupKeyManagement:
            switch path.attribute.rawValue {
            case 0x0000: return scoped(reader) { $0.groupKeyMap.map(\.members) }
            case 0x0001: return scoped(reader) { $0.groups.map(\.members) }
            default: return nil
            }
        default: return nil
        }
    }

    /// A list of entries that belong to fabrics, each with its fabric index in field 254.
    private func scoped(_ reader: Reader, _ entries: (NodeFabric) -> [[TLVElement]]) -> TLVValue {
        .array(
            fabricTable.fabrics.flatMap { fabric -> [TLVValue] in
                let isOwn = fabric.index == reader.fabric
                guard isOwn || !reader.filtered else { return [] }
                return entries(fabric).map { members in
                    .structure(
                        (isOwn || !reader.hidesForeign ? members : [])
                            + [TLVElement(254, .uint(fabric.index.rawValue))])
                }
            })
    }

    private func descriptorValue(_ path: ConcreteAttributePath) -> TLVValue? {
        guard let endpoint = store[path.endpoint] else { return nil }
        switch path.attribute.rawValue {
        case 0x0000:
            return .array(endpoint.deviceTypes.map { .members((0, .uint($0.id.rawValue)), (1, .uint($0.revision))) })
        case 0x0001: return .array(endpoint.clusterIDs.map { .uint($0.rawValue) })
        case 0x0002: return .array([])
        case 0x0003: return .array(endpoint.parts.map { .uint($0.rawValue) })
        default: return nil
        }
    }

    private func windowValue(_ attribute: AttributeID) -> TLVValue? {
        // The initial window is the node's own: the cluster says that none is open.
        let window = window.window.flatMap { $0.kind == .initial ? nil : $0 }
        switch attribute.rawValue {
        case 0x0000: return .uint(window.map { $0.kind == .enhanced ? 1 : 2 } ?? 0 as UInt8)
        case 0x0001: return window?.adminFabric.map { .uint($0.rawValue) } ?? .null
        case 0x0002: return window?.adminVendor.map { .uint($0.rawValue) } ?? .null
        default: return nil
        }
    }

    private func credentialsValue(_ attribute: AttributeID, for reader: Reader) -> TLVValue? {
        switch attribute.rawValue {
        case 0x0000:
            return scoped(reader) { fabric in
                let credentials = fabric.credentials
                return [
                    [
                        TLVElement(1, .octets(credentials.noc)),
                        TLVElement(2, credentials.icac.map { .octets($0) } ?? .null),
                    ]
                ]
            }
        case 0x0001:
            return scoped(reader) { fabric in
                [
                    [
                        TLVElement(1, .octets(fabric.rootPublicKey.bytes)),
                        TLVElement(2, .uint(fabric.vendorID.rawValue)),
                        TLVElement(3, .uint(fabric.fabricID.rawValue)), TLVElement(4, .uint(fabric.nodeID.rawValue)),
                        TLVElement(5, .utf8(fabric.label)),
                    ]
                ]
            }
        case 0x0003: return .uint(UInt8(fabricTable.fabrics.count))
        case 0x0004: return .array(fabricTable.fabrics.map { .octets($0.rootCertificate) })
        case 0x0005: return .uint(reader.fabric.rawValue)
        default: return nil
        }
    }
}
