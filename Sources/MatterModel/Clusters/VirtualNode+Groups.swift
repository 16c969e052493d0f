import MatterWire

/// Groups, 0x0004, with names (application clusters §1.3): memberships of the accessing fabric's groups.
extension VirtualNode {
    mutating func invokeGroups(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let endpoint = invocation.endpoint
        let index = invocation.context.fabricIndex
        switch invocation.command {
        case 0x00:
            let (group, name) = try named(invocation)
            let status = add(group, name, endpoint, index)
            return answer(0x00, (0, .uint(status.rawValue)), (1, .uint(group)))
        case 0x01:
            let group = try number(invocation)
            let membership = membership(of: endpoint, in: group, index)
            let status: InteractionStatus = group == 0 ? .constraintError : membership == nil ? .notFound : .success
            return answer(
                0x01, (0, .uint(status.rawValue)), (1, .uint(group)), (2, .utf8(membership?.name ?? "")))
        case 0x02: return try listMemberships(invocation)
        case 0x03:
            let group = try number(invocation)
            let isMember = membership(of: endpoint, in: group, index) != nil
            let status: InteractionStatus = group == 0 ? .constraintError : isMember ? .success : .notFound
            if isMember { try leave(endpoint, index) { $0.group.rawValue == group } }
            return answer(0x03, (0, .uint(status.rawValue)), (1, .uint(group)))
        case 0x04:
            try leave(endpoint, index) { _ in true }
            return .status(.success)
        case 0x05:
            let (group, name) = try named(invocation)
            guard isIdentifying(endpoint) else { return .status(.success) }
            return .status(StatusIB(add(group, name, endpoint, index)))
        default: throw StatusIB(.unsupportedCommand)
        }
    }

    private func answer(_ command: UInt32, _ members: (UInt8, TLVValue)...) -> InvokeOutcome {
        .response(CommandID(rawValue: command), .structure(members.map { TLVElement($0.0, $0.1) }))
    }

    private func number(_ invocation: Invocation) throws(StatusIB) -> UInt16 {
        try invocation.decode { (fields) throws(TLVError) in try fields.integer(0, as: UInt16.self) }
    }

    private func named(_ invocation: Invocation) throws(StatusIB) -> (UInt16, String) {
        try invocation.decode { (fields) throws(TLVError) in
            (try fields.integer(0, as: UInt16.self), try fields.string(1))
        }
    }

    private func membership(of endpoint: EndpointID, in group: UInt16, _ index: FabricIndex) -> GroupMembership? {
        fabricTable[index]?.groups.first { $0.group.rawValue == group && $0.endpoints.contains(endpoint) }
    }

    private mutating func add(
        _ group: UInt16, _ name: String, _ endpoint: EndpointID, _ index: FabricIndex
    ) -> InteractionStatus {
        let group = GroupID(rawValue: group)
        do throws(StatusIB) {
            try updateFabric(index) { (fabric) throws(StatusIB) in
                guard group.rawValue != 0, name.utf8.count <= GroupMembership.maximumNameLength else {
                    throw StatusIB(.constraintError)
                }
                guard fabric.hasKeys(for: group) else { throw StatusIB(.unsupportedAccess) }
                guard let place = fabric.groups.firstIndex(where: { $0.group == group }) else {
                    guard fabric.groups.count < GroupMembership.maximumGroups else {
                        throw StatusIB(.resourceExhausted)
                    }
                    fabric.groups.append(GroupMembership(group: group, name: name, endpoints: [endpoint]))
                    return
                }
                fabric.groups[place].name = name
                let endpoints = Set(fabric.groups[place].endpoints).union([endpoint])
                fabric.groups[place].endpoints = endpoints.sorted { $0.rawValue < $1.rawValue }
            }
        } catch {
            return error.status
        }
        groupsChanged()
        return .success
    }

    private mutating func leave(
        _ endpoint: EndpointID, _ index: FabricIndex, where isMeant: (GroupMembership) -> Bool
    ) throws(StatusIB) {
        try updateFabric(index) { (fabric) throws(StatusIB) in
            for place in fabric.groups.indices where isMeant(fabric.groups[place]) {
                fabric.groups[place].endpoints.removeAll { $0 == endpoint }
            }
            fabric.groups.removeAll(where: \.endpoints.isEmpty)
        }
        groupsChanged()
    }

    private func listMemberships(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        guard let asked = invocation.fields[0]?.array?.map(\.unsigned), !asked.contains(nil) else {
            throw StatusIB(.invalidCommand)
        }
        let own = (fabricTable[invocation.context.fabricIndex]?.groups ?? [])
            .filter { $0.endpoints.contains(invocation.endpoint) }.map(\.group.rawValue)
        let groups = asked.isEmpty ? own : own.filter { asked.contains(UInt64($0)) }
        return answer(0x02, (0, .null), (1, .array(groups.map { .uint($0) })))
    }

    private mutating func groupsChanged() {
        changed(.groupKeyManagement, 0x0001)
        emit(.persist)
    }
}
