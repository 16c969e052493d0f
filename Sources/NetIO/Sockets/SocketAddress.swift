import Glibc

/// Where a socket of a peer or of ours is: address, port and, for link-local IPv6, the interface.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    package var ip: IPAddress
    /// Host order.
    package var port: UInt16
    /// The interface index of a link-local IPv6 address, else 0.
    package var scope: UInt32

    /// - Parameter scope: kept only where it means something, at a link-local IPv6 address, so that equal places are equal.
    package init(ip: IPAddress, port: UInt16, scope: UInt32 = 0) {
        self.ip = ip
        self.port = port
        self.scope = !ip.isV4 && (ip.isLinkLocal || ip.isMulticast) ? scope : 0
    }

    /// A place from numeric text: `10.0.0.1:5540`, `[fe80::1%eth0]:5540`, `[fe80::1%2]:5540`; `nil` for anything else.
    ///
    /// The name of an interface that doesn't exist makes it `nil` too.
    package init?(_ text: String) {
        guard let parts = HostAndPort(text), let address = SocketAddress(host: parts.host, port: parts.port) else {
            return nil
        }
        self = address
    }

    /// A place from a numeric host (`fe80::1%eth0` with its scope) and a port; `nil` for a name.
    package init?(host: String, port: UInt16) {
        let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let ip = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        guard parts.count == 2 else {
            self.init(ip: ip, port: port)
            return
        }
        guard !ip.isV4, let scope = Self.interfaceIndex(String(parts[1])) else { return nil }
        self.init(ip: ip, port: port, scope: scope)
    }

    /// `10.0.0.1:5540` or `[fe80::1%eth0]:5540`; a scope without a name shows its index.
    package var description: String { ip.isV4 ? "\(hostDescription):\(port)" : "[\(hostDescription)]:\(port)" }

    /// The address with its scope, without brackets or port.
    package var hostDescription: String {
        guard scope != 0 else { return ip.description }
        return "\(ip)%\(NetworkInterface.name(index: scope) ?? String(scope))"
    }

    /// Refuses a link-local IPv6 address without its interface: the kernel would take any interface, perhaps the wrong one.
    func requireScope(_ operation: String) throws(NetError) {
        guard !ip.isV4, ip.isLinkLocal, scope == 0 else { return }
        throw NetError(.unreachable, operation, reason: "\(self) lacks its interface: write \(ip)%INTERFACE")
    }

    private static func interfaceIndex(_ text: String) -> UInt32? {
        guard !text.utf8.contains(0) else { return nil }
        let index = if_nametoindex(text)
        if index != 0 { return index }
        return UInt32(text).flatMap { $0 == 0 ? nil : $0 }
    }

    // MARK: The kernel's forms

    /// The place in a kernel structure; `nil` when the family is neither IPv4 nor IPv6 or the bytes are too few.
    init?(_ pointer: UnsafeRawPointer, length: Int) {
        guard length >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(pointer.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
            let v4 = pointer.loadUnaligned(as: sockaddr_in.self)
            self.init(ip: IPAddress(v4.sin_addr), port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
            let v6 = pointer.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                ip: IPAddress(v6.sin6_addr), port: UInt16(bigEndian: v6.sin6_port), scope: v6.sin6_scope_id)
        default: return nil
        }
    }

    /// Lends the place as the kernel wants it for a socket of the given family (IPv4 goes mapped to an `AF_INET6` socket).
    ///
    /// - Returns: what the body returns, or `nil` for an IPv6 address and an `AF_INET` socket.
    func withSockaddr<R>(family: Int32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R? {
        if family == AF_INET6 {
            var v6 = sockaddr_in6()
            v6.sin6_family = sa_family_t(AF_INET6)
            v6.sin6_port = port.bigEndian
            v6.sin6_addr = ip.in6
            v6.sin6_scope_id = scope
            return withUnsafeBytes(of: &v6) { raw in
                body(raw.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(raw.count))
            }
        }
        guard let address = ip.in4 else { return nil }
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = port.bigEndian
        v4.sin_addr = address
        return withUnsafeBytes(of: &v4) { raw in
            body(raw.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(raw.count))
        }
    }
}
