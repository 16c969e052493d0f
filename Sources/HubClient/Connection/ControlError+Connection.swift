import HubControl
import NetIO

/// Stable identifiers in `details.reason` of errors that this client makes itself; those of hubs stand in Protocols/.
public enum ClientReason {
    /// No hub answers at the address.
    public static let hubUnreachable = "hubUnreachable"
    /// The hub's control CA is not the one that the grant names; the grant was not sent.
    public static let wrongHub = "wrongHub"
    /// Something answers that is no hub of this protocol.
    public static let notAHub = "notAHub"
    /// The hub does not take the grant.
    public static let badGrant = "badGrant"
    /// The connection ended before the answer; the request may have been performed.
    public static let connectionLost = "connectionLost"
    /// The answer does not have the form that the protocol gives it.
    public static let badAnswer = "badAnswer"
    /// No answer within the time limit.
    public static let noAnswer = "noAnswer"
    /// No hub was found by DNS-SD.
    public static let noHubFound = "noHubFound"
    /// There is no grant yet.
    public static let noGrant = "noGrant"
    /// The client's state folder cannot be used.
    public static let state = "state"
}

extension ControlError {
    /// An error that this client found; `reason` is one of ``ClientReason``.
    init(
        _ code: ControlErrorCode, _ message: String, reason: String, actions: [SuggestedUserAction] = []
    ) {
        self.init(code, message, details: ["reason": .string(reason)], suggestedUserActions: actions)
    }

    /// Why no connection to a hub came about.
    init(connecting error: NetError, to place: String) {
        switch error.code {
        case .untrusted:
            self.init(
                .unauthenticated,
                "the hub at \(place) is not the one that the grant is for (\(error.reason ?? "untrusted")); "
                    + "the grant was not sent", reason: ClientReason.wrongHub, actions: [.checkHubAvailability])
        case .handshakeFailed, .truncated, .protocolViolation:
            self.init(
                .unavailable, "what answers at \(place) is no hub, or takes no TLS: \(error)",
                reason: ClientReason.notAHub, actions: [.checkHubAvailability])
        case .cancelled:
            self.init(.cancelled, "connecting to the hub was stopped")
        default:
            self.init(
                .unavailable, "no hub can be reached at \(place): \(error)", reason: ClientReason.hubUnreachable,
                actions: [.checkHubAvailability, .checkWifiNetwork])
        }
    }

    /// The hub sent a goaway instead of a welcome.
    init(refused goaway: Goaway) {
        if goaway.code == .unauthenticated {
            self.init(.unauthenticated, goaway.message, reason: ClientReason.badGrant)
        } else {
            self.init(
                goaway.code, goaway.message, reason: ClientReason.hubUnreachable,
                actions: goaway.code == .unavailable ? [.checkHubAvailability] : [])
        }
    }

    /// The connection broke while an answer was due.
    static func lost(_ what: String) -> ControlError {
        ControlError(
            .unavailable, "the connection to the hub broke before it answered \(what)",
            reason: ClientReason.connectionLost, actions: [.checkHubAvailability])
    }

    /// The answer to `method` could not be read.
    static func badAnswer(_ method: ControlMethod, _ error: ControlProtocolError) -> ControlError {
        ControlError(
            .internal, "the hub's answer to \(method.rawValue) is not understood: \(error.message)",
            reason: ClientReason.badAnswer)
    }

    static func noAnswer(_ method: ControlMethod, _ limit: Duration) -> ControlError {
        ControlError(
            .deadlineExceeded, "the hub did not answer \(method.rawValue) within \(limit)",
            reason: ClientReason.noAnswer, actions: [.checkHubAvailability])
    }
}
