import HubControl

/// What came back for a request.
enum HubAnswer: Sendable {
    case result(JSONObject)
    case refused(Refusal)

    /// An error, or a goaway.
    struct Refusal: Sendable {
        let json: JSONObject
        let code: Int64
        let name: String
        let message: String

        init(_ json: JSONObject) throws(ControlProtocolError) {
            self.json = json
            code = try json.integer("code", as: Int64.self)
            name = try json.string("name")
            message = try json.string("message")
        }

        var details: JSONObject { json["details"]?.object ?? JSONObject() }
        var reason: String? { details["reason"]?.string }

        /// Code, name and reason, for failures.
        var words: String {
            "\(code) \(name)\(reason.map { " (\($0))" } ?? "") “\(message.prefix(200))”"
        }
    }

    init(_ json: JSONObject) throws(ControlProtocolError) {
        switch (json["result"]?.object, json["error"]?.object) {
        case (let result?, nil): self = .result(result)
        case (nil, let error?): self = .refused(try Refusal(error))
        case (nil, nil): throw ControlProtocolError(.missing, path: "result")
        case (_?, _?): throw ControlProtocolError(.wrongType, path: "error", reason: "absent beside a result")
        }
    }

    /// For failures; a result only by its members' names, since it may hold secrets.
    var words: String {
        switch self {
        case .result(let result):
            result.isEmpty ? "a result" : "a result with \(result.members.map(\.name).joined(separator: ", "))"
        case .refused(let refusal): refusal.words
        }
    }
}

/// An event as it came.
struct HubEvent: Sendable {
    let name: String
    /// The structure's number; `nil` for an event of a subscription to a device.
    let number: Int64?
    let subscription: Int64?
    let data: JSONObject

    init(_ json: JSONObject) throws(ControlProtocolError) {
        name = try json.string("event")
        number = try json.optionalInteger("number", as: Int64.self)
        subscription = try json.optionalInteger("subscription", as: Int64.self)
        data = try json.optionalObject("data") ?? JSONObject()
    }
}
