import Glibc

/// An IPv4 or IPv6 address without port or scope; an IPv4-mapped IPv6 address is held as IPv4.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    private enum Storage: Hashable, Sendable {
        case v4(UInt32)
        case v6(high: UInt64, low: UInt64)
    }
    private let storage: Storage

    /// An address from its 4 or 16 bytes in network order; `nil` for another count.
    package init?(bytes: some Collection<UInt8>) {
        switch bytes.count {
        case 4: self.init(v4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        case 16:
            self.init(
                high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
                low: bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) })
        default: return nil
        }
    }

    private init(v4: UInt32) { storage = .v4(v4) }

    private init(high: UInt64, low: UInt64) {
        storage = high == 0 && low >> 32 == 0xFFFF ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low)
    }

    /// An address from its usual text, without brackets, scope or port; `nil` for anything else.
    package init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        // A C string ends there: what follows must not be lost silently.
        guard !text.utf8.contains(0) else { return nil }
        if inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4)
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    init(_ address: in_addr) { self.init(v4: UInt32(bigEndian: address.s_addr)) }

    init(_ address: in6_addr) {
        self = withUnsafeBytes(of: address) { raw in
            IPAddress(
                high: UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }

    /// `0.0.0.0`.
    package static let anyV4 = IPAddress(in_addr(s_addr: 0))
    /// `::`.
    package static let anyV6 = IPAddress(in6_addr())
    /// `127.0.0.1`.
    package static let loopbackV4 = IPAddress(in_addr(s_addr: UInt32(0x7F00_0001).bigEndian))
    /// `::1`.
    package static let loopbackV6 = IPAddress(in6addr_loopback)

    package var isV4: Bool {
        switch storage {
        case .v4: true
        case .v6: false
        }
    }

    /// The 4 or 16 bytes in network order.
    package var bytes: [UInt8] {
        switch storage {
        case .v4(let value): withUnsafeBytes(of: value.bigEndian) { [UInt8]($0) }
        case .v6: mappedBytes
        }
    }

    /// 16 bytes in network order; IPv4 as `::ffff:a.b.c.d`.
    package var mappedBytes: [UInt8] {
        let (high, low) = halves
        return withUnsafeBytes(of: high.bigEndian) { [UInt8]($0) } + withUnsafeBytes(of: low.bigEndian) { [UInt8]($0) }
    }

    /// True for `fe80::/10` and `169.254.0.0/16`; the first needs a scope to be reached.
    package var isLinkLocal: Bool {
        switch storage {
        case .v4(let value): value >> 16 == 0xA9FE
        case .v6(let high, _): high >> 54 == 0xFE80 >> 6
        }
    }

    package var isLoopback: Bool {
        switch storage {
        case .v4(let value): value >> 24 == 127
        case .v6(let high, let low): high == 0 && low == 1
        }
    }

    /// True for `0.0.0.0` and `::`, which name no peer.
    package var isUnspecified: Bool {
        switch storage {
        case .v4(let value): value == 0
        case .v6(let high, let low): high == 0 && low == 0
        }
    }

    package var isMulticast: Bool {
        switch storage {
        case .v4(let value): value >> 28 == 0xE
        case .v6(let high, _): high >> 56 == 0xFF
        }
    }

    /// The usual short text, without scope.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        switch storage {
        case .v4(let value):
            var address = in_addr(s_addr: value.bigEndian)
            inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
        case .v6:
            var address = in6
            inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: The kernel's forms

    /// Network order.
    var in4: in_addr? {
        switch storage {
        case .v4(let value): in_addr(s_addr: value.bigEndian)
        case .v6: nil
        }
    }

    /// Network order; IPv4 in its mapped form.
    var in6: in6_addr {
        var address = in6_addr()
        let (high, low) = halves
        withUnsafeMutableBytes(of: &address) { raw in
            raw.storeBytes(of: high.bigEndian, as: UInt64.self)
            raw.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return address
    }

    private var halves: (high: UInt64, low: UInt64) {
        switch storage {
        case .v4(let value): (0, 0xFFFF_0000_0000 | UInt64(value))
        case .v6(let high, let low): (high, low)
        }
    }
}
