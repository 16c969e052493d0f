import HubControl
import NetIO
import TestSupport
import Testing

@testable import Hub

/// A control server on loopback in front of a ``TestHub``, on the hub's clock.
struct TestServer: Sendable {
    let hub: TestHub
    let server: ControlServer
    let address: SocketAddress
    /// Lines that the server wrote to its log.
    let lines = Locked<[String]>([])

    init(
        _ hub: TestHub, allowsPlain: Bool = false, addresses: [IPAddress] = [.loopbackV4],
        writeQueueLimit: Int = TCPConnection.defaultWriteQueueLimit,
        configure: (inout ControlServerConfiguration) -> Void = { _ in }
    ) throws {
        self.hub = hub
        let listener = try TCPListener(addresses: addresses, writeQueueLimit: writeQueueLimit)
        address = listener.localAddresses[0]
        let credentials = try TestHub.authority.issue(
            commonName: "hub", validity: CertificateValidity(notBefore: 1_700_000_000, notAfter: 4_000_000_000))
        var configuration = ControlServerConfiguration(allowsPlain: allowsPlain, name: "Hub", version: "1")
        configure(&configuration)
        let lines = lines
        server = ControlServer(
            listener: listener, tls: try TLSContext.server(credentials, applicationProtocol: "matterhub/1"),
            router: ControlRouter(
                service: hub.service, defaultStructure: TestHub.structure, name: "Hub", version: "1"),
            configuration: configuration, clock: DriverClock(hub.clock)
        ) { line in
            lines.withLock { $0.append(line) }
        }
    }

    var log: [String] { lines.withLock { $0 } }

    /// A TCP connection that has said nothing.
    func tcp() async throws -> TCPConnection { try await TCPConnection.connect(to: [address], timeout: .seconds(10)) }

    /// A TLS connection that has said nothing.
    func tls() async throws -> TLSConnection {
        try await TLSConnection.establish(
            over: try await tcp(),
            try TLSContext.client(trust: .pinned(TestHub.authority.pin), applicationProtocol: "matterhub/1"))
    }

    /// A client that was let in.
    ///
    /// - Parameter scopes: `nil` for a client without a grant.
    func client(
        _ app: AppIdentity = TestHub.phone, scopes: GrantScopes? = [.commissioning, .structureRead]
    ) async throws -> TestClient {
        var text: String?
        if let scopes {
            text = try await hub.service.createGrant(app: app, structure: TestHub.structure, scopes: scopes).text
        }
        let client = TestClient(try await tls())
        try await client.hello(text)
        return client
    }
}

/// Runs a test with a serving hub and control server, and stops both after.
func withServer(
    allowsPlain: Bool = false, addresses: [IPAddress] = [.loopbackV4],
    writeQueueLimit: Int = TCPConnection.defaultWriteQueueLimit,
    configure: (inout ControlServerConfiguration) -> Void = { _ in }, faults: HubFaults = HubFaults(),
    _ body: (TestServer) async throws -> Void
) async throws {
    try await withHub(faults: faults) { hub in
        let server = try TestServer(
            hub, allowsPlain: allowsPlain, addresses: addresses, writeQueueLimit: writeQueueLimit,
            configure: configure)
        let serving = Task { await server.server.run() }
        do {
            try await body(server)
        } catch {
            serving.cancel()
            throw error
        }
        serving.cancel()
        // What the hub waits for on its own clock must not hold up the end of the test.
        let ticking = Task { while !Task.isCancelled { await hub.clock.advanceToNextDeadline() } }
        await serving.value
        ticking.cancel()
        await hub.clock.advance(by: .zero)
    }
}

/// A client that sends frames and collects what comes.
actor TestClient {
    let channel: any ByteChannel
    private var decoder = FrameDecoder(reading: .hub, maximumPayload: ControlLimits().payloadLength)
    private(set) var welcome: Welcome?
    private(set) var answers: [RequestID: [Result<JSONObject, ControlError>]] = [:]
    private(set) var events: [ControlEvent] = []
    private(set) var goaway: Goaway?
    private(set) var pings = 0
    private(set) var isEnded = false
    private var lastID: Int64 = 0

    init(_ channel: any ByteChannel) { self.channel = channel }

    func write(_ bytes: [UInt8]) async throws { try await channel.write(bytes) }

    /// Says the preface and hello.
    ///
    /// - Parameter waits: for welcome or goaway.
    func hello(_ grant: String?, waits: Bool = true) async throws {
        let hello = ControlMessage.hello(Hello(client: "test/1", grant: grant))
        try await write(ControlPreface.bytes + hello.frame.encoded())
        while waits, welcome == nil, await take() {}
    }

    /// Sends a request.
    func send(
        _ method: ControlMethod, _ params: JSONObject = JSONObject(), deadlineMs: Int64? = nil
    ) async throws -> RequestID {
        lastID += 1
        let id = RequestID(rawValue: lastID)!
        let request = ControlRequest(id: id, method: method, params: params, deadlineMs: deadlineMs)
        try await write(ControlMessage.request(request).frame.encoded())
        return id
    }

    /// Waits for a request's answer.
    func answer(to id: RequestID) async throws -> JSONObject {
        while answers[id] == nil, await take() {}
        guard let answer = answers[id]?.first else {
            throw goaway.map { ControlError($0.code, $0.message) } ?? ControlError(.unknown, "the connection ended")
        }
        return try answer.get()
    }

    /// Sends a request and waits for its answer.
    func call(
        _ method: ControlMethod, _ params: JSONObject = JSONObject(), deadlineMs: Int64? = nil
    ) async throws -> JSONObject {
        try await answer(to: try await send(method, params, deadlineMs: deadlineMs))
    }

    /// Waits for an event.
    func event(where isMeant: (ControlEvent) -> Bool) async -> ControlEvent? {
        while true {
            if let event = events.first(where: isMeant) { return event }
            guard await take() else { return nil }
        }
    }

    /// Reads until the hub ends the connection.
    @discardableResult func end() async -> Goaway? {
        while await take() {}
        return goaway
    }

    /// Closes without a word.
    func drop() { channel.close() }

    /// Waits for bytes and takes the messages in them.
    ///
    /// - Returns: `false` at the end.
    private func take() async -> Bool {
        guard !isEnded else { return false }
        do {
            let bytes = try await channel.read(atMost: 65_536)
            guard !bytes.isEmpty else {
                isEnded = true
                return false
            }
            decoder.append(bytes)
            while let frame = try decoder.next() { note(try ControlMessage(decoding: frame)) }
            return true
        } catch {
            isEnded = true
            return false
        }
    }

    private func note(_ message: ControlMessage) {
        switch message {
        case .welcome(let welcome): self.welcome = welcome
        case .response(let response): answers[response.id, default: []].append(response.outcome)
        case .event(let event): events.append(event)
        case .goaway(let goaway): self.goaway = goaway
        case .ping: pings += 1
        case .hello, .request, .pong, .unknown: break
        }
    }
}
