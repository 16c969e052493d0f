public import MatterWire

extension VirtualNode {
    /// Answers a read: wildcards are expanded, and what the reader may not see is left out of them; a path without a
    /// wildcard that can't be read gets a status (Core §8.4.3).
    ///
    /// - Parameters:
    ///   - fabricFiltered: lists of fabric-scoped entries have only those of the accessing fabric.
    ///   - versionFilters: clusters that the reader has at these versions are left out.
    /// - Returns: in the order of the paths, within a path by endpoint, cluster and attribute.
    public mutating func read(
        _ paths: [AttributePath], fabricFiltered: Bool, versionFilters: [DataVersionFilter] = [],
        context: InteractionContext
    ) -> [AttributeReport] {
        settle(now: context.now)
        listWrites[context.session] = nil
        return paths.flatMap { path in
            if let concrete = path.concrete {
                return [report(concrete, fabricFiltered, context)].filter { !isKnown($0, versionFilters) }
            }
            return expand(path, versionFilters).compactMap { concrete in
                let report = report(concrete, fabricFiltered, context)
                if case .data = report { return report }
                return nil
            }
        }
    }

    private func expand(_ path: AttributePath, _ filters: [DataVersionFilter]) -> [ConcreteAttributePath] {
        var paths: [ConcreteAttributePath] = []
        for endpoint in store.endpoints(matching: path.endpoint) {
            for cluster in store[endpoint]?.clusterIDs ?? [] where path.cluster == nil || path.cluster == cluster {
                guard let instance = store[endpoint, cluster] else { continue }
                let filter = DataVersionFilter(endpoint: endpoint, cluster: cluster, version: instance.version)
                if filters.contains(filter) { continue }
                for attribute in instance.attributeIDs where path.attribute == nil || path.attribute == attribute {
                    paths.append(ConcreteAttributePath(endpoint: endpoint, cluster: cluster, attribute: attribute))
                }
            }
        }
        return paths
    }

    private func isKnown(_ report: AttributeReport, _ filters: [DataVersionFilter]) -> Bool {
        switch report {
        case .data(let path, let version, _):
            filters.contains(DataVersionFilter(endpoint: path.endpoint, cluster: path.cluster, version: version))
        case .status: false
        }
    }

    private func report(
        _ path: ConcreteAttributePath, _ fabricFiltered: Bool, _ context: InteractionContext
    ) -> AttributeReport {
        do throws(StatusIB) {
            let (instance, definition) = try element(at: path)
            guard allows(definition.read, on: path.endpoint, path.cluster, context) else {
                throw StatusIB(.unsupportedAccess)
            }
            let reader = Reader(
                fabric: context.fabricIndex, filtered: fabricFiltered,
                hidesForeign: definition.qualities.contains(.fabricSensitive), now: context.now)
            guard let value = value(of: path, instance, for: reader) else { throw StatusIB(.failure) }
            return .data(path: path, version: instance.version, value: value)
        } catch {
            return .status(path: path, error)
        }
    }

    /// The attribute that a path names, or why there is none.
    func element(
        at path: ConcreteAttributePath
    ) throws(StatusIB) -> (instance: ClusterInstance, definition: AttributeDefinition) {
        guard let endpoint = store[path.endpoint] else { throw StatusIB(.unsupportedEndpoint) }
        guard let instance = endpoint.clusters[path.cluster] else { throw StatusIB(.unsupportedCluster) }
        guard let definition = instance.attributes[path.attribute] else { throw StatusIB(.unsupportedAttribute) }
        return (instance, definition)
    }

    /// Whether the requester has a privilege on a cluster (Core §6.6.6.2).
    func allows(
        _ privilege: Privilege, on endpoint: EndpointID, _ cluster: ClusterID, _ context: InteractionContext
    ) -> Bool {
        switch context.subject {
        case .pase: return true
        case .operational(let node, let tags):
            guard let fabric = fabricTable[context.fabricIndex], let types = store[endpoint]?.deviceTypes else {
                return false
            }
            return fabric.accessControl.contains {
                $0.grants(privilege, to: node, tags: tags, on: endpoint, cluster, deviceTypes: types)
            }
        }
    }
}
