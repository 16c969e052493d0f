import Foundation
import HubControl

/// Why a commissioning failed, as well as hub and app know it.
public struct MatterUnsuccessfulCommissioningResult: Sendable {
    /// The error closest to the root cause.
    public let detailedError: (any Error)?
    /// What the app can suggest to its user; empty when it cannot do anything about it.
    public let suggestedUserActions: [MatterSuggestedUserAction]
    /// Stage, cause and codes for a developer; `nil` when nothing more is known.
    public let traceString: String?

    /// - Parameters:
    ///   - error: what the app saw, which the system may have made of another error.
    ///   - failure: what the commissioner of the same session left.
    init(error: any Error, failure: ControlError?) {
        let detailed: any Error = failure.map { HomeError($0) } ?? Self.root(of: error)
        detailedError = detailed
        suggestedUserActions =
            (detailed as? HomeError).map { MatterSuggestedUserAction.actions(for: $0) }
            ?? MatterSuggestedUserAction.defaultActions
        traceString = (failure ?? (detailed as? HomeError)?.cause).map(\.trace)
    }

    /// Follows `NSUnderlyingErrorKey`, at most ten steps.
    private static func root(of error: any Error) -> any Error {
        var current = error
        for _ in 0..<10 {
            // A Swift error has no user info of its own: then it is the root.
            guard !(current is HomeError),
                let next = (current as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
            else { return current }
            current = next
        }
        return current
    }
}
