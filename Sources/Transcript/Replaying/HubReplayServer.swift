import HubControl
package import NetIO

/// Drives a ``HubReplay`` for the clients that come.
package actor HubReplayServer {
    private let listener: TCPListener
    private let tls: TLSContext
    private let allowsPlain: Bool
    private let clock: DriverClock
    private let openingTime: Duration
    private let report: @Sendable (HubReplay.Action) -> Void
    private var replay: HubReplay
    private var open = 0

    /// - Parameters:
    ///   - openingTime: how long a client may take for its first byte, and for TLS.
    ///   - report: told of each step, in order.
    package init(
        _ replay: HubReplay, listener: TCPListener, tls: TLSContext, allowsPlain: Bool, clock: DriverClock,
        openingTime: Duration = .seconds(10),
        report: @escaping @Sendable (HubReplay.Action) -> Void
    ) {
        self.replay = replay
        self.listener = listener
        self.tls = tls
        self.allowsPlain = allowsPlain
        self.clock = clock
        self.openingTime = openingTime
        self.report = report
    }

    /// Serves until the transcript is played and its clients are gone, or the task is cancelled.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await tcp in listener.connections {
                    group.addTask { await self.serve(tcp) }
                }
            }
        } onCancel: { [listener] in
            listener.close()
        }
    }

    private func serve(_ tcp: TCPConnection) async {
        open += 1
        defer {
            open -= 1
            if open == 0, replay.isFinished { listener.close() }
        }
        await withTaskCancellationHandler {
            do {
                let (channel, first) = try await Self.open(tcp, tls, allowsPlain: allowsPlain, clock, openingTime)
                await converse(channel, first)
            } catch {
                tcp.close()
            }
        } onCancel: {
            tcp.close()
        }
    }

    private static func open(
        _ tcp: TCPConnection, _ tls: TLSContext, allowsPlain: Bool, _ clock: DriverClock,
        _ limit: Duration
    ) async throws(NetError) -> (any ByteChannel, [UInt8]) {
        let first = try await withTimeout(limit, clock: clock, "first byte") { () async throws(NetError) in
            try await tcp.read(atMost: 16_384)
        }
        guard let byte = first.first, ControlPreface.opening(firstByte: byte) != .garbage else {
            throw NetError(.protocolViolation, "first byte")
        }
        if ControlPreface.opening(firstByte: byte) == .tls {
            return (
                try await TLSConnection.establish(over: tcp, tls, received: first, timeout: limit, clock: clock), []
            )
        }
        guard allowsPlain, tcp.peerAddress.ip.isLoopback else { throw NetError(.notPermitted, "plain") }
        return (tcp, first)
    }

    private func converse(_ channel: any ByteChannel, _ first: [UInt8]) async {
        guard let label = replay.opened() else {
            let goaway = Goaway(code: .failedPrecondition, message: "the transcript has no further connection")
            do throws(NetError) { try channel.enqueue(ControlMessage.goaway(goaway).frame.encoded()) } catch {
                // The client is gone already.
            }
            await channel.closeAfterFlush(timeout: .seconds(1), clock: clock)
            return
        }
        var decoder = FrameDecoder(reading: .client)
        var bytes = first
        do {
            conversation: while true {
                decoder.append(bytes)
                while let frame = try decoder.next() {
                    for action in replay.received(frame, on: label) {
                        report(action)
                        switch action {
                        case .send(let bytes): try channel.enqueue(bytes)
                        case .close: break conversation
                        case .passed, .differs: break
                        }
                    }
                }
                bytes = try await channel.read(atMost: 65_536)
                if bytes.isEmpty { break }
            }
        } catch {
            // The client went away, or what it sent is no frame: the connection is over.
        }
        await channel.closeAfterFlush(timeout: .seconds(1), clock: clock)
        for action in replay.ended(label) { report(action) }
    }
}
