import Glibc
import NetIO

/// A loopback address that neither accepts nor refuses: its accept queue is full and stays so.
final class SilentListener {
    let address: SocketAddress
    private var descriptors: [Int32] = []

    init() throws {
        let listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &place) { raw in
            let pointer = raw.assumingMemoryBound(to: sockaddr.self).baseAddress!
            return bind(listening, pointer, length) | listen(listening, 0) | getsockname(listening, pointer, &length)
        }
        guard status == 0 else { throw NetError(errno: errno, "bind") }
        address = SocketAddress(ip: .loopbackV4, port: UInt16(bigEndian: place.sin_port))
        descriptors = [listening]
        for _ in 0..<4 {
            let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            withUnsafeBytes(of: &place) {
                _ = connect(filler, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, length)
            }
            descriptors.append(filler)
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
