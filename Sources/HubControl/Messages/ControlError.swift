/// The error codes of the control protocol: gRPC's numbers and names.
public enum ControlErrorCode: Int, Hashable, Sendable, CaseIterable {
    /// Stopped by a `cancel` or because the connection ended.
    case cancelled = 1
    /// No better code is known.
    case unknown = 2
    /// The request itself is wrong, whatever the state.
    case invalidArgument = 3
    /// It took longer than the request allowed.
    case deadlineExceeded = 4
    /// What the request names does not exist.
    case notFound = 5
    /// It is there already.
    case alreadyExists = 6
    /// The grant does not cover it.
    case permissionDenied = 7
    /// A limit is reached.
    case resourceExhausted = 8
    /// The state does not allow it now.
    case failedPrecondition = 9
    /// Given up for a conflict; trying again may work.
    case aborted = 10
    /// Past the end of a range.
    case outOfRange = 11
    /// Not known or not built here.
    case unimplemented = 12
    /// A fault of the hub.
    case `internal` = 13
    /// Cannot be reached now.
    case unavailable = 14
    /// Lost for good.
    case dataLoss = 15
    /// No grant, or a wrong one.
    case unauthenticated = 16

    /// The name that stands beside the number.
    public var name: String { String(describing: self) }
}

/// What an app can suggest to its user.
public struct SuggestedUserAction: RawRepresentable, Hashable, Sendable {
    /// The name on the wire.
    public let rawValue: String
    /// Takes any name: a newer hub may know more.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// See that the hub runs and is reachable.
    public static let checkHubAvailability = Self(rawValue: "checkHubAvailability")
    /// See that both are on the right network.
    public static let checkWifiNetwork = Self(rawValue: "checkWifiNetwork")
    /// See that the device has power and is in commissioning mode.
    public static let checkDeviceAvailability = Self(rawValue: "checkDeviceAvailability")
    /// Reset the device to its factory state.
    public static let factoryResetDevice = Self(rawValue: "factoryResetDevice")
    /// Wait and try again.
    public static let tryAgainLater = Self(rawValue: "tryAgainLater")
}

/// Why a request failed (Protocols/hub-control.md §4).
public struct ControlError: Error, Hashable, Sendable {
    /// The kind of failure.
    public var code: ControlErrorCode
    /// The cause in plain words.
    public var message: String
    /// The commissioning stage that failed (Protocols/commissioning-session.md).
    public var stage: String?
    /// More, for programs; `reason` is a stable identifier.
    public var details: JSONObject?
    /// When trying again may work, in ms from now.
    public var retryAfterMs: Int64?
    /// What the user can do.
    public var suggestedUserActions: [SuggestedUserAction]

    /// Makes an error.
    public init(
        _ code: ControlErrorCode, _ message: String, stage: String? = nil, details: JSONObject? = nil,
        retryAfterMs: Int64? = nil, suggestedUserActions: [SuggestedUserAction] = []
    ) {
        self.code = code
        self.message = message
        self.stage = stage
        self.details = details
        self.retryAfterMs = retryAfterMs
        self.suggestedUserActions = suggestedUserActions
    }

    /// The answer to a request whose members are wrong.
    public init(_ error: ControlProtocolError) { self.init(.invalidArgument, error.message) }

    /// The stable identifier in `details.reason`, where there is one.
    public var reason: String? { details?["reason"]?.string }

    /// The JSON form.
    public var json: JSONObject {
        [
            "code": JSONValue(code.rawValue), "name": .string(code.name), "message": .string(message),
            "stage": stage.map { .string($0) }, "details": details.map { .object($0) },
            "retryAfterMs": retryAfterMs.map { .integer($0) },
            "suggestedUserActions": suggestedUserActions.isEmpty
                ? nil : .array(suggestedUserActions.map { .string($0.rawValue) }),
        ]
    }

    /// Reads the JSON form; a code that is not known here becomes `unknown`.
    public init(json: JSONObject) throws(ControlProtocolError) {
        self.init(
            ControlErrorCode(rawValue: try json.integer("code", as: Int.self)) ?? .unknown,
            try json.string("message"), stage: try json.optionalString("stage"),
            details: try json.optionalObject("details"), retryAfterMs: try json.optionalInteger("retryAfterMs"),
            suggestedUserActions: json["suggestedUserActions"] == nil
                ? [] : try json.strings("suggestedUserActions").map { SuggestedUserAction(rawValue: $0) })
    }
}

extension ControlError: CustomStringConvertible {
    /// Code, stage and message on one line.
    public var description: String { "\(code.name)\(stage.map { " at \($0)" } ?? ""): \(message)" }
}
