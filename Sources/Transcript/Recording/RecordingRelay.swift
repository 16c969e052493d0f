package import NetIO

/// Stands between clients and a hub: passes bytes both ways as they are, and writes the dialogues down.
///
/// It can read what is not encrypted. TLS it passes on unread, and says so: it has no certificate of the hub's authority,
/// which is what clients check.
package final class RecordingRelay: Sendable {
    private let listener: TCPListener
    private let hub: [SocketAddress]
    private let log: DialogueLog
    private let clock: DriverClock
    private let connectTime: Duration

    package init(
        listener: TCPListener, hub: [SocketAddress], log: DialogueLog, clock: DriverClock,
        connectTime: Duration = .seconds(10)
    ) {
        self.listener = listener
        self.hub = hub
        self.log = log
        self.clock = clock
        self.connectTime = connectTime
    }

    /// Where it listens, host order.
    package var port: UInt16 { listener.port }

    /// Relays until the task is cancelled; then closes every connection.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await client in listener.connections {
                    group.addTask { await self.serve(client) }
                }
                group.cancelAll()
            }
        } onCancel: {
            listener.close()
        }
    }

    private func serve(_ client: TCPConnection) async {
        let watch = log.open("from \(client.peerAddress), relayed")
        defer { watch.closed() }
        let server: TCPConnection
        do throws(NetError) {
            server = try await TCPConnection.connect(to: hub, timeout: connectTime, clock: clock)
        } catch {
            watch.note("the hub cannot be reached: \(error)")
            client.close()
            return
        }
        let side = RelayedSide(watch)
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await side.pass(from: client, to: server, .client) }
                group.addTask { await side.pass(from: server, to: client, .hub) }
            }
        } onCancel: {
            client.close()
            server.close()
        }
        client.close()
        server.close()
        side.summarise()
    }
}

/// Both directions of one relayed connection.
private final class RelayedSide: Sendable {
    private let watch: DialogueWatch
    private let state = Locked((isEncrypted: false, hasBegun: false, bytes: 0))

    init(_ watch: DialogueWatch) { self.watch = watch }

    func pass(from source: TCPConnection, to target: TCPConnection, _ sender: DialogueSender) async {
        do throws(NetError) {
            while true {
                let bytes = try await source.read(atMost: 65_536)
                guard !bytes.isEmpty else { break }
                if reads(bytes, sender) { watch.passed(bytes, from: sender) }
                try await target.write(bytes)
            }
            target.finishWriting()
        } catch {
            // One end is gone: the other one must not wait for it.
            source.close()
            target.close()
        }
    }

    /// Whether the bytes are to be read: the client's first one decides.
    private func reads(_ bytes: [UInt8], _ sender: DialogueSender) -> Bool {
        let (isEncrypted, isNews) = state.withLock { state in
            let isNews = !state.hasBegun && sender == .client
            if isNews {
                state.hasBegun = true
                state.isEncrypted = bytes.first == 0x16
            }
            state.bytes += bytes.count
            return (state.isEncrypted, isNews)
        }
        if isNews, isEncrypted {
            watch.note(
                "TLS: passed on unread; record at one of its ends instead (serve --transcript, or --transcript of a client)"
            )
        }
        return !isEncrypted
    }

    func summarise() {
        let (isEncrypted, bytes) = state.withLock { ($0.isEncrypted, $0.bytes) }
        if isEncrypted { watch.note("\(bytes) bytes of TLS passed") }
    }
}
