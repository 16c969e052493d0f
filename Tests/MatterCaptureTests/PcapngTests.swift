import MatterCapture
import TestSupport
import Testing

@Suite("pcapng (draft-ietf-opsawg-pcapng)") struct PcapngTests {
    static let head = PcapngWriter.head(link: .raw, interface: "hub", application: "test")

    @Test func `what is written is read, whatever it is`() throws {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let packets = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                let directions: [CapturedPacket.Direction?] = [nil, .inbound, .outbound]
                return CapturedPacket(
                    microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &generator), link: .raw,
                    bytes: generator.bytes(Int.random(in: 0...1500, using: &generator)),
                    direction: directions[Int.random(in: 0...2, using: &generator)],
                    comments: (0..<Int.random(in: 0...2, using: &generator)).map { "comment \($0) é" })
            }
            var read = try PcapngReader.packets(of: Self.head + packets.flatMap(PcapngWriter.block))
            for index in read.indices { read[index].offset = 0 }
            #expect(read == packets, "seed \(seed)")
        }
    }

    @Test func `the bytes are those of the format`() {
        let packet = CapturedPacket(
            microseconds: 0x0001_0203_0405_0607, link: .raw, bytes: [1, 2, 3], direction: .outbound)
        let section =
            "0a0d0d0a2800000" + "04d3c2b1a01000000ffffffffffffffff" + "0400040074657374" + "00000000" + "28000000"
        let interface =
            "0100000028000000" + "6500000000000000" + "0200030068756200" + "0900010006000000" + "00000000" + "28000000"
        #expect(Self.head.hex == section + interface)
        #expect(
            PcapngWriter.block(packet).hex
                == "0600000030000000" + "00000000" + "0302010007060504" + "0300000003000000" + "01020300"
                + "0200040002000000" + "00000000" + "30000000")
    }

    /// A section of a big-endian writer, with nanoseconds, an unknown block and a simple packet.
    static let bigEndian: [UInt8] = [
        0x0A, 0x0D, 0x0D, 0x0A, 0, 0, 0, 28, 0x1A, 0x2B, 0x3C, 0x4D, 0, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0, 0, 0, 28,
        0, 0, 0, 1, 0, 0, 0, 32, 0, 1, 0, 0, 0, 0, 0, 2, 0, 9, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32,
        0, 0, 0, 5, 0, 0, 0, 16, 1, 2, 3, 4, 0, 0, 0, 16,
        0, 0, 0, 6, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0F, 0x42, 0x40, 0, 0, 0, 1, 0, 0, 0, 9, 0x77, 0, 0, 0, 0,
        0,
        0, 36,
        0, 0, 0, 3, 0, 0, 0, 20, 0, 0, 0, 9, 0x88, 0x99, 0, 0, 0, 0, 0, 20,
    ]

    @Test func `another writer's byte order, resolution and blocks are understood`() throws {
        let packets = try PcapngReader.packets(of: Self.bigEndian + Self.head)
        #expect(packets.map(\.bytes) == [[0x77], [0x88, 0x99]])
        #expect(packets.map(\.microseconds) == [1000, 1000])
        #expect(packets.map(\.link) == [.ethernet, .ethernet])
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var name: String, bytes: [UInt8], code: CaptureError.Code, place: Int
        var testDescription: String { name }
    }

    static func damaged(_ index: Int, _ value: UInt8) -> [UInt8] {
        var bytes = bigEndian
        bytes[index] = value
        return bytes
    }

    static let bad: [Bad] = [
        Bad(name: "empty", bytes: [], code: .notPcapng, place: 0),
        Bad(name: "text", bytes: Array("{}".utf8), code: .notPcapng, place: 0),
        Bad(name: "old format", bytes: [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0], code: .oldFormat, place: 0),
        Bad(name: "byte order", bytes: damaged(8, 0), code: .notPcapng, place: 0),
        Bad(name: "version", bytes: damaged(13, 2), code: .unknownVersion, place: 0),
        Bad(name: "cut in a block", bytes: Array(bigEndian.dropLast()), code: .truncated, place: 112),
        Bad(name: "cut in a head", bytes: Array(bigEndian.prefix(35)), code: .truncated, place: 28),
        Bad(name: "lengths differ", bytes: damaged(27, 32), code: .badLength, place: 0),
        Bad(name: "length of 4", bytes: damaged(35, 4), code: .badLength, place: 28),
        Bad(name: "odd length", bytes: damaged(35, 33), code: .badLength, place: 28),
        Bad(name: "huge length", bytes: damaged(32, 0x70), code: .badLength, place: 28),
        Bad(name: "no such interface", bytes: damaged(87, 1), code: .unknownInterface, place: 76),
        Bad(name: "packet longer than its block", bytes: damaged(99, 9), code: .badLength, place: 76),
        Bad(name: "option longer than its block", bytes: damaged(47, 99), code: .badLength, place: 28),
    ]

    @Test(arguments: bad) func `what is no capture is refused with the place and what to do`(_ bad: Bad) {
        let error = #expect(throws: CaptureError.self) { try PcapngReader.packets(of: bad.bytes) }
        #expect(error == CaptureError(bad.code, at: bad.place), "\(String(describing: error))")
        #expect(error?.description.contains("byte \(bad.place)") == true)
        #expect(error?.description.contains("; ") == true)
    }

    @Test func `damaged captures are read or refused`() {
        var generator = SeededGenerator(seed: 17)
        let packet = CapturedPacket(
            microseconds: 5, link: .raw, bytes: [1, 2, 3], direction: .inbound, comments: ["x"])
        let good = Self.bigEndian + Self.head + PcapngWriter.block(packet)
        var refused = 0
        for _ in 0..<5000 {
            do throws(CaptureError) {
                for packet in try PcapngReader.packets(of: generator.mutated(good)) { _ = UDPPacket(packet) }
            } catch {
                refused += 1
                #expect((0...good.count * 2).contains(error.place))
            }
        }
        #expect((1000..<5000).contains(refused), "\(refused)")
    }
}
