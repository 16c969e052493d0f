import HubControl
package import NetIO
package import Transcript

/// Where and how a hub listens.
package struct ControlServerConfiguration: Sendable {
    /// Accept the plain preface from loopback.
    package var allowsPlain: Bool
    /// The hub's name in `welcome`.
    package var name: String
    package var version: String
    /// Connections from one address that is not loopback, and from loopback.
    package var connectionsPerAddress = 64
    package var connectionsFromLoopback = 1_024
    /// Beyond its limit, an address has so many more connections that are told why they are sent away; others are closed
    /// at once, so that a flood costs no handshakes.
    package var refusalsPerAddress = 16
    /// From the accept to a whole hello, with TLS or without.
    package var helloTime: Duration = .seconds(10)
    /// How long a connection that the hub ends may take to hear why.
    package var farewellTime: Duration = .seconds(1)
    /// Where every dialogue is written down; `nil` for nowhere.
    package var transcript: DialogueLog?
    package init(allowsPlain: Bool, name: String, version: String) {
        self.allowsPlain = allowsPlain
        self.name = name
        self.version = version
    }

    /// Connections that may be open from an address.
    package func connections(from address: IPAddress) -> Int {
        address.isLoopback ? connectionsFromLoopback : connectionsPerAddress
    }
}

/// Accepts control connections and serves each until it ends.
package final class ControlServer: Sendable {
    /// A connection from its accept to its end.
    private struct Served {
        let task: Task<Void, Never>
        /// `nil` until it is known what the client speaks.
        var connection: ControlServerConnection?
    }

    private struct State {
        var served: [Int: Served] = [:]
        var counts: [IPAddress: Int] = [:]
        /// Connections that were closed at once, by address, until the next one from there is served.
        var dropped: [IPAddress: Int] = [:]
        var last = 0
        var isStopping = false
    }

    /// Bytes that may wait for a slow reader (Protocols/hub-control.md §1).
    package static let writeQueueLimit = 4 << 20

    private let listener: TCPListener
    private let tls: TLSContext
    private let router: ControlRouter
    private let configuration: ControlServerConfiguration
    private let clock: DriverClock
    private let write: @Sendable (String) -> Void
    private let budget = Locked(LogBudget())
    private let state = Locked(State())

    package init(
        listener: TCPListener, tls: TLSContext, router: ControlRouter, configuration: ControlServerConfiguration,
        clock: DriverClock, log: @escaping @Sendable (String) -> Void
    ) {
        self.listener = listener
        self.tls = tls
        self.router = router
        self.configuration = configuration
        self.clock = clock
        write = log
    }

    private func log(_ line: String) {
        for line in budget.withLock({ $0.lines(for: line, now: clock.now) }) { write(line) }
    }

    /// The TCP port, host order.
    package var port: UInt16 { listener.port }

    /// Connections that are served now.
    package var connectionCount: Int { state.withLock { $0.served.count } }

    /// Those of them whose first byte, and TLS where that is spoken, are behind them: they can be told why they end.
    package var establishedCount: Int { state.withLock { $0.served.values.count { $0.connection != nil } } }

    /// Serves until the task is cancelled; then says goaway to every client and closes.
    package func run() async {
        await withTaskCancellationHandler {
            for await tcp in listener.connections { accept(tcp) }
        } onCancel: {
            listener.close()
        }
        // The connections are no children of this task: they must outlive its cancellation by their goaway.
        let (tasks, connections) = state.withLock { state in
            state.isStopping = true
            for served in state.served.values where served.connection == nil { served.task.cancel() }
            return (state.served.values.map(\.task), state.served.values.compactMap(\.connection))
        }
        for connection in connections { await connection.close(.stopping) }
        for task in tasks { await task.value }
    }

    private func accept(_ tcp: TCPConnection) {
        let accepted = clock.now
        let address = tcp.peerAddress.ip
        let limit = configuration.connections(from: address)
        let isFirstDropped: Bool? = state.withLock { state in
            let count = state.counts[address, default: 0] + 1
            guard count <= limit + configuration.refusalsPerAddress else {
                state.dropped[address, default: 0] += 1
                return state.dropped[address] == 1
            }
            state.counts[address] = count
            state.dropped[address] = nil
            state.last += 1
            let number = state.last
            let task = Task {
                await self.serve(tcp, number, count > limit ? limit : nil, accepted)
                self.left(address, number)
            }
            state.served[number] = Served(task: task)
            return nil
        }
        guard let isFirstDropped else { return }
        tcp.close()
        // One line for the whole flood.
        if isFirstDropped { log("control connections from \(address): too many, further ones are closed at once") }
    }

    private func left(_ address: IPAddress, _ number: Int) {
        state.withLock { state in
            let left = state.counts[address, default: 1] - 1
            state.counts[address] = left > 0 ? left : nil
            if left == 0 { state.dropped[address] = nil }
            state.served[number] = nil
        }
    }

    /// - Parameter passedLimit: the limit of its address, when the connection is one too many.
    private func serve(_ tcp: TCPConnection, _ number: Int, _ passedLimit: Int?, _ accepted: Duration) async {
        do {
            var (channel, refusal) = try await admit(tcp, until: accepted + configuration.helloTime)
            if let transcript = configuration.transcript {
                let how = channel is TLSConnection ? "TLS" : "plain"
                channel = RecordedChannel(
                    channel, transcript.open("from \(tcp.peerAddress), \(how)"), side: .hub)
            }
            let connection = ControlServerConnection(
                channel: channel, router: router, configuration: configuration, clock: clock, accepted: accepted)
            let isStopping = state.withLock { state in
                state.served[number]?.connection = connection
                return state.isStopping
            }
            if let refusal {
                await connection.close(refusal)
            } else if let passedLimit {
                await connection.close(
                    Goaway(code: .resourceExhausted, message: "\(passedLimit) connections of this address are open"))
            } else if isStopping {
                await connection.close(.stopping)
            }
            let reason = await connection.run()
            if let reason { log("control connection from \(tcp.peerAddress): \(reason)") }
        } catch {
            tcp.close()
            log("control connection from \(tcp.peerAddress): \(error)")
        }
    }

    /// Finds out by the first byte what the client speaks.
    ///
    /// - Returns: the channel, and why the client must be sent away at once.
    private func admit(
        _ tcp: TCPConnection, until deadline: Duration
    ) async throws(NetError) -> (any ByteChannel, Goaway?) {
        let first = try await withTimeout(max(.zero, deadline - clock.now), clock: clock, "first byte") {
            () async throws(NetError) in try await tcp.read(atMost: 16_384)
        }
        guard let byte = first.first else { throw NetError(.closed, "first byte", reason: "the peer sent nothing") }
        switch ControlPreface.opening(firstByte: byte) {
        case .tls:
            let connection = try await TLSConnection.establish(
                over: tcp, tls, received: first, timeout: max(.zero, deadline - clock.now), clock: clock)
            return (connection, nil)
        case .plain:
            let channel = PrefixedChannel(prefix: first, tcp)
            guard configuration.allowsPlain, tcp.peerAddress.ip.isLoopback else { return (channel, .noPlain) }
            return (channel, nil)
        case .garbage:
            throw NetError(.untrusted, "first byte", reason: "neither TLS nor the control protocol's preface")
        }
    }
}

extension Goaway {
    fileprivate static let stopping = Goaway(code: .unavailable, message: "the hub is stopping")
    fileprivate static let noPlain = Goaway(
        code: .permissionDenied,
        message: "this hub takes no connections without TLS here: use TLS, or start it with --plain on this machine")
}

/// A channel whose first bytes were read already.
private final class PrefixedChannel: ByteChannel {
    private let prefix: Locked<[UInt8]>
    private let channel: any ByteChannel

    init(prefix: [UInt8], _ channel: any ByteChannel) {
        self.prefix = Locked(prefix)
        self.channel = channel
    }

    func read(atMost limit: Int) async throws(NetError) -> [UInt8] {
        let first = prefix.withLock { prefix in
            defer { prefix = Array(prefix.dropFirst(limit)) }
            return Array(prefix.prefix(limit))
        }
        return first.isEmpty ? try await channel.read(atMost: limit) : first
    }
    func write(_ bytes: [UInt8]) async throws(NetError) { try await channel.write(bytes) }
    func enqueue(_ bytes: [UInt8]) throws(NetError) { try channel.enqueue(bytes) }
    func finishWriting() { channel.finishWriting() }
    func close() { channel.close() }
    var peerAddress: SocketAddress { channel.peerAddress }
}
