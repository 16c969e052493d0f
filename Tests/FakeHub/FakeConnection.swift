import HubControl
import NetIO

/// One connection of a ``FakeHub``: HubControl's server machine over a socket.
struct FakeConnection {
    private let tcp: TCPConnection
    private let context: TLSContext
    private let state: Locked<FakeHubState>
    private let grant: GrantToken
    private var machine = ServerConnection(now: .zero)
    private var number = 0

    init(_ tcp: TCPConnection, _ context: TLSContext, _ state: Locked<FakeHubState>, _ grant: GrantToken) {
        self.tcp = tcp
        self.context = context
        self.state = state
        self.grant = grant
    }

    consuming func serve() async {
        var connection = self
        let number = connection.state.change { state in
            state.connectionCount += 1
            state.channels[state.connectionCount] = connection.tcp
            return state.connectionCount
        }
        connection.number = number
        do throws(NetError) {
            try await connection.run()
        } catch {
            // The client went away, or the test broke the connection.
        }
        connection.tcp.close()
        connection.state.change { state in
            state.channels[number] = nil
            state.subscribers[number] = nil
        }
    }

    private mutating func run() async throws(NetError) {
        var bytes = try await tcp.read(atMost: 65536)
        var channel: any ByteChannel = tcp
        if bytes.first == 0x16 {
            channel = try await TLSConnection.establish(over: tcp, context, received: bytes)
            bytes = try await channel.read(atMost: 65536)
        }
        while !bytes.isEmpty {
            if try await !perform(machine.received(bytes, now: .zero), channel) {
                await channel.closeAfterFlush(timeout: .seconds(1), clock: DriverClock())
                return
            }
            bytes = try await channel.read(atMost: 65536)
        }
        if state.withLock({ $0.lingers }) {
            // Until the hub is gone and its tasks are cancelled.
            for await _ in AsyncStream<Never>.makeStream().stream {}
        }
        channel.finishWriting()
    }

    /// - Returns: whether the connection goes on.
    private mutating func perform(
        _ actions: [ServerConnection.Action], _ channel: any ByteChannel
    ) async throws(NetError) -> Bool {
        for action in actions {
            switch action {
            case .send(let bytes):
                // The machine answers pings by itself.
                if bytes.dropFirst(4).first == ControlFrameKind.pong.rawValue { state.change { $0.pingCount += 1 } }
                try await channel.write(bytes)
            case .admit(let hello):
                guard try await perform(admit(hello), channel) else { return false }
            case .perform(let request):
                let handler = state.change { state in
                    state.requests.append(request)
                    return state.handlers[request.method]
                }
                let reply = handler?(request) ?? state.change { Self.answer(request, &$0) }
                guard try await give(reply, to: request, channel) else { return false }
                if request.method == .eventsSubscribe, case .result(let result) = reply {
                    // Also what happened since the answer was made.
                    state.subscribe(number, channel, from: result["next"]?.integer.map { UInt64($0) })
                }
            case .close: return false
            }
        }
        return true
    }

    private static func answer(_ request: ControlRequest, _ state: inout FakeHubState) -> FakeHub.Reply {
        guard request.method == .eventsSubscribe else { return state.home.answer(request) }
        let from = request.params["from"]?.integer.map { UInt64($0) } ?? state.nextEvent
        let oldest = state.log.first?.number ?? state.nextEvent
        let hasGap = from > state.nextEvent || from < oldest
        return .result([
            "epoch": .string("\(state.epoch)"), "next": JSONValue(hasGap ? oldest : from), "gap": .bool(hasGap),
        ])
    }

    private mutating func admit(_ hello: Hello) -> [ServerConnection.Action] {
        let (isRevoked, scopes) = state.change { state in
            state.hellos.append(hello)
            return (state.isRevoked, state.scopes)
        }
        var welcome = Welcome(hub: .init(id: FakeHub.id, name: "Fake hub", version: "0.0"))
        if let text = hello.grant {
            guard text == grant.text, !isRevoked else {
                return machine.refused(
                    Goaway(code: .unauthenticated, message: "this grant is unknown, wrong or revoked"))
            }
            welcome.structures = [.init(id: FakeHub.structure, name: "Home")]
            welcome.grant = .init(id: grant.id, app: AppIdentity(appID: "app", appGroup: "group"), scopes: scopes)
            welcome.events = .init(epoch: "1", oldest: 1, newest: 0)
        }
        return machine.admitted(welcome, now: .zero)
    }

    private mutating func give(
        _ reply: FakeHub.Reply, to request: ControlRequest, _ channel: any ByteChannel
    ) async throws(NetError) -> Bool {
        switch reply {
        case .result(let result):
            var actions = machine.answered(request.id, .success(result))
            if request.method == .cancel, let stopped = request.params["id"]?.integer,
                let id = RequestID(rawValue: stopped)
            {
                actions += machine.answered(id, .failure(ControlError(.cancelled, "the request was stopped")))
            }
            return try await perform(actions, channel)
        case .error(let error): return try await perform(machine.answered(request.id, .failure(error)), channel)
        case .silence: return true
        case .drop:
            channel.close()
            return false
        case .goaway(let goaway): return try await perform(machine.close(goaway), channel)
        case .bytes(let bytes):
            try await channel.write(bytes)
            return true
        case .events(let events, then: let reply):
            for event in state.emit(events, skipping: number) {
                guard try await perform(machine.event(event), channel) else { return false }
            }
            return try await give(reply, to: request, channel)
        }
    }
}
