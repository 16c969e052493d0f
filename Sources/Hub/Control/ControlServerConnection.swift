import HubControl
import NetIO

/// Drives one `ServerConnection` machine over a byte channel: admits, performs requests, forwards events.
///
/// ``run()`` is the only reader of the channel, also after the hub has said goaway: it drops what still comes in until
/// the client ends its side, or the farewell time is over.
actor ControlServerConnection {
    /// Subscriptions to devices that one connection may have.
    static let maximumSubscriptions = 64

    private let channel: any ByteChannel
    let router: ControlRouter
    private let configuration: ControlServerConfiguration
    let clock: DriverClock
    private let timer: DeadlineTimer
    private var machine: ServerConnection
    private(set) var caller: Caller?
    private var connection: CallerConnection?
    /// Requests that run, to stop them by `cancel` or at the end; each removes itself.
    private var requests: [RequestID: (method: ControlMethod, task: Task<Void, Never>)] = [:]
    /// Requests in whose answers' place the connection is cut, because a fault says so.
    private var unanswered: Set<RequestID> = []
    private var events: Task<Void, Never>?
    /// Subscriptions to devices, to end them by `devices.unsubscribe` or at the end.
    var subscriptions: [SubscriptionNumber: DeviceSubscription] = [:]
    var lastSubscription: UInt32 = 0
    private(set) var isOver = false
    private var revocation: Task<Void, Never>?
    /// When the channel is closed whether the client has heard the goaway or not.
    private var farewellEnds: Duration?
    private var reason: String?

    /// - Parameter accepted: when the connection was accepted, on `clock`; the time for hello counts from there.
    init(
        channel: any ByteChannel, router: ControlRouter, configuration: ControlServerConfiguration, clock: DriverClock,
        accepted: Duration
    ) {
        self.channel = channel
        self.router = router
        self.configuration = configuration
        self.clock = clock
        timer = DeadlineTimer(clock: clock)
        var limits = ServerConnection.Limits()
        limits.helloTime = configuration.helloTime
        machine = ServerConnection(now: accepted, limits: limits)
    }

    /// Serves until the connection ends.
    ///
    /// - Returns: why, when that is worth a line in the log.
    func run() async -> String? {
        armTimer()
        let ticks = Task { [firings = timer.firings] in
            for await _ in firings { await self.timerFired() }
        }
        do throws(NetError) {
            while true {
                let bytes = try await channel.read(atMost: 65_536)
                if bytes.isEmpty { break }
                await perform(machine.received(bytes, now: clock.now))
            }
        } catch {
            if !machine.isClosed, error.code != .closed, error.code != .cancelled { reason = reason ?? "\(error)" }
        }
        _ = machine.ended()
        channel.finishWriting()
        channel.close()
        ticks.cancel()
        timer.finish()
        await end()
        return reason
    }

    /// Ends the connection with a reason for the client.
    func close(_ goaway: Goaway) async { await perform(machine.close(goaway)) }

    private func timerFired() async {
        if let farewellEnds, clock.now >= farewellEnds {
            channel.close()
        } else {
            await perform(machine.timerFired(now: clock.now))
        }
        armTimer()
    }

    private func armTimer() { timer.arm(farewellEnds ?? machine.deadline) }

    // MARK: - Actions

    private func perform(_ actions: [ServerConnection.Action]) async {
        for action in actions {
            switch action {
            case .send(let bytes): send(bytes)
            case .admit(let hello): await admit(hello)
            case .perform(let request): start(request)
            case .close:
                channel.finishWriting()
                farewellEnds = clock.now + configuration.farewellTime
            }
        }
        armTimer()
    }

    private func send(_ bytes: [UInt8]) {
        do throws(NetError) {
            try channel.enqueue(bytes)
        } catch {
            // A reader this slow, or a broken connection: it ends here, with the reason in the log.
            if !machine.isClosed {
                reason = reason ?? (error.code == .wouldBlock ? "the client reads too slowly" : "\(error)")
            }
            _ = machine.ended()
            channel.close()
        }
    }

    private func admit(_ hello: Hello) async {
        do throws(ControlError) {
            if let text = hello.grant { try await present(text) }
            await perform(machine.admitted(await welcome(), now: clock.now))
        } catch {
            await perform(machine.refused(Goaway(code: error.code, message: error.message)))
        }
    }

    private func present(_ text: String) async throws(ControlError) {
        let token: GrantToken
        do throws(GrantToken.Failure) {
            token = try GrantToken(parsing: text)
        } catch {
            throw ControlError(.unauthenticated, "the grant is not of the form mh1.….….…")
        }
        let caller = try await router.service.authenticate(token)
        let connection = await router.service.connected(caller)
        self.caller = caller
        self.connection = connection
        revocation = Task {
            for await _ in connection.revocation {}
            if !Task.isCancelled { await self.grantRevoked() }
        }
        // Revoked between the check and the watch: nobody would tell us.
        if await !router.service.isValid(caller.grant) { throw .grantRevoked }
    }

    private func welcome() async -> Welcome {
        let state = await router.service.ledger.state
        let home = caller.flatMap { state.structures[$0.structure] }
        var range: (oldest: UInt64, newest: UInt64)?
        if let caller { range = await router.service.eventRange(of: caller.structure) }
        return Welcome(
            version: ControlLimits.protocolVersion,
            hub: .init(id: state.hub ?? HubID(rawValue: 0), name: configuration.name, version: configuration.version),
            structures: home.map { [.init(id: $0.id, name: $0.name)] } ?? [],
            grant: caller.map { .init(id: $0.grant, app: $0.app, scopes: $0.scopes) },
            maximumPayload: ControlLimits().payloadLength,
            events: range.map { .init(epoch: router.service.eventEpoch, oldest: $0.oldest, newest: $0.newest) })
    }

    private func start(_ request: ControlRequest) {
        let faults = router.service.environment.faults.reached(request.method.rawValue)
        if faults.contains(.cutBeforeResponse) { unanswered.insert(request.id) }
        let task = Task { [router, caller, clock] in
            if faults.contains(.offline) { await router.service.setReachable(false) }
            switch request.method {
            case .cancel: self.finish(request.id, self.cancel(request))
            case .eventsSubscribe: await self.subscribe(request)
            case .devicesSubscribe: await self.follow(request)
            case .devicesUnsubscribe: self.finish(request.id, await self.unfollow(request))
            default:
                let outcome = await withRequestDeadline(request, clock: clock) {
                    await router.perform(request, by: caller)
                }
                self.finish(request.id, outcome)
            }
        }
        requests[request.id] = (request.method, task)
        if faults.contains(.cutAfterRequest) { channel.close() }
    }

    func finish(_ id: RequestID, _ outcome: Result<JSONObject, ControlError>) {
        requests[id] = nil
        if unanswered.remove(id) != nil { return channel.close() }
        for case .send(let bytes) in machine.answered(id, outcome) { send(bytes) }
        armTimer()
    }

    private func cancel(_ request: ControlRequest) -> Result<JSONObject, ControlError> {
        do throws(ControlProtocolError) {
            let number = try request.params.integer("id", in: RequestID.range)
            let other = RequestID(rawValue: number).flatMap { $0 == request.id ? nil : requests[$0] }
            other?.task.cancel()
            return .success(["cancelled": .bool(other != nil)])
        } catch {
            return .failure(ControlError(error))
        }
    }

    // MARK: - Events

    private func subscribe(_ request: ControlRequest) async {
        do {
            let structure = try await router.authorize(request, by: caller).structure
            let from = try request.params.optionalInteger("from", as: UInt64.self)
            let (stream, next, gap) = try await router.service.subscribe(to: structure, from: from)
            events?.cancel()
            finish(
                request.id,
                .success([
                    "epoch": .string(router.service.eventEpoch), "next": JSONValue(next), "gap": .bool(gap),
                ]))
            events = Task {
                for await event in stream { self.forward(event) }
                if !Task.isCancelled {
                    await self.close(Goaway(code: .resourceExhausted, message: "events are read too slowly"))
                }
            }
        } catch {
            finish(request.id, .failure(ControlRouter.controlError(error)))
        }
    }

    func forward(_ event: ControlEvent) {
        for case .send(let bytes) in machine.event(event) { send(bytes) }
    }

    // MARK: - Ends

    /// The grant is gone: what runs with it is stopped and answered, then the client has to go.
    private func grantRevoked() async {
        events?.cancel()
        await endSubscriptions()
        let running = requests.values.map(\.task)
        for task in running { task.cancel() }
        let (ends, end) = AsyncStream<Never>.makeStream()
        let all = Task {
            for task in running { await task.value }
            end.finish()
        }
        let limit = Task { [clock, deadline = clock.now + configuration.farewellTime] in
            // Cancelled when every request was answered in time.
            try? await clock.sleep(until: deadline)
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
        all.cancel()
        await close(Goaway(code: .unauthenticated, message: "the grant was revoked"))
    }

    /// A lost connection ends nothing that was begun for a session or a device: its owner may come back for the answer.
    /// What only served this connection is stopped.
    private func end() async {
        isOver = true
        events?.cancel()
        revocation?.cancel()
        let ending: Set<ControlMethod> = [.grantsRequest, .devicesRead, .devicesSubscribe]
        for request in requests.values where ending.contains(request.method) { request.task.cancel() }
        await endSubscriptions()
        if let connection { await router.service.disconnected(connection) }
        connection = nil
        caller = nil
    }
}

/// Runs a request within its own deadline, counted from now.
func withRequestDeadline(
    _ request: ControlRequest, clock: DriverClock,
    _ body: @escaping @Sendable () async -> Result<JSONObject, ControlError>
) async -> Result<JSONObject, ControlError> {
    // Commissioning keeps its own deadline, so that a device is never left in the middle.
    guard let limit = request.deadlineMs, request.method != .sessionCommission else { return await body() }
    let deadline = clock.now + .milliseconds(limit)
    let work = Task { await body() }
    let alarm = Task {
        // Cancelled when the work was done in time.
        guard (try? await clock.sleep(until: deadline)) != nil else { return false }
        work.cancel()
        return true
    }
    let outcome = await withTaskCancellationHandler {
        await work.value
    } onCancel: {
        work.cancel()
    }
    alarm.cancel()
    guard await alarm.value, case .failure(let error) = outcome, error.code == .cancelled else { return outcome }
    return .failure(
        ControlError(.deadlineExceeded, "no result within \(limit) ms", suggestedUserActions: [.tryAgainLater]))
}
