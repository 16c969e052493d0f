public import HubControl
import NetIO

/// One connection to a hub: requests with answers, and events.
///
/// It does not reconnect: when it is over, every open request fails and every event stream ends, and whoever needs another
/// connection makes one. Dropping the last reference closes it.
public actor HubConnection {
    /// What the hub said at the beginning: who it is, what the grant covers.
    public nonisolated let welcome: Welcome
    /// The hub's control CA (SHA-256 of its SubjectPublicKeyInfo, 32 bytes); `nil` without TLS. Only a connection
    /// with a grant has compared it with anything.
    public nonisolated let authorityHash: [UInt8]?
    /// The address that answered.
    public nonisolated let address: HubAddress
    /// How much longer than its own deadline a request waits for the hub's answer, which may be on its way.
    public static let answerGrace = Duration.seconds(2)
    /// How long the hub may take to end its side of a connection that ends.
    private static let farewell = Duration.seconds(1)
    /// How many events a stream holds for a slow reader; older ones go first, which their numbers show.
    public static let eventBuffer = 1024

    private typealias Answer = Result<JSONObject, ControlError>

    private let channel: any ByteChannel
    private let clock: DriverClock
    private let timer: DeadlineTimer
    private var machine: ClientConnection
    private var liveness: Liveness
    private let waiters = Locked<[RequestID: CheckedContinuation<Answer, Never>]>([:])
    private var deadlines: [RequestID: (limit: Duration, method: ControlMethod, at: Duration)] = [:]
    private let eventStreams = Locked<[Int: AsyncStream<ControlEvent>.Continuation]>([:])
    private var nextStream = 0
    private var reading: Task<Void, Never>?
    private var ticking: Task<Void, Never>?
    /// Why the connection ended; `nil` while it is open.
    public private(set) var goaway: Goaway?

    init(_ entry: Entry, channel: any ByteChannel, authorityHash: [UInt8]?, clock: DriverClock) {
        welcome = entry.welcome
        machine = entry.machine
        self.channel = channel
        self.authorityHash = authorityHash
        address = HubAddress(host: channel.peerAddress.hostDescription, port: channel.peerAddress.port)
        self.clock = clock
        timer = DeadlineTimer(clock: clock)
        liveness = Liveness(now: clock.now)
    }

    deinit {
        ticking?.cancel()
        timer.finish()
        channel.close()
    }

    /// Whether requests can be made.
    public var isOpen: Bool { goaway == nil }

    // MARK: - Requests

    /// Makes a request and waits for its answer.
    ///
    /// When the calling task is cancelled, the hub is told to stop the request and `cancelled` is thrown at once.
    ///
    /// - Parameters:
    ///   - deadline: what the hub is told; `nil` waits as long as the connection stands.
    ///   - grace: how much longer to wait for the hub's own answer, which says more than silence.
    /// - Throws: ``ControlError``: the hub's, or this side's with one of ``ClientReason``.
    public func request(
        _ method: ControlMethod, _ params: JSONObject = JSONObject(), deadline: Duration? = nil,
        grace: Duration = answerGrace
    ) async throws(ControlError) -> JSONObject {
        let (id, actions) = try machine.request(method, params, deadlineMs: deadline?.wholeMilliseconds)
        if let deadline { deadlines[id] = (deadline, method, clock.now + deadline + grace) }
        let answer: Answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = waiters.withLock { waiters in
                    if !Task.isCancelled { waiters[id] = continuation }
                    return Task.isCancelled
                }
                perform(actions)
                armTimer()
                if isCancelled { continuation.resume(returning: .failure(.stoppedByCaller)) }
            }
        } onCancel: { [waiters] in
            let waiter = waiters.withLock { $0.removeValue(forKey: id) }
            waiter?.resume(returning: .failure(.stoppedByCaller))
        }
        deadlines[id] = nil
        if case .failure(.stoppedByCaller) = answer { stop(id) }
        return try answer.get()
    }

    /// Makes a call of the protocol and reads its answer.
    public func call<Answer>(
        _ call: HubCall<Answer>, deadline: Duration? = nil, grace: Duration = answerGrace
    ) async throws(ControlError) -> Answer {
        try call.read(try await request(call.method, call.params, deadline: deadline, grace: grace))
    }

    /// Tells the hub that nobody waits for a request any more.
    private func stop(_ id: RequestID) {
        do throws(ControlError) {
            let (_, actions) = try machine.request(.cancel, ["id": .integer(id.rawValue)])
            perform(actions)
        } catch {
            // The connection is over, and every request with it.
        }
    }

    // MARK: - Events

    /// The events that come from now on; ends with the connection. For one reader.
    ///
    /// The hub sends none before ``HubCall/subscribe(to:from:)``. At most ``eventBuffer`` wait to be read.
    public func events() -> AsyncStream<ControlEvent> { openEvents().events }

    /// The same, with a number for ``closeEvents(_:)``.
    func openEvents() -> (id: Int, events: AsyncStream<ControlEvent>) {
        let (stream, continuation) = AsyncStream<ControlEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventBuffer))
        let id = nextStream
        nextStream += 1
        guard isOpen else {
            continuation.finish()
            return (id, stream)
        }
        eventStreams.withLock { $0[id] = continuation }
        continuation.onTermination = { [eventStreams] _ in eventStreams.withLock { $0[id] = nil } }
        return (id, stream)
    }

    /// Ends a stream behind the events that it holds.
    func closeEvents(_ id: Int) {
        // Outside of the lock, which the end of a stream takes too.
        let continuation = eventStreams.withLock { $0.removeValue(forKey: id) }
        continuation?.finish()
    }

    // MARK: - The end

    /// Ends the connection in order; open requests fail with `unavailable`.
    public func close() async {
        perform(machine.disconnected("the connection was closed on this side"))
        channel.finishWriting()
        let deadline = clock.now + Self.farewell
        let alarm = Task { [clock, channel] in
            do {
                try await clock.sleep(until: deadline)
                channel.close()
            } catch {
                // The hub ended its side in time.
            }
        }
        await reading?.value
        alarm.cancel()
    }

    /// Waits until the connection is over.
    public func waitUntilEnd() async -> Goaway {
        for await _ in events() {}
        return goaway ?? Goaway(code: .unavailable, message: "the connection was closed on this side")
    }

    // MARK: - Driving

    /// Starts to read; once, right after `init`.
    func start(_ pending: [ClientConnection.Action]) {
        perform(pending)
        let (channel, clock) = (channel, clock)
        reading = Task { [weak self] in
            while true {
                let outcome: Result<[UInt8], NetError>
                do throws(NetError) {
                    outcome = .success(try await channel.read(atMost: 65536))
                } catch {
                    outcome = .failure(error)
                }
                guard let self, await self.took(outcome) else { break }
            }
            // The last bytes, a goaway perhaps, must reach the hub.
            await channel.closeAfterFlush(timeout: Self.farewell, clock: clock)
        }
        ticking = Task { [timer, weak self] in
            for await _ in timer.firings { await self?.timerFired() }
        }
        armTimer()
    }

    /// - Returns: whether to go on reading.
    private func took(_ outcome: Result<[UInt8], NetError>) -> Bool {
        switch outcome {
        case .success([]): perform(machine.disconnected("the hub closed the connection"))
        case .success(let bytes):
            liveness.heard(now: clock.now)
            perform(machine.received(bytes))
        case .failure(let error): perform(machine.disconnected("the connection to the hub broke: \(error)"))
        }
        armTimer()
        return isOpen
    }

    private func timerFired() {
        let now = clock.now
        for (id, request) in deadlines where request.at <= now {
            deadlines[id] = nil
            if answer(id, .failure(.noAnswer(request.method, request.limit))) { stop(id) }
        }
        switch liveness.timerFired(now: now) {
        case .none: break
        case .ping: send(ControlMessage.ping(JSONObject().encoded()).frame.encoded())
        case .giveUp:
            perform(machine.disconnected("nothing was heard from the hub for \(Liveness.silence)"))
            channel.close()
        }
        armTimer()
    }

    private func armTimer() {
        guard isOpen else { return timer.finish() }
        timer.arm((deadlines.values.map(\.at) + [liveness.deadline].compactMap { $0 }).min())
    }

    private func perform(_ actions: [ClientConnection.Action]) {
        for action in actions {
            switch action {
            case .send(let bytes): send(bytes)
            case .welcomed: break
            case .answered(let id, let outcome): answer(id, outcome)
            case .event(let event):
                for stream in eventStreams.withLock({ Array($0.values) }) { stream.yield(event) }
            case .ended(let goaway): ended(goaway)
            }
        }
    }

    private func send(_ bytes: [UInt8]) {
        do throws(NetError) {
            try channel.enqueue(bytes)
        } catch {
            perform(machine.disconnected("the connection to the hub broke: \(error)"))
            channel.close()
        }
    }

    /// - Returns: whether somebody waited for it.
    @discardableResult
    private func answer(_ id: RequestID, _ outcome: Result<JSONObject, ControlError>) -> Bool {
        let waiter = waiters.withLock { $0.removeValue(forKey: id) }
        waiter?.resume(returning: outcome)
        return waiter != nil
    }

    private func ended(_ goaway: Goaway) {
        self.goaway = goaway
        timer.finish()
        let streams = eventStreams.withLock { streams in
            defer { streams = [:] }
            return Array(streams.values)
        }
        for stream in streams { stream.finish() }
    }
}

extension ControlError {
    /// The calling task was cancelled.
    static let stoppedByCaller = ControlError(.cancelled, "the request was stopped on this side")
}

extension Duration {
    /// Rounded down.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }

    /// At least 1, rounded up: for time limits.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
