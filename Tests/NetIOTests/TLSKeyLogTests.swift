import Foundation
import NetIO
import Testing

@Suite("TLS key logs", .timeLimit(.minutes(1))) struct TLSKeyLogTests {
    private let fixture: TLSFixture
    private let folder: URL

    init() throws {
        fixture = try TLSFixture.shared.get()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keylog-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func handshakes(client: TLSKeyLog?, server: TLSKeyLog?) async throws {
        let tcp = try await connectedPair()
        let serverContext = try TLSContext.server(
            fixture.credentials, applicationProtocol: TLSFixture.alpn, keyLog: server)
        let clientContext = try TLSContext.client(
            trust: .pinned(fixture.authority.pin), applicationProtocol: TLSFixture.alpn, keyLog: client)
        async let accepted = handshake(tcp.server, serverContext)
        let connection = try await handshake(tcp.client, clientContext)
        try await connection.write([1])
        #expect(try await accepted.read() == [1])
    }

    private func lines(_ name: String) throws -> Set<String> {
        let text = String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
        return Set(text.split(separator: "\n").map(String.init))
    }

    @Test func `both ends write the same secrets, for their owner only, when they were asked to`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let logs = try ["client", "server"].map { name in
            try TLSKeyLog(path: folder.appendingPathComponent(name).path) { Issue.record("\($0)") }
        }
        try await handshakes(client: logs[0], server: logs[1])
        let (client, server) = (try lines("client"), try lines("server"))
        #expect(client == server)
        let labels = Set(client.compactMap { $0.split(separator: " ").first.map(String.init) })
        #expect(
            labels.isSuperset(of: [
                "CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET", "CLIENT_TRAFFIC_SECRET_0",
                "SERVER_TRAFFIC_SECRET_0",
            ]))
        #expect(client.allSatisfy { $0.split(separator: " ").count == 3 })
        for name in ["client", "server"] {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)
            #expect(mode[.posixPermissions] as? Int == 0o600)
        }
        // Nobody else writes to them.
        try await handshakes(client: nil, server: nil)
        #expect(try lines("client") == client)
        try await handshakes(client: logs[0], server: nil)
        #expect(try lines("client").count == 2 * client.count)
        #expect(try lines("server") == server)
    }

    @Test func `a file that others could read becomes its owner's, and what is no file is refused`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let open = folder.appendingPathComponent("open")
        try Data("before\n".utf8).write(to: open)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open.path)
        let file = try AppendFile(path: open.path)
        try file.append([0x61, 0x0A])
        #expect(try Data(contentsOf: open) == Data("before\na\n".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: open.path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        for path in [folder.path, "/dev/null", folder.appendingPathComponent("no/such").path] {
            let error = #expect(throws: NetError.self) { try AppendFile(path: path) }
            #expect(error?.description.contains(path) == true)
        }
        #expect(try AppendFile(path: open.path, isNew: true).size() == 0)
    }
}
