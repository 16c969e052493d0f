/// One message of the control protocol (Protocols/hub-control.md §3 … §6).
public enum ControlMessage: Hashable, Sendable {
    /// The client introduces itself.
    case hello(Hello)
    /// The hub answers.
    case welcome(Welcome)
    /// The client asks for something.
    case request(ControlRequest)
    /// The hub answers a request.
    case response(ControlResponse)
    /// Something happened.
    case event(ControlEvent)
    /// Asks for a pong; the payload, a JSON object, comes back as it is.
    case ping([UInt8])
    /// Answers a ping.
    case pong([UInt8])
    /// The sender closes the connection.
    case goaway(Goaway)
    /// A kind of a newer version, to be skipped.
    case unknown(ControlFrameKind)

    /// Reads a frame; one of an unknown kind is not looked into.
    ///
    /// - Throws: ``ControlProtocolError``. JSON that breaks the rules has an offset and ends the connection; so do
    ///   members that are wrong, except those of a request whose id can be read, which comes back as
    ///   ``ControlRequest/fault``.
    public init(decoding frame: ControlFrame, limits: ControlLimits = ControlLimits()) throws(ControlProtocolError) {
        guard frame.kind.isKnown else {
            // Whatever it carries: what a newer version sends need not even be JSON.
            self = .unknown(frame.kind)
            return
        }
        let json = try JSONObject(parsing: frame.payload, limits: limits)
        switch frame.kind {
        case .hello: self = .hello(try Hello(json: json))
        case .welcome: self = .welcome(try Welcome(json: json))
        case .request: self = .request(try ControlRequest(json: json))
        case .response: self = .response(try ControlResponse(json: json))
        case .event: self = .event(try ControlEvent(json: json))
        case .ping: self = .ping(frame.payload)
        case .pong: self = .pong(frame.payload)
        case .goaway: self = .goaway(try Goaway(json: json))
        default: self = .unknown(frame.kind)
        }
    }

    /// The frame to send; members in the order of the protocol's document. An unknown kind has an empty object.
    public var frame: ControlFrame {
        switch self {
        case .hello(let message): ControlFrame(kind: .hello, payload: message.json.encoded())
        case .welcome(let message): ControlFrame(kind: .welcome, payload: message.json.encoded())
        case .request(let message): ControlFrame(kind: .request, payload: message.json.encoded())
        case .response(let message): ControlFrame(kind: .response, payload: message.json.encoded())
        case .event(let message): ControlFrame(kind: .event, payload: message.json.encoded())
        case .ping(let payload): ControlFrame(kind: .ping, payload: payload)
        case .pong(let payload): ControlFrame(kind: .pong, payload: payload)
        case .goaway(let message): ControlFrame(kind: .goaway, payload: message.json.encoded())
        case .unknown(let kind): ControlFrame(kind: kind, payload: JSONObject().encoded())
        }
    }
}

/// Why the sender closes the connection.
public struct Goaway: Error, Hashable, Sendable {
    /// The kind of reason.
    public var code: ControlErrorCode
    /// The reason in plain words.
    public var message: String

    /// Makes a goaway.
    public init(code: ControlErrorCode, message: String) {
        self.code = code
        self.message = message
    }

    /// The JSON form.
    public var json: JSONObject {
        ["code": JSONValue(code.rawValue), "name": .string(code.name), "message": .string(message)]
    }

    /// Reads the JSON form; a code that is not known here becomes `unknown`.
    public init(json: JSONObject) throws(ControlProtocolError) {
        code = ControlErrorCode(rawValue: try json.integer("code", as: Int.self)) ?? .unknown
        message = try json.optionalString("message") ?? ""
    }
}
