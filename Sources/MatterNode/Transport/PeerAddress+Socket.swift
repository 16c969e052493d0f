package import MatterWire
import NetIO

extension PeerAddress {
    /// The protocol's form of a socket address: IPv4 becomes `::ffff:a.b.c.d`.
    init(_ address: SocketAddress) {
        let bytes = address.ip.bytes
        let mapped = bytes.count == 16 ? bytes : [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes
        self.init(ip: mapped, port: address.port, scope: address.scope)
    }

    /// The socket's form.
    var socketAddress: SocketAddress {
        // 16 bytes are always an address: `PeerAddress` holds no other count.
        SocketAddress(ip: IPAddress(bytes: ip) ?? .anyV6, port: port, scope: scope)
    }

    /// Reads `host:port`, `[v6]:port` or `[v6%interface]:port`; `nil` for anything else.
    package init?(text: String) {
        guard let address = SocketAddress(text) else { return nil }
        self.init(address)
    }

    /// `host:port` as people write it.
    package var text: String { socketAddress.description }
}
