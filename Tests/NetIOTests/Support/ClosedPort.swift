import Glibc
import NetIO

/// A loopback port on which surely nobody listens, because it is bound here without listening.
final class ClosedPort {
    let address: SocketAddress
    private let descriptor: Int32

    init(_ ip: IPAddress = .loopbackV4) throws {
        let descriptor = socket(ip.isV4 ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(ip.isV4 ? AF_INET : AF_INET6)
        var length = socklen_t(ip.isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        let start = ip.isV4 ? 4 : 8  // of the address in its structure; the port is at 2 in both
        let (status, port) = withUnsafeMutableBytes(of: &storage) { raw in
            for (index, byte) in ip.bytes.enumerated() { raw[start + index] = byte }
            let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress!
            let status = bind(descriptor, pointer, length) | getsockname(descriptor, pointer, &length)
            return (status, UInt16(raw[2]) << 8 | UInt16(raw[3]))
        }
        self.descriptor = descriptor
        guard status == 0 else { throw NetError(errno: errno, "bind") }
        address = SocketAddress(ip: ip, port: port)
    }

    deinit { close(descriptor) }
}
