import HubControl
package import NetIO

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
    /// From the first byte to the end of a TLS handshake.
    package var handshakeTime: Duration = .seconds(10)
    package init(allowsPlain: Bool, name: String, version: String) {
        self.allowsPlain = allowsPlain
        self.name = name
        self.version = version
    }
}

/// Accepts control connections and serves each until it ends.
package final class ControlServer: Sendable {
    private let listener: TCPListener
    private let tls: TLSContext
    private let router: ControlRouter
    private let configuration: ControlServerConfiguration
    private let clock: DriverClock
    private let log: @Sendable (String) -> Void
    private let counts = Locked<[IPAddress: Int]>([:])
    private let open = Locked<[ObjectIdentifier: ControlServerConnection]>([:])

    package init(
        listener: TCPListener, tls: TLSContext, router: ControlRouter, configuration: ControlServerConfiguration,
        clock: DriverClock, log: @escaping @Sendable (String) -> Void
    ) {
        self.listener = listener
        self.tls = tls
        self.router = router
        self.configuration = configuration
        self.clock = clock
        self.log = log
    }

    /// The TCP port, host order.
    package var port: UInt16 { listener.port }

    /// Serves until the task is cancelled; then says goaway to every client and closes.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await tcp in listener.connections {
                    group.addTask { await self.serve(tcp) }
                }
                for connection in open.withLock({ Array($0.values) }) {
                    group.addTask {
                        await connection.close(Goaway(code: .unavailable, message: "the hub is stopping"))
                    }
                }
            }
        } onCancel: {
            listener.close()
        }
    }

    private func serve(_ tcp: TCPConnection) async {
        let address = tcp.peerAddress.ip
        let limit = address.isLoopback ? configuration.connectionsFromLoopback : configuration.connectionsPerAddress
        let count = counts.withLock { counts in
            counts[address, default: 0] += 1
            return counts[address, default: 0]
        }
        defer {
            counts.withLock { counts in
                let left = counts[address, default: 1] - 1
                counts[address] = left > 0 ? left : nil
            }
        }
        do {
            let channel = try await admit(tcp)
            let connection = ControlServerConnection(
                channel: channel, router: router, configuration: configuration, clock: clock)
            if count > limit {
                await connection.close(
                    Goaway(code: .resourceExhausted, message: "\(limit) connections of this address are open"))
                return
            }
            open.withLock { $0[ObjectIdentifier(connection)] = connection }
            let reason = await connection.run()
            open.withLock { $0[ObjectIdentifier(connection)] = nil }
            if let reason { log("control connection from \(tcp.peerAddress): \(reason)") }
        } catch {
            tcp.close()
            log("control connection from \(tcp.peerAddress): \(error)")
        }
    }

    /// Finds out by the first byte what the client speaks.
    private func admit(_ tcp: TCPConnection) async throws(NetError) -> any ByteChannel {
        let first = try await withTimeout(configuration.handshakeTime, clock: clock, "first byte") {
            () async throws(NetError) in try await tcp.read(atMost: 16_384)
        }
        guard let byte = first.first else { throw NetError(.closed, "first byte", reason: "the peer sent nothing") }
        switch ControlPreface.opening(firstByte: byte) {
        case .tls:
            return try await TLSConnection.establish(
                over: tcp, tls, received: first, timeout: configuration.handshakeTime, clock: clock)
        case .plain:
            guard configuration.allowsPlain, tcp.peerAddress.ip.isLoopback else {
                throw NetError(.untrusted, "first byte", reason: "plain connections are not allowed here")
            }
            return PrefixedChannel(prefix: first, tcp)
        case .garbage:
            throw NetError(.untrusted, "first byte", reason: "neither TLS nor the control protocol's preface")
        }
    }
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
