import MatterWire

/// GroupKeyManagement, 0x003F (Core §11.2): key sets of the accessing fabric.
extension VirtualNode {
    mutating func invokeGroupKeyManagement(_ invocation: Invocation) throws(StatusIB) -> InvokeOutcome {
        let index = invocation.context.fabricIndex
        switch invocation.command {
        case 0x00:
            guard let fields = invocation.fields[0] else { throw StatusIB(.invalidCommand) }
            let set = try GroupKeySet(decoding: fields)
            try updateFabric(index) { (fabric) throws(StatusIB) in try fabric.store(set) }
            if set.id == GroupKeySet.ipkID { emit(.fabricUpdated(index)) }
            emit(.persist)
            return .status(.success)
        case 0x01:
            let id = try setID(invocation)
            guard let set = fabricTable[index]?.keySets.first(where: { $0.id == id }) else {
                throw StatusIB(.notFound)
            }
            return .response(CommandID(rawValue: 0x02), .members((0, set.readable)))
        case 0x03:
            let id = try setID(invocation)
            guard id != GroupKeySet.ipkID else { throw StatusIB(.invalidCommand) }
            try updateFabric(index) { (fabric) throws(StatusIB) in
                guard fabric.keySets.contains(where: { $0.id == id }) else { throw StatusIB(.notFound) }
                fabric.keySets.removeAll { $0.id == id }
                fabric.groupKeyMap.removeAll { $0.keySet == id }
            }
            changed(.groupKeyManagement, 0x0000)
            emit(.persist)
            return .status(.success)
        case 0x04:
            let ids = (fabricTable[index]?.keySets ?? []).map(\.id).sorted()
            return .response(CommandID(rawValue: 0x05), .members((0, .array(ids.map { .uint($0) }))))
        default: throw StatusIB(.unsupportedCommand)
        }
    }

    private func setID(_ invocation: Invocation) throws(StatusIB) -> UInt16 {
        try invocation.decode { (fields) throws(TLVError) in try fields.integer(0, as: UInt16.self) }
    }
}
