import Foundation
import NetIO
import Testing

@Suite("Threads of TCP connections", .timeLimit(.minutes(1))) struct TCPThreadTests {
    /// Threads of this process.
    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? .max
    }

    /// In a process of its own, so that only these connections count.
    @Test func `hundreds of connections that have news at once share a few threads`() async {
        await #expect(processExitsWith: .success) {
            let listener = try TCPListener(addresses: [.loopbackV4], pendingConnections: 400)
            let address = SocketAddress(ip: .loopbackV4, port: listener.port)
            var accepted = listener.connections.makeAsyncIterator()
            var clients: [TCPConnection] = []
            var servers: [TCPConnection] = []
            for _ in 0..<300 {
                clients.append(try await TCPConnection.connect(to: [address], timeout: .seconds(30)))
                servers.append(try #require(await accepted.next()))
            }
            var most = 0
            for _ in 0..<20 {
                let reading = servers.map { server in Task { try await server.read() } }
                for client in clients { try client.enqueue([1]) }
                most = max(most, Self.threads)
                for task in reading { #expect(try await task.value == [1]) }
            }
            // The two pools of the system with a few for this machine's processors each, and what the test itself needs.
            #expect(most <= 4 * ProcessInfo.processInfo.activeProcessorCount + 16, "\(most) threads")
        }
    }
}
