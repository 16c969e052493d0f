import MatterCapture
import MatterWire
import TestSupport
import Testing

@Suite("UDP packets (RFC 768, 791, 8200)") struct UDPPacketTests {
    static let v4 = UDPPacket(
        source: address([10, 0, 0, 1], 5540), destination: address([10, 0, 0, 2], 0x1234), payload: [0xAB, 0xCD, 0xEF])
    static let v6 = UDPPacket(
        source: PeerAddress(ip: [UInt8](repeating: 0, count: 15) + [1], port: 5540),
        destination: PeerAddress(ip: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [9], port: 1), payload: [7])

    static func address(_ v4: [UInt8], _ port: UInt16) -> PeerAddress {
        PeerAddress(ip: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + v4, port: port)
    }

    static func captured(_ bytes: [UInt8], _ link: LinkType = .raw) -> CapturedPacket {
        CapturedPacket(microseconds: 0, link: link, bytes: bytes)
    }

    @Test func `headers and checksums are right`() {
        #expect(Self.v4.encoded.hex == "4500001f00004000401126cc0a0000010a000002" + "15a41234000b292fabcdef")
        #expect(Self.v6.encoded.prefix(8).hexText == "6000000000091140")
        // The sum over everything that the checksum covers is all ones.
        let packet = Self.v6.encoded
        var sum: UInt32 = 9 + 17
        let covered = Array(packet[8...]) + [0]
        for index in stride(from: 0, to: covered.count, by: 2) {
            sum += UInt32(covered[index]) << 8 + UInt32(covered[index + 1])
        }
        while sum > 0xFFFF { sum = sum >> 16 + sum & 0xFFFF }
        #expect(sum == 0xFFFF)
    }

    @Test func `a packet is read from every kind of link`() {
        for packet in [Self.v4, Self.v6] {
            let (ip, type) = (packet.encoded, packet == Self.v4 ? [0x08, 0x00] as [UInt8] : [0x86, 0xDD])
            func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
            #expect(UDPPacket(Self.captured(ip)) == packet)
            #expect(UDPPacket(Self.captured(ip, .ipv6)) == packet)
            #expect(UDPPacket(Self.captured(zeros(12) + type + ip, .ethernet)) == packet)
            #expect(UDPPacket(Self.captured(zeros(12) + [0x81, 0, 0, 5] + type + ip, .ethernet)) == packet)
            #expect(UDPPacket(Self.captured(zeros(14) + type + ip, .linuxCooked)) == packet)
            #expect(UDPPacket(Self.captured(type + zeros(18) + ip, .linuxCooked2)) == packet)
            #expect(UDPPacket(Self.captured(ip, .user0)) == nil)
        }
    }

    @Test func `options are passed, fragments and other protocols are not taken`() {
        var options = Self.v6.encoded
        options[6] = 0
        options.insert(contentsOf: [17, 0, 1, 4, 0, 0, 0, 0], at: 40)
        #expect(UDPPacket(Self.captured(options)) == Self.v6)
        for (index, value) in [(9, 6), (6, 0x20), (7, 1), (0, 0x44), (0, 0x55)] as [(Int, UInt8)] {
            var bytes = Self.v4.encoded
            bytes[index] = value
            #expect(UDPPacket(Self.captured(bytes)) == nil, "\(index)")
        }
        #expect(UDPPacket(Self.captured(Self.v4.encoded + [0, 0])) == Self.v4)
        for count in 0..<Self.v4.encoded.count {
            #expect(UDPPacket(Self.captured(Array(Self.v4.encoded.prefix(count)))) == nil)
        }
    }

    struct Text: Sendable { var ip: String, text: String }

    static let texts: [Text] = [
        Text(ip: "00000000000000000000000000000001", text: "[::1]:5540"),
        Text(ip: "00000000000000000000000000000000", text: "[::]:5540"),
        Text(ip: "fe800000000000000000000000000000", text: "[fe80::]:5540"),
        Text(ip: "20010db8000000000001000000000001", text: "[2001:db8::1:0:0:1]:5540"),
        Text(ip: "20010db8000100020003000400050006", text: "[2001:db8:1:2:3:4:5:6]:5540"),
        Text(ip: "20010db8000100000003000400050006", text: "[2001:db8:1:0:3:4:5:6]:5540"),
        Text(ip: "00000000000000000000ffff0a000001", text: "10.0.0.1:5540"),
    ]

    @Test(arguments: texts) func `addresses are shown as people write them`(_ text: Text) {
        #expect(PeerAddress(ip: [UInt8](hex: text.ip), port: 5540).shown == text.text)
    }
}

extension Sequence<UInt8> {
    fileprivate var hexText: String { Array(self).hex }
}
