public import MatterWire

/// Events: what happened, for those who read or subscribe to it (Core §8.9.3).
///
/// Those of AccessControl, ShutDown and Leave are not recorded.
extension VirtualNode {
    /// Reads events, oldest first: those that the paths mean, the reader may see, and no filter holds back.
    ///
    /// A path without wildcards that can't be read gets a status.
    public mutating func events(
        _ paths: [EventPath], filters: [EventFilter], fabricFiltered: Bool, context: InteractionContext
    ) -> [EventReportIB] {
        settle(now: context.now)
        var reports: [EventReportIB] = []
        for path in paths {
            guard let endpoint = path.endpoint, let cluster = path.cluster, let event = path.event else { continue }
            do throws(StatusIB) {
                let definition = try eventDefinition(event, of: cluster, on: endpoint)
                guard allows(definition.read, on: endpoint, cluster, context) else {
                    throw StatusIB(.unsupportedAccess)
                }
            } catch {
                reports.append(.status(path, error))
            }
        }
        let minimum = filters.map(\.minimum).max() ?? 0
        for event in eventLog.events where event.number >= minimum && paths.contains(where: { $0.covers(event.path) }) {
            if isVisible(event.path, context) { reports.append(.data(event)) }
        }
        return reports
    }

    private func eventDefinition(
        _ event: EventID, of cluster: ClusterID, on endpoint: EndpointID
    ) throws(StatusIB) -> EventDefinition {
        guard let node = store[endpoint] else { throw StatusIB(.unsupportedEndpoint) }
        guard let instance = node.clusters[cluster] else { throw StatusIB(.unsupportedCluster) }
        guard let definition = instance.events[event] else { throw StatusIB(.unsupportedEvent) }
        return definition
    }

    private func isVisible(_ path: EventPath, _ context: InteractionContext) -> Bool {
        guard let endpoint = path.endpoint, let cluster = path.cluster, let event = path.event,
            let definition = store[endpoint, cluster]?.events[event]
        else { return false }
        return allows(definition.read, on: endpoint, cluster, context)
    }

    /// Records an event, if the cluster instance has it.
    mutating func record(
        _ event: UInt32, of cluster: ClusterID, on endpoint: EndpointID, _ fields: TLVValue, now: MonotonicInstant
    ) {
        let id = EventID(rawValue: event)
        guard let definition = store[endpoint, cluster]?.events[id] else { return }
        let since = max(.zero, bootedAt.duration(to: now))
        let milliseconds =
            UInt64(since.components.seconds) * 1000 + UInt64(since.components.attoseconds) / 1_000_000_000_000_000
        let path = EventPath(endpoint: endpoint, cluster: cluster, event: id)
        if eventLog.append(path, definition.priority, fields, at: .system(milliseconds)) { emit(.persist) }
        emit(.eventRecorded)
    }

    /// Records what a sensor or switch sees.
    mutating func recordSensed(
        _ path: ConcreteAttributePath, from old: TLVValue?, to new: TLVValue, now: MonotonicInstant
    ) {
        switch (path.cluster, path.attribute.rawValue) {
        case (.booleanState, 0x0000), (.occupancySensing, 0x0000):
            record(0x00, of: path.cluster, on: path.endpoint, .members((0, new)), now: now)
        case (.bridgedDeviceBasicInformation, 0x0011):
            record(0x03, of: path.cluster, on: path.endpoint, .members((0, new)), now: now)
        case (.switchCluster, 0x0001):
            // A momentary switch rests at 0: away from it is a press, back to it the release.
            if new.unsigned == 0 {
                record(0x03, of: path.cluster, on: path.endpoint, .members((0, old)), now: now)
            } else {
                record(0x01, of: path.cluster, on: path.endpoint, .members((0, new)), now: now)
            }
        default: break
        }
    }

    /// The node has started: its version, and why it started.
    mutating func recordStart(now: MonotonicInstant) {
        record(0x00, of: .basicInformation, on: .root, .members((0, .uint(configuration.softwareVersion))), now: now)
        let reason = store[ConcreteAttributePath(.root, .generalDiagnostics, 0x0004)] ?? .uint(0 as UInt8)
        record(0x03, of: .generalDiagnostics, on: .root, .members((0, reason)), now: now)
    }
}

extension EventPath {
    /// Whether a path, perhaps with wildcards, means a concrete one.
    func covers(_ other: EventPath) -> Bool {
        (endpoint == nil || endpoint == other.endpoint) && (cluster == nil || cluster == other.cluster)
            && (event == nil || event == other.event)
    }
}
