import MatterProtocol
import MatterWire

/// A node of a few attributes and commands, enough to hold a server to its rules.
struct SmallTarget: InteractionTarget {
    var values: [ConcreteAttributePath: TLVValue] = [:]
    var versions: [ClusterInstance: UInt32] = [:]
    var hidden: Set<ConcreteAttributePath> = []
    var readOnly: Set<ConcreteAttributePath> = []
    var timedOnly: Set<CommandID> = []
    var outcomes: [CommandID: InvokeOutcome] = [:]
    var log: [String] = []
    var eventsToGive: [EventDataIB] = []

    struct ClusterInstance: Hashable {
        var endpoint: EndpointID
        var cluster: ClusterID
    }

    init(_ values: [ConcreteAttributePath: TLVValue] = [:]) { self.values = values }

    mutating func read(
        _ paths: [AttributePath], fabricFiltered: Bool, versionFilters: [DataVersionFilter],
        context: InteractionContext
    ) -> [AttributeReport] {
        var reports: [AttributeReport] = []
        for path in paths {
            if let path = path.concrete {
                reports.append(report(path))
            } else {
                let all = values.keys.filter { matches(path, $0) && !hidden.contains($0) }
                reports += all.sorted { key($0) < key($1) }.map(report)
            }
        }
        return reports.filter { report in
            guard case .data(let path, let version, _) = report else { return true }
            return !versionFilters.contains {
                $0.endpoint == path.endpoint && $0.cluster == path.cluster && $0.version == version
            }
        }
    }

    mutating func write(_ write: AttributeWrite, context: InteractionContext) -> [AttributeWriteResult] {
        let paths: [ConcreteAttributePath] =
            write.path.concrete.map { [$0] }
            ?? values.keys.filter { matches(write.path, $0) }.sorted { key($0) < key($1) }
        return paths.map { path in
            guard let old = values[path] else { return .init(path: path, status: StatusIB(.unsupportedAttribute)) }
            guard !readOnly.contains(path) else { return .init(path: path, status: StatusIB(.unsupportedWrite)) }
            let instance = ClusterInstance(endpoint: path.endpoint, cluster: path.cluster)
            if let version = write.version, version.rawValue != versions[instance, default: 1] {
                return .init(path: path, status: StatusIB(.dataVersionMismatch))
            }
            switch write.listOperation {
            case .replaceAll: values[path] = write.value
            case .append: values[path] = .array((old.array ?? []) + [write.value])
            }
            versions[instance, default: 1] += 1
            log.append("write \(write.listOperation) timed \(context.isTimed)")
            return .init(path: path, status: .success)
        }
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVValue, context: InteractionContext
    ) -> [(CommandPath, InvokeOutcome)] {
        log.append("invoke \(path.command.rawValue) timed \(context.isTimed)")
        let endpoints = path.endpoint.map { [$0] } ?? [EndpointID(rawValue: 1), EndpointID(rawValue: 2)]
        return endpoints.map { endpoint in
            let concrete = CommandPath(endpoint: endpoint, cluster: path.cluster, command: path.command)
            if timedOnly.contains(path.command), !context.isTimed {
                return (concrete, .status(StatusIB(.needsTimedInteraction)))
            }
            return (concrete, outcomes[path.command] ?? .status(.success))
        }
    }

    mutating func events(
        _ paths: [EventPath], filters: [EventFilter], fabricFiltered: Bool, context: InteractionContext
    ) -> [EventReportIB] {
        let minimum = filters.map(\.minimum).max() ?? 0
        return eventsToGive.filter { $0.number >= minimum }.map(EventReportIB.data)
    }

    private func report(_ path: ConcreteAttributePath) -> AttributeReport {
        guard !hidden.contains(path) else { return .status(path: path, StatusIB(.unsupportedAccess)) }
        guard let value = values[path] else { return .status(path: path, StatusIB(.unsupportedAttribute)) }
        let instance = ClusterInstance(endpoint: path.endpoint, cluster: path.cluster)
        return .data(path: path, version: .init(rawValue: versions[instance, default: 1]), value: value)
    }

    private func matches(_ path: AttributePath, _ concrete: ConcreteAttributePath) -> Bool {
        (path.endpoint ?? concrete.endpoint) == concrete.endpoint
            && (path.cluster ?? concrete.cluster) == concrete.cluster
            && (path.attribute ?? concrete.attribute) == concrete.attribute
    }

    private func key(_ path: ConcreteAttributePath) -> UInt64 {
        UInt64(path.endpoint.rawValue) << 48 | UInt64(path.cluster.rawValue & 0xFFFF) << 32
            | UInt64(path.attribute.rawValue)
    }
}

extension ConcreteAttributePath {
    /// A path from numbers.
    init(_ endpoint: UInt16, _ cluster: UInt32, _ attribute: UInt32) {
        self.init(
            endpoint: .init(rawValue: endpoint), cluster: .init(rawValue: cluster),
            attribute: .init(rawValue: attribute))
    }
}

extension AttributePath {
    /// A path from numbers; `nil` is a wildcard.
    init(_ endpoint: UInt16?, _ cluster: UInt32?, _ attribute: UInt32?) {
        self.init(
            endpoint: endpoint.map(EndpointID.init(rawValue:)), cluster: cluster.map(ClusterID.init(rawValue:)),
            attribute: attribute.map(AttributeID.init(rawValue:)))
    }
}

extension CommandPath {
    /// A path from numbers.
    init(_ endpoint: UInt16?, _ cluster: UInt32, _ command: UInt32) {
        self.init(
            endpoint: endpoint.map(EndpointID.init(rawValue:)), cluster: .init(rawValue: cluster),
            command: .init(rawValue: command))
    }
}

extension MonotonicInstant {
    /// An instant so many seconds after the start.
    static func at(_ seconds: Double) -> MonotonicInstant { .init(sinceStart: .seconds(seconds)) }
}

extension InteractionContext {
    /// A CASE session of one node.
    static func operational(
        node: UInt64 = 7, fabric: UInt8 = 1, session: UInt64 = 1, at seconds: Double = 0
    ) -> InteractionContext {
        .init(
            subject: .operational(NodeID(rawValue: node), tags: []), fabricIndex: .init(rawValue: fabric),
            session: session, attestationChallenge: [], now: .at(seconds), wallClock: .init(rawValue: 0))
    }
}

extension InboundMessage {
    /// A message of the interaction model, as a peer would send it.
    init(_ message: some InteractionMessage) {
        self.init(
            protocolID: .interactionModel, opcode: type(of: message).opcode.rawValue, payload: message.encoded())
    }
    /// The same message at its other end.
    init(_ message: OutboundMessage) {
        self.init(protocolID: message.protocolID, opcode: message.opcode, payload: message.payload)
    }
}

extension OutboundMessage {
    /// A message of the interaction model, as one of our machines sends it.
    init(expected message: some InteractionMessage) {
        self.init(
            protocolID: .interactionModel, opcode: type(of: message).opcode.rawValue, payload: message.encoded(),
            reliable: true)
    }
}
