extension HomeError {
    /// Why a call failed, as an identifier, by the code that it came with.
    ///
    /// The identifiers are the hub's (MatterHub's Protocols/commissioning-session.md) or its client's.
    public enum Reason: Hashable, Sendable {
        /// Of the code `cancelled`.
        case cancelled(CancelledReason)
        /// Of the code `unknown`.
        case unknown(UnknownReason)
        /// Of the code `invalidArgument`.
        case invalidArgument(InvalidArgumentReason)
        /// Of the code `deadlineExceeded`.
        case deadlineExceeded(DeadlineExceededReason)
        /// Of the code `notFound`.
        case notFound(NotFoundReason)
        /// Of the code `permissionDenied`.
        case permissionDenied(PermissionDeniedReason)
        /// Of the code `resourceExhausted`.
        case resourceExhausted(ResourceExhaustedReason)
        /// Of the code `failedPrecondition`.
        case failedPrecondition(FailedPreconditionReason)
        /// Of the code `unimplemented`.
        case unimplemented(UnimplementedReason)
        /// Of the code `internal`.
        case internalError(InternalReason)
        /// Of the code `unavailable`.
        case unavailable(UnavailableReason)
        /// Of the code `unauthenticated`.
        case unauthenticated(UnauthenticatedReason)

        /// - Returns: `nil` for a code without reasons in the SDK.
        init?(_ code: Code, _ text: String) {
            switch code {
            case .cancelled: self = .cancelled(CancelledReason(rawValue: text))
            case .unknown: self = .unknown(UnknownReason(rawValue: text))
            case .invalidArgument: self = .invalidArgument(InvalidArgumentReason(rawValue: text))
            case .deadlineExceeded: self = .deadlineExceeded(DeadlineExceededReason(rawValue: text))
            case .notFound: self = .notFound(NotFoundReason(rawValue: text))
            case .permissionDenied: self = .permissionDenied(PermissionDeniedReason(rawValue: text))
            case .resourceExhausted: self = .resourceExhausted(ResourceExhaustedReason(rawValue: text))
            case .failedPrecondition: self = .failedPrecondition(FailedPreconditionReason(rawValue: text))
            case .unimplemented: self = .unimplemented(UnimplementedReason(rawValue: text))
            case .internal: self = .internalError(InternalReason(rawValue: text))
            case .unavailable: self = .unavailable(UnavailableReason(rawValue: text))
            case .unauthenticated: self = .unauthenticated(UnauthenticatedReason(rawValue: text))
            case .alreadyExists, .aborted, .outOfRange, .dataLoss: return nil
            }
        }

        /// The identifier.
        public var rawValue: String {
            switch self {
            case .cancelled(let reason): reason.rawValue
            case .unknown(let reason): reason.rawValue
            case .invalidArgument(let reason): reason.rawValue
            case .deadlineExceeded(let reason): reason.rawValue
            case .notFound(let reason): reason.rawValue
            case .permissionDenied(let reason): reason.rawValue
            case .resourceExhausted(let reason): reason.rawValue
            case .failedPrecondition(let reason): reason.rawValue
            case .unimplemented(let reason): reason.rawValue
            case .internalError(let reason): reason.rawValue
            case .unavailable(let reason): reason.rawValue
            case .unauthenticated(let reason): reason.rawValue
            }
        }
    }
}

/// An identifier of a cause that belongs to one code.
public protocol StatusReason: RawRepresentable<String>, Hashable, Sendable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// Takes any identifier: a newer hub may know more.
    init(rawValue: String)
}

extension StatusReason {
    /// Takes the text.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
    /// The identifier.
    public var description: String { rawValue }
}

/// A reason of the code `cancelled`.
public struct CancelledReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `unknown`.
public struct UnknownReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `invalidArgument`.
public struct InvalidArgumentReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `deadlineExceeded`.
public struct DeadlineExceededReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `notFound`.
public struct NotFoundReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `permissionDenied`.
public struct PermissionDeniedReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `resourceExhausted`.
public struct ResourceExhaustedReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `failedPrecondition`.
public struct FailedPreconditionReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `unimplemented`.
public struct UnimplementedReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `internal`.
public struct InternalReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `unavailable`.
public struct UnavailableReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A reason of the code `unauthenticated`.
public struct UnauthenticatedReason: StatusReason {
    /// The identifier.
    public let rawValue: String
    /// Takes any identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
}
