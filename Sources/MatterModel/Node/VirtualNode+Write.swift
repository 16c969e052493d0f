public import MatterWire

extension VirtualNode {
    /// Writes one attribute; an endpoint that is a wildcard writes it wherever the writer may.
    ///
    /// A list that is first replaced and then appended to on the same session is one write: what allowed its begin
    /// allows its rest, although the list may be the access control list itself (Core §8.7.3.2).
    ///
    /// - Returns: one status for each path that was meant; none when the cluster or the attribute is a wildcard.
    public mutating func write(_ write: AttributeWrite, context: InteractionContext) -> [AttributeWriteResult] {
        settle(now: context.now)
        guard let cluster = write.path.cluster, let attribute = write.path.attribute else { return [] }
        var results: [AttributeWriteResult] = []
        for endpoint in write.path.endpoint.map({ [$0] }) ?? store.endpointIDs {
            let path = ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute)
            do throws(StatusIB) {
                try self.write(write, at: path, context)
                results.append(AttributeWriteResult(path: path, status: .success))
            } catch {
                let isSkipped = write.path.endpoint == nil && Self.hidden.contains(error.status)
                if !isSkipped { results.append(AttributeWriteResult(path: path, status: error)) }
            }
        }
        return results
    }

    /// Statuses that a path with a wildcard does not report: the path is not meant then.
    private static let hidden: Set<InteractionStatus> = [
        .unsupportedEndpoint, .unsupportedCluster, .unsupportedAttribute, .unsupportedWrite, .unsupportedAccess,
        .needsTimedInteraction,
    ]

    private mutating func write(
        _ write: AttributeWrite, at path: ConcreteAttributePath, _ context: InteractionContext
    ) throws(StatusIB) {
        let goesOn = write.listOperation == .append && listWrites[context.session] == path
        listWrites[context.session] = nil
        let (instance, definition) = try element(at: path)
        guard let privilege = definition.write else { throw StatusIB(.unsupportedWrite) }
        guard goesOn || allows(privilege, on: path.endpoint, path.cluster, context) else {
            throw StatusIB(.unsupportedAccess)
        }
        let isFabricScoped = definition.qualities.contains(.fabricScoped)
        guard !isFabricScoped || fabricTable[context.fabricIndex] != nil else { throw StatusIB(.unsupportedAccess) }
        if let version = write.version, !goesOn, version != instance.version {
            throw StatusIB(.dataVersionMismatch)
        }
        if case .list = definition.type {
            try writeList(write, at: path, definition, context)
            listWrites[context.session] = path
        } else {
            guard write.listOperation == .replaceAll else { throw StatusIB(.invalidDataType) }
            if let fault = definition.fault(in: write.value) { throw StatusIB(fault) }
            try writeValue(write.value, at: path, context)
        }
    }

    private mutating func writeList(
        _ write: AttributeWrite, at path: ConcreteAttributePath, _ definition: AttributeDefinition,
        _ context: InteractionContext
    ) throws(StatusIB) {
        let values: [TLVValue]
        switch write.listOperation {
        case .append: values = [write.value]
        case .replaceAll:
            if let fault = definition.fault(in: write.value) { throw StatusIB(fault) }
            values = write.value.array ?? []
        }
        let replaces = write.listOperation == .replaceAll
        switch (path.cluster, path.attribute.rawValue) {
        case (.accessControl, 0x0000):
            var entries: [AccessControlEntry] = []
            for value in values { entries.append(try AccessControlEntry(decoding: value)) }
            try updateFabric(context.fabricIndex) { (fabric) throws(StatusIB) in
                let all = (replaces ? [] : fabric.accessControl) + entries
                guard all.count <= AccessControlEntry.maximumEntries else { throw StatusIB(.resourceExhausted) }
                fabric.accessControl = all
            }
            changed(path)
            emit(.persist)
        case (.groupKeyManagement, 0x0000):
            var entries: [GroupKeyMapping] = []
            for value in values { entries.append(try GroupKeyMapping(decoding: value)) }
            try updateFabric(context.fabricIndex) { (fabric) throws(StatusIB) in
                let all = (replaces ? [] : fabric.groupKeyMap) + entries
                guard Set(all.map(\.group)).count == all.count else { throw StatusIB(.constraintError) }
                guard all.count <= GroupMembership.maximumGroups else { throw StatusIB(.resourceExhausted) }
                fabric.groupKeyMap = all
            }
            changed(path)
        default: throw StatusIB(.unsupportedWrite)
        }
    }

    private mutating func writeValue(
        _ value: TLVValue, at path: ConcreteAttributePath, _ context: InteractionContext
    ) throws(StatusIB) {
        switch (path.cluster, path.attribute.rawValue) {
        case (.networkCommissioning, 0x0004):
            // A virtual node has no interface to switch off.
            guard value == .bool(true) else { throw StatusIB(.constraintError) }
        default: try writeApplicationValue(value, at: path, now: context.now)
        }
    }

    /// Changes a fabric that exists.
    mutating func updateFabric<R>(
        _ index: FabricIndex, _ body: (inout NodeFabric) throws(StatusIB) -> R
    ) throws(StatusIB) -> R {
        try fabricTable.update(index, body)
    }
}
