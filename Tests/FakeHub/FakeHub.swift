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
    package static let light = FakeHome.light

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

    /// Leaves its side of connections open from now on when the client has ended its own.
    package func linger() { state.withLock { $0.lingers = true } }

    /// Breaks every connection.
    package func dropConnections() {
        let channels = state.withLock { Array($0.channels.values) }
        for channel in channels { channel.close() }
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
    var lingers = false
    var hellos: [Hello] = []
    var requests: [ControlRequest] = []
    var pingCount = 0
    var connectionCount = 0
    var channels: [Int: any ByteChannel] = [:]
    var waiters: [(condition: Condition, continuation: AsyncStream<Never>.Continuation)] = []
    var home = FakeHome()
    var nextEvent: UInt64 = 1
}

extension Locked<FakeHubState> {
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
