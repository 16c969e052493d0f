/// The hub's side of one control connection, from the preface on (Protocols/hub-control.md §1, §3, §4).
///
/// ```
///                 hello              admitted
///  awaitingHello ───────▶ admitting ──────────▶ open ──── goaway of either side, silence, broken rules ──▶ closed
///        └── no hello in 10 s, ──────┴── refused ───────────────────────────────────────────────────────────▲
///            another frame, garbage ─────────────────────────────────────────────────────────────────────────┘
/// ```
/// Times are durations on one monotonic clock. Bytes of `send` go out in order; after `close` nothing more is sent.
public struct ServerConnection: Sendable {
    /// What the driver has to do.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// Check the grant, then call ``admitted(_:now:)`` or ``refused(_:)``.
        case admit(Hello)
        /// Perform the request, then call ``answered(_:_:)`` exactly once.
        case perform(ControlRequest)
        /// Close the connection once what was sent before is on its way.
        case close
    }

    /// What the protocol allows.
    public struct Limits: Hashable, Sendable {
        /// From the start of the connection to a whole hello.
        public var helloTime: Duration = .seconds(10)
        /// Silence after which the hub asks for a sign of life.
        public var pingAfter: Duration = .seconds(30)
        /// Silence after which the connection is given up.
        public var silence: Duration = .seconds(90)
        /// Requests that may be performed at once.
        public var requestsInFlight = 32
        /// The limits of the protocol.
        public init() {}
    }

    private enum State: Hashable, Sendable { case awaitingHello, admitting, open, closed }

    private let limits: Limits
    private let control: ControlLimits
    private var state = State.awaitingHello
    private var decoder: FrameDecoder
    private var inFlight: Set<RequestID> = []
    private var lastHeard: Duration
    private var isPinged = false
    private let startedAt: Duration

    /// A connection whose preface has not been read.
    public init(now: Duration, limits: Limits = Limits(), control: ControlLimits = ControlLimits()) {
        self.limits = limits
        self.control = control
        decoder = FrameDecoder(reading: .client, maximumPayload: control.payloadLength)
        lastHeard = now
        startedAt = now
    }

    /// Whether the connection is over.
    public var isClosed: Bool { state == .closed }

    /// When ``timerFired(now:)`` is next due; `nil` after the end.
    public var deadline: Duration? {
        switch state {
        case .awaitingHello: startedAt + limits.helloTime
        case .admitting: nil
        case .open: lastHeard + (isPinged ? limits.silence : limits.pingAfter)
        case .closed: nil
        }
    }

    // MARK: - From the peer

    /// Bytes came.
    public mutating func received(_ bytes: [UInt8], now: Duration) -> [Action] {
        guard state != .closed else { return [] }
        lastHeard = now
        isPinged = false
        decoder.append(bytes)
        var actions: [Action] = []
        do throws(ControlProtocolError) {
            while state != .closed, state != .admitting, let frame = try decoder.next() {
                actions += take(try ControlMessage(decoding: frame, limits: control))
            }
        } catch {
            actions += end(error.goaway)
        }
        return actions
    }

    /// The peer closed its side.
    public mutating func ended() -> [Action] {
        guard state != .closed else { return [] }
        state = .closed
        return [.close]
    }

    private mutating func take(_ message: ControlMessage) -> [Action] {
        switch (state, message) {
        case (.closed, _), (.admitting, _): return []
        case (_, .unknown): return []
        case (_, .goaway):
            state = .closed
            return [.close]
        case (.awaitingHello, .hello(let hello)):
            state = .admitting
            return [.admit(hello)]
        case (.awaitingHello, _):
            return end(Goaway(code: .failedPrecondition, message: "the first frame must be hello"))
        case (.open, .hello):
            return end(Goaway(code: .failedPrecondition, message: "hello was said already"))
        case (.open, .ping(let payload)): return [.send(ControlMessage.pong(payload).frame.encoded())]
        case (.open, .pong): return []
        case (.open, .request(let request)): return take(request)
        case (.open, .welcome), (.open, .response), (.open, .event):
            return end(Goaway(code: .invalidArgument, message: "a client does not send that frame"))
        }
    }

    private mutating func take(_ request: ControlRequest) -> [Action] {
        if inFlight.contains(request.id) {
            return end(
                Goaway(
                    code: .invalidArgument, message: "request id \(request.id.rawValue) is in use by another request"))
        }
        if let fault = request.fault { return [response(request.id, .failure(ControlError(fault)))] }
        guard inFlight.count < limits.requestsInFlight else {
            let error = ControlError(
                .resourceExhausted, "\(limits.requestsInFlight) requests of this connection are in flight",
                suggestedUserActions: [.tryAgainLater])
            return [response(request.id, .failure(error))]
        }
        inFlight.insert(request.id)
        return [.perform(request)]
    }

    // MARK: - From the hub

    /// The client may come in. What it sent meanwhile is taken now.
    public mutating func admitted(_ welcome: Welcome, now: Duration) -> [Action] {
        guard state == .admitting else { return [] }
        state = .open
        lastHeard = now
        return [.send(ControlMessage.welcome(welcome).frame.encoded())] + received([], now: now)
    }

    /// The client may not come in.
    public mutating func refused(_ goaway: Goaway) -> [Action] {
        guard state == .admitting else { return [] }
        return end(goaway)
    }

    /// A request was performed. A second answer, or one to an unknown request, is dropped.
    public mutating func answered(_ id: RequestID, _ outcome: Result<JSONObject, ControlError>) -> [Action] {
        guard state == .open, inFlight.remove(id) != nil else { return [] }
        return [response(id, outcome)]
    }

    /// Something happened that the client subscribed to.
    public mutating func event(_ event: ControlEvent) -> [Action] {
        guard state == .open else { return [] }
        return [.send(ControlMessage.event(event).frame.encoded())]
    }

    /// The hub ends the connection.
    public mutating func close(_ goaway: Goaway) -> [Action] {
        state == .closed ? [] : end(goaway)
    }

    /// Time is over for a hello, for a sign of life, or for the whole connection.
    public mutating func timerFired(now: Duration) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        switch state {
        case .awaitingHello:
            return end(Goaway(code: .deadlineExceeded, message: "no hello within \(limits.helloTime)"))
        case .open where isPinged:
            return end(Goaway(code: .deadlineExceeded, message: "nothing was heard for \(limits.silence)"))
        case .open:
            isPinged = true
            return [.send(ControlMessage.ping(JSONObject().encoded()).frame.encoded())]
        case .admitting, .closed: return []
        }
    }

    // MARK: - Private

    /// An answer within the payload limit; a larger one becomes an error that says so.
    private func response(_ id: RequestID, _ outcome: Result<JSONObject, ControlError>) -> Action {
        let frame = ControlMessage.response(ControlResponse(id: id, outcome: outcome)).frame
        guard frame.payload.count > control.payloadLength else { return .send(frame.encoded()) }
        let error = ControlError(
            .resourceExhausted,
            "the result has \(frame.payload.count) bytes, \(control.payloadLength) are allowed: ask for less")
        return .send(ControlMessage.response(ControlResponse(id: id, outcome: .failure(error))).frame.encoded())
    }

    private mutating func end(_ goaway: Goaway) -> [Action] {
        state = .closed
        return [.send(ControlMessage.goaway(goaway).frame.encoded()), .close]
    }
}
