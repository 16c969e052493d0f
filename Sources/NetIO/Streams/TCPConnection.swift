import Dispatch
import Glibc

/// One TCP connection with a bounded write queue.
package final class TCPConnection: ByteChannel {
    /// How many bytes may wait to be sent before ``enqueue(_:)`` refuses and ``write(_:)`` waits.
    package static let defaultWriteQueueLimit = 2 << 20

    private typealias Reader = CheckedContinuation<Result<[UInt8], NetError>, Never>
    private typealias Writer = CheckedContinuation<NetError?, Never>

    private struct State {
        var descriptor: FileDescriptor?
        var reader: (limit: Int, continuation: Reader)?
        var outbound: [UInt8] = []
        /// How many bytes of `outbound` have been sent.
        var sent = 0
        var writeFailure: NetError?
        var isFinishing = false
        var writers: [UInt64: (threshold: Int, continuation: Writer)] = [:]
        var nextWriter: UInt64 = 0
        var queued: Int { outbound.count - sent }
    }

    package let localAddress: SocketAddress
    package let peerAddress: SocketAddress
    private let writeQueueLimit: Int
    private let turns = ReadTurns()
    private let state: Locked<State>
    private let readable: ReadinessSource
    private let writable: ReadinessSource
    private let closed: Gate

    init(_ descriptor: FileDescriptor, writeQueueLimit: Int) throws(NetError) {
        localAddress = try descriptor.localAddress()
        peerAddress = try descriptor.peerAddress()
        self.writeQueueLimit = writeQueueLimit
        try descriptor.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1, "TCP_NODELAY")
        // Without a target each queue may bring a thread of its own, and a thousand connections with news a thousand.
        let queue = DispatchQueue(label: "netio.tcp", qos: .userInitiated, target: .global(qos: .userInitiated))
        readable = ReadinessSource(descriptor, .readable, queue: queue)
        writable = ReadinessSource(descriptor, .writable, queue: queue)
        closed = descriptor.closed
        state = Locked(State(descriptor: descriptor))
        readable.setHandler { @Sendable [weak self] in self?.becameReadable() }
        writable.setHandler { @Sendable [weak self] in self?.becameWritable() }
    }

    deinit { close() }

    /// The number of bytes that wait to be taken by the kernel.
    package var queuedBytes: Int { state.withLock { $0.queued } }

    package func close() {
        let (reader, writers) = state.withLock { state in
            defer {
                state.descriptor = nil
                state.reader = nil
                state.writers = [:]
                state.outbound = []
                state.sent = 0
            }
            return (state.reader, Array(state.writers.values))
        }
        readable.cancel()
        writable.cancel()
        reader?.continuation.resume(returning: .failure(NetError(.closed, "read")))
        for writer in writers { writer.continuation.resume(returning: NetError(.closed, "write")) }
    }

    /// Closes and waits until the kernel's socket is gone.
    package func closeAndWait() async {
        close()
        await closed.wait()
    }

    // MARK: Reading

    package func read(atMost limit: Int = 16384) async throws(NetError) -> [UInt8] {
        precondition(limit > 0, "a read takes at least one byte")
        guard await turns.take() else { throw NetError(.cancelled, "read") }
        defer { turns.give() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Reader) in
                let now: Result<[UInt8], NetError>? = state.withLock { state in
                    guard !Task.isCancelled else { return .failure(NetError(.cancelled, "read")) }
                    guard let descriptor = state.descriptor else { return .failure(NetError(.closed, "read")) }
                    if let result = Self.receive(descriptor, limit) { return result }
                    state.reader = (limit, continuation)
                    readable.request()
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            takeReader()?.resume(returning: .failure(NetError(.cancelled, "read")))
        }
        return try result.get()
    }

    private func takeReader() -> Reader? {
        state.withLock { state in
            defer { state.reader = nil }
            return state.reader?.continuation
        }
    }

    private func becameReadable() {
        let ready: (Reader, Result<[UInt8], NetError>)? = state.withLock { state in
            guard let reader = state.reader, let descriptor = state.descriptor else { return nil }
            guard let result = Self.receive(descriptor, reader.limit) else {
                readable.request()
                return nil
            }
            state.reader = nil
            return (reader.continuation, result)
        }
        if let (reader, result) = ready { reader.resume(returning: result) }
    }

    /// `nil` when there is nothing yet.
    private static func receive(_ descriptor: FileDescriptor, _ limit: Int) -> Result<[UInt8], NetError>? {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while true {
                let received = recv(descriptor.rawValue, buffer.baseAddress, limit, 0)
                count = max(received, 0)
                failure = received < 0 ? errno : 0
                if failure != EINTR { return }
            }
        }
        if failure == EAGAIN { return nil }
        return failure == 0 ? .success(bytes) : .failure(NetError(errno: failure, "recv"))
    }

    // MARK: Writing

    package func enqueue(_ bytes: [UInt8]) throws(NetError) { try append(bytes, limited: true) }

    package func write(_ bytes: [UInt8]) async throws(NetError) {
        try await waitForRoom(bytes.count)
        try append(bytes, limited: false)
    }

    /// Waits until all bytes so far are in the kernel's hands.
    package func drain() async throws(NetError) { try await waitUntilQueued(atMost: 0) }

    package func finishWriting() {
        let ready = state.withLock { state -> [(Writer, NetError?)] in
            guard !state.isFinishing else { return [] }
            state.isFinishing = true
            return flush(&state)
        }
        for (writer, error) in ready { writer.resume(returning: error) }
    }

    /// Waits until so many more bytes keep the write queue within its limit, or the queue is empty.
    func waitForRoom(_ count: Int) async throws(NetError) {
        try await waitUntilQueued(atMost: max(0, writeQueueLimit - count))
    }

    /// Whether so many more bytes keep the write queue within its limit.
    func hasRoom(_ count: Int) -> Bool {
        state.withLock { $0.queued == 0 || $0.queued + count <= writeQueueLimit }
    }

    /// Queues and sends what the kernel takes now.
    ///
    /// - Parameter limited: whether passing the limit throws `wouldBlock`. Several tasks that waited for the same room
    ///   pass it by their one message each.
    func append(_ bytes: [UInt8], limited: Bool) throws(NetError) {
        let (error, ready) = state.withLock { state -> (NetError?, [(Writer, NetError?)]) in
            if let failure = state.writeFailure { return (failure, []) }
            guard state.descriptor != nil, !state.isFinishing else { return (NetError(.closed, "write"), []) }
            if limited, state.queued > 0, state.queued + bytes.count > writeQueueLimit {
                let reason = "the peer reads too slowly: \(state.queued) bytes are waiting"
                return (NetError(.wouldBlock, "write", reason: reason), [])
            }
            state.outbound.append(contentsOf: bytes)
            let ready = flush(&state)
            return (state.writeFailure, ready)
        }
        for (writer, error) in ready { writer.resume(returning: error) }
        if let error { throw error }
    }

    private func waitUntilQueued(atMost threshold: Int) async throws(NetError) {
        let id = state.withLock { state in
            state.nextWriter += 1
            return state.nextWriter
        }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Writer) in
                let now: NetError?? = state.withLock { state in
                    if Task.isCancelled { return NetError(.cancelled, "write") }
                    if let failure = state.writeFailure { return failure }
                    if state.descriptor == nil { return NetError(.closed, "write") }
                    if state.queued <= threshold { return .some(nil) }
                    state.writers[id] = (threshold, continuation)
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            let writer = state.withLock { $0.writers.removeValue(forKey: id)?.continuation }
            writer?.resume(returning: NetError(.cancelled, "write"))
        }
        if let error { throw error }
    }

    private func becameWritable() {
        let ready = state.withLock { flush(&$0) }
        for (writer, error) in ready { writer.resume(returning: error) }
    }

    /// Hands the kernel what it takes.
    ///
    /// - Returns: the writers that need wait no longer, to be resumed without the lock.
    private func flush(_ state: inout State) -> [(Writer, NetError?)] {
        guard let descriptor = state.descriptor, state.writeFailure == nil else { return [] }
        while state.queued > 0 {
            let count = state.outbound.withUnsafeBytes {
                Glibc.send(
                    descriptor.rawValue, $0.baseAddress! + state.sent, $0.count - state.sent, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                state.sent += count
            } else if errno == EAGAIN {
                writable.request()
                break
            } else if errno != EINTR {
                state.writeFailure = NetError(errno: errno, "send")
                state.outbound = []
                state.sent = 0
            }
        }
        if state.queued == 0 {
            state.outbound.removeAll(keepingCapacity: state.outbound.capacity <= 65536)
            state.sent = 0
            if state.isFinishing { shutdown(descriptor.rawValue, Int32(SHUT_WR)) }
        } else if state.sent > 65536, state.sent > state.outbound.count / 2 {
            state.outbound.removeFirst(state.sent)
            state.sent = 0
        }
        let ready = state.writers.filter { state.writeFailure != nil || state.queued <= $0.value.threshold }
        for id in ready.keys { state.writers[id] = nil }
        return ready.sorted { $0.key < $1.key }.map { ($0.value.continuation, state.writeFailure) }
    }
}
