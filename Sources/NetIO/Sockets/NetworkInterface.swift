import Glibc

/// A network interface of this machine, with its addresses at the moment of asking.
package struct NetworkInterface: Hashable, Sendable {
    package var name: String
    /// The index that scope ids use.
    package var index: UInt32
    package var isUp: Bool
    package var isLoopback: Bool
    package var supportsMulticast: Bool
    /// 6 or 8 bytes; empty where there is none.
    package var hardwareAddress: [UInt8]
    /// Addresses with port 0 and, where link-local, their scope; in the kernel's order.
    package var addresses: [SocketAddress]

    /// The interfaces of this machine, by index.
    ///
    /// - Throws: ``NetError`` when the kernel can't say.
    package static func all() throws(NetError) -> [NetworkInterface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { throw NetError(errno: errno, "getifaddrs") }
        defer { freeifaddrs(list) }
        var found: [String: NetworkInterface] = [:]
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }).compactMap({ $0 }) {
            let name = String(cString: entry.pointee.ifa_name)
            let flags = entry.pointee.ifa_flags
            var interface =
                found[name]
                ?? NetworkInterface(
                    name: name, index: if_nametoindex(name), isUp: flags & UInt32(IFF_UP) != 0,
                    isLoopback: flags & UInt32(IFF_LOOPBACK) != 0,
                    supportsMulticast: flags & UInt32(IFF_MULTICAST) != 0, hardwareAddress: [], addresses: [])
            if let pointer = entry.pointee.ifa_addr { interface.add(pointer) }
            found[name] = interface
        }
        return found.values.sorted { ($0.index, $0.name) < ($1.index, $1.name) }
    }

    /// The name of the interface with this index, `nil` when there is none.
    package static func name(index: UInt32) -> String? {
        var text = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &text) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private mutating func add(_ pointer: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(pointer)
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET, AF_INET6:
            let isV6 = Int32(pointer.pointee.sa_family) == AF_INET6
            let length = isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
            if let address = SocketAddress(raw, length: length) { addresses.append(address) }
        case AF_PACKET:
            // `struct sockaddr_ll`: the length of the address at offset 11, its bytes from 12.
            let count = Int(raw.load(fromByteOffset: 11, as: UInt8.self))
            let bytes = (0..<min(count, 8)).map { raw.load(fromByteOffset: 12 + $0, as: UInt8.self) }
            if bytes.contains(where: { $0 != 0 }) { hardwareAddress = bytes }
        default: break
        }
    }
}
