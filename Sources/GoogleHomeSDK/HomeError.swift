public import Foundation
package import HubControl

/// Why something about the home failed.
///
/// Mirrors the SDK's type; the codes are gRPC's.
public struct HomeError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
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

    /// The domain of the `NSError` form.
    public static let errorDomain = "com.google.home.HomeError"
    /// Key in ``errorUserInfo``: the commissioning stage that failed.
    public static let stageKey = "MatterHubStage"
    /// Key in ``errorUserInfo``: a stable identifier of the cause (MatterHub's Protocols/commissioning-session.md).
    public static let reasonKey = "MatterHubReason"

    /// The kind of failure.
    public let code: Code
    /// The cause in plain words.
    public let message: String
    /// More numbers; none here.
    public let subcodes: [Int]
    /// What the hub said, where it was the hub.
    package let cause: ControlError?

    /// Makes an error.
    public init(code: Code, message: String = "", subcodes: [Int] = []) {
        self.code = code
        self.message = message
        self.subcodes = subcodes
        cause = nil
    }

    /// Takes what the hub or its client said. A missing or refused grant is a missing permission.
    package init(_ error: ControlError) {
        let isPermission =
            error.code == .unauthenticated && error.reason.map { Self.permissionReasons.contains($0) } == true
        code = isPermission ? .permissionDenied : Code(rawValue: error.code.rawValue) ?? .unknown
        message = error.message
        subcodes = []
        cause = error
    }

    private static let permissionReasons: Set<String> = ["badGrant", "noGrant", "grantRevoked"]

    /// Stopped by whoever asked for it.
    public static func cancelled(_ message: String = "") -> HomeError { HomeError(code: .cancelled, message: message) }
    /// No better code is known.
    public static func unknown(_ message: String = "") -> HomeError { HomeError(code: .unknown, message: message) }
    /// What was asked for does not exist.
    public static func notFound(_ message: String = "") -> HomeError { HomeError(code: .notFound, message: message) }
    /// A fault of hub or library.
    public static func `internal`(_ message: String = "") -> HomeError { HomeError(code: .internal, message: message) }

    // MARK: - NSError

    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// Description, what to do, stage and cause.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
        info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        info[Self.stageKey] = cause?.stage
        info[Self.reasonKey] = cause?.reason
        return info
    }

    /// The message, with the commissioning stage where one failed.
    public var errorDescription: String? {
        let text = message.isEmpty ? "\(code)" : message
        return cause?.stage.map { "\(text) (stage \($0))" } ?? text
    }

    /// What the user can do, in sentences.
    public var recoverySuggestion: String? {
        let actions = MatterSuggestedUserAction.actions(for: self)
        return actions.isEmpty ? nil : actions.map(\.sentence).joined(separator: " ")
    }
}

extension HomeError {
    /// Runs what speaks the control protocol, and throws its errors as this type.
    static func translating<R>(_ body: () async throws(ControlError) -> R) async throws(HomeError) -> R {
        do throws(ControlError) {
            return try await body()
        } catch {
            throw HomeError(error)
        }
    }

    /// The same for what blocks.
    static func translating<R>(_ body: () throws(ControlError) -> R) throws(HomeError) -> R {
        do throws(ControlError) {
            return try body()
        } catch {
            throw HomeError(error)
        }
    }
}
