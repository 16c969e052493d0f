public import MatterWire

/// How a requester proved who it is (Core §9.10.5.2).
public enum AuthenticationMode: UInt8, Hashable, Sendable {
    /// By passcode; entries never have it, because PASE has its privilege without one.
    case pase = 1
    /// By an operational certificate.
    case `case` = 2
    /// By a group key.
    case group = 3
}

/// What part of a node an access control entry is about; absent members do not restrict (Core §9.10.5.5).
public struct AccessControlTarget: Hashable, Sendable {
    /// Only this cluster.
    public var cluster: ClusterID?
    /// Only this endpoint; excludes ``deviceType``.
    public var endpoint: EndpointID?
    /// Only endpoints of this device type; excludes ``endpoint``.
    public var deviceType: DeviceTypeID?

    /// Makes a target; at least one member must be there for it to be valid.
    public init(cluster: ClusterID? = nil, endpoint: EndpointID? = nil, deviceType: DeviceTypeID? = nil) {
        self.cluster = cluster
        self.endpoint = endpoint
        self.deviceType = deviceType
    }

    /// Reads a target; a constraint that it breaks is thrown as a status.
    init(decoding value: TLVValue) throws(StatusIB) {
        func member<T: FixedWidthInteger & UnsignedInteger>(_ tag: UInt8, _: T.Type) throws(StatusIB) -> T? {
            guard let member = value[tag], !member.isNull else { return nil }
            guard let number = member.unsigned else { throw StatusIB(.invalidDataType) }
            guard let narrow = T(exactly: number), narrow != T.max else { throw StatusIB(.constraintError) }
            return narrow
        }
        guard case .structure = value else { throw StatusIB(.invalidDataType) }
        cluster = try member(0, UInt32.self).map(ClusterID.init(rawValue:))
        endpoint = try member(1, UInt16.self).map(EndpointID.init(rawValue:))
        deviceType = try member(2, UInt32.self).map(DeviceTypeID.init(rawValue:))
        guard cluster != nil || endpoint != nil || deviceType != nil, endpoint == nil || deviceType == nil else {
            throw StatusIB(.constraintError)
        }
    }

    var encoded: TLVValue {
        .members(
            (0, cluster.map { .uint($0.rawValue) } ?? .null), (1, endpoint.map { .uint($0.rawValue) } ?? .null),
            (2, deviceType.map { .uint($0.rawValue) } ?? .null))
    }

    func matches(_ endpoint: EndpointID, _ cluster: ClusterID, deviceTypes: [DeviceTypeEntry]) -> Bool {
        (self.cluster.map { $0 == cluster } ?? true) && (self.endpoint.map { $0 == endpoint } ?? true)
            && (deviceType.map { type in deviceTypes.contains { $0.id == type } } ?? true)
    }
}

/// One grant of a fabric: who may do what on which part of the node (Core §9.10.5.6).
public struct AccessControlEntry: Hashable, Sendable {
    /// Most subjects in an entry.
    public static let maximumSubjects = 4
    /// Most targets in an entry.
    public static let maximumTargets = 3
    /// Most entries of one fabric.
    public static let maximumEntries = 4

    /// What is granted.
    public var privilege: Privilege
    /// How the subject must have proved itself.
    public var authMode: AuthenticationMode
    /// Node ids, tags or groups; `nil` stands for everyone with this ``authMode``. Never empty.
    public var subjects: [UInt64]?
    /// Parts of the node; `nil` stands for all of it. Never empty.
    public var targets: [AccessControlTarget]?

    /// Makes an entry; empty lists mean the same as `nil` and become it.
    public init(
        privilege: Privilege, authMode: AuthenticationMode = .case, subjects: [UInt64]? = nil,
        targets: [AccessControlTarget]? = nil
    ) {
        self.privilege = privilege
        self.authMode = authMode
        self.subjects = subjects?.isEmpty == true ? nil : subjects
        self.targets = targets?.isEmpty == true ? nil : targets
    }

    /// Reads an entry as a writer sends it; its fabric index, if any, is not looked at.
    ///
    /// - Throws: `invalidDataType` for a member that is missing or of another type, `constraintError` for a value that
    ///   the specification forbids, `resourceExhausted` for more subjects or targets than are kept.
    init(decoding value: TLVValue) throws(StatusIB) {
        guard case .structure = value, let privilege = value[1]?.unsigned, let authMode = value[2]?.unsigned,
            let subjects = value[3], let targets = value[4]
        else { throw StatusIB(.invalidDataType) }
        guard let privilege = UInt8(exactly: privilege).flatMap(Privilege.init(rawValue:)),
            let authMode = UInt8(exactly: authMode).flatMap(AuthenticationMode.init(rawValue:))
        else { throw StatusIB(.constraintError) }
        self.init(
            privilege: privilege, authMode: authMode, subjects: try Self.subjects(subjects, authMode),
            targets: try Self.targets(targets))
        guard authMode != .pase, authMode != .group || privilege != .administer else {
            throw StatusIB(.constraintError)
        }
    }

    /// The members without the fabric index.
    var members: [TLVElement] {
        [
            TLVElement(1, .uint(privilege.rawValue)), TLVElement(2, .uint(authMode.rawValue)),
            TLVElement(3, subjects.map { .array($0.map { .uint($0) }) } ?? .null),
            TLVElement(4, targets.map { .array($0.map(\.encoded)) } ?? .null),
        ]
    }

    private static func subjects(_ value: TLVValue, _ authMode: AuthenticationMode) throws(StatusIB) -> [UInt64]? {
        guard !value.isNull else { return nil }
        guard let values = value.array else { throw StatusIB(.invalidDataType) }
        guard values.count <= maximumSubjects else { throw StatusIB(.resourceExhausted) }
        var subjects: [UInt64] = []
        for value in values {
            guard let subject = value.unsigned else { throw StatusIB(.invalidDataType) }
            guard isSubject(subject, for: authMode) else { throw StatusIB(.constraintError) }
            subjects.append(subject)
        }
        return subjects
    }

    private static func targets(_ value: TLVValue) throws(StatusIB) -> [AccessControlTarget]? {
        guard !value.isNull else { return nil }
        guard let values = value.array else { throw StatusIB(.invalidDataType) }
        guard values.count <= maximumTargets else { throw StatusIB(.resourceExhausted) }
        var targets: [AccessControlTarget] = []
        for value in values { targets.append(try AccessControlTarget(decoding: value)) }
        return targets
    }

    /// Whether an entry of this mode may name this subject (Core §6.6.2.1).
    static func isSubject(_ subject: UInt64, for authMode: AuthenticationMode) -> Bool {
        switch authMode {
        case .pase: false
        case .case: isCASESubject(subject)
        case .group: subject >> 16 == 0xFFFF_FFFF_FFFF && subject & 0xFFFF != 0
        }
    }

    /// Whether a value is an operational node id or a CASE authenticated tag with a version.
    static func isCASESubject(_ subject: UInt64) -> Bool {
        NodeID(rawValue: subject).isOperational || tag(subject) != nil
    }

    /// The tag that a subject stands for; `nil` for other subjects and for version 0.
    static func tag(_ subject: UInt64) -> CASEAuthenticatedTag? {
        guard subject >> 32 == 0xFFFF_FFFD else { return nil }
        let tag = CASEAuthenticatedTag(rawValue: UInt32(truncatingIfNeeded: subject))
        return tag.version == 0 ? nil : tag
    }
}

extension AccessControlEntry {
    /// Whether this entry grants a node of its fabric `privilege` on a cluster (Core §6.6.6.2).
    func grants(
        _ privilege: Privilege, to node: NodeID, tags: [CASEAuthenticatedTag], on endpoint: EndpointID,
        _ cluster: ClusterID, deviceTypes: [DeviceTypeEntry]
    ) -> Bool {
        guard authMode == .case, self.privilege.includes(privilege) else { return false }
        let subjectMatches =
            subjects?.contains { subject in
                guard let wanted = Self.tag(subject) else { return subject == node.rawValue }
                return tags.contains { $0.identifier == wanted.identifier && $0.version >= wanted.version }
            } ?? true
        let targetMatches = targets?.contains { $0.matches(endpoint, cluster, deviceTypes: deviceTypes) } ?? true
        return subjectMatches && targetMatches
    }
}
