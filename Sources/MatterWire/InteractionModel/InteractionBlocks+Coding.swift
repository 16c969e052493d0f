// How blocks are laid out in TLV. Paths are lists; writers emit ascending tags, readers take any order and refuse
// a member that is there twice, since two readers could disagree on which one counts (Core §10.6; trap: a reader
// that took an out-of-order endpoint for a wildcard switched every endpoint of a bridge).

extension TLVValue {
    /// The unsigned member `tag` as an id; `nil` when absent.
    fileprivate func optionalID<ID: RawRepresentable>(_ tag: UInt8, as: ID.Type = ID.self) throws(TLVError) -> ID?
    where ID.RawValue: FixedWidthInteger & UnsignedInteger {
        guard let raw = try optionalInteger(tag, as: ID.RawValue.self) else { return nil }
        return ID(rawValue: raw)
    }

    /// The unsigned member `tag` as an id.
    fileprivate func id<ID: RawRepresentable>(_ tag: UInt8, as: ID.Type = ID.self) throws(TLVError) -> ID
    where ID.RawValue: FixedWidthInteger & UnsignedInteger {
        guard let id = ID(rawValue: try integer(tag, as: ID.RawValue.self)) else {
            throw TLVError(code: .wrongType, path: [tag])
        }
        return id
    }

    /// Checks that this is a path: a list (or, leniently, a structure) whose members are there once each.
    fileprivate func requirePath() throws(TLVError) {
        guard let members else { throw TLVError(code: .wrongType) }
        var seen: Set<TLVTag> = []
        for member in members where !seen.insert(member.tag).inserted { throw TLVError(code: .duplicateTag) }
    }
}

extension TLVError {
    /// The same error, its path continued outwards by `tag`.
    func within(_ tag: UInt8) -> TLVError { TLVError(code: code, offset: offset, path: [tag] + path) }
}

extension TLVValue {
    /// Reads the member `tag` with `body`; an error names the whole path.
    func read<T>(_ tag: UInt8, _ body: (TLVValue) throws(TLVError) -> T) throws(TLVError) -> T {
        let value = try require(tag)
        do {
            return try body(value)
        } catch {
            throw error.within(tag)
        }
    }

    /// Reads every item of the array `tag` with `body`; no items when the member is absent.
    func readItems<T>(_ tag: UInt8, _ body: (TLVValue) throws(TLVError) -> T) throws(TLVError) -> [T] {
        guard let value = self[tag] else { return [] }
        guard let items = value.array else { throw TLVError(code: .wrongType, path: [tag]) }
        var result: [T] = []
        result.reserveCapacity(items.count)
        for item in items {
            do {
                result.append(try body(item))
            } catch {
                throw error.within(tag)
            }
        }
        return result
    }

    /// A list whose members have the given context tags; members whose value is `nil` are left out.
    static func path(_ members: (UInt8, TLVValue?)...) -> TLVValue {
        .list(members.compactMap { tag, value in value.map { TLVElement(tag, $0) } })
    }
}

extension Array where Element == TLVElement {
    /// Members with context tags; those whose value is `nil` are left out.
    init(tagged members: (UInt8, TLVValue?)...) {
        self = members.compactMap { tag, value in value.map { TLVElement(tag, $0) } }
    }
}

// MARK: - Paths

extension AttributePath {
    /// Reads an AttributePathIB, with the list index that goes with it.
    ///
    /// The node member is ignored: a path on a session means the session's node. Tag compression is refused, since
    /// no peer sends it and its meaning hangs on the path before.
    static func decode(_ value: TLVValue) throws(TLVError) -> (path: AttributePath, listIndex: ListIndex?) {
        try value.requirePath()
        if try value.optionalBool(0) == true { throw TLVError(code: .wrongType, path: [0]) }
        var listIndex: ListIndex?
        if let index = value[5] {
            listIndex = index.isNull ? .append : .item(try value.integer(5, as: UInt16.self))
        }
        let path = AttributePath(
            endpoint: try value.optionalID(2), cluster: try value.optionalID(3), attribute: try value.optionalID(4))
        return (path, listIndex)
    }

    static func decodeRequest(_ value: TLVValue) throws(TLVError) -> AttributePath { try decode(value).path }

    func encoded(listIndex: ListIndex? = nil) -> TLVValue {
        let index: TLVValue? =
            switch listIndex {
            case .append: .null
            case .item(let place): .uint(place)
            case nil: nil
            }
        return .path(
            (2, (endpoint?.rawValue).map(TLVValue.uint)), (3, (cluster?.rawValue).map(TLVValue.uint)),
            (4, (attribute?.rawValue).map(TLVValue.uint)), (5, index))
    }
}

extension EventPath {
    init(value: TLVValue) throws(TLVError) {
        try value.requirePath()
        self.init(
            endpoint: try value.optionalID(1), cluster: try value.optionalID(2), event: try value.optionalID(3),
            isUrgent: try value.optionalBool(4) ?? false)
    }

    var encodedPath: TLVValue {
        .path(
            (1, (endpoint?.rawValue).map(TLVValue.uint)), (2, (cluster?.rawValue).map(TLVValue.uint)),
            (3, (event?.rawValue).map(TLVValue.uint)), (4, isUrgent ? .bool(true) : nil))
    }
}

extension CommandPath {
    init(value: TLVValue) throws(TLVError) {
        try value.requirePath()
        self.init(endpoint: try value.optionalID(0), cluster: try value.id(1), command: try value.id(2))
    }

    var encodedPath: TLVValue {
        .path(
            (0, (endpoint?.rawValue).map(TLVValue.uint)), (1, .uint(cluster.rawValue)),
            (2, .uint(command.rawValue)))
    }
}

// MARK: - Status

extension StatusIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        self.init(
            InteractionStatus(rawValue: try value.integer(0)), clusterStatus: try value.optionalInteger(1))
    }

    var encodedBlock: TLVValue {
        .members((0, .uint(status.rawValue)), (1, clusterStatus.map(TLVValue.uint)))
    }
}

// MARK: - Attributes

extension AttributeDataIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        let (path, listIndex) = try value.read(1, AttributePath.decode)
        self.init(
            version: try value.optionalID(0), path: path, listIndex: listIndex, value: try value.require(2))
    }

    var encodedBlock: TLVValue {
        .members(
            (0, (version?.rawValue).map(TLVValue.uint)), (1, path.encoded(listIndex: listIndex)), (2, value))
    }
}

extension AttributeReportIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        if value[1] != nil {
            self = .data(try value.read(1, AttributeDataIB.init(value:)))
        } else {
            let (path, status) = try value.read(0, AttributePath.decodeStatus)
            self = .status(path, status)
        }
    }

    var encodedBlock: TLVValue {
        switch self {
        case .status(let path, let status): .members((0, path.encodedStatus(status)))
        case .data(let block): .members((1, block.encodedBlock))
        }
    }
}

extension AttributePath {
    /// Reads an AttributeStatusIB.
    static func decodeStatus(_ value: TLVValue) throws(TLVError) -> (AttributePath, StatusIB) {
        try value.requireStructure()
        return (try value.read(0, AttributePath.decodeRequest), try value.read(1, StatusIB.init(value:)))
    }

    func encodedStatus(_ status: StatusIB) -> TLVValue { .members((0, encoded()), (1, status.encodedBlock)) }
}

extension DataVersionFilter {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        let (endpoint, cluster) = try value.read(0) { path throws(TLVError) -> (EndpointID, ClusterID) in
            try path.requirePath()
            return (try path.id(1), try path.id(2))
        }
        self.init(endpoint: endpoint, cluster: cluster, version: try value.id(1))
    }

    var encodedBlock: TLVValue {
        .members(
            (0, .path((1, .uint(endpoint.rawValue)), (2, .uint(cluster.rawValue)))), (1, .uint(version.rawValue)))
    }
}

// MARK: - Events

extension EventFilter {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        self.init(node: try value.optionalID(0), minimum: try value.integer(1))
    }

    var encodedBlock: TLVValue { .members((0, (node?.rawValue).map(TLVValue.uint)), (1, .uint(minimum))) }
}

extension EventDataIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        guard let priority = Priority(rawValue: try value.integer(2)) else {
            throw TLVError(code: .wrongType, path: [2])
        }
        var timestamp: Timestamp?
        if let time: UInt64 = try value.optionalInteger(3) {
            timestamp = .epoch(time)
        } else if let time: UInt64 = try value.optionalInteger(4) {
            timestamp = .system(time)
        } else if let time: UInt64 = try value.optionalInteger(5) {
            timestamp = .deltaEpoch(time)
        } else if let time: UInt64 = try value.optionalInteger(6) {
            timestamp = .deltaSystem(time)
        }
        self.init(
            path: try value.read(0, EventPath.init(value:)), number: try value.integer(1), priority: priority,
            timestamp: timestamp, fields: value[7])
    }

    var encodedBlock: TLVValue {
        let time: (UInt8, TLVValue?) =
            switch timestamp {
            case .epoch(let time): (3, .uint(time))
            case .system(let time): (4, .uint(time))
            case .deltaEpoch(let time): (5, .uint(time))
            case .deltaSystem(let time): (6, .uint(time))
            case nil: (3, nil)
            }
        return .members(
            (0, path.encodedPath), (1, .uint(number)), (2, .uint(priority.rawValue)), time, (7, fields))
    }
}

extension EventReportIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        if value[1] != nil {
            self = .data(try value.read(1, EventDataIB.init(value:)))
        } else {
            let (path, status) = try value.read(0) { block throws(TLVError) -> (EventPath, StatusIB) in
                try block.requireStructure()
                return (try block.read(0, EventPath.init(value:)), try block.read(1, StatusIB.init(value:)))
            }
            self = .status(path, status)
        }
    }

    var encodedBlock: TLVValue {
        switch self {
        case .status(let path, let status):
            .members((0, .members((0, path.encodedPath), (1, status.encodedBlock))))
        case .data(let block):
            .members((1, block.encodedBlock))
        }
    }
}

// MARK: - Commands

extension CommandDataIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        let fields = value[1] ?? .structure([])
        guard case .structure = fields else { throw TLVError(code: .wrongType, path: [1]) }
        self.init(
            path: try value.read(0, CommandPath.init(value:)), fields: fields,
            reference: try value.optionalInteger(2))
    }

    var encodedBlock: TLVValue {
        .members((0, path.encodedPath), (1, fields), (2, reference.map(TLVValue.uint)))
    }
}

extension CommandStatusIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        self.init(
            path: try value.read(0, CommandPath.init(value:)), status: try value.read(1, StatusIB.init(value:)),
            reference: try value.optionalInteger(2))
    }

    var encodedBlock: TLVValue {
        .members((0, path.encodedPath), (1, status.encodedBlock), (2, reference.map(TLVValue.uint)))
    }
}

extension InvokeResponseIB {
    init(value: TLVValue) throws(TLVError) {
        try value.requireStructure()
        if value[0] != nil {
            self = .command(try value.read(0, CommandDataIB.init(value:)))
        } else {
            self = .status(try value.read(1, CommandStatusIB.init(value:)))
        }
    }

    var encodedBlock: TLVValue {
        switch self {
        case .command(let block): .members((0, block.encodedBlock))
        case .status(let block): .members((1, block.encodedBlock))
        }
    }
}
