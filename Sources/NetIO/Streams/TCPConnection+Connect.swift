import Dispatch
import Glibc

extension TCPConnection {
    /// How long one address is tried alone before the next one joins (RFC 8305 §5).
    package static let attemptDelay = Duration.milliseconds(250)

    /// Connects to a host by name or number.
    ///
    /// - Throws: ``NetError``, see ``connect(to:timeout:clock:writeQueueLimit:)-([SocketAddress],_,_,_)``; `badAddress`
    ///   when the name has no address.
    package static func connect(
        to host: HostAndPort, timeout: Duration, clock: DriverClock = DriverClock(),
        writeQueueLimit: Int = defaultWriteQueueLimit
    ) async throws(NetError) -> TCPConnection {
        let deadline = clock.now + timeout
        let addresses = try await host.resolve()
        return try await connect(
            to: addresses, timeout: max(.zero, deadline - clock.now), clock: clock, writeQueueLimit: writeQueueLimit)
    }

    /// Connects to the first address that answers: each next one joins after a quarter second or at once when the ones
    /// before it have failed.
    ///
    /// - Throws: ``NetError``: `timedOut`, or the most telling failure (refused before unreachable) with every address's
    ///   own in `reason`.
    package static func connect(
        to addresses: [SocketAddress], timeout: Duration, clock: DriverClock = DriverClock(),
        writeQueueLimit: Int = defaultWriteQueueLimit
    ) async throws(NetError) -> TCPConnection {
        guard !addresses.isEmpty else { throw NetError(.badAddress, "connect", reason: "no address to connect to") }
        return try await withTimeout(timeout, clock: clock, "connect") { () async throws(NetError) in
            try await race(addresses, clock, writeQueueLimit)
        }
    }

    private enum Attempt: Sendable {
        case connected(TCPConnection)
        case failed(SocketAddress, NetError)
        case delayOver
    }

    private static func race(
        _ addresses: [SocketAddress], _ clock: DriverClock, _ writeQueueLimit: Int
    ) async throws(NetError) -> TCPConnection {
        let result: Result<TCPConnection, NetError> = await withTaskGroup(of: Attempt.self) { group in
            var waiting = addresses[...]
            var running = 0
            var failures: [(SocketAddress, NetError)] = []
            func startNext() {
                guard let address = waiting.popFirst() else { return }
                running += 1
                group.addTask {
                    do throws(NetError) {
                        return .connected(try await connectOnce(address, writeQueueLimit))
                    } catch {
                        return .failed(address, error)
                    }
                }
                guard !waiting.isEmpty else { return }
                let end = clock.now + attemptDelay
                group.addTask {
                    do { try await clock.sleep(until: end) } catch {}  // cancelled: nobody asks for the answer
                    return .delayOver
                }
            }
            startNext()
            while let attempt = await group.next() {
                switch attempt {
                case .connected(let connection):
                    group.cancelAll()
                    for await case .connected(let late) in group { late.close() }
                    return .success(connection)
                case .failed(let address, let error):
                    running -= 1
                    failures.append((address, error))
                    if running == 0 { startNext() }
                    if running == 0 {
                        group.cancelAll()
                        return .failure(summary(failures))
                    }
                case .delayOver: if !Task.isCancelled { startNext() }
                }
            }
            return .failure(summary(failures))
        }
        return try result.get()
    }

    /// The most telling failure, with every address's own.
    static func summary(_ failures: [(SocketAddress, NetError)]) -> NetError {
        let order: [NetError.Code] = [.cancelled, .refused, .reset, .timedOut, .unreachable]
        let best = order.lazy.compactMap { code in failures.first { $0.1.code == code } }.first ?? failures.first
        guard let (_, error) = best else { return NetError(.cancelled, "connect") }
        let reason = failures.map { address, error in
            error.systemError > 0 ? "\(address): \(String(cString: strerror(error.systemError)))" : error.description
        }.joined(separator: "; ")
        return NetError(error.code, "connect", reason: reason)
    }

    /// Starts to connect without waiting.
    ///
    /// - Returns: the socket, and whether it is connected already.
    static func beginConnect(_ address: SocketAddress) throws(NetError) -> (FileDescriptor, isConnected: Bool) {
        try address.requireScope("connect")
        let family = address.ip.isV4 ? AF_INET : AF_INET6
        let descriptor = try FileDescriptor.socket(family, SOCK_STREAM)
        let status = address.withSockaddr(family: family) {
            Glibc.connect(descriptor.rawValue, $0, $1) == 0 ? 0 : errno
        }
        switch status ?? EAFNOSUPPORT {
        case 0: return (descriptor, true)
        case EINPROGRESS, EINTR: return (descriptor, false)
        case let value: throw NetError(errno: value, "connect", reason: "\(address)")
        }
    }

    private static func connectOnce(
        _ address: SocketAddress, _ writeQueueLimit: Int
    ) async throws(NetError) -> TCPConnection {
        let (descriptor, isConnected) = try beginConnect(address)
        if !isConnected {
            try await waitUntilWritable(descriptor)
            let status = try descriptor.pendingError()
            guard status == 0 else { throw NetError(errno: status, "connect", reason: "\(address)") }
        }
        return try TCPConnection(descriptor, writeQueueLimit: writeQueueLimit)
    }

    private static func waitUntilWritable(_ descriptor: FileDescriptor) async throws(NetError) {
        let waiting = Locked<CheckedContinuation<Bool, Never>?>(nil)
        @Sendable func finish(_ arrived: Bool) {
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(returning: arrived)
        }
        let source = ReadinessSource(descriptor, .writable, queue: DispatchQueue(label: "netio.connect"))
        source.setHandler { @Sendable in finish(true) }
        let arrived = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = waiting.withLock { waiting in
                    if !Task.isCancelled { waiting = continuation }
                    return Task.isCancelled
                }
                if isCancelled { continuation.resume(returning: false) } else { source.request() }
            }
        } onCancel: {
            finish(false)
        }
        source.cancel()
        guard arrived else { throw NetError(.cancelled, "connect") }
    }
}
