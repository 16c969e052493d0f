import HubControl
import NetIO

/// TCP, TLS and the preface.
enum TransportCases {
    static let all: [HubCase] = [
        HubCase(
            "transport.tls", "TLS 1.3 with ALPN matterhub/1 and the grant's authority leads to a welcome",
            ["tls", "pin"]
        ) {
            hub in
            let welcome = await (try hub.admin()).welcome
            try expect(!welcome.isEmpty, "a welcome", seen: "nothing")
        },
        HubCase("transport.tls-1.2-refused", "A client that offers TLS 1.2 only is refused", ["tls"]) { hub in
            let tcp = try await hub.tcp()
            try await tcp.write(TLSBytes.clientHello12)
            let answer = try await hub.untilEnd(tcp)
            // A record of type 21 is an alert; one of type 22 would go on with the handshake.
            try expect(
                answer.bytes.first.map { $0 == 21 } ?? true, "an alert, or the end of the connection",
                seen: "a handshake record", meaning: "The hub speaks a version of TLS older than 1.3.")
        },
        HubCase("transport.other-alpn", "A client that offers another application protocol is refused", ["alpn"]) {
            hub in
            do {
                _ = try await hub.tls(applicationProtocol: "http/1.1")
            } catch let error as NetError where error.code != .timedOut && error.code != .refused {
                return
            }
            throw ConformanceFailure(
                expected: "the handshake to fail", seen: "TLS with the application protocol http/1.1",
                meaning: "A client of another protocol would be let in.")
        },
        HubCase("transport.half-handshake", "A handshake that is cut off does not disturb others", ["tls"]) { hub in
            let tcp = try await hub.tcp()
            try await tcp.write(Array(TLSBytes.clientHello12.prefix(20)))
            tcp.close()
            _ = try await hub.stranger().call("hub.info")
        },
        HubCase(
            "transport.other-first-byte", "A first byte that is neither TLS nor the preface ends the connection",
            ["first-byte"]
        ) {
            hub in
            let tcp = try await hub.tcp()
            try await tcp.write(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            let answer = try await hub.untilEnd(tcp)
            try expect(answer.bytes.isEmpty, "no byte in answer", seen: "\(answer.bytes.count) bytes")
        },
        HubCase("transport.plain", "The plain preface is served, or sent away with permissionDenied", ["plain"]) {
            hub in
            let dialogue = hub.dialogue(over: try await hub.tcp())
            try await dialogue.send(ControlPreface.bytes)
            try await dialogue.hello(nil)
            let outcome: HubAnswer.Refusal? = try await dialogue.wait(for: "a welcome or a goaway permissionDenied") {
                if let goaway = $0.goaway { return .some(goaway) }
                return $0.welcome.isEmpty ? nil : .some(nil)
            }
            guard let outcome else { return }
            try expectEqual(outcome.name, "permissionDenied", "the code of the goaway")
            _ = try await dialogue.ended()
        },
        HubCase("transport.close-notify", "A connection that the hub ends is ended with close_notify", ["close-notify"])
        { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.hello, "{\"client\": \"again\"}")
            _ = try await dialogue.wait(for: "a goaway") { $0.goaway }
            guard case .broken(let error) = try await dialogue.ended() else { return }
            throw ConformanceFailure(
                expected: "TLS's closing mark before the end of the connection", seen: "\(error)",
                meaning: "A client cannot tell this end from one that an attacker made.")
        },
        HubCase("transport.client-goaway", "After a client's goaway the hub closes too", ["goaway"]) { hub in
            let dialogue = try await hub.stranger()
            try await dialogue.send(.goaway, "{\"code\": 1, \"name\": \"cancelled\", \"message\": \"done\"}")
            _ = try await dialogue.ended()
        },
        HubCase("transport.client-end", "When a client ends its side the hub closes too", ["goaway"]) { hub in
            let dialogue = try await hub.stranger()
            dialogue.channel.finishWriting()
            _ = try await dialogue.ended()
        },
        HubCase(
            "preface.other-major",
            "Another major version is answered with goaway unimplemented that names those spoken", ["preface.version"]
        ) {
            hub in
            let dialogue = hub.dialogue(over: try await hub.tls())
            try await dialogue.send(ControlPreface.magic + [99])
            let goaway = try await dialogue.goaway(.unimplemented)
            try expect(
                goaway.message.contains("1"), "the message to name the versions that the hub speaks",
                seen: "“\(goaway.message)”")
        },
        HubCase(
            "preface.not-the-preface",
            "A preface that begins with M and is none is answered with goaway invalidArgument", ["preface"]
        ) {
            hub in
            let dialogue = hub.dialogue(over: try await hub.tls())
            try await dialogue.send(Array("MHUX\u{1}".utf8))
            try await dialogue.goaway(.invalidArgument)
        },
        HubCase("preface.in-pieces", "Preface and hello may come byte by byte", ["preface", "frame"]) { hub in
            let dialogue = hub.dialogue(over: try await hub.tls())
            let hello = ControlFrame(kind: .hello, payload: Array("{\"client\":\"slow\"}".utf8)).encoded()
            for byte in ControlPreface.bytes + hello { try await dialogue.send([byte]) }
            _ = try await dialogue.welcomed()
        },
        HubCase("preface.with-everything", "Preface, hello and a request may come in one piece", ["preface", "frame"]) {
            hub in
            let dialogue = hub.dialogue(over: try await hub.tls())
            let hello = ControlFrame(kind: .hello, payload: Array("{\"client\":\"fast\"}".utf8)).encoded()
            let request = ControlFrame(kind: .request, payload: Array("{\"id\":9,\"method\":\"hub.info\"}".utf8))
                .encoded()
            try await dialogue.send(ControlPreface.bytes + hello + request)
            _ = try await dialogue.welcomed()
            try await dialogue.result(of: 9, "hub.info")
        },
    ]
}

/// Bytes of TLS that our own library would not send.
enum TLSBytes {
    /// A ClientHello as a client of TLS 1.2 sends it: no `supported_versions`.
    static let clientHello12: [UInt8] = {
        let suites: [UInt8] = [0xC0, 0x2B, 0xC0, 0x2F, 0xC0, 0x2C, 0xC0, 0x30, 0x00, 0x9C]
        let extensions: [UInt8] =
            [0x00, 0x0A, 0x00, 0x06, 0x00, 0x04, 0x00, 0x17, 0x00, 0x18]  // groups: P-256, P-384
            + [0x00, 0x0B, 0x00, 0x02, 0x01, 0x00]  // point formats
            + [0x00, 0x0D, 0x00, 0x08, 0x00, 0x06, 0x04, 0x03, 0x08, 0x04, 0x04, 0x01]  // signatures
            + [0x00, 0x10, 0x00, 0x0E, 0x00, 0x0C, 0x0B] + Array("matterhub/1".utf8)  // ALPN
        var body: [UInt8] = [0x03, 0x03] + (0..<32).map { UInt8($0) } + [0x00]
        body += [0x00, UInt8(suites.count)] + suites + [0x01, 0x00]
        body += [0x00, UInt8(extensions.count)] + extensions
        let handshake: [UInt8] = [0x01, 0x00, 0x00, UInt8(body.count)] + body
        return [0x16, 0x03, 0x01, 0x00, UInt8(handshake.count)] + handshake
    }()
}

extension HubContext {
    /// Reads until the hub ends the connection.
    func untilEnd(_ channel: any ByteChannel) async throws -> (bytes: [UInt8], error: NetError?) {
        do throws(NetError) {
            let bytes = try await withTimeout(setup.times.silence, clock: clock, "the end") {
                () async throws(NetError) in
                var bytes: [UInt8] = []
                do throws(NetError) {
                    while true {
                        let more = try await channel.read(atMost: 4096)
                        if more.isEmpty { return bytes }
                        bytes += more
                    }
                } catch {
                    // An end is an end, in order or not.
                    guard error.code == .reset || error.code == .truncated else { throw error }
                    return bytes
                }
            }
            return (bytes, nil)
        } catch {
            switch error.code {
            case .timedOut:
                throw ConformanceFailure(
                    expected: "the hub to close the connection", seen: "it stayed open",
                    meaning: "Whoever opens such connections could use up all that the hub has.")
            case .cancelled: throw CancellationError()
            default: return ([], error)
            }
        }
    }
}
