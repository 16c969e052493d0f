import Glibc

extension SocketAddress {
    /// The address of this machine that datagrams to a peer come from, as the system would choose it; nothing is sent.
    ///
    /// - Returns: `nil` where no way leads there.
    package static func local(toward peer: SocketAddress) -> SocketAddress? {
        let family = peer.ip.isV4 ? AF_INET : AF_INET6
        // Why there is no way is for those who send to find out.
        guard let descriptor = try? FileDescriptor.socket(family, SOCK_DGRAM),
            peer.withSockaddr(family: family, { connect(descriptor.rawValue, $0, $1) }) == 0
        else { return nil }
        // A socket that is connected has one; without it the answer is the same.
        return try? descriptor.localAddress()
    }
}
