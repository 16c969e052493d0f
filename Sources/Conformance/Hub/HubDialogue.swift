import HubControl
import NetIO

/// One connection to the hub under examination, seen frame by frame: nothing that the hub sends is hidden or corrected.
///
/// One task uses it at a time. What comes while something else is waited for is kept: answers by their id, events in
/// their order.
actor HubDialogue {
    /// How a connection ended.
    enum End: Sendable {
        /// In order; with TLS by close_notify.
        case orderly
        case broken(NetError)
    }

    nonisolated let channel: any ByteChannel
    nonisolated let times: HubSetup.Times
    nonisolated let clock: DriverClock
    private var decoder = FrameDecoder(reading: .hub, maximumPayload: 16 << 20)
    private var answers: [Int64: [HubAnswer]] = [:]
    private var number: Int64 = 0
    /// What the hub said after hello; empty before.
    private(set) var welcome = JSONObject()
    /// Events that nobody has asked for yet.
    private(set) var events: [HubEvent] = []
    /// Every event so far.
    private(set) var allEvents: [HubEvent] = []
    private var pongs: [[UInt8]] = []
    private(set) var pings = 0
    private var answersPings = true
    private(set) var goaway: HubAnswer.Refusal?
    private(set) var end: End?
    /// Told of each method that was called and its result.
    private let observe: @Sendable (String, JSONObject) -> Void

    init(
        _ channel: any ByteChannel, times: HubSetup.Times, clock: DriverClock,
        observe: @escaping @Sendable (String, JSONObject) -> Void = { _, _ in }
    ) {
        self.channel = channel
        self.times = times
        self.clock = clock
        self.observe = observe
    }

    // MARK: - Sending

    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) async throws {
        do {
            try await channel.write(bytes)
        } catch  where error.code != .cancelled {
            // The hub may have ended the connection: what it said before tells more than the failed write.
            if end == nil { end = .broken(error) }
        }
    }

    /// Sends a frame whose payload is this text, whatever it is.
    func send(_ kind: ControlFrameKind, flags: UInt8 = 0, _ text: String) async throws {
        try await send(kind, flags: flags, Array(text.utf8))
    }

    func send(_ kind: ControlFrameKind, flags: UInt8 = 0, _ payload: [UInt8]) async throws {
        try await send(ControlFrame(kind: kind, flags: flags, payload: payload).encoded())
    }

    /// Sends a request.
    ///
    /// - Returns: its id.
    func begin(_ method: String, _ params: JSONObject? = nil, deadlineMs: Int64? = nil) async throws -> Int64 {
        number += 1
        var request: JSONObject = ["id": .integer(number), "method": .string(method)]
        request["params"] = params.map { .object($0) }
        request["deadlineMs"] = deadlineMs.map { .integer($0) }
        methods[number] = method
        try await send(.request, request.encoded())
        return number
    }

    private var methods: [Int64: String] = [:]

    // MARK: - Waiting

    /// Waits until `isThere` gives something.
    ///
    /// - Parameter limit: `nil` for as long as a hub may be silent.
    func wait<R: Sendable>(
        for what: String, within limit: Duration? = nil, _ isThere: @Sendable (isolated HubDialogue) throws -> R?
    ) async throws -> R {
        let deadline = clock.now + (limit.map { $0 + times.leeway } ?? times.silence)
        while true {
            if let found = try isThere(self) { return found }
            if let end { throw Self.failure(what, end, goaway) }
            try await receive(until: deadline, what)
        }
    }

    private static func failure(_ what: String, _ end: End, _ goaway: HubAnswer.Refusal?) -> ConformanceFailure {
        let ending =
            switch end {
            case .orderly: "the hub closed the connection"
            case .broken(let error): "the connection broke: \(error)"
            }
        return ConformanceFailure(expected: what, seen: goaway.map { "goaway \($0.words), then \(ending)" } ?? ending)
    }

    /// Takes what comes next.
    private func receive(until deadline: Duration, _ what: String) async throws {
        let left = deadline - clock.now
        let late = ConformanceFailure(
            expected: what, seen: "nothing of the kind came in time",
            meaning: "The hub may have dropped it, or be stuck.")
        guard left > .zero else { throw late }
        let bytes: [UInt8]
        do throws(NetError) {
            let channel = channel
            bytes = try await withTimeout(left, clock: clock, "read") { () async throws(NetError) in
                try await channel.read(atMost: 1 << 16)
            }
        } catch {
            switch error.code {
            case .timedOut: throw late
            case .cancelled: throw CancellationError()
            default: end = .broken(error)
            }
            return
        }
        guard !bytes.isEmpty else {
            end = .orderly
            return
        }
        decoder.append(bytes)
        do throws(ControlProtocolError) {
            while let frame = try decoder.next() { try take(frame) }
        } catch {
            throw ConformanceFailure(
                expected: "frames as the contract describes them", seen: error.message, rule: "hub-control.md §1")
        }
    }

    private func take(_ frame: ControlFrame) throws(ControlProtocolError) {
        switch frame.kind {
        case .welcome: welcome = try JSONObject(parsing: frame.payload)
        case .response:
            let json = try JSONObject(parsing: frame.payload)
            let id = try json.integer("id", as: Int64.self)
            let answer = try HubAnswer(json)
            if case .result(let result) = answer, let method = methods[id] { observe(method, result) }
            answers[id, default: []].append(answer)
        case .event:
            let event = try HubEvent(try JSONObject(parsing: frame.payload))
            events.append(event)
            allEvents.append(event)
        case .pong: pongs.append(frame.payload)
        case .ping:
            pings += 1
            guard answersPings else { break }
            let pong = ControlFrame(kind: .pong, payload: frame.payload).encoded()
            do throws(NetError) { try channel.enqueue(pong) } catch {
                // The next read says what became of the connection.
            }
        case .goaway: goaway = try HubAnswer.Refusal(try JSONObject(parsing: frame.payload))
        default: break
        }
    }

    /// The first answer to a request that was not yet taken.
    func answer(to id: Int64, within limit: Duration? = nil) async throws -> HubAnswer {
        let what = "an answer to \(methods[id] ?? "request \(id)")"
        return try await wait(for: what, within: limit) { dialogue in dialogue.takeAnswer(id) }
    }

    private func takeAnswer(_ id: Int64) -> HubAnswer? {
        guard var waiting = answers[id], !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        answers[id] = waiting
        return first
    }

    /// The first answer to a request that nobody has taken, which stays.
    func peek(_ id: Int64) -> HubAnswer? { answers[id]?.first }

    /// How many answers to a request have come that nobody has taken.
    func untakenAnswers(to id: Int64) -> Int { answers[id]?.count ?? 0 }

    /// The next event that is meant, in this or an earlier read; those before it are skipped.
    func event(
        _ name: String, within limit: Duration? = nil, where isMeant: @Sendable (HubEvent) -> Bool = { _ in true }
    ) async throws -> HubEvent {
        try await wait(for: "an event \(name)", within: limit) { dialogue in
            dialogue.takeEvent { $0.name == name && isMeant($0) }
        }
    }

    private func takeEvent(_ isMeant: (HubEvent) -> Bool) -> HubEvent? {
        guard let index = events.firstIndex(where: isMeant) else { return nil }
        let event = events[index]
        events.removeFirst(index + 1)
        return event
    }

    /// Gives the hub no sign of life any more.
    func playDead() { answersPings = false }

    /// Drops the events that have come so far.
    func forgetEvents() { events = [] }

    /// Waits for the hub's welcome.
    func welcomed() async throws -> JSONObject {
        try await wait(for: "a welcome", within: times.answer) { $0.welcome.isEmpty ? nil : $0.welcome }
    }

    /// Sends a ping and waits for its pong: everything that the hub sent before has been taken then.
    ///
    /// - Parameter pong: how long that may take; `nil` for as long as any answer.
    func barrier(within limit: Duration? = nil) async throws {
        let pong = limit ?? times.answer
        let mark = Array("{\"barrier\":\(clock.now.milliseconds)}".utf8)
        try await send(.ping, mark)
        _ = try await wait(for: "a pong with the ping's payload", within: pong) { dialogue in
            dialogue.pongs.contains(mark) ? true : nil
        }
    }

    /// The payloads of the pongs so far.
    var pongPayloads: [[UInt8]] { pongs }

    /// Waits for the end of the connection, and drops what comes before it.
    func ended(within limit: Duration? = nil) async throws -> End {
        try await wait(for: "the hub to close the connection", within: limit) { $0.end }
    }

    /// Ends the connection in order, without a word.
    func close() {
        channel.finishWriting()
        channel.close()
    }
}
