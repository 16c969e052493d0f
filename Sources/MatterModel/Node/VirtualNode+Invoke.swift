public import MatterWire

extension VirtualNode {
    /// Invokes one command; an endpoint that is a wildcard invokes it wherever the invoker may (Core §8.8.2).
    ///
    /// - Parameter fields: the command's structure.
    /// - Returns: one outcome for each endpoint that was meant.
    public mutating func invoke(
        _ path: CommandPath, fields: TLVValue, context: InteractionContext
    ) -> [(CommandPath, InvokeOutcome)] {
        settle(now: context.now)
        listWrites[context.session] = nil
        var outcomes: [(CommandPath, InvokeOutcome)] = []
        for endpoint in path.endpoint.map({ [$0] }) ?? store.endpointIDs {
            let concrete = CommandPath(endpoint: endpoint, cluster: path.cluster, command: path.command)
            do throws(StatusIB) {
                try admit(path.command, of: path.cluster, on: endpoint, context)
            } catch {
                if path.endpoint != nil { outcomes.append((concrete, .status(error))) }
                continue
            }
            do throws(StatusIB) {
                guard case .structure = fields else { throw StatusIB(.invalidCommand) }
                try check(fields, of: path.command, of: path.cluster, on: endpoint)
                let invocation = Invocation(
                    endpoint: endpoint, command: path.command.rawValue, fields: fields, context: context)
                outcomes.append((concrete, try perform(invocation, of: path.cluster)))
            } catch {
                outcomes.append((concrete, .status(error)))
            }
        }
        return outcomes
    }

    /// Whether a command exists and may be invoked: existence, access, timed, fabric.
    private func admit(
        _ command: CommandID, of cluster: ClusterID, on endpoint: EndpointID, _ context: InteractionContext
    ) throws(StatusIB) {
        guard let node = store[endpoint] else { throw StatusIB(.unsupportedEndpoint) }
        guard let instance = node.clusters[cluster] else { throw StatusIB(.unsupportedCluster) }
        guard let definition = instance.commands[command] else { throw StatusIB(.unsupportedCommand) }
        guard allows(definition.invoke, on: endpoint, cluster, context) else { throw StatusIB(.unsupportedAccess) }
        guard context.isTimed || !definition.isTimed else { throw StatusIB(.needsTimedInteraction) }
        guard !definition.isFabricScoped || fabricTable[context.fabricIndex] != nil else {
            throw StatusIB(.unsupportedAccess)
        }
    }

    /// Whether the fields are as the cluster's table has them.
    private func check(
        _ fields: TLVValue, of command: CommandID, of cluster: ClusterID, on endpoint: EndpointID
    ) throws(StatusIB) {
        for field in store[endpoint, cluster]?.commands[command]?.fields ?? [] {
            if let fault = field.fault(in: fields) { throw StatusIB(fault) }
        }
    }

    private mutating func perform(_ invocation: Invocation, of cluster: ClusterID) throws(StatusIB) -> InvokeOutcome {
        switch cluster {
        case .generalCommissioning: try invokeGeneralCommissioning(invocation)
        case .operationalCredentials: try invokeOperationalCredentials(invocation)
        case .administratorCommissioning: try invokeAdministratorCommissioning(invocation)
        case .generalDiagnostics: try invokeGeneralDiagnostics(invocation)
        case .groupKeyManagement: try invokeGroupKeyManagement(invocation)
        case .identify: try invokeIdentify(invocation)
        case .groups: try invokeGroups(invocation)
        case .onOff: try invokeOnOff(invocation)
        case .levelControl: try invokeLevelControl(invocation)
        case .colorControl: try invokeColorControl(invocation)
        case .doorLock: try invokeDoorLock(invocation)
        case .windowCovering: try invokeWindowCovering(invocation)
        case .thermostat: try invokeThermostat(invocation)
        case .fanControl: try invokeFanControl(invocation)
        default: throw StatusIB(.unsupportedCommand)
        }
    }
}

/// A command that was admitted, with what its handler needs.
struct Invocation {
    let endpoint: EndpointID
    let command: UInt32
    /// A structure.
    let fields: TLVValue
    let context: InteractionContext

    /// A number that the table has checked; `nil` when it is null or left out.
    func number(_ tag: UInt8) -> Int? {
        fields[tag]?.unsigned.map { Int($0) } ?? fields[tag]?.signed.map { Int($0) }
    }

    /// A number that the table has checked, of a field that must be there and not null.
    func required(_ tag: UInt8) throws(StatusIB) -> Int {
        guard let number = number(tag) else { throw StatusIB(.invalidCommand) }
        return number
    }

    /// Reads fields; any that is missing, of another type or out of its type's range makes the command invalid.
    func decode<R>(_ body: (TLVValue) throws(TLVError) -> R) throws(StatusIB) -> R {
        do throws(TLVError) {
            return try body(fields)
        } catch {
            throw StatusIB(.invalidCommand)
        }
    }
}
