/// Where datagrams of a peer come from and go to; opaque to the protocol machines.
public struct PeerAddress: Hashable, Sendable {
    /// 16 bytes in network order; IPv4 as `::ffff:a.b.c.d`.
    public var ip: [UInt8]
    /// UDP port, host order.
    public var port: UInt16
    /// Interface index of a link-local address, else 0.
    public var scope: UInt32
    /// - Parameter ip: exactly 16 bytes, network order; another count is a programming error.
    public init(ip: [UInt8], port: UInt16, scope: UInt32 = 0) {
        precondition(ip.count == 16, "an address has 16 bytes")
        self.ip = ip
        self.port = port
        self.scope = scope
    }
}
