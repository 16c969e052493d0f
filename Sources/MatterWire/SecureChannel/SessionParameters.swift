/// What a node tells of itself while a session is made (Core §4.12.8). Every member may be absent.
public struct SessionParameters: Hashable, Sendable {
    /// How long to wait before a retransmission to a node that sleeps, ms.
    public var idleInterval: UInt32?
    /// How long to wait before a retransmission to a node that is awake, ms.
    public var activeInterval: UInt32?
    /// How long a node stays awake after it sent something, ms.
    public var activeThreshold: UInt16?
    /// The data model's revision, for example 18.
    public var dataModelRevision: UInt16?
    /// The interaction model's revision, for example 12.
    public var interactionModelRevision: UInt16?
    /// Major, minor and dot version in the upper three bytes.
    public var specificationVersion: UInt32?
    /// Command paths in one invoke; absent means 1.
    public var maxPathsPerInvoke: UInt16?
    /// Bit map of transports besides UDP.
    public var supportedTransports: UInt16?
    /// The longest message over TCP, bytes.
    public var maxTCPMessageSize: UInt32?

    /// Creates the value from its members.
    public init(
        idleInterval: UInt32? = nil, activeInterval: UInt32? = nil, activeThreshold: UInt16? = nil,
        dataModelRevision: UInt16? = nil, interactionModelRevision: UInt16? = nil, specificationVersion: UInt32? = nil,
        maxPathsPerInvoke: UInt16? = nil, supportedTransports: UInt16? = nil, maxTCPMessageSize: UInt32? = nil
    ) {
        self.idleInterval = idleInterval
        self.activeInterval = activeInterval
        self.activeThreshold = activeThreshold
        self.dataModelRevision = dataModelRevision
        self.interactionModelRevision = interactionModelRevision
        self.specificationVersion = specificationVersion
        self.maxPathsPerInvoke = maxPathsPerInvoke
        self.supportedTransports = supportedTransports
        self.maxTCPMessageSize = maxTCPMessageSize
    }

    /// Reads the structure; unknown members are skipped.
    ///
    /// - Throws: ``TLVError`` when a member has another type or is out of range.
    public init(_ value: TLVValue) throws(TLVError) {
        guard case .structure = value else { throw TLVError(code: .wrongType) }
        idleInterval = try value.optionalInteger(1)
        activeInterval = try value.optionalInteger(2)
        activeThreshold = try value.optionalInteger(3)
        dataModelRevision = try value.optionalInteger(4)
        interactionModelRevision = try value.optionalInteger(5)
        specificationVersion = try value.optionalInteger(6)
        maxPathsPerInvoke = try value.optionalInteger(7)
        supportedTransports = try value.optionalInteger(8)
        maxTCPMessageSize = try value.optionalInteger(9)
    }

    /// The parameters as a structure, absent members left out.
    public var value: TLVValue {
        .members(
            (1, idleInterval.map { .uint($0) }), (2, activeInterval.map { .uint($0) }),
            (3, activeThreshold.map { .uint($0) }), (4, dataModelRevision.map { .uint($0) }),
            (5, interactionModelRevision.map { .uint($0) }), (6, specificationVersion.map { .uint($0) }),
            (7, maxPathsPerInvoke.map { .uint($0) }), (8, supportedTransports.map { .uint($0) }),
            (9, maxTCPMessageSize.map { .uint($0) }))
    }
}

extension TLVValue {
    /// The optional session parameters at `tag`.
    func optionalSessionParameters(_ tag: UInt8) throws(TLVError) -> SessionParameters? {
        guard let member = self[tag] else { return nil }
        return try SessionParameters(member)
    }

    /// - Throws: ``TLVError`` `wrongType` when the value is not a structure.
    func requireStructure() throws(TLVError) {
        guard case .structure = self else { throw TLVError(code: .wrongType) }
    }

    /// The session identifier at `tag`; 0 is refused, since it names the unsecured session.
    func sessionID(_ tag: UInt8) throws(TLVError) -> SessionID {
        let id = SessionID(rawValue: try integer(tag))
        guard id != .unsecured else { throw TLVError(code: .wrongType, path: [tag]) }
        return id
    }
}
