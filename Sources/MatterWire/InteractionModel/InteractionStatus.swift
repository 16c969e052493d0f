/// A peer-reported status of the interaction model (Core §8.10). Not one of our own failures.
public struct InteractionStatus: RawRepresentable, Hashable, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let success = Self(rawValue: 0x00)
    public static let failure = Self(rawValue: 0x01)
    public static let invalidSubscription = Self(rawValue: 0x7D)
    public static let unsupportedAccess = Self(rawValue: 0x7E)
    public static let unsupportedEndpoint = Self(rawValue: 0x7F)
    public static let invalidAction = Self(rawValue: 0x80)
    public static let unsupportedCommand = Self(rawValue: 0x81)
    public static let invalidCommand = Self(rawValue: 0x85)
    public static let unsupportedAttribute = Self(rawValue: 0x86)
    public static let constraintError = Self(rawValue: 0x87)
    public static let unsupportedWrite = Self(rawValue: 0x88)
    public static let resourceExhausted = Self(rawValue: 0x89)
    public static let notFound = Self(rawValue: 0x8B)
    public static let unreportableAttribute = Self(rawValue: 0x8C)
    public static let invalidDataType = Self(rawValue: 0x8D)
    public static let unsupportedRead = Self(rawValue: 0x8F)
    public static let dataVersionMismatch = Self(rawValue: 0x92)
    public static let timeout = Self(rawValue: 0x94)
    public static let unsupportedNode = Self(rawValue: 0x9B)
    public static let busy = Self(rawValue: 0x9C)
    public static let accessRestricted = Self(rawValue: 0x9D)
    public static let unsupportedCluster = Self(rawValue: 0xC3)
    public static let noUpstreamSubscription = Self(rawValue: 0xC5)
    public static let needsTimedInteraction = Self(rawValue: 0xC6)
    public static let unsupportedEvent = Self(rawValue: 0xC7)
    public static let pathsExhausted = Self(rawValue: 0xC8)
    public static let timedRequestMismatch = Self(rawValue: 0xC9)
    public static let failsafeRequired = Self(rawValue: 0xCA)
    public static let invalidInState = Self(rawValue: 0xCB)
    public static let noCommandResponse = Self(rawValue: 0xCC)
}

/// A status with its optional cluster-specific part: `status` is `failure` when `clusterStatus` is an error.
public struct StatusIB: Hashable, Sendable, Error {
    public var status: InteractionStatus
    public var clusterStatus: UInt8?
    public init(_ status: InteractionStatus, clusterStatus: UInt8? = nil) {
        self.status = status
        self.clusterStatus = clusterStatus
    }
    public static let success = StatusIB(.success)
}
