import Glibc
import NetIO

/// A loopback server on one thread of its own, which needs nothing of the cooperative pool: it serves the stated number of
/// connections one after the other, each with what it sent until its end.
final class ThreadedEchoServer: Sendable {
    let address: SocketAddress
    private let serving: Task<Void, Never>

    init(connections: Int) throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &place) { raw in
            let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return bind(listening, pointer, length) | listen(listening, 128) | getsockname(listening, pointer, &length)
        }
        guard status == 0 else { throw NetError(errno: errno, "bind") }
        address = SocketAddress(ip: .loopbackV4, port: UInt16(bigEndian: place.sin_port))
        serving = Task {
            _ = await DedicatedThread.call { @Sendable in
                for _ in 0..<connections { Self.serve(accept(listening, nil, nil)) }
                close(listening)
            }
        }
    }

    func finish() async { await serving.value }

    private static func serve(_ descriptor: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { bytes += buffer[..<count] }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            sent += count
        }
        close(descriptor)
    }
}
