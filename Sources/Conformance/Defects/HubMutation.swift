import HubControl

/// What a broken hub makes of the frames of one connection, as seen between a client and a hub that is right.
///
///     client ──▶ fromClient ──▶ hub          Hooks give `nil` for what they leave as it is.
///     client ◀── fromHub ◀──── hub
struct HubMutation: Sendable {
    /// Where a frame goes.
    enum Passage: Sendable {
        case toHub(ControlFrame)
        case toClient(ControlFrame)
        /// To the client, after this time.
        case later(Duration, ControlFrame)
        /// The end of the connection, in order.
        case end
    }

    /// What is remembered of a connection.
    struct Memory: Sendable {
        /// Requests by their id; one that was answered stays, for a second answer.
        var requests: [Int64: JSONObject] = [:]
        var count: Int64 = 0
        var isMarked = false
        var texts: [String] = []
        var frames: [ControlFrame] = []
        /// The admin grant, as the hub knows it.
        var adminGrant = ""
    }

    /// A frame of the client, before anything is read of it.
    var clientFrame: (@Sendable (inout Memory, ControlFrame) -> [Passage]?)?
    /// A request; also one that the hub will refuse.
    var request: (@Sendable (inout Memory, JSONObject) -> [Passage]?)?
    /// A response, beside the request that it answers.
    var response: (@Sendable (inout Memory, _ request: JSONObject, _ response: JSONObject) -> [Passage]?)?
    var event: (@Sendable (inout Memory, JSONObject) -> [Passage]?)?
    /// Any other frame of the hub.
    var hubFrame: (@Sendable (inout Memory, ControlFrame) -> [Passage]?)?
    /// The longest payload that is taken from a client; beyond, the hub itself answers.
    var maximumPayload = ControlLimits().payloadLength
    /// The end of a connection comes without TLS's closing mark.
    var endsRudely = false
    /// The end of a connection is not passed on once the client was welcomed.
    var staysOpen = false

    var memory = Memory()

    mutating func fromClient(_ frame: ControlFrame) -> [Passage] {
        if let passages = clientFrame?(&memory, frame) { return passages }
        guard frame.kind == .request, let json = Self.object(frame), let id = json["id"]?.integer else {
            return [.toHub(frame)]
        }
        memory.requests[id] = json
        return request?(&memory, json) ?? [.toHub(frame)]
    }

    mutating func fromHub(_ frame: ControlFrame) -> [Passage] {
        switch frame.kind {
        case .response:
            guard let json = Self.object(frame), let id = json["id"]?.integer, let asked = memory.requests[id] else {
                break
            }
            return response?(&memory, asked, json) ?? [.toClient(frame)]
        case .event:
            guard let json = Self.object(frame) else { break }
            return event?(&memory, json) ?? [.toClient(frame)]
        default: break
        }
        return hubFrame?(&memory, frame) ?? [.toClient(frame)]
    }

    private static func object(_ frame: ControlFrame) -> JSONObject? {
        // What cannot be read is not changed: the other side says what is wrong with it.
        try? JSONObject(parsing: frame.payload)
    }
}

extension ControlFrame {
    /// A frame of a JSON object.
    init(_ kind: ControlFrameKind, _ json: JSONObject) { self.init(kind: kind, payload: json.encoded()) }
}

extension JSONObject {
    /// The same with a member changed.
    func with(_ name: String, _ value: JSONValue?) -> JSONObject {
        var copy = self
        copy[name] = value
        return copy
    }

    /// The method of a request.
    var method: String { self["method"]?.string ?? "" }
    /// The error of a response.
    var failure: JSONObject? { self["error"]?.object }
    /// `details.reason` of a response's error.
    var failureReason: String? { failure?["details"]?.object?["reason"]?.string }
}
