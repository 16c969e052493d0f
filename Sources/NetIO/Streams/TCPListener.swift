import Dispatch
import Glibc

/// Accepts TCP connections on one port of one or several addresses.
package final class TCPListener: Sendable {
    /// What was accepted, for a single consumer; ends after ``close()``.
    ///
    /// Buffers the oldest connections up to the stated number; newer ones are closed at once.
    package let connections: AsyncStream<TCPConnection>
    /// Where it listens; the port is the real one when 0 was asked for.
    package let localAddresses: [SocketAddress]
    private let sources: [ReadinessSource]
    private let descriptors: [Gate]
    private let continuation: AsyncStream<TCPConnection>.Continuation

    /// The port of every address, host order.
    package var port: UInt16 { localAddresses[0].port }

    /// Opens and binds the sockets and starts accepting.
    ///
    /// - Parameters:
    ///   - port: host order; 0 lets the system choose one that is free on every address.
    ///   - addresses: `nil` for every address of both families (IPv4 only on a machine without IPv6).
    ///   - pendingConnections: how many accepted connections may wait for the consumer.
    ///   - writeQueueLimit: of each connection, in bytes.
    /// - Throws: ``NetError``, with code `addressInUse` when another socket has the port.
    package init(
        port: UInt16 = 0, addresses: [IPAddress]? = nil, pendingConnections: Int = 64,
        writeQueueLimit: Int = TCPConnection.defaultWriteQueueLimit
    ) throws(NetError) {
        precondition(addresses?.isEmpty != true, "a listener needs an address")
        let opened = try Self.open(port, addresses)
        var localAddresses: [SocketAddress] = []
        for descriptor in opened { localAddresses.append(try descriptor.localAddress()) }
        self.localAddresses = localAddresses
        descriptors = opened.map(\.closed)
        let (stream, continuation) = AsyncStream<TCPConnection>.makeStream(
            bufferingPolicy: .bufferingOldest(pendingConnections))
        connections = stream
        self.continuation = continuation
        let queue = DispatchQueue(label: "netio.listen", qos: .userInitiated)
        sources = opened.map { Self.startAccepting($0, queue, continuation, writeQueueLimit) }
        continuation.onTermination = { [sources] _ in for source in sources { source.cancel() } }
    }

    deinit { close() }

    /// Stops accepting and ends ``connections``; idempotent. Connections live on.
    package func close() {
        continuation.finish()
        for source in sources { source.cancel() }
    }

    /// Closes and waits until the port is free for another socket.
    package func closeAndWait() async {
        close()
        for descriptor in descriptors { await descriptor.wait() }
    }

    // MARK: Opening

    private static func open(_ port: UInt16, _ addresses: [IPAddress]?) throws(NetError) -> [FileDescriptor] {
        guard let addresses else {
            do throws(NetError) {
                return [try open(SocketAddress(ip: .anyV6, port: port), dualStack: true)]
            } catch  where error.code == .addressUnavailable {
                return [try open(SocketAddress(ip: .anyV4, port: port), dualStack: false)]
            }
        }
        // With port 0 the first address gets a port that another may not have free: then try again with a new one.
        for triesLeft in (0..<16).reversed() {
            var opened: [FileDescriptor] = []
            do throws(NetError) {
                var shared = port
                for address in addresses {
                    let descriptor = try open(SocketAddress(ip: address, port: shared), dualStack: false)
                    shared = try descriptor.localAddress().port
                    opened.append(descriptor)
                }
                return opened
            } catch  where error.code == .addressInUse && port == 0 && triesLeft > 0 && !opened.isEmpty {
                continue
            }
        }
        throw NetError(.addressInUse, "bind", reason: "no port is free on all of \(addresses)")
    }

    private static func open(_ address: SocketAddress, dualStack: Bool) throws(NetError) -> FileDescriptor {
        let family = address.ip.isV4 ? AF_INET : AF_INET6
        let descriptor = try FileDescriptor.socket(family, SOCK_STREAM)
        if family == AF_INET6 {
            try descriptor.setOption(Int32(IPPROTO_IPV6), IPV6_V6ONLY, dualStack ? 0 : 1, "IPV6_V6ONLY")
        }
        // A restart must not wait for the last connections' TIME_WAIT; two live listeners still conflict on Linux.
        try descriptor.setOption(SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR")
        try descriptor.bind(to: address, family: family)
        guard listen(descriptor.rawValue, 128) == 0 else {
            throw NetError(errno: errno, "listen", reason: "\(address)")
        }
        return descriptor
    }

    // MARK: Accepting

    private static func startAccepting(
        _ descriptor: FileDescriptor, _ queue: DispatchQueue, _ continuation: AsyncStream<TCPConnection>.Continuation,
        _ writeQueueLimit: Int
    ) -> ReadinessSource {
        let source = ReadinessSource(descriptor, .readable, queue: queue)
        // Weak: the source owns this handler. The descriptor lives as long as the source isn't cancelled.
        source.setHandler { @Sendable [weak source, weak descriptor] in
            guard let source, let descriptor else { return }
            switch acceptAll(descriptor, continuation, writeQueueLimit) {
            case .ready: source.request()
            case .exhausted:
                // Out of descriptors: without a pause the pending connection would make this a busy loop.
                queue.asyncAfter(deadline: .now() + .milliseconds(100)) { @Sendable in source.request() }
            }
        }
        source.request()
        return source
    }

    private enum Accepted { case ready, exhausted }

    private static func acceptAll(
        _ descriptor: FileDescriptor, _ continuation: AsyncStream<TCPConnection>.Continuation, _ writeQueueLimit: Int
    ) -> Accepted {
        for _ in 0..<64 {
            let value = accept(descriptor.rawValue, nil, nil)
            guard value >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
                case EAGAIN: return .ready
                default: continue  // this one is gone already (ECONNABORTED and the like); the next may be well
                }
            }
            let accepted = FileDescriptor(takingOwnership: value)
            do throws(NetError) {
                try accepted.makeNonBlocking()
                let connection = try TCPConnection(accepted, writeQueueLimit: writeQueueLimit)
                if case .dropped(let refused) = continuation.yield(connection) { refused.close() }
            } catch {
                // The peer left between the handshake and here: nobody to tell.
            }
        }
        return .ready
    }
}
