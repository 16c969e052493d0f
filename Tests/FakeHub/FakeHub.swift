package import HubControl
package import NetIO

/// A hub of the control protocol without devices, for tests of clients: real sockets and TLS, scripted answers.
///
/// It runs on a thread of its own, so that it answers also while every thread of the pool waits for it.
package final class FakeHub: Sendable {
    /// What the hub does with a request.
    package indirect enum Reply: Sendable {
        case result(JSONObject)
        case error(ControlError)
        /// No answer, ever.
        case silence
        /// The connection breaks.
        case drop
        /// Ends the connection in order.
        case goaway(Goaway)
        /// Events first.
        case events([(name: String, data: JSONObject)], then: Reply)
        /// Bytes as they are, instead of an answer.
        case bytes([UInt8])
    }
    package typealias Handler = @Sendable (ControlRequest) -> Reply

    package static let structure = StructureID(rawValue: 0x51)
    package static let id = HubID(rawValue: 0xABCD)
    /// From 2017 to 2100.
    package static let validity = CertificateValidity(notBefore: 1_500_000_000, notAfter: 4_102_444_800)

    /// A device that it lists.
    package static let light = FakeHome.light.row

    /// The grant that it takes.
    package let grant: GrantToken
    package let authority: ControlCA
    /// Where it listens, on 127.0.0.1.
    package let port: UInt16
    /// Address and port as people write them.
    package var place: String { "127.0.0.1:\(port)" }
    let state = Locked(FakeHubState())
    private let listener: TCPListener
    private let context: TLSContext
    private let thread = ThreadExecutor()
    private let serving: Task<Void, Never>

    package init() throws {
        authority = try ControlCA.create(commonName: "Fake control CA", validity: Self.validity)
        grant = GrantToken(
            authorityHash: authority.pin, id: GrantID(rawValue: 7), secret: [UInt8](repeating: 9, count: 32))
        context = try TLSContext.server(
            authority.issue(commonName: "Fake hub", validity: Self.validity), applicationProtocol: "matterhub/1")
        listener = try TCPListener(addresses: [.loopbackV4], pendingConnections: 256)
        port = listener.port
        let (connections, context, state, grant) = (listener.connections, context, state, grant)
        serving = Task(executorPreference: thread) {
            await withDiscardingTaskGroup { group in
                for await tcp in connections {
                    group.addTask { await FakeConnection(tcp, context, state, grant).serve() }
                }
            }
        }
    }

    deinit {
        listener.close()
        serving.cancel()
    }

    // MARK: - The script

    /// Answers a method from now on.
    package func on(_ method: ControlMethod, _ handler: @escaping Handler) {
        state.withLock { $0.handlers[method] = handler }
    }

    /// Refuses the grant from now on.
    package func revoke() { state.withLock { $0.isRevoked = true } }

    /// Takes the grant again.
    package func permit() { state.withLock { $0.isRevoked = false } }

    /// What the grant allows, as it is told to clients.
    package func setScopes(_ scopes: GrantScopes) { state.withLock { $0.scopes = scopes } }

    /// Leaves its side of connections open from now on when the client has ended its own.
    package func linger() { state.withLock { $0.lingers = true } }

    /// Breaks every connection.
    package func dropConnections() {
        let channels = state.withLock { Array($0.channels.values) }
        for channel in channels { channel.close() }
    }

    /// Tells something to every connection that has subscribed to events.
    package func emit(_ name: String, _ data: JSONObject = [:]) { state.emit([(name, data)], skipping: nil) }

    /// Forgets all events, as a hub that lost its state: whoever subscribes from a number finds a gap.
    package func forgetEvents() {
        state.change { state in
            state.epoch += 1
            state.log = []
            state.nextEvent = 1
        }
    }

    /// Leaves out numbers of events.
    package func skipEvents(_ count: UInt64) { state.change { $0.nextEvent += count } }

    /// Puts a device into the home, silently.
    package func addDevice(_ device: FakeDevice) { state.change { $0.home.devices.append(device) } }

    /// Gives an attribute of a device a value, and tells it.
    package func setAttribute(
        _ attribute: UInt32, of cluster: UInt32, on device: String, endpoint: UInt16 = 1, to value: JSONValue
    ) {
        state.change { state in
            state.home.change(device) { $0.attributes[FakeDevice.Path(endpoint, cluster, attribute)] = value }
        }
        emit(
            "device.attributes",
            [
                "id": .string(device), "endpoint": JSONValue(endpoint), "cluster": JSONValue(cluster),
                "attributes": [["attribute": JSONValue(attribute), "value": value]],
            ])
    }

    // MARK: - What it saw

    /// The hellos of all connections.
    package var hellos: [Hello] { state.withLock { $0.hellos } }
    /// The requests of all connections.
    package var requests: [ControlRequest] { state.withLock { $0.requests } }
    /// How many connections were accepted.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Waits until so many requests for a method have come.
    @discardableResult
    package func waitForRequests(_ method: ControlMethod, count: Int = 1) async -> [ControlRequest] {
        await wait { $0.requests.count { $0.method == method } >= count }
        return requests.filter { $0.method == method }
    }

    /// Waits until so many connections have subscribed to events.
    package func waitForSubscribers(_ count: Int = 1) async { await wait { $0.subscribers.count >= count } }

    /// Waits until the hub has seen a client's ping.
    package func waitForPing() async { await wait { $0.pingCount > 0 } }

    /// Waits until no connection is open.
    package func waitForNoConnection() async { await wait { $0.connectionCount > 0 && $0.channels.isEmpty } }

    private func wait(_ condition: @escaping @Sendable (FakeHubState) -> Bool) async {
        let (reached, continuation) = AsyncStream<Never>.makeStream()
        state.withLock { state in
            if condition(state) { continuation.finish() } else { state.waiters.append((condition, continuation)) }
        }
        for await _ in reached {}
    }
}

struct FakeHubState: Sendable {
    typealias Condition = @Sendable (FakeHubState) -> Bool
    var handlers: [ControlMethod: FakeHub.Handler] = [:]
    var isRevoked = false
    var scopes: GrantScopes = [.admin]
    var lingers = false
    var hellos: [Hello] = []
    var requests: [ControlRequest] = []
    var pingCount = 0
    var connectionCount = 0
    var channels: [Int: any ByteChannel] = [:]
    var waiters: [(condition: Condition, continuation: AsyncStream<Never>.Continuation)] = []
    var home = FakeHome()
    var nextEvent: UInt64 = 1
    var epoch = 1
    /// The events since the start of the epoch.
    var log: [ControlEvent] = []
    /// The secured channels of connections that have subscribed to events.
    var subscribers: [Int: any ByteChannel] = [:]

    /// Numbers events and keeps them.
    mutating func number(_ events: [(name: String, data: JSONObject)]) -> [ControlEvent] {
        events.map { event in
            defer { nextEvent += 1 }
            let whole = ControlEvent(
                structure: FakeHub.structure, number: nextEvent, name: event.name, data: event.data)
            log.append(whole)
            return whole
        }
    }
}

extension Locked<FakeHubState> {
    /// Numbers events and sends them to every subscriber.
    ///
    /// - Parameter connection: who is sent them elsewhere.
    @discardableResult
    func emit(_ events: [(name: String, data: JSONObject)], skipping connection: Int?) -> [ControlEvent] {
        change { state in
            let numbered = state.number(events)
            for (number, channel) in state.subscribers where number != connection {
                for event in numbered { send(event, to: channel) }
            }
            return numbered
        }
    }

    private func send(_ event: ControlEvent, to channel: any ByteChannel) {
        do throws(NetError) {
            try channel.enqueue(ControlMessage.event(event).frame.encoded())
        } catch {
            // The connection ended meanwhile.
        }
    }

    /// Subscribes a connection, and sends it what it missed.
    func subscribe(_ connection: Int, _ channel: any ByteChannel, from: UInt64?) {
        change { state in
            state.subscribers[connection] = channel
            guard let from else { return }
            for event in state.log where event.number >= from { send(event, to: channel) }
        }
    }

    /// Changes the state and wakes who waits for that.
    func change<R: Sendable>(_ body: (inout FakeHubState) -> R) -> R {
        let (result, reached) = withLock { state in
            let result = body(&state)
            let waiters = state.waiters
            state.waiters = waiters.filter { !$0.condition(state) }
            return (result, waiters.filter { $0.condition(state) }.map(\.continuation))
        }
        for continuation in reached { continuation.finish() }
        return result
    }
}
