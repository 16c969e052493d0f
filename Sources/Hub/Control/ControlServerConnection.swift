import HubControl
import NetIO

/// Drives one `ServerConnection` machine over a byte channel: admits, performs requests, forwards events.
actor ControlServerConnection {
    private let channel: any ByteChannel
    private let router: ControlRouter
    private let configuration: ControlServerConfiguration
    private let clock: DriverClock
    private let timer: DeadlineTimer
    private var machine: ServerConnection
    private var caller: Caller?
    /// Requests that run, to stop them by `cancel` or at the end; each removes itself.
    private var requests: [RequestID: Task<Void, Never>] = [:]
    private var events: Task<Void, Never>?
    private var reason: String?

    init(
        channel: any ByteChannel, router: ControlRouter, configuration: ControlServerConfiguration, clock: DriverClock
    ) {
        self.channel = channel
        self.router = router
        self.configuration = configuration
        self.clock = clock
        timer = DeadlineTimer(clock: clock)
        machine = ServerConnection(now: clock.now)
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
            while !machine.isClosed {
                let bytes = try await channel.read(atMost: 65_536)
                if bytes.isEmpty {
                    await perform(machine.ended())
                } else {
                    await perform(machine.received(bytes, now: clock.now))
                }
            }
        } catch {
            if error.code != .closed, error.code != .cancelled { reason = reason ?? "\(error)" }
            _ = machine.ended()
        }
        ticks.cancel()
        timer.finish()
        await end()
        return reason
    }

    /// Ends the connection with a reason for the client.
    func close(_ goaway: Goaway) async { await perform(machine.close(goaway)) }

    private func timerFired() async { await perform(machine.timerFired(now: clock.now)) }

    private func armTimer() { timer.arm(machine.deadline) }

    // MARK: - Actions

    private func perform(_ actions: [ServerConnection.Action]) async {
        for action in actions {
            switch action {
            case .send(let bytes): send(bytes)
            case .admit(let hello): await admit(hello)
            case .perform(let request): start(request)
            case .close: await channel.closeAfterFlush(timeout: .seconds(1), clock: clock)
            }
        }
        armTimer()
    }

    private func send(_ bytes: [UInt8]) {
        do throws(NetError) {
            try channel.enqueue(bytes)
        } catch {
            // A reader this slow, or a broken connection: it ends here, with the reason in the log.
            reason = reason ?? (error.code == .wouldBlock ? "the client reads too slowly" : "\(error)")
            _ = machine.ended()
            channel.close()
        }
    }

    private func admit(_ hello: Hello) async {
        do {
            if let text = hello.grant {
                guard let token = try? GrantToken(parsing: text) else {
                    throw ControlError(.unauthenticated, "the grant is not of the form mh1.….….…")
                }
                let caller = try await router.service.authenticate(token)
                self.caller = caller
                await router.service.connected(caller)
            }
            await perform(machine.admitted(await welcome(), now: clock.now))
        } catch let error as ControlError {
            await perform(machine.refused(Goaway(code: error.code, message: error.message)))
        } catch {
            await perform(machine.refused(Goaway(code: .internal, message: "\(error)")))
        }
    }

    private func welcome() async -> Welcome {
        let state = await router.service.ledger.state
        let home = caller.flatMap { state.structures[$0.structure] }
        var range: (oldest: UInt64, newest: UInt64)?
        if let caller { range = await router.service.eventRange(of: caller.structure) }
        return Welcome(
            version: "1.0",
            hub: .init(id: state.hub ?? HubID(rawValue: 0), name: configuration.name, version: configuration.version),
            structures: home.map { [.init(id: $0.id, name: $0.name)] } ?? [],
            grant: caller.map { .init(id: $0.grant, app: $0.app, scopes: $0.scopes) },
            maximumPayload: ControlLimits().payloadLength,
            events: range.map { .init(epoch: router.service.eventEpoch, oldest: $0.oldest, newest: $0.newest) })
    }

    private func start(_ request: ControlRequest) {
        if request.method == .cancel {
            finish(request.id, cancel(request))
            return
        }
        if request.method == .eventsSubscribe {
            requests[request.id] = Task { await self.subscribe(request) }
            return
        }
        requests[request.id] = Task { [router, caller, clock] in
            let outcome = await withRequestDeadline(request, clock: clock) {
                await router.perform(request, by: caller)
            }
            self.finish(request.id, outcome)
        }
    }

    private func finish(_ id: RequestID, _ outcome: Result<JSONObject, ControlError>) {
        requests[id] = nil
        for case .send(let bytes) in machine.answered(id, outcome) { send(bytes) }
        armTimer()
    }

    private func cancel(_ request: ControlRequest) -> Result<JSONObject, ControlError> {
        do throws(ControlProtocolError) {
            let number = try request.params.integer("id", in: RequestID.range)
            let task = RequestID(rawValue: number).flatMap { requests[$0] }
            task?.cancel()
            return .success(["cancelled": .bool(task != nil)])
        } catch {
            return .failure(ControlError(error))
        }
    }

    // MARK: - Events

    private func subscribe(_ request: ControlRequest) async {
        do {
            guard let caller, caller.scopes.allows(.structureRead) else {
                throw ControlError(.permissionDenied, "events.subscribe needs the scope structure.read")
            }
            let from = try request.params.optionalInteger("from", as: UInt64.self)
            let (stream, next, gap) = try await router.service.subscribe(to: caller.structure, from: from)
            events?.cancel()
            finish(
                request.id,
                .success([
                    "epoch": .string(router.service.eventEpoch), "next": JSONValue(next), "gap": .bool(gap),
                ]))
            events = Task {
                for await event in stream { self.forward(event) }
            }
        } catch let error as ControlError {
            finish(request.id, .failure(error))
        } catch let error as ControlProtocolError {
            finish(request.id, .failure(ControlError(error)))
        } catch {
            finish(request.id, .failure(ControlError(.internal, "\(error)")))
        }
    }

    private func forward(_ event: ControlEvent) {
        for case .send(let bytes) in machine.event(event) { send(bytes) }
    }

    // MARK: - End

    /// A lost connection ends nothing that was begun for a session: its owner may come back for the answer.
    private func end() async {
        events?.cancel()
        if let caller { await router.service.disconnected(caller) }
        caller = nil
    }
}

/// Runs a request within its own deadline, counted from now.
private func withRequestDeadline(
    _ request: ControlRequest, clock: DriverClock,
    _ body: @escaping @Sendable () async -> Result<JSONObject, ControlError>
) async -> Result<JSONObject, ControlError> {
    // Commissioning keeps its own deadline, so that a device is never left in the middle.
    guard let limit = request.deadlineMs, request.method != .sessionCommission else { return await body() }
    let work = Task { await body() }
    let alarm = Task {
        // Cancelled when the work was done in time.
        guard (try? await clock.sleep(until: clock.now + .milliseconds(limit))) != nil else { return false }
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
