import Dispatch
import Glibc

/// A host, by name or number, and a port, as people write them.
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// A name, or a numeric address with its scope; without brackets.
    package var host: String
    /// Host order.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `name:5543`, `10.0.0.1:5543` or `[fe80::1%eth0]:5543`.
    ///
    /// - Parameter defaultPort: used when the text has none; without it such text is `nil`. A bare IPv6 address
    ///   (`fe80::1`) is then read as a host.
    /// - Returns: `nil` when the text has another form or the port isn't in 0 ... 65535.
    package init?(_ text: String, defaultPort: UInt16? = nil) {
        var host: Substring
        var rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else if text.count(where: { $0 == ":" }) > 1 {
            (host, rest) = (text[...], "")
        } else {
            let colon = text.firstIndex(of: ":") ?? text.endIndex
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard !host.isEmpty, host.unicodeScalars.allSatisfy(Self.isAllowed) else { return nil }
        // Only IPv6 addresses have colons; their scope is the resolver's to judge.
        if host.unicodeScalars.contains(":"), IPAddress(String(host.prefix { $0 != "%" })) == nil { return nil }
        if rest.isEmpty {
            guard let defaultPort else { return nil }
            self.init(host: String(host), port: defaultPort)
        } else {
            guard rest.removeFirst() == ":", rest.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(rest)
            else { return nil }
            self.init(host: String(host), port: port)
        }
    }

    package var description: String {
        host.unicodeScalars.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// What may stand in a host: neither brackets, of which the text has one pair at most, nor blanks, nor control
    /// characters, which would end the text early for the system's functions.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        scalar != "[" && scalar != "]" && !scalar.properties.isWhitespace
            && scalar.properties.generalCategory != .control
    }

    /// The addresses of the host, in the order of preference of the system's resolver; blocks, perhaps for seconds.
    ///
    /// - Throws: ``NetError`` with code `badAddress`.
    package func resolveBlocking() throws(NetError) -> [SocketAddress] {
        if let numeric = SocketAddress(host: host, port: port) { return [numeric] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        var status = getaddrinfo(host, nil, &hints, &list)
        if status != 0 {
            // Without any configured address but loopback AI_ADDRCONFIG hides even `localhost`.
            hints.ai_flags = 0
            status = getaddrinfo(host, nil, &hints, &list)
        }
        guard status == 0 else {
            throw NetError(.badAddress, "getaddrinfo", reason: "\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }).compactMap({ $0 }) {
            guard let pointer = entry.pointee.ai_addr,
                var address = SocketAddress(pointer, length: Int(entry.pointee.ai_addrlen))
            else { continue }
            address.port = port
            if !addresses.contains(address) { addresses.append(address) }
        }
        guard !addresses.isEmpty else { throw NetError(.badAddress, "getaddrinfo", reason: "\(host) has no address") }
        return addresses
    }

    /// The same as ``resolveBlocking()``, on a thread of its own so that no other task waits for the resolver.
    package func resolve() async throws(NetError) -> [SocketAddress] {
        if let numeric = SocketAddress(host: host, port: port) { return [numeric] }
        let result = await withCheckedContinuation { continuation in
            Self.resolving.async { @Sendable in
                let result: Result<[SocketAddress], NetError>
                do throws(NetError) { result = .success(try resolveBlocking()) } catch { result = .failure(error) }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }

    private static let resolving = DispatchQueue(label: "netio.resolve", attributes: .concurrent)
}
