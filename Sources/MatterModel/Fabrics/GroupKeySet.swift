import MatterWire

/// A set of up to three epoch keys (Core §11.2.6.3). Set 0 is the fabric's identity protection key (IPK).
struct GroupKeySet: Hashable, Sendable {
    /// A key and when it comes into use.
    struct Epoch: Hashable, Sendable {
        /// 16 bytes.
        let key: [UInt8]
        /// Microseconds since 2000-01-01T00:00:00Z.
        let start: UInt64
    }

    /// The number of the set that holds the IPK.
    static let ipkID: UInt16 = 0
    /// Most sets of one fabric, the IPK's included.
    static let maximumSets = 3

    let id: UInt16
    /// 1 … 3, oldest first.
    let epochs: [Epoch]

    init(id: UInt16, epochs: [Epoch]) {
        self.id = id
        self.epochs = epochs
    }

    /// Reads the KeySetWrite command's structure and checks the rules of Core §11.2.8.1.
    init(decoding value: TLVValue) throws(StatusIB) {
        func epoch(_ tag: UInt8) throws(StatusIB) -> Epoch? {
            let key = value[tag] ?? .null
            let start = value[tag + 1] ?? .null
            if key.isNull, start.isNull { return nil }
            guard let bytes = key.octets, let begin = start.unsigned else { throw StatusIB(.invalidCommand) }
            guard bytes.count == 16 else { throw StatusIB(.constraintError) }
            return Epoch(key: bytes, start: begin)
        }
        guard let id = value[0]?.unsigned.flatMap(UInt16.init(exactly:)), let policy = value[1]?.unsigned else {
            throw StatusIB(.invalidCommand)
        }
        // Cache-and-sync (1) needs a feature that this node lacks.
        guard policy == 0, let first = try epoch(2), first.start != 0 else { throw StatusIB(.invalidCommand) }
        var epochs = [first]
        for tag: UInt8 in [4, 6] {
            guard let next = try epoch(tag) else { continue }
            guard epochs.count == Int(tag) / 2 - 1, let last = epochs.last, next.start > last.start else {
                throw StatusIB(.invalidCommand)
            }
            epochs.append(next)
        }
        self.init(id: id, epochs: epochs)
    }

    /// The structure as KeySetRead answers it: start times, but no keys.
    var readable: TLVValue {
        func start(_ index: Int) -> TLVValue { index < epochs.count ? .uint(epochs[index].start) : .null }
        return .members(
            (0, .uint(id)), (1, .uint(0 as UInt8)), (2, .null), (3, start(0)), (4, .null), (5, start(1)), (6, .null),
            (7, start(2)))
    }
}

/// Which key set protects a group's messages (Core §11.2.6.4).
struct GroupKeyMapping: Hashable, Sendable {
    let group: GroupID
    let keySet: UInt16

    init(group: GroupID, keySet: UInt16) {
        self.group = group
        self.keySet = keySet
    }

    init(decoding value: TLVValue) throws(StatusIB) {
        guard case .structure = value, let group = value[1]?.unsigned, let keySet = value[2]?.unsigned else {
            throw StatusIB(.invalidDataType)
        }
        guard let group = UInt16(exactly: group), let keySet = UInt16(exactly: keySet), group != 0,
            keySet != GroupKeySet.ipkID
        else { throw StatusIB(.constraintError) }
        self.init(group: GroupID(rawValue: group), keySet: keySet)
    }

    var members: [TLVElement] { [TLVElement(1, .uint(group.rawValue)), TLVElement(2, .uint(keySet))] }
}

/// A group that endpoints of this node are members of (Core §11.2.6.5).
struct GroupMembership: Hashable, Sendable {
    /// Most groups of one fabric.
    static let maximumGroups = 12
    /// Most bytes in a group's name.
    static let maximumNameLength = 16

    let group: GroupID
    var name: String
    /// Ascending; never empty.
    var endpoints: [EndpointID]

    var members: [TLVElement] {
        [
            TLVElement(1, .uint(group.rawValue)), TLVElement(2, .array(endpoints.map { .uint($0.rawValue) })),
            TLVElement(3, .utf8(name)),
        ]
    }
}
