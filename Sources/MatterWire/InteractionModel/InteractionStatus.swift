/// A peer-reported status of the interaction model (Core §8.10). Not one of our own failures.
public struct InteractionStatus: RawRepresentable, Hashable, Sendable {
    /// The code on the wire.
    public var rawValue: UInt8
    /// Wraps a code; unknown ones are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// It worked.
    public static let success = Self(rawValue: 0x00)
    /// It failed; a cluster status may say why.
    public static let failure = Self(rawValue: 0x01)
    /// No such subscription; ends it.
    public static let invalidSubscription = Self(rawValue: 0x7D)
    /// The subject may not do this.
    public static let unsupportedAccess = Self(rawValue: 0x7E)
    /// The node has no such endpoint.
    public static let unsupportedEndpoint = Self(rawValue: 0x7F)
    /// The message is malformed or makes no sense here.
    public static let invalidAction = Self(rawValue: 0x80)
    /// The cluster has no such command.
    public static let unsupportedCommand = Self(rawValue: 0x81)
    /// The command's fields are not right.
    public static let invalidCommand = Self(rawValue: 0x85)
    /// The cluster has no such attribute.
    public static let unsupportedAttribute = Self(rawValue: 0x86)
    /// A value is outside its range.
    public static let constraintError = Self(rawValue: 0x87)
    /// The attribute cannot be written.
    public static let unsupportedWrite = Self(rawValue: 0x88)
    /// The node has no room left.
    public static let resourceExhausted = Self(rawValue: 0x89)
    /// No such entry.
    public static let notFound = Self(rawValue: 0x8B)
    /// The attribute cannot be reported.
    public static let unreportableAttribute = Self(rawValue: 0x8C)
    /// The value has another type.
    public static let invalidDataType = Self(rawValue: 0x8D)
    /// The attribute cannot be read.
    public static let unsupportedRead = Self(rawValue: 0x8F)
    /// The cluster has another version by now.
    public static let dataVersionMismatch = Self(rawValue: 0x92)
    /// A timed interaction came too late.
    public static let timeout = Self(rawValue: 0x94)
    /// Not this node.
    public static let unsupportedNode = Self(rawValue: 0x9B)
    /// Try again later.
    public static let busy = Self(rawValue: 0x9C)
    /// A restriction list forbids it.
    public static let accessRestricted = Self(rawValue: 0x9D)
    /// The endpoint has no such cluster.
    public static let unsupportedCluster = Self(rawValue: 0xC3)
    /// A proxy has no source for this.
    public static let noUpstreamSubscription = Self(rawValue: 0xC5)
    /// Only inside a timed interaction.
    public static let needsTimedInteraction = Self(rawValue: 0xC6)
    /// The cluster has no such event.
    public static let unsupportedEvent = Self(rawValue: 0xC7)
    /// Too many paths.
    public static let pathsExhausted = Self(rawValue: 0xC8)
    /// The timed flag and reality disagree.
    public static let timedRequestMismatch = Self(rawValue: 0xC9)
    /// Only with an armed fail-safe.
    public static let failsafeRequired = Self(rawValue: 0xCA)
    /// Not in this state.
    public static let invalidInState = Self(rawValue: 0xCB)
    /// The command gave no response.
    public static let noCommandResponse = Self(rawValue: 0xCC)
}

extension InteractionStatus: CustomStringConvertible {
    /// The status in words with its code, for example `invalid action (0x80)`.
    public var description: String {
        let code = String(rawValue, radix: 16, uppercase: true)
        let padded = "0x" + (code.count < 2 ? "0" : "") + code
        return Self.names[rawValue].map { "\($0) (\(padded))" } ?? "status \(padded)"
    }

    private static let names: [UInt8: String] = [
        0x00: "success", 0x01: "failure", 0x7D: "invalid subscription", 0x7E: "unsupported access",
        0x7F: "unsupported endpoint", 0x80: "invalid action", 0x81: "unsupported command",
        0x85: "invalid command", 0x86: "unsupported attribute", 0x87: "constraint error",
        0x88: "unsupported write", 0x89: "resource exhausted", 0x8B: "not found",
        0x8C: "unreportable attribute", 0x8D: "invalid data type", 0x8F: "unsupported read",
        0x92: "data version mismatch", 0x94: "timeout", 0x9B: "unsupported node", 0x9C: "busy",
        0x9D: "access restricted", 0xC3: "unsupported cluster", 0xC5: "no upstream subscription",
        0xC6: "needs timed interaction", 0xC7: "unsupported event", 0xC8: "paths exhausted",
        0xC9: "timed request mismatch", 0xCA: "failsafe required", 0xCB: "invalid in state",
        0xCC: "no command response",
    ]
}

/// A status with its optional cluster-specific part: `status` is `failure` when `clusterStatus` is an error.
public struct StatusIB: Hashable, Sendable, Error {
    /// The general part.
    public var status: InteractionStatus
    /// The cluster's own code.
    public var clusterStatus: UInt8?
    /// Makes a status, usually without a cluster part.
    public init(_ status: InteractionStatus, clusterStatus: UInt8? = nil) {
        self.status = status
        self.clusterStatus = clusterStatus
    }
    /// It worked.
    public static let success = StatusIB(.success)
    /// Whether it worked; some devices add a cluster status of 0, so equality with ``success`` is not enough.
    public var isSuccess: Bool { status == .success }
}
