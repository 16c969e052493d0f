/// The client's side of one control connection (Protocols/hub-control.md §1, §3, §4).
///
/// ```
///  idle ── start ──▶ awaitingWelcome ── welcome ──▶ open ── goaway, end, garbage ──▶ ended
///                            └── goaway, end, another frame ─────────────────────────▲
/// ```
/// Whoever owns it sends the bytes in order, and sees to deadlines: a request without an answer stays open until the
/// connection ends, and then fails exactly once.
public struct ClientConnection: Sendable {
    /// What the owner has to do, or to know.
    public enum Action: Hashable, Sendable {
        /// Send these bytes.
        case send([UInt8])
        /// The hub let us in.
        case welcomed(Welcome)
        /// A request's one answer.
        case answered(RequestID, Result<JSONObject, ControlError>)
        /// Something happened that was subscribed to.
        case event(ControlEvent)
        /// The connection is over; every open request has been answered before this.
        case ended(Goaway)
    }

    private enum State: Hashable, Sendable { case idle, awaitingWelcome, open, ended }

    private let hello: Hello
    private let control: ControlLimits
    private var state = State.idle
    private var decoder: FrameDecoder
    private var nextID = RequestID.first
    private var open: Set<RequestID> = []
    /// The longest payload that the hub takes, in bytes.
    private var maximumPayload: Int

    /// A connection that has sent nothing.
    public init(hello: Hello, control: ControlLimits = ControlLimits()) {
        self.hello = hello
        self.control = control
        decoder = FrameDecoder(reading: .hub, maximumPayload: control.payloadLength)
        maximumPayload = control.payloadLength
    }

    /// Begins: the preface and hello.
    public mutating func start() -> [Action] {
        guard state == .idle else { return [] }
        state = .awaitingWelcome
        return [.send(ControlPreface.bytes + ControlMessage.hello(hello).frame.encoded())]
    }

    /// Whether requests may be made.
    public var isOpen: Bool { state == .open }

    /// Makes a request.
    ///
    /// - Returns: its number, under which it is answered, and what to do.
    /// - Throws: ``ControlError``: `failedPrecondition` when the connection is not open, `resourceExhausted` when the
    ///   request is longer than the hub takes.
    public mutating func request(
        _ method: ControlMethod, _ params: JSONObject = JSONObject(), deadlineMs: Int64? = nil
    ) throws(ControlError) -> (id: RequestID, actions: [Action]) {
        guard state == .open else {
            throw ControlError(.failedPrecondition, "the connection to the hub is not open")
        }
        while open.contains(nextID) { nextID = nextID.next }
        let id = nextID
        let frame = ControlMessage.request(
            ControlRequest(id: id, method: method, params: params, deadlineMs: deadlineMs)
        ).frame
        guard frame.payload.count <= maximumPayload else {
            throw ControlError(
                .resourceExhausted, "the request has \(frame.payload.count) bytes, the hub takes \(maximumPayload)")
        }
        nextID = id.next
        open.insert(id)
        return (id, [.send(frame.encoded())])
    }

    /// Bytes came from the hub.
    public mutating func received(_ bytes: [UInt8]) -> [Action] {
        guard state == .awaitingWelcome || state == .open else { return [] }
        decoder.append(bytes)
        var actions: [Action] = []
        do throws(ControlProtocolError) {
            while state != .ended, let frame = try decoder.next() {
                actions += try take(try ControlMessage(decoding: frame, limits: control))
            }
        } catch {
            actions.append(.send(ControlMessage.goaway(error.goaway).frame.encoded()))
            actions += end(Goaway(code: .internal, message: "the hub broke the protocol: \(error.message)"))
        }
        return actions
    }

    /// The hub closed the connection, or it broke.
    public mutating func disconnected(_ reason: String) -> [Action] {
        end(Goaway(code: .unavailable, message: reason))
    }

    private mutating func take(_ message: ControlMessage) throws(ControlProtocolError) -> [Action] {
        switch (state, message) {
        case (_, .unknown), (_, .pong): return []
        case (_, .goaway(let goaway)): return end(goaway)
        case (_, .ping(let payload)): return [.send(ControlMessage.pong(payload).frame.encoded())]
        case (.awaitingWelcome, .welcome(let welcome)):
            state = .open
            maximumPayload = min(maximumPayload, welcome.maximumPayload)
            return [.welcomed(welcome)]
        case (.open, .response(let response)):
            // An answer to a request that nobody waits for any more, or that was never made.
            guard open.remove(response.id) != nil else { return [] }
            return [.answered(response.id, response.outcome)]
        case (.open, .event(let event)): return [.event(event)]
        case (_, .welcome), (_, .response), (_, .event), (_, .hello), (_, .request):
            throw ControlProtocolError(.wrongType, path: "kind", reason: "a frame that a hub sends in this state")
        }
    }

    private mutating func end(_ goaway: Goaway) -> [Action] {
        guard state != .ended else { return [] }
        state = .ended
        let error = ControlError(
            goaway.code, goaway.message,
            suggestedUserActions: goaway.code == .unavailable ? [.checkHubAvailability] : [])
        let failures = open.sorted { $0.rawValue < $1.rawValue }.map { Action.answered($0, .failure(error)) }
        open = []
        return failures + [.ended(goaway)]
    }
}
