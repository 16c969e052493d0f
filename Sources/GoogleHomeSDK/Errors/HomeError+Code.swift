extension HomeError {
    /// The kind of failure, with gRPC's numbers.
    public enum Code: Int, CaseIterable, Hashable, Sendable {
        /// Stopped by whoever asked for it.
        case cancelled = 1
        /// No better code is known.
        case unknown = 2
        /// What was asked for is wrong, whatever the state.
        case invalidArgument = 3
        /// It took too long.
        case deadlineExceeded = 4
        /// What was asked for does not exist.
        case notFound = 5
        /// It is there already.
        case alreadyExists = 6
        /// The user or the hub has not permitted it.
        case permissionDenied = 7
        /// A limit is reached.
        case resourceExhausted = 8
        /// The state does not allow it now.
        case failedPrecondition = 9
        /// Given up for a conflict.
        case aborted = 10
        /// Past the end of a range.
        case outOfRange = 11
        /// Not built.
        case unimplemented = 12
        /// A fault of hub or library.
        case `internal` = 13
        /// The hub or the device cannot be reached now.
        case unavailable = 14
        /// Lost for good.
        case dataLoss = 15
        /// The hub cannot be trusted.
        case unauthenticated = 16
    }

    // MARK: - One maker a code

    /// Stopped by whoever asked for it.
    public static func cancelled(_ message: String = "") -> HomeError {
        HomeError(code: .cancelled, message: message)
    }
    /// No better code is known.
    public static func unknown(_ message: String = "") -> HomeError {
        HomeError(code: .unknown, message: message)
    }
    /// What was asked for is wrong, whatever the state.
    public static func invalidArgument(_ message: String = "") -> HomeError {
        HomeError(code: .invalidArgument, message: message)
    }
    /// It took too long.
    public static func deadlineExceeded(_ message: String = "") -> HomeError {
        HomeError(code: .deadlineExceeded, message: message)
    }
    /// What was asked for does not exist.
    public static func notFound(_ message: String = "") -> HomeError {
        HomeError(code: .notFound, message: message)
    }
    /// It is there already.
    public static func alreadyExists(_ message: String = "") -> HomeError {
        HomeError(code: .alreadyExists, message: message)
    }
    /// The user or the hub has not permitted it.
    public static func permissionDenied(_ message: String = "") -> HomeError {
        HomeError(code: .permissionDenied, message: message)
    }
    /// A limit is reached.
    public static func resourceExhausted(_ message: String = "") -> HomeError {
        HomeError(code: .resourceExhausted, message: message)
    }
    /// The state does not allow it now.
    public static func failedPrecondition(_ message: String = "") -> HomeError {
        HomeError(code: .failedPrecondition, message: message)
    }
    /// Given up for a conflict.
    public static func aborted(_ message: String = "") -> HomeError {
        HomeError(code: .aborted, message: message)
    }
    /// Past the end of a range.
    public static func outOfRange(_ message: String = "") -> HomeError {
        HomeError(code: .outOfRange, message: message)
    }
    /// Not built.
    public static func unimplemented(_ message: String = "") -> HomeError {
        HomeError(code: .unimplemented, message: message)
    }
    /// A fault of hub or library.
    public static func `internal`(_ message: String = "") -> HomeError {
        HomeError(code: .internal, message: message)
    }
    /// The hub or the device cannot be reached now.
    public static func unavailable(_ message: String = "") -> HomeError {
        HomeError(code: .unavailable, message: message)
    }
    /// Lost for good.
    public static func dataLoss(_ message: String = "") -> HomeError {
        HomeError(code: .dataLoss, message: message)
    }
    /// The hub cannot be trusted.
    public static func unauthenticated(_ message: String = "") -> HomeError {
        HomeError(code: .unauthenticated, message: message)
    }

    /// Several failures of one call; the code is that of the first.
    public static func bulk(_ errors: [HomeError]) -> HomeError {
        HomeError(
            code: errors.first?.code ?? .unknown, message: errors.map(\.message).joined(separator: "; "),
            subtype: .bulk(errors: errors))
    }
}
