public import HubControl
import NetIO
import Transcript

extension HubConnection {
    /// How long connecting may take, from the first packet to the hub's welcome.
    public static let connectLimit = Duration.seconds(10)

    /// Connects to a hub and introduces the client.
    ///
    /// - Throws: ``ControlError`` with one of ``ClientReason``: `hubUnreachable`, `wrongHub` (no byte of the grant was
    ///   sent), `notAHub`, `badGrant`.
    public static func connect(
        to target: HubTarget, limit: Duration = connectLimit
    ) async throws(ControlError) -> HubConnection {
        try await connect(to: target, limit: limit, clock: DriverClock())
    }

    static func connect(
        to target: HubTarget, limit: Duration, clock: DriverClock
    ) async throws(ControlError) -> HubConnection {
        let deadline = clock.now + limit
        var opened: (any ByteChannel)?
        do {
            var addresses: [SocketAddress] = []
            var unresolved: NetError?
            for address in target.addresses {
                do throws(NetError) { addresses += try await address.parts.resolve() } catch { unresolved = error }
            }
            if addresses.isEmpty, let unresolved { throw unresolved }
            let tcp = try await TCPConnection.connect(
                to: addresses, timeout: max(.zero, deadline - clock.now), clock: clock)
            opened = tcp
            var channel: any ByteChannel = tcp
            var authorityHash: [UInt8]?
            if let context = try target.security.tlsContext(keys: target.records.tlsKeys) {
                let tls = try await TLSConnection.establish(
                    over: tcp, context, timeout: max(.zero, deadline - clock.now), clock: clock)
                channel = tls
                authorityHash = tls.authorityPin
            }
            if let watch = target.watch(tcp.peerAddress) {
                channel = RecordedChannel(channel, watch, side: .client)
                opened = channel
            }
            let hello = target.hello
            let (secured, left) = (channel, max(.zero, deadline - clock.now))
            let entry = try await withTimeout(left, clock: clock, "hello") { () async throws(NetError) in
                try await enter(secured, hello)
            }
            switch entry {
            case .success(let entry):
                let connection = HubConnection(
                    entry, channel: channel, authorityHash: authorityHash, clock: clock)
                await connection.start(entry.pending)
                return connection
            case .failure(let goaway):
                await channel.closeAfterFlush(timeout: .milliseconds(200), clock: clock)
                throw ControlError(refused: goaway)
            }
        } catch let error as NetError {
            opened?.close()
            throw ControlError(connecting: error, to: target.place)
        } catch let error as ControlError {
            throw error
        } catch {
            throw ControlError(.internal, "\(error)")
        }
    }

    /// A connection that the hub has let in.
    struct Entry: Sendable {
        var machine: ClientConnection
        var welcome: Welcome
        /// What came together with the welcome.
        var pending: [ClientConnection.Action]
    }

    /// Says hello and waits for the answer.
    private static func enter(
        _ channel: any ByteChannel, _ hello: Hello
    ) async throws(NetError) -> Result<Entry, Goaway> {
        var machine = ClientConnection(hello: hello)
        var actions = machine.start()
        while true {
            var pending: [ClientConnection.Action] = []
            var welcome: Welcome?
            for action in actions {
                switch action {
                case .send(let bytes): try channel.enqueue(bytes)
                case .welcomed(let received): welcome = received
                case .answered, .event: pending.append(action)
                case .ended(let goaway):
                    guard welcome == nil else {
                        pending.append(action)
                        break
                    }
                    return .failure(goaway)
                }
            }
            if let welcome { return .success(Entry(machine: machine, welcome: welcome, pending: pending)) }
            let bytes = try await channel.read(atMost: 65536)
            guard !bytes.isEmpty else {
                throw NetError(.truncated, "hello", reason: "it closed the connection without a word")
            }
            actions = machine.received(bytes)
        }
    }
}
