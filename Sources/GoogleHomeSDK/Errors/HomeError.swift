public import Foundation
package import HubControl

/// Why something about the home failed.
///
/// Mirrors the SDK's type; the codes are gRPC's.
public struct HomeError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The domain of the `NSError` form.
    public static let errorDomain = "com.google.home.HomeError"
    /// Key in ``errorUserInfo``: the commissioning stage that failed.
    public static let stageKey = "MatterHubStage"
    /// Key in ``errorUserInfo``: a stable identifier of the cause (MatterHub's Protocols/commissioning-session.md).
    public static let reasonKey = "MatterHubReason"
    /// What ``domain`` is when the hub or its client gave the error.
    public static let hubDomain = "matterhub"

    /// The kind of failure.
    public let code: Code
    /// The cause in plain words.
    public let message: String
    /// More numbers: the device's status and its cluster's, where the device refused.
    public let subcodes: [Int]
    /// What the part of the home that failed says of it.
    public let subtype: Subtype?
    /// The cause as an identifier of the hub; `nil` when the error was made here, or its code has no reasons in the SDK.
    public let reason: Reason?
    /// Who gave the error: ``hubDomain``, or `nil` when it was made here.
    public let domain: String?
    /// Stage, cause and details for a developer, on one line; never to be parsed. `nil` when the error was made here.
    public let partnerDebugString: String?
    /// What the hub said, where it was the hub.
    package let cause: ControlError?

    /// Makes an error.
    public init(code: Code, message: String = "", subcodes: [Int] = [], subtype: Subtype? = nil) {
        self.code = code
        self.message = message
        self.subcodes = subcodes
        self.subtype = subtype
        reason = nil
        domain = nil
        partnerDebugString = nil
        cause = nil
    }

    /// Takes what the hub or its client said. A missing or refused grant is a missing permission.
    ///
    /// - Parameter subtype: what follows from the error itself unless given.
    package init(_ error: ControlError, subtype: Subtype? = nil) {
        let isPermission =
            error.code == .unauthenticated && error.reason.map { Self.permissionReasons.contains($0) } == true
        let code = isPermission ? .permissionDenied : Code(rawValue: error.code.rawValue) ?? .unknown
        let status = error.details?["status"]?.integer.map { Int($0) }
        self.code = code
        message = error.message
        subcodes = [status, error.details?["clusterStatus"]?.integer.map { Int($0) }].compactMap(\.self)
        self.subtype = subtype ?? status.map { .matter(MatterError(code: $0)) }
        reason = error.reason.flatMap { Reason(code, $0) }
        domain = Self.hubDomain
        partnerDebugString = error.trace
        cause = error
    }

    private static let permissionReasons: Set<String> = ["badGrant", "noGrant", "grantRevoked"]

    // MARK: - NSError

    /// The number of the code.
    public var errorCode: Int { code.rawValue }
    /// Description, what to do, stage and cause.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? ""]
        info[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
        info[Self.stageKey] = cause?.stage
        info[Self.reasonKey] = cause?.reason
        // The name that Apple's Foundation has for it.
        if case .bulk(let errors) = subtype { info["NSMultipleUnderlyingErrorsKey"] = errors }
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

extension ControlError {
    /// Everything that is known of it, on one line.
    var trace: String {
        var parts = ["\(code.name) (\(code.rawValue))"]
        if let stage { parts.append("stage \(stage)") }
        if let reason { parts.append("reason \(reason)") }
        if let retryAfterMs { parts.append("retry after \(retryAfterMs) ms") }
        parts.append(message)
        if let details { parts.append(JSONValue.object(details).text()) }
        return parts.joined(separator: "; ")
    }
}
