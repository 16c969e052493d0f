public import MatterWire

/// One UDP datagram in an IPv4 or IPv6 packet (RFC 768, 791, 8200).
public struct UDPPacket: Hashable, Sendable {
    /// Where it comes from.
    public var source: PeerAddress
    /// Where it goes to.
    public var destination: PeerAddress
    /// What it carries.
    public var payload: [UInt8]

    /// Makes a datagram.
    public init(source: PeerAddress, destination: PeerAddress, payload: [UInt8]) {
        self.source = source
        self.destination = destination
        self.payload = payload
    }

    /// The packet's bytes from its IP header on: IPv4 when both addresses are, else IPv6.
    public var encoded: [UInt8] {
        let isV4 = source.isV4 && destination.isV4
        let (from, to) =
            isV4
            ? (Array(source.ip.suffix(4)), Array(destination.ip.suffix(4))) : (source.ip, destination.ip)
        let length = 8 + payload.count
        var datagram: [UInt8] = []
        for value in [source.port, destination.port, UInt16(truncatingIfNeeded: length), 0] {
            datagram.appendBigEndian(value)
        }
        datagram += payload
        var pseudo = from + to
        for value: UInt16 in [0, UInt16(truncatingIfNeeded: length), 0, 17] { pseudo.appendBigEndian(value) }
        let sum = Self.checksum(pseudo + datagram)
        // Zero would mean that there is none.
        datagram.replaceSubrange(6..<8, with: Self.bytes(sum == 0 ? 0xFFFF : sum))
        var header: [UInt8]
        if isV4 {
            header = [0x45, 0]
            for value: UInt16 in [UInt16(truncatingIfNeeded: 20 + length), 0, 0x4000, 64 << 8 | 17, 0] {
                header.appendBigEndian(value)
            }
            header += from + to
            header.replaceSubrange(10..<12, with: Self.bytes(Self.checksum(header)))
        } else {
            header = [0x60, 0, 0, 0]
            header.appendBigEndian(UInt16(truncatingIfNeeded: length))
            header += [17, 64] + from + to
        }
        return header + datagram
    }

    private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

    /// The Internet checksum (RFC 1071).
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum: UInt32 = 0
        for index in stride(from: 0, to: bytes.count, by: 2) {
            sum += UInt32(bytes[index]) << 8 | (index + 1 < bytes.count ? UInt32(bytes[index + 1]) : 0)
        }
        while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
        return ~UInt16(sum)
    }

    /// Reads a captured packet; `nil` for what is no whole UDP datagram, fragments among it.
    public init?(_ packet: CapturedPacket) {
        let bytes = packet.bytes
        func type(at offset: Int) -> UInt16 {
            bytes.count > offset + 1 ? UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]) : 0
        }
        let start: Int
        switch packet.link {
        case .raw, .ipv4, .ipv6: start = 0
        case .ethernet:
            // One VLAN tag may stand before the type.
            start = type(at: 12) == 0x8100 ? 18 : 14
            guard [0x0800, 0x86DD].contains(type(at: start - 2)) else { return nil }
        case .linuxCooked:
            start = 16
            guard [0x0800, 0x86DD].contains(type(at: 14)) else { return nil }
        case .linuxCooked2:
            start = 20
            guard [0x0800, 0x86DD].contains(type(at: 0)) else { return nil }
        default: return nil
        }
        guard start < bytes.count else { return nil }
        self.init(ip: Array(bytes[start...]))
    }

    private init?(ip: [UInt8]) {
        switch ip[0] >> 4 {
        case 4:
            let header = Int(ip[0] & 0x0F) * 4
            guard header >= 20, ip.count >= header, ip[9] == 17 else { return nil }
            // A fragment: more follow, or some came before.
            guard ip[6] & 0x3F == 0, ip[7] == 0 else { return nil }
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            self.init(datagram: ip[header...], mapped + ip[12..<16], mapped + ip[16..<20])
        case 6:
            guard ip.count >= 40 else { return nil }
            var (next, offset) = (ip[6], 40)
            // Hop-by-hop, routing and destination options say their length.
            while [0, 43, 60].contains(next) {
                guard ip.count >= offset + 8 else { return nil }
                next = ip[offset]
                offset += 8 + Int(ip[offset + 1]) * 8
            }
            guard next == 17, ip.count >= offset else { return nil }
            self.init(datagram: ip[offset...], Array(ip[8..<24]), Array(ip[24..<40]))
        default: return nil
        }
    }

    private init?(datagram: ArraySlice<UInt8>, _ source: [UInt8], _ destination: [UInt8]) {
        let bytes = Array(datagram)
        guard bytes.count >= 8 else { return nil }
        func field(_ index: Int) -> UInt16 { UInt16(bytes[2 * index]) << 8 | UInt16(bytes[2 * index + 1]) }
        let length = Int(field(2))
        guard length >= 8, length <= bytes.count else { return nil }
        self.init(
            source: PeerAddress(ip: source, port: field(0)), destination: PeerAddress(ip: destination, port: field(1)),
            payload: Array(bytes[8..<length]))
    }
}

extension PeerAddress {
    /// Whether it is an IPv4 address in its IPv6 form.
    var isV4: Bool { ip.prefix(10).allSatisfy { $0 == 0 } && ip[10] == 0xFF && ip[11] == 0xFF }

    /// `address:port` as people write it.
    public var shown: String {
        if isV4 { return ip.suffix(4).map { String($0) }.joined(separator: ".") + ":\(port)" }
        let words: [UInt16] = (0..<8).map { index in UInt16(ip[2 * index]) << 8 | UInt16(ip[2 * index + 1]) }
        let gap = Self.longestZeros(words)
        guard gap.count > 1 else { return "[\(Self.hexadecimal(words[...]))]:\(port)" }
        let (front, back) = (words[..<gap.lowerBound], words[gap.upperBound...])
        return "[\(Self.hexadecimal(front))::\(Self.hexadecimal(back))]:\(port)"
    }

    /// What `::` stands for (RFC 5952).
    private static func longestZeros(_ words: [UInt16]) -> Range<Int> {
        var best = 0..<0
        var start = 0
        for place in 0...words.count where place == words.count || words[place] != 0 {
            if place - start > best.count { best = start..<place }
            start = place + 1
        }
        return best
    }

    private static func hexadecimal(_ words: ArraySlice<UInt16>) -> String {
        words.map { String($0, radix: 16) }.joined(separator: ":")
    }
}

extension [UInt8] {
    mutating func appendBigEndian(_ value: UInt16) { self += [UInt8(value >> 8), UInt8(value & 0xFF)] }
}
