package import HubControl
package import NetIO

/// A broken hub: it stands in front of one that is right and changes what passes, as a ``HubDefect`` says.
///
///     client ── TLS, own authority ──▶ DefectiveHub ── TLS, the hub's authority ──▶ hub
///
/// Its grants are the hub's with another authority in them. What is no TLS, and what breaks the frames' form, goes
/// through as it is.
package final class DefectiveHub: Sendable {
    private let defect: HubDefect
    private let hub: HostAndPort
    private let adminGrant: GrantToken
    private let authority: ControlCA
    private let tls: TLSContext
    private let listener: TCPListener
    private let clock: DriverClock

    /// Where it listens, host order.
    package var port: UInt16 { listener.port }

    /// The hub's admin grant, as it is to be used with this one.
    package var grant: GrantToken {
        GrantToken(authorityHash: authority.pin, id: adminGrant.id, secret: adminGrant.secret)
    }

    /// Binds the port on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: 0 for any.
    ///   - now: seconds since 1970, for the certificates.
    package init(
        _ defect: HubDefect, before hub: HostAndPort, grant: GrantToken, port: UInt16 = 0, now: Int64,
        clock: DriverClock = DriverClock()
    ) throws {
        self.defect = defect
        self.hub = hub
        adminGrant = grant
        self.clock = clock
        let validity = CertificateValidity(notBefore: now - 86_400, notAfter: now + 30 * 86_400)
        authority = try ControlCA.create(commonName: "Defective Control CA", validity: validity)
        tls = try TLSContext.server(
            authority.issue(commonName: "Defective hub", validity: validity), applicationProtocol: "matterhub/1")
        listener = try TCPListener(port: port, addresses: [.loopbackV4])
    }

    /// Serves until the task is cancelled.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await tcp in listener.connections { group.addTask { await self.serve(tcp) } }
                group.cancelAll()
            }
        } onCancel: {
            listener.close()
        }
    }

    private func serve(_ tcp: TCPConnection) async {
        do throws(NetError) {
            let first = try await tcp.read(atMost: 16_384)
            let up = try await TCPConnection.connect(to: hub, timeout: .seconds(10), clock: clock)
            defer { up.close() }
            guard first.first == 0x16 else {
                try await up.write(first)
                return await join(tcp, up)
            }
            let client = try await TLSConnection.establish(over: tcp, tls, received: first, clock: clock)
            let context = try TLSContext.client(
                trust: .pinned(adminGrant.authorityHash), applicationProtocol: "matterhub/1")
            let secure = try await TLSConnection.establish(over: up, context, clock: clock)
            await converse(client, over: tcp, secure)
        } catch {
            // The client or the hub ended it; that is what the other one sees.
        }
        tcp.close()
    }

    /// Passes bytes both ways.
    private func join(_ client: any ByteChannel, _ hub: any ByteChannel) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await Self.pass(client, to: hub) }
            group.addTask {
                await Self.pass(hub, to: client)
                client.close()
            }
        }
    }

    private static func pass(_ from: any ByteChannel, to: any ByteChannel) async {
        do throws(NetError) {
            while true {
                let bytes = try await from.read(atMost: 16_384)
                if bytes.isEmpty { break }
                try await to.write(bytes)
            }
        } catch {
            // Ended by either side.
        }
        to.finishWriting()
    }

    private func converse(_ client: TLSConnection, over tcp: TCPConnection, _ hub: TLSConnection) async {
        var mutation = defect.mutation
        mutation.memory.adminGrant = adminGrant.text
        let shared = Locked(mutation)
        await withDiscardingTaskGroup { group in
            group.addTask { await self.passRequests(client, hub, shared) }
            group.addTask {
                await self.passAnswers(hub, client, shared)
                if self.defect.mutation.staysOpen { return }
                if self.defect.mutation.endsRudely { tcp.finishWriting() } else { client.finishWriting() }
            }
        }
        client.close()
    }

    /// Client to hub, until the client ends its side.
    private func passRequests(_ client: TLSConnection, _ hub: TLSConnection, _ shared: Locked<HubMutation>) async {
        var cutter = FrameCutter(maximumPayload: defect.mutation.maximumPayload)
        do throws(NetError) {
            while true {
                let bytes = try await client.read(atMost: 16_384)
                if bytes.isEmpty { break }
                for piece in cutter.append(bytes) {
                    switch piece {
                    case .bytes(let bytes): try await hub.write(bytes)
                    case .frame(let frame):
                        let translated = translatedHello(frame)
                        let passages = shared.withLock { $0.fromClient(translated) }
                        try await perform(passages, client, hub)
                    }
                }
            }
        } catch {
            // The hub has ended it, or the client is gone.
        }
        hub.finishWriting()
    }

    /// Hub to client, until the hub ends its side.
    private func passAnswers(_ hub: TLSConnection, _ client: TLSConnection, _ shared: Locked<HubMutation>) async {
        var cutter = FrameCutter(maximumPayload: .max, preface: false)
        do throws(NetError) {
            while true {
                let bytes = try await hub.read(atMost: 16_384)
                if bytes.isEmpty { break }
                for case .frame(let frame) in cutter.append(bytes) {
                    let passages = shared.withLock { $0.fromHub(frame) }
                    try await perform(passages, client, hub)
                }
            }
        } catch {
            // Ended by either side.
        }
    }

    private func perform(
        _ passages: [HubMutation.Passage], _ client: TLSConnection, _ hub: TLSConnection
    ) async throws(NetError) {
        for passage in passages {
            switch passage {
            case .toHub(let frame): try await hub.write(frame.encoded())
            case .toClient(let frame): try await client.write(translatedGrants(frame).encoded())
            case .end: throw NetError(.closed, "defect")
            case .later(let delay, let frame):
                do { try await clock.sleep(until: clock.now + delay) } catch { throw NetError(.cancelled, "defect") }
                try await client.write(frame.encoded())
            }
        }
    }

    // MARK: - Grants

    /// A hello with our authority in its grant gets the hub's.
    private func translatedHello(_ frame: ControlFrame) -> ControlFrame {
        guard frame.kind == .hello, let hello = try? JSONObject(parsing: frame.payload),
            let text = hello["grant"]?.string, let token = try? GrantToken(parsing: text),
            token.authorityHash == authority.pin
        else {
            // No hello, none with a grant of ours, or a broken one: as it is.
            return frame
        }
        let own = GrantToken(authorityHash: adminGrant.authorityHash, id: token.id, secret: token.secret)
        return ControlFrame(.hello, hello.with("grant", .string(own.text)))
    }

    /// A response with a grant of the hub gets our authority into it.
    private func translatedGrants(_ frame: ControlFrame) -> ControlFrame {
        guard frame.kind == .response, let response = try? JSONObject(parsing: frame.payload),
            var result = response["result"]?.object
        else { return frame }
        var isChanged = false
        // A text that is no grant passes as it is.
        for name in ["grant", "newest"] {
            guard let text = result[name]?.string, let token = try? GrantToken(parsing: text) else { continue }
            let own = GrantToken(authorityHash: authority.pin, id: token.id, secret: token.secret)
            result[name] = .string(own.text)
            isChanged = true
        }
        return isChanged ? ControlFrame(.response, response.with("result", .object(result))) : frame
    }
}
