import HubControl
import MatterWire
import NetIO
import TestSupport
import Testing

@testable import Hub

/// What a bad client can do to a hub, on the wire (Protocols/security.md).
@Suite("ControlServer: limits and attacks (Protocols/hub-control.md §1)", .timeLimit(.minutes(1)))
struct ControlLimitTests {
    // MARK: - Payloads

    private static func request(_ params: String) -> String { #"{"id":1,"method":"hub.info","params":\#(params)}"# }

    @Test(
        arguments: [
            (
                "depth 33",
                request(#"{"a":"# + String(repeating: "[", count: 31) + String(repeating: "]", count: 31) + "}")
            ),
            ("a string of 256 KiB and a byte", request(#"{"a":"\#(String(repeating: "x", count: 262_145))"}"#)),
            ("10,001 elements", request(#"{"a":[1\#(String(repeating: ",1", count: 10_000))]}"#)),
            ("10,001 members", request("{" + (0...10_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}")),
            ("a member twice", request(#"{"a":1,"a":2}"#)), ("trailing bytes", request("{}") + " x"),
            ("half a character", request(#"{"a":"\ud800"}"#)), ("no object", "[1]"),
        ] as [(String, String)])
    func `a payload past a limit ends the connection with the place, and no other`(
        _ what: String, _ payload: String
    ) async throws {
        try await withServer { server in
            let bystander = try await server.client()
            let client = try await server.client()
            try await client.write(ControlFrame(kind: .request, payload: Array(payload.utf8)).encoded())
            let goaway = await client.end()
            #expect(goaway?.code == .invalidArgument, "\(what): \(goaway as Any)")
            #expect(goaway?.message.contains("byte") == true, "\(goaway?.message ?? "")")
            await client.drop()
            #expect(try await bystander.call(.hubInfo)["name"]?.string == "Hub")
        }
    }

    @Test func `what is just within the limits is taken`() async throws {
        try await withServer { server in
            let client = try await server.client()
            let text = String(repeating: "x", count: 262_144)
            var nested = JSONValue.integer(1)
            for _ in 0..<30 { nested = .array([nested]) }
            let params: JSONObject = [
                "text": .string(text), "nested": nested, "list": .array(Array(repeating: 1, count: 10_000)),
            ]
            #expect(try await client.call(.hubInfo, params)["name"]?.string == "Hub")
        }
    }

    @Test func `a frame that is too long is refused before a byte of it is read`() async throws {
        try await withServer { server in
            let client = try await server.client()
            // The header alone: if the hub waited for the payload, nothing would come.
            try await client.write([0x00, 0x10, 0x00, 0x01, 3, 0])
            #expect(await client.end()?.code == .resourceExhausted)
        }
    }

    @Test func `identities and keys are counted in code points, and identities control no screen`() async throws {
        try await withServer { server in
            let client = try await server.client(scopes: .admin)
            let heavy = "x" + String(repeating: "\u{301}", count: 300)
            #expect(heavy.count == 1)
            for bad in [heavy, "evil\u{1B}[2Japp", "app\nhub: granted", "app\u{202E}txt", "app\u{0}", "\u{9B}31m"] {
                for member in ["appId", "appGroup"] {
                    var params: JSONObject = ["appId": "a", "appGroup": "g", "scopes": ["structure.read"]]
                    params[member] = .string(bad)
                    for method in [ControlMethod.grantsCreate, .grantsRequest] {
                        let error = await #expect(throws: ControlError.self) { try await client.call(method, params) }
                        #expect(error?.code == .invalidArgument, "\(bad.debugDescription)")
                        #expect(error?.message.contains(member) == true)
                    }
                }
            }
            _ = try await client.call(.sessionPrepare)
            let error = await #expect(throws: ControlError.self) {
                try await client.call(.sessionComplete, ["clientKey": .string(heavy)])
            }
            #expect(error?.message.contains("clientKey") == true)
        }
    }

    @Test func `the name that an app gives for the one who decides is cleaned`() async throws {
        try await withServer { server in
            let admin = try await server.client(scopes: .admin)
            let client = try await server.client(scopes: nil)
            _ = try await client.send(
                .grantsRequest,
                [
                    "appId": "a", "appGroup": "g", "appName": "Nice\u{1B}[8m\u{202E}\nApp",
                    "scopes": ["structure.read"],
                ])
            await eventually("it waits") { await server.hub.service.pendingGrants.count == 1 }
            let pending = try await admin.call(.grantsList)["pending"]?.array?.first?.object
            #expect(pending?["appName"]?.string == "Nice[8mApp")
        }
    }

    // MARK: - Slow and many

    @Test func `a hello that comes byte by byte is taken when it is in time, and cut off when not`() async throws {
        let hello =
            ControlPreface.bytes + ControlMessage.hello(Hello(client: "slow/1", grant: nil)).frame.encoded()
        try await withServer(allowsPlain: true) { server in
            let patient = TestClient(try await server.tcp())
            for byte in hello { try await patient.write([byte]) }
            _ = try await patient.call(.hubInfo)
            let slow = TestClient(try await server.tcp())
            try await slow.write([hello[0]])
            await eventually("it can be spoken to") { server.server.establishedCount == 2 }
            // A byte a second: never silent, and never done.
            for byte in hello.dropFirst().prefix(9) {
                try await slow.write([byte])
                await server.hub.clock.advance(by: .seconds(1))
            }
            #expect(server.server.connectionCount == 2)
            await server.hub.clock.advance(by: .seconds(1))
            #expect(await slow.end()?.code == .deadlineExceeded)
            await slow.drop()
            await eventually("it is gone") { server.server.connectionCount == 1 }
        }
    }

    @Test func `a TLS handshake that comes byte by byte ends 10 seconds after the accept`() async throws {
        try await withServer { server in
            let tcp = try await server.tcp()
            await eventually("it is there") { server.server.connectionCount == 1 }
            // A record of 200 bytes that never gets whole.
            for byte: UInt8 in [0x16, 3, 1, 0, 200, 1, 0, 0, 196] {
                try await tcp.write([byte])
                await server.hub.clock.advance(by: .seconds(1))
            }
            #expect(server.server.connectionCount == 1)
            await server.hub.clock.advance(by: .seconds(1))
            await eventually("it is closed") { ((try? await tcp.read(atMost: 100)) ?? []).isEmpty }
            tcp.close()
            await eventually("nothing is left") { server.server.connectionCount == 0 }
        }
    }

    @Test func `frames byte by byte are served, and hold up nobody else`() async throws {
        try await withServer { server in
            let slow = try await server.client()
            let other = try await server.client()
            let id = try #require(RequestID(rawValue: 1_000))
            let frame = ControlMessage.request(ControlRequest(id: id, method: .hubInfo)).frame.encoded()
            for byte in frame {
                try await slow.write([byte])
                if byte == frame[5] { #expect(try await other.call(.hubInfo)["name"]?.string == "Hub") }
            }
            #expect(try await slow.answer(to: id)["name"]?.string == "Hub")
        }
    }

    @Test func `a client that does not read costs the hub no more than its queue`() async throws {
        try await withServer(writeQueueLimit: ControlServer.writeQueueLimit) { server in
            let client = try await server.client()
            let payload: JSONObject = ["x": .string(String(repeating: "x", count: 200_000))]
            let ping = ControlMessage.ping(payload.encoded()).frame.encoded()
            var written = 0
            do {
                // Each ping is answered with as much. Besides the hub's queue the system's own buffers fill.
                while written < 256 << 20 {
                    try await client.write(ping)
                    written += ping.count
                }
            } catch {
                // Reset, or closed: either way we are out.
            }
            #expect(written >= ControlServer.writeQueueLimit, "dropped after \(written) bytes")
            #expect(written < 64 << 20, "the hub took \(written) bytes")
            await eventually("the reason") { server.log.contains { $0.contains("reads too slowly") } }
            await eventually("nothing is left") { server.server.connectionCount == 0 }
        }
    }

    @Test func `a flood of connections costs a few handshakes and one line, and harms nobody`() async throws {
        try await withServer(configure: {
            $0.connectionsFromLoopback = 8
            $0.refusalsPerAddress = 4
        }) { server in
            let client = try await server.client()
            var flood: [TCPConnection] = []
            for _ in 0..<200 { flood.append(try await server.tcp()) }
            await eventually("what is too much is gone") {
                let count = server.server.connectionCount
                return count <= 12 && server.log.contains { $0.contains("too many") }
            }
            for tcp in flood.suffix(20) { #expect(((try? await tcp.read(atMost: 10)) ?? []).isEmpty) }
            #expect(server.log.filter { $0.contains("too many") }.count == 1)
            #expect(try await client.call(.hubInfo)["name"]?.string == "Hub")
            for tcp in flood { tcp.close() }
            await eventually("the flood is over") { server.server.connectionCount == 1 }
            let next = try await server.client()
            #expect(await next.welcome != nil)
        }
    }

    @Test func `loopback has another limit than the network`() throws {
        let configuration = ControlServerConfiguration(allowsPlain: false, name: "Hub", version: "1")
        let network = try #require(IPAddress("192.0.2.1"))
        #expect(configuration.connections(from: network) == 64)
        for address in [IPAddress.loopbackV4, .loopbackV6] {
            #expect(configuration.connections(from: address) == 1_024)
        }
        #expect(configuration.helloTime == .seconds(10))
        #expect(ControlServer.writeQueueLimit == 4 << 20)
    }

    // MARK: - TLS

    @Test func `a client of TLS 1 2 is refused with protocol_version`() async throws {
        try await withServer { server in
            let tcp = try await server.tcp()
            try await tcp.write(Self.clientHello12)
            // Record: alert, version, 2 bytes: fatal (2), protocol_version (70).
            let answer = try await tcp.read(atMost: 100)
            #expect(answer.first == 0x15)
            #expect(Array(answer.suffix(2)) == [2, 70], "\(answer)")
            tcp.close()
            await eventually("the log says so") { server.log.contains { $0.contains("TLS handshake") } }
        }
    }

    /// A hello of TLS 1.2 as RFC 5246 §7.4.1.2 has it: with our ALPN name, P-256 and ECDSA, and without supported_versions.
    private static let clientHello12: [UInt8] = {
        func sized(_ width: Int, _ bytes: [UInt8]) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
        }
        let name = Array("matterhub/1".utf8)
        let extensions =
            [0, 16] + sized(2, sized(2, sized(1, name))) + [0, 10] + sized(2, sized(2, [0, 23])) + [0, 11]
            + sized(2, sized(1, [0])) + [0, 13] + sized(2, sized(2, [4, 3]))
        let body =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0] + sized(2, [0xC0, 0x2B, 0xC0, 0x23]) + [1, 0]
            + sized(2, extensions)
        return [0x16, 3, 1] + sized(2, [1] + sized(3, body))
    }()
}
