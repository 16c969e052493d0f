import Glibc

/// One owned descriptor of the kernel, closed exactly once.
///
/// Closing while another thread is inside a call on the number would be a race on its reuse; so owners shut the
/// descriptor down first, wait for their event source's cancel handler, and drop the last reference then.
final class FileDescriptor: Sendable {
    let rawValue: Int32
    /// Opens when the descriptor has been closed, so that its port is free again.
    let closed = Gate()

    init(takingOwnership rawValue: Int32) { self.rawValue = rawValue }

    deinit {
        close(rawValue)
        closed.open()
    }

    /// A non-blocking socket that isn't inherited by child processes.
    static func socket(_ family: Int32, _ type: __socket_type) throws(NetError) -> FileDescriptor {
        let flags = type.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let value = Glibc.socket(family, Int32(bitPattern: flags), 0)
        guard value >= 0 else { throw NetError(errno: errno, "socket") }
        return FileDescriptor(takingOwnership: value)
    }

    /// What `socket` asks for at birth, for a descriptor that `accept` made.
    func makeNonBlocking() throws(NetError) {
        guard fcntl(rawValue, F_SETFL, fcntl(rawValue, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(rawValue, F_SETFD, FD_CLOEXEC) == 0
        else { throw NetError(errno: errno, "fcntl") }
    }

    func setOption(_ level: Int32, _ name: Int32, _ value: Int32, _ what: String) throws(NetError) {
        var value = value
        guard setsockopt(rawValue, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw NetError(errno: errno, "setsockopt(\(what))")
        }
    }

    func bind(to address: SocketAddress, family: Int32) throws(NetError) {
        let status = address.withSockaddr(family: family) { Glibc.bind(rawValue, $0, $1) == 0 ? 0 : errno }
        guard let status else { throw NetError(.addressUnavailable, "bind", reason: "\(address) isn't IPv4") }
        guard status == 0 else { throw NetError(errno: status, "bind", reason: "\(address)") }
    }

    /// The outcome of a finished connect: 0 or an `errno`; reading it clears it.
    func pendingError() throws(NetError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(rawValue, SOL_SOCKET, SO_ERROR, &value, &length) == 0 else {
            throw NetError(errno: errno, "getsockopt(SO_ERROR)")
        }
        return value
    }

    /// Our own end of the socket.
    func localAddress() throws(NetError) -> SocketAddress { try name("getsockname", getsockname) }

    /// The other end of a connected socket.
    func peerAddress() throws(NetError) -> SocketAddress { try name("getpeername", getpeername) }

    private func name(
        _ what: String, _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(NetError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address: Result<SocketAddress, NetError> = withUnsafeMutableBytes(of: &storage) { raw in
            let status = call(rawValue, raw.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
            guard status == 0 else { return .failure(NetError(errno: errno, what)) }
            guard let address = SocketAddress(UnsafeRawPointer(raw.baseAddress!), length: Int(length)) else {
                return .failure(NetError(.system, what, reason: "unknown address family"))
            }
            return .success(address)
        }
        return try address.get()
    }
}
