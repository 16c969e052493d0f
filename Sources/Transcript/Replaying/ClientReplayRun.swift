import HubControl
package import NetIO

/// Drives a ``ClientReplay`` over connections to a hub.
package struct ClientReplayRun: Sendable {
    private enum Event: Sendable {
        case frame(String, ControlFrame)
        case ended(String)
        case timer
    }

    private let hub: [SocketAddress]
    private let tls: TLSContext?
    private let clock: DriverClock
    /// How long nothing may happen while something is waited for, connections among it.
    private let patience: Duration

    /// - Parameter tls: `nil` for plain.
    package init(hub: [SocketAddress], tls: TLSContext?, clock: DriverClock, patience: Duration) {
        self.hub = hub
        self.tls = tls
        self.clock = clock
        self.patience = patience
    }

    /// Replays to the end.
    ///
    /// - Parameter report: told of each step, in order.
    /// - Throws: ``NetError`` when the hub cannot be connected to.
    package func run(
        _ replay: ClientReplay, report: (ClientReplay.Action) -> Void
    ) async throws(NetError) {
        var replay = replay
        var channels: [String: any ByteChannel] = [:]
        var readers: [Task<Void, Never>] = []
        let (events, continuation) = AsyncStream<Event>.makeStream(bufferingPolicy: .unbounded)
        let timer = DeadlineTimer(clock: clock)
        let ticking = Task { for await _ in timer.firings { continuation.yield(.timer) } }
        defer {
            timer.finish()
            ticking.cancel()
            for channel in channels.values { channel.close() }
            for reader in readers { reader.cancel() }
        }
        var pending = replay.start()
        var iterator = events.makeAsyncIterator()
        while true {
            for action in pending {
                report(action)
                switch action {
                case .connect(let label):
                    let channel = try await connect()
                    channels[label] = channel
                    readers.append(Task { await Self.read(channel, label, continuation) })
                case .send(let label, let bytes):
                    do throws(NetError) { try await channels[label]?.write(bytes) } catch {
                        // Its reader finds the end too, and tells.
                    }
                case .close(let label):
                    let channel = channels.removeValue(forKey: label)
                    await channel?.closeAfterFlush(timeout: .seconds(1), clock: clock)
                case .passed, .differs: break
                case .finished: return
                }
            }
            timer.arm(clock.now + patience)
            switch await iterator.next() {
            case .frame(let label, let frame): pending = replay.received(frame, on: label)
            case .ended(let label): pending = replay.ended(label)
            case .timer: pending = replay.timedOut()
            case nil: return
            }
            if Task.isCancelled { throw NetError(.cancelled, "replay") }
        }
    }

    private func connect() async throws(NetError) -> any ByteChannel {
        let tcp = try await TCPConnection.connect(to: hub, timeout: patience, clock: clock)
        guard let tls else { return tcp }
        return try await TLSConnection.establish(over: tcp, tls, timeout: patience, clock: clock)
    }

    private static func read(
        _ channel: any ByteChannel, _ label: String, _ events: AsyncStream<Event>.Continuation
    ) async {
        var decoder = FrameDecoder(reading: .hub)
        do {
            while true {
                let bytes = try await channel.read(atMost: 65_536)
                guard !bytes.isEmpty else { break }
                decoder.append(bytes)
                while let frame = try decoder.next() { events.yield(.frame(label, frame)) }
            }
        } catch {
            // It broke, or what came is no frame: either way nothing more comes of it.
            channel.close()
        }
        events.yield(.ended(label))
    }
}
