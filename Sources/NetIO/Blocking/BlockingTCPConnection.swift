import Glibc

/// A TCP connection, plain or with TLS, whose calls block the calling thread, each up to a deadline.
///
/// For synchronous API that must answer without any task running (see ``DedicatedThread``). Not for several threads at once.
/// After a call has thrown `timedOut`, only closing makes sense.
package final class BlockingTCPConnection {
    /// A point in real time, up to which a call may block.
    package typealias Deadline = ContinuousClock.Instant

    package let peerAddress: SocketAddress
    private var descriptor: FileDescriptor?
    private var engine: TLSEngine?

    /// The server's authority once TLS is on: SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
    package var authorityPin: [UInt8]? { engine?.authorityPin }

    private init(_ descriptor: FileDescriptor) throws(NetError) {
        peerAddress = try descriptor.peerAddress()
        try descriptor.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, "TCP_NODELAY")
        self.descriptor = descriptor
    }

    /// Connects to a host by name or number. A name lookup isn't bounded by the deadline.
    package static func connect(to host: HostAndPort, deadline: Deadline) throws(NetError) -> BlockingTCPConnection {
        try connect(to: host.resolveBlocking(), deadline: deadline)
    }

    /// Connects to the first address that answers: each next one joins after ``TCPConnection/attemptDelay`` or at once when
    /// the ones before it have failed.
    ///
    /// - Throws: ``NetError``: `timedOut`, or the most telling failure with every address's own in `reason`.
    package static func connect(
        to addresses: [SocketAddress], deadline: Deadline
    ) throws(NetError) -> BlockingTCPConnection {
        guard !addresses.isEmpty else { throw NetError(.badAddress, "connect", reason: "no address to connect to") }
        var waiting = addresses[...]
        var running: [(address: SocketAddress, descriptor: FileDescriptor)] = []
        var failures: [(SocketAddress, NetError)] = []
        var nextStart = ContinuousClock.now
        while true {
            while let address = waiting.first, running.isEmpty || ContinuousClock.now >= nextStart {
                waiting.removeFirst()
                nextStart = ContinuousClock.now + TCPConnection.attemptDelay
                do throws(NetError) {
                    let (descriptor, isConnected) = try TCPConnection.beginConnect(address)
                    if isConnected { return try BlockingTCPConnection(descriptor) }
                    running.append((address, descriptor))
                } catch { failures.append((address, error)) }
            }
            guard !running.isEmpty else { throw TCPConnection.summary(failures) }
            let pause = waiting.isEmpty ? deadline : min(deadline, nextStart)
            let ready = try poll(running.map(\.descriptor), POLLOUT, until: pause)
            for index in ready.sorted(by: >) {
                let (address, descriptor) = running.remove(at: index)
                let status = try descriptor.pendingError()
                if status == 0 { return try BlockingTCPConnection(descriptor) }
                failures.append((address, NetError(errno: status, "connect", reason: "\(address)")))
            }
            if ready.isEmpty, ContinuousClock.now >= deadline { throw NetError(.timedOut, "connect") }
        }
    }

    /// Does the TLS handshake as a client; before any byte has been sent.
    ///
    /// - Throws: ``NetError`` as ``TLSConnection/establish(over:_:received:timeout:clock:)`` does; the connection is closed
    ///   then.
    package func startTLS(_ context: TLSContext, deadline: Deadline) throws(NetError) {
        precondition(engine == nil, "TLS is on already")
        do throws(NetError) {
            let engine = try TLSEngine(context)
            while true {
                let outcome: Result<Bool, NetError>
                do throws(NetError) { outcome = .success(try engine.handshake()) } catch { outcome = .failure(error) }
                // Sent also after a failure: it is the alert then.
                do throws(NetError) { try sendAll(engine.takeOutput(), deadline) } catch {
                    if case .success = outcome { throw error }
                }
                if try outcome.get() { break }
                let input = try receive(16384, deadline)
                if input.isEmpty {
                    throw NetError(.truncated, "TLS handshake", reason: "the peer closed the connection")
                }
                try engine.receive(input)
            }
            self.engine = engine
        } catch {
            close()
            throw error
        }
    }

    /// The next bytes, at least one; empty when the peer has ended its direction in order.
    package func read(atMost limit: Int = 16384, deadline: Deadline) throws(NetError) -> [UInt8] {
        precondition(limit > 0, "a read takes at least one byte")
        guard let engine else { return try receive(limit, deadline) }
        while true {
            let outcome = try engine.read(atMost: limit)
            try sendAll(engine.takeOutput(), deadline)
            switch outcome {
            case .bytes(let bytes): return bytes
            case .ended: return []
            case .wantsInput: break
            }
            let input = try receive(16384, deadline)
            guard !input.isEmpty else {
                throw NetError(.truncated, "read", reason: "the connection ended without TLS's closing mark")
            }
            try engine.receive(input)
        }
    }

    /// Sends all bytes; returns when the kernel has them.
    package func write(_ bytes: [UInt8], deadline: Deadline) throws(NetError) {
        guard let engine else { return try sendAll(bytes, deadline) }
        try engine.write(bytes)
        try sendAll(engine.takeOutput(), deadline)
    }

    /// Ends our direction; reading goes on.
    package func finishWriting(deadline: Deadline) throws(NetError) {
        if let engine {
            engine.finishWriting()
            try sendAll(engine.takeOutput(), deadline)
        }
        guard let descriptor else { throw NetError(.closed, "shutdown") }
        shutdown(descriptor.rawValue, Int32(SHUT_WR))
    }

    /// Ends both directions at once; idempotent.
    package func close() { descriptor = nil }

    // MARK: The socket

    private func receive(_ limit: Int, _ deadline: Deadline) throws(NetError) -> [UInt8] {
        while true {
            guard let descriptor else { throw NetError(.closed, "recv") }
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
                let received = recv(descriptor.rawValue, buffer.baseAddress, limit, 0)
                count = max(received, 0)
                failure = received < 0 ? errno : 0
            }
            switch failure {
            case 0: return bytes
            case EINTR: continue
            case EAGAIN: try wait(descriptor, POLLIN, deadline, "recv")
            default: throw NetError(errno: failure, "recv")
            }
        }
    }

    private func sendAll(_ bytes: [UInt8], _ deadline: Deadline) throws(NetError) {
        var sent = 0
        while sent < bytes.count {
            guard let descriptor else { throw NetError(.closed, "send") }
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor.rawValue, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            let failure = count < 0 ? errno : 0
            switch failure {
            case 0: sent += count
            case EINTR: continue
            case EAGAIN: try wait(descriptor, POLLOUT, deadline, "send")
            default: throw NetError(errno: failure, "send")
            }
        }
    }

    private func wait(
        _ descriptor: FileDescriptor, _ event: Int32, _ deadline: Deadline, _ what: String
    ) throws(NetError) {
        guard try Self.poll([descriptor], event, until: deadline).isEmpty else { return }
        throw NetError(.timedOut, what)
    }

    /// - Returns: the indices of the descriptors that are ready or broken; none at the deadline.
    private static func poll(
        _ descriptors: [FileDescriptor], _ event: Int32, until deadline: Deadline
    ) throws(NetError) -> [Int] {
        var entries = descriptors.map { pollfd(fd: $0.rawValue, events: Int16(event), revents: 0) }
        while true {
            let count = Glibc.poll(&entries, nfds_t(entries.count), (deadline - ContinuousClock.now).pollTimeout)
            if count > 0 { return entries.indices.filter { entries[$0].revents != 0 } }
            if count < 0, errno != EINTR { throw NetError(errno: errno, "poll") }
            if ContinuousClock.now >= deadline { return [] }
        }
    }
}
