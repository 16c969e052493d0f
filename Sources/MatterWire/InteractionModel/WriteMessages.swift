/// Writes attributes, or one chunk of a write (Core §10.7.6).
public struct WriteRequest: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .writeRequest }
    /// The receiver answers nothing.
    public var suppressesResponse: Bool
    /// A timed request came before, on the same exchange.
    public var isTimed: Bool
    /// What to write, in order.
    public var writes: [AttributeDataIB]
    /// Another chunk follows the response to this one.
    public var hasMoreChunks: Bool
    /// Makes a request.
    public init(
        writes: [AttributeDataIB], isTimed: Bool = false, suppressesResponse: Bool = false, hasMoreChunks: Bool = false
    ) {
        self.suppressesResponse = suppressesResponse
        self.isTimed = isTimed
        self.writes = writes
        self.hasMoreChunks = hasMoreChunks
    }
    /// Reads the members; `TimedRequest` and the list are mandatory.
    public init(value: TLVValue) throws(TLVError) {
        _ = try value.require(2)
        self.init(
            writes: try value.readItems(2, AttributeDataIB.init(value:)), isTimed: try value.bool(1),
            suppressesResponse: try value.optionalBool(0) ?? false,
            hasMoreChunks: try value.optionalBool(3) ?? false)
    }
    /// The members in tag order.
    public var members: [TLVElement] {
        .init(
            tagged: (0, .bool(suppressesResponse)), (1, .bool(isTimed)), (2, .array(writes.map(\.encodedBlock))),
            (3, .bool(hasMoreChunks)))
    }
}

/// How each write ended, successes included (Core §10.7.7).
public struct WriteResponse: InteractionMessage {
    /// What the message is.
    public static var opcode: InteractionOpcode { .writeResponse }
    /// One status a written path.
    public struct Status: Hashable, Sendable {
        /// The written attribute.
        public var path: AttributePath
        /// How it ended.
        public var status: StatusIB
        /// Makes a status.
        public init(path: AttributePath, status: StatusIB) {
            self.path = path
            self.status = status
        }
    }
    /// In the order of the request.
    public var statuses: [Status]
    /// Makes a response.
    public init(statuses: [Status]) { self.statuses = statuses }
    /// Reads the members.
    public init(value: TLVValue) throws(TLVError) {
        self.init(
            statuses: try value.readItems(0) { block throws(TLVError) -> Status in
                let (path, status) = try AttributePath.decodeStatus(block)
                return Status(path: path, status: status)
            })
    }
    /// The members in tag order.
    public var members: [TLVElement] {
        .init(tagged: (0, .array(statuses.map { $0.path.encodedStatus($0.status) })))
    }
}
