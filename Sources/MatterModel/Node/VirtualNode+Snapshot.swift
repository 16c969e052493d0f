import MatterCrypto
import MatterWire

/// What survives a restart, as TLV:
///
/// ```
/// {0 version, 1 next fabric index, 2 fabrics [{0 index, 1 root, 2 noc, 3 icac?, 4 key, 5 vendor, 6 label,
///   7 acl [entry], 8 key sets [{0 id, 1 epochs [{0 key, 1 start}]}], 9 group key map [entry],
///   10 groups [{0 group, 1 name, 2 endpoints}]}], 3 values [{0 endpoint, 1 cluster, 2 attribute, 3 value}],
///   4 event numbers below which all may have been used?}
/// ```
extension VirtualNode {
    private static let snapshotVersion: UInt64 = 1

    /// The bytes to store: fabrics with their private keys, access control, labels and settings.
    ///
    /// What is under the fail-safe is not in it: a node that stops in the middle of a commissioning starts without it.
    /// The bytes hold secrets; the driver must protect them.
    public func snapshot() -> [UInt8] {
        let kept = fabricTable.fabrics.filter { $0.index != failSafe.addedFabric }.map { fabric in
            guard let updated = failSafe.updatedFabric, updated.index == fabric.index else { return fabric }
            var before = fabric
            before.credentials = updated.previous
            return before
        }
        let values = store.kept.map { path, value in
            TLVValue.members(
                (0, .uint(path.endpoint.rawValue)), (1, .uint(path.cluster.rawValue)),
                (2, .uint(path.attribute.rawValue)), (3, value))
        }
        return TLVValue.members(
            (0, .uint(Self.snapshotVersion)), (1, .uint(fabricTable.nextIndex)), (2, .array(kept.map(\.stored))),
            (3, .array(values)), (4, .uint(eventLog.reserved))
        ).encoded()
    }

    /// Takes up a snapshot in a node that was just made, and counts the restart.
    mutating func restore(_ bytes: [UInt8]) throws(SnapshotError) {
        let root: TLVValue
        do throws(TLVError) { root = try TLVValue.decode(bytes) } catch { throw .malformed(error) }
        let version = try root.member(0, as: UInt64.self)
        guard version == Self.snapshotVersion else {
            throw SnapshotError(.unknownVersion(version), "this package reads version \(Self.snapshotVersion)")
        }
        let nextIndex = try root.member(1, as: UInt8.self)
        var fabrics: [NodeFabric] = []
        for value in try root.elements(2) { fabrics.append(try NodeFabric(stored: value)) }
        guard fabrics.count <= fabricTable.capacity else {
            throw SnapshotError(.tooManyFabrics, "\(fabrics.count) stored, \(fabricTable.capacity) possible")
        }
        guard Set(fabrics.map(\.index)).count == fabrics.count, (1...254).contains(nextIndex),
            fabrics.allSatisfy({ (1...254).contains($0.index.rawValue) })
        else { throw SnapshotError(.damaged, "fabric indices") }
        fabricTable = FabricTable(capacity: fabricTable.capacity, fabrics: fabrics, nextIndex: nextIndex)
        for value in try root.elements(3) { try restoreValue(value) }
        let used = root[4] == nil ? 0 : try root.member(4, as: UInt64.self)
        guard used <= EventLog.highestStored else { throw SnapshotError(.damaged, "event numbers") }
        eventLog = EventLog(after: used)
        let rebootCount = ConcreteAttributePath(.root, .generalDiagnostics, 0x0001)
        let count = UInt16(store[rebootCount]?.unsigned ?? 0)
        store[rebootCount] = .uint(count == .max ? count : count + 1)
    }

    /// Takes up one value; one that the node no longer has, or that no longer fits, keeps its default.
    private mutating func restoreValue(_ value: TLVValue) throws(SnapshotError) {
        let path = ConcreteAttributePath(
            EndpointID(rawValue: try value.member(0, as: UInt16.self)),
            ClusterID(rawValue: try value.member(1, as: UInt32.self)), try value.member(2, as: UInt32.self))
        guard let content = value[3] else { throw .malformed(TLVError(code: .missing, path: [3])) }
        guard let definition = store[path.endpoint, path.cluster]?.attributes[path.attribute],
            definition.survivesRestart, store[path] != nil, definition.fault(in: content) == nil
        else { return }
        store[path] = content
    }
}

extension NodeFabric {
    fileprivate var stored: TLVValue {
        .members(
            (0, .uint(index.rawValue)), (1, .octets(rootCertificate)), (2, .octets(credentials.noc)),
            (3, credentials.icac.map { .octets($0) }), (4, .octets(credentials.key.rawValue)),
            (5, .uint(vendorID.rawValue)), (6, .utf8(label)),
            (7, .array(accessControl.map { .structure($0.members) })),
            (
                8,
                .array(
                    keySets.map { set in
                        .members(
                            (0, .uint(set.id)),
                            (1, .array(set.epochs.map { .members((0, .octets($0.key)), (1, .uint($0.start))) })))
                    })
            ),
            (9, .array(groupKeyMap.map { .structure($0.members) })),
            (
                10,
                .array(
                    groups.map {
                        .members(
                            (0, .uint($0.group.rawValue)), (1, .utf8($0.name)),
                            (2, .array($0.endpoints.map { .uint($0.rawValue) })))
                    })
            ))
    }

    /// Checks the certificates and the key anew: what is not whole must not become an identity.
    fileprivate init(stored value: TLVValue) throws(SnapshotError) {
        let index = FabricIndex(rawValue: try value.member(0, as: UInt8.self))
        let root = try value.bytes(1)
        let noc = try value.bytes(2)
        let icac = value[3] == nil ? nil : try value.bytes(3)
        let rawKey = try value.bytes(4)
        let name = "fabric \(index.rawValue)"
        let key: P256PrivateKey
        let identity: OperationalIdentity
        let rootKey: P256PublicKey
        let compressed: CompressedFabricID
        do throws(OperationalChainError) {
            let trusted = try OperationalChain.validateRoot(root)
            rootKey = trusted.publicKey
            identity = try OperationalChain.validate(noc: noc, icac: icac, root: trusted)
        } catch {
            throw SnapshotError(.damaged, "\(name): \(error)")
        }
        do throws(CryptoError) {
            key = try P256PrivateKey(rawValue: rawKey)
            compressed = try FabricKeys.compressedFabricID(rootPublicKey: rootKey, fabricID: identity.fabricID)
        } catch {
            throw SnapshotError(.damaged, "\(name): \(error.reason)")
        }
        guard key.publicKey == identity.publicKey else {
            throw SnapshotError(.damaged, "\(name): the key is not the certificate's")
        }
        var keySets: [GroupKeySet] = []
        for set in try value.elements(8) { keySets.append(try GroupKeySet(stored: set)) }
        guard keySets.contains(where: { $0.id == GroupKeySet.ipkID && !$0.epochs.isEmpty }) else {
            throw SnapshotError(.damaged, "\(name): no identity protection key")
        }
        self.init(
            index: index, fabricID: identity.fabricID, rootCertificate: root, rootPublicKey: rootKey,
            compressedFabricID: compressed, vendorID: VendorID(rawValue: try value.member(5, as: UInt16.self)),
            credentials: OperationalCredentials(noc: noc, icac: icac, key: key, nodeID: identity.nodeID),
            label: try value.text(6),
            accessControl: try Self.entries(value, 7) { (entry) throws(StatusIB) in
                try AccessControlEntry(decoding: entry)
            }, keySets: keySets)
        groupKeyMap = try Self.entries(value, 9) { (entry) throws(StatusIB) in try GroupKeyMapping(decoding: entry) }
        for group in try value.elements(10) { groups.append(try GroupMembership(stored: group)) }
    }

    private static func entries<Entry>(
        _ value: TLVValue, _ tag: UInt8, _ decode: (TLVValue) throws(StatusIB) -> Entry
    ) throws(SnapshotError) -> [Entry] {
        var entries: [Entry] = []
        for element in try value.elements(tag) {
            do throws(StatusIB) {
                entries.append(try decode(element))
            } catch {
                throw SnapshotError(.damaged, "an entry of list \(tag) of a fabric is not valid")
            }
        }
        return entries
    }
}

extension GroupKeySet {
    fileprivate init(stored value: TLVValue) throws(SnapshotError) {
        var epochs: [Epoch] = []
        for epoch in try value.elements(1) {
            let key = try epoch.bytes(0)
            guard key.count == 16 else { throw SnapshotError(.damaged, "an epoch key has 16 bytes") }
            epochs.append(Epoch(key: key, start: try epoch.member(1, as: UInt64.self)))
        }
        self.init(id: try value.member(0, as: UInt16.self), epochs: epochs)
    }
}

extension GroupMembership {
    fileprivate init(stored value: TLVValue) throws(SnapshotError) {
        var endpoints: [EndpointID] = []
        for endpoint in try value.elements(2) {
            guard let number = endpoint.unsigned.flatMap(UInt16.init(exactly:)) else {
                throw SnapshotError(.damaged, "an endpoint of a group")
            }
            endpoints.append(EndpointID(rawValue: number))
        }
        self.init(
            group: GroupID(rawValue: try value.member(0, as: UInt16.self)), name: try value.text(1),
            endpoints: endpoints)
    }
}

// MARK: - Members of a snapshot

extension TLVValue {
    fileprivate func member<T: FixedWidthInteger & UnsignedInteger>(
        _ tag: UInt8, as: T.Type
    ) throws(SnapshotError) -> T {
        do throws(TLVError) { return try integer(tag, as: T.self) } catch { throw .malformed(error) }
    }

    fileprivate func bytes(_ tag: UInt8) throws(SnapshotError) -> [UInt8] {
        do throws(TLVError) { return try octets(tag) } catch { throw .malformed(error) }
    }

    fileprivate func text(_ tag: UInt8) throws(SnapshotError) -> String {
        do throws(TLVError) { return try string(tag) } catch { throw .malformed(error) }
    }

    fileprivate func elements(_ tag: UInt8) throws(SnapshotError) -> [TLVValue] {
        guard let values = self[tag]?.array else { throw .malformed(TLVError(code: .wrongType, path: [tag])) }
        return values
    }
}

extension SnapshotError {
    fileprivate static func malformed(_ error: TLVError) -> SnapshotError {
        SnapshotError(.malformed(error), "the snapshot is not well formed")
    }
}
