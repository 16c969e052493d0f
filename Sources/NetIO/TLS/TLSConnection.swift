/// TLS over one TCP connection.
package final class TLSConnection: ByteChannel {
    /// How long a handshake may take unless the caller says otherwise.
    package static let defaultHandshakeTimeout = Duration.seconds(10)

    private let tcp: TCPConnection
    private let turns = ReadTurns()
    private let engine: Locked<TLSEngine>

    /// The server's authority that a client has accepted: SHA-256 of its SubjectPublicKeyInfo, 32 bytes; `nil` on a
    /// server.
    package let authorityPin: [UInt8]?
    package var peerAddress: SocketAddress { tcp.peerAddress }
    package var localAddress: SocketAddress { tcp.localAddress }

    private init(_ tcp: TCPConnection, _ engine: Locked<TLSEngine>) {
        self.tcp = tcp
        self.engine = engine
        authorityPin = engine.withLock { $0.authorityPin }
    }

    /// Does the handshake, as server or client after the context.
    ///
    /// - Parameter received: bytes that were read already, to find out that the peer speaks TLS.
    /// - Throws: ``NetError``: `untrusted` for the wrong authority or a bad chain, `handshakeFailed` for a peer that doesn't
    ///   speak TLS 1.3 or our protocol, or that refused us, `truncated`, `timedOut`. The connection is closed then, after
    ///   the alert.
    package static func establish(
        over tcp: TCPConnection, _ context: TLSContext, received: [UInt8] = [],
        timeout: Duration = defaultHandshakeTimeout, clock: DriverClock = DriverClock()
    ) async throws(NetError) -> TLSConnection {
        do throws(NetError) {
            let engine = Locked(try TLSEngine(context))
            try await withTimeout(timeout, clock: clock, "TLS handshake") { () async throws(NetError) in
                var input = received
                while try !step(engine, tcp, input) {
                    input = try await tcp.read(atMost: 16384)
                    if input.isEmpty {
                        throw NetError(.truncated, "TLS handshake", reason: "the peer closed the connection")
                    }
                }
            }
            return TLSConnection(tcp, engine)
        } catch {
            await tcp.closeAfterFlush(timeout: .seconds(1), clock: clock)
            throw error
        }
    }

    /// - Returns: whether the handshake is complete.
    private static func step(
        _ engine: Locked<TLSEngine>, _ tcp: TCPConnection, _ input: [UInt8]
    ) throws(NetError) -> Bool {
        try engine.withLock { engine throws(NetError) in
            let result: Result<Bool, NetError>
            do throws(NetError) {
                try engine.receive(input)
                result = .success(try engine.handshake())
            } catch { result = .failure(error) }
            do throws(NetError) { try tcp.append(engine.takeOutput(), limited: false) } catch {
                // The handshake's own failure says more; without one this is the failure.
                if case .success = result { throw error }
            }
            return try result.get()
        }
    }

    package func read(atMost limit: Int = 16384) async throws(NetError) -> [UInt8] {
        precondition(limit > 0, "a read takes at least one byte")
        guard await turns.take() else { throw NetError(.cancelled, "read") }
        defer { turns.give() }
        var input: [UInt8] = []
        while true {
            switch try plaintext(from: input, limit) {
            case .bytes(let bytes): return bytes
            case .ended: return []
            case .wantsInput: break
            }
            input = try await tcp.read(atMost: 16384)
            guard !input.isEmpty else {
                throw NetError(.truncated, "read", reason: "the connection ended without TLS's closing mark")
            }
        }
    }

    private func plaintext(from input: [UInt8], _ limit: Int) throws(NetError) -> TLSEngine.ReadOutcome {
        try engine.withLock { engine throws(NetError) in
            defer { sendOutput(of: engine) }
            try engine.receive(input)
            return try engine.read(atMost: limit)
        }
    }

    package func write(_ bytes: [UInt8]) async throws(NetError) {
        try await tcp.waitForRoom(Self.encryptedSize(bytes.count))
        try encrypt(bytes, limited: false)
    }

    package func enqueue(_ bytes: [UInt8]) throws(NetError) { try encrypt(bytes, limited: true) }

    private func encrypt(_ bytes: [UInt8], limited: Bool) throws(NetError) {
        try engine.withLock { engine throws(NetError) in
            // Asked before: what is encrypted must be sent, else the peer misses a record.
            guard !limited || tcp.hasRoom(Self.encryptedSize(bytes.count)) else {
                let reason = "the peer reads too slowly: \(tcp.queuedBytes) bytes are waiting"
                throw NetError(.wouldBlock, "write", reason: reason)
            }
            try engine.write(bytes)
            try tcp.append(engine.takeOutput(), limited: false)
        }
    }

    package func finishWriting() {
        engine.withLock { engine in
            engine.finishWriting()
            sendOutput(of: engine)
            tcp.finishWriting()
        }
    }

    package func close() { tcp.close() }

    /// Sends alerts, answers to key updates and the closing mark.
    private func sendOutput(of engine: TLSEngine) {
        let output = engine.takeOutput()
        guard !output.isEmpty else { return }
        do throws(NetError) { try tcp.append(output, limited: false) } catch {
            // A connection that can't be written to says so at the next write, and its reader at the next read.
        }
    }

    /// An upper bound: each record of 16 KiB adds a header of 5 bytes, a type byte and a tag of 16.
    private static func encryptedSize(_ count: Int) -> Int { count + (count / 16384 + 1) * 22 }
}
