public import Foundation

/// The domain of ``MTRInteractionError``.
public let MTRInteractionErrorDomain = "MTRInteractionErrorDomain"

/// What the device answered with (the interaction model's status codes, Core §8.10).
public struct MTRInteractionError: CustomNSError, Hashable, Sendable {
    /// The status; the specification's numbers.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// It failed.
        case failure = 0x01
        /// No such subscription.
        case invalidSubscription = 0x7d
        /// Not permitted.
        case unsupportedAccess = 0x7e
        /// No such endpoint.
        case unsupportedEndpoint = 0x7f
        /// A malformed message.
        case invalidAction = 0x80
        /// No such command.
        case unsupportedCommand = 0x81
        /// Malformed arguments of a command.
        case invalidCommand = 0x85
        /// No such attribute.
        case unsupportedAttribute = 0x86
        /// A value out of range.
        case constraintError = 0x87
        /// Not to be written.
        case unsupportedWrite = 0x88
        /// Too much for the device.
        case resourceExhausted = 0x89
        /// Not there.
        case notFound = 0x8b
        /// Not to be subscribed to.
        case unreportableAttribute = 0x8c
        /// A value of another type.
        case invalidDataType = 0x8d
        /// Not to be read.
        case unsupportedRead = 0x8f
        /// Changed in the meantime.
        case dataVersionMismatch = 0x92
        /// Not in time.
        case timeout = 0x94
        /// Later.
        case busy = 0x9c
        /// No such cluster.
        case unsupportedCluster = 0xc3
        /// The device itself is not subscribed.
        case noUpstreamSubscription = 0xc5
        /// Only as a timed interaction.
        case needsTimedInteraction = 0xc6
        /// No such event.
        case unsupportedEvent = 0xc7
        /// Too many paths.
        case pathsExhausted = 0xc8
        /// Said to be timed, or not, and is the other.
        case timedRequestMismatch = 0xc9
        /// Only while the fail-safe is armed.
        case failsafeRequired = 0xca
        /// Not in this state.
        case invalidInState = 0xcb
        /// No answer to one of several commands.
        case noCommandResponse = 0xcc

        /// Whether an error is of this code, also when it is an `NSError`.
        public static func ~= (code: Code, error: any Error) -> Bool {
            let error = error as NSError
            return error.domain == MTRInteractionErrorDomain && error.code == code.rawValue
        }
    }

    /// The status.
    public let code: Code
    /// The cluster's own status, when it gave one.
    public let clusterStatus: UInt8?

    /// Makes an error.
    public init(_ code: Code, clusterStatus: UInt8? = nil) {
        self.code = code
        self.clusterStatus = clusterStatus
    }

    /// ``MTRInteractionErrorDomain``.
    public static var errorDomain: String { MTRInteractionErrorDomain }
    /// The status's number.
    public var errorCode: Int { code.rawValue }
    /// The cluster's own status under `clusterStatus`.
    public var errorUserInfo: [String: Any] { clusterStatus.map { ["clusterStatus": NSNumber(value: $0)] } ?? [:] }
}

/// The older name of ``MTRInteractionError/Code``.
public typealias MTRInteractionErrorCode = MTRInteractionError.Code

/// What a device answers to a commissioning command (Core §11.10.5.1).
public enum MTRGeneralCommissioningCommissioningError: UInt8, Hashable, Sendable, CaseIterable {
    /// Done.
    case ok = 0
    /// An argument out of range.
    case valueOutsideRange = 1
    /// Over a session that may not.
    case invalidAuthentication = 2
    /// Only while the fail-safe is armed.
    case noFailSafe = 3
    /// Another administrator is at it.
    case busyWithOtherAdmin = 4
}
