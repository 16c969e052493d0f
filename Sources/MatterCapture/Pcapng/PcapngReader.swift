/// Reads pcapng files: sections of either byte order, enhanced and simple packets; other blocks are skipped.
public struct PcapngReader: Sendable {
    /// Packets that a file may have.
    public static let maximumPackets = 2_000_000
    /// Bytes that a block may have.
    public static let maximumBlock = 16 << 20

    fileprivate struct Interface {
        var link: LinkType
        var snapLength: Int
        /// Units of a time stamp in a second: a power of ten, or of two.
        var isBinary = false
        var exponent: UInt8 = 6
    }

    private let bytes: [UInt8]
    private var isBigEndian = false
    private var interfaces: [Interface] = []
    private var packets: [CapturedPacket] = []

    /// Every packet of a file, in order.
    ///
    /// - Throws: ``CaptureError`` with the offset.
    public static func packets(of bytes: [UInt8]) throws(CaptureError) -> [CapturedPacket] {
        var reader = PcapngReader(bytes)
        try reader.run()
        return reader.packets
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func run() throws(CaptureError) {
        let old: [[UInt8]] = [
            [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D],
        ]
        if old.contains(where: { bytes.starts(with: $0) }) { throw CaptureError(.oldFormat, at: 0) }
        guard bytes.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) else { throw CaptureError(.notPcapng, at: 0) }
        var offset = 0
        while offset < bytes.count { offset = try block(at: offset) }
    }

    /// Reads a block.
    ///
    /// - Returns: where the next one begins.
    private mutating func block(at offset: Int) throws(CaptureError) -> Int {
        guard offset + 12 <= bytes.count else { throw CaptureError(.truncated, at: offset) }
        // This type reads the same in both byte orders.
        let isSection = bytes[offset..<offset + 4].elementsEqual([0x0A, 0x0D, 0x0D, 0x0A])
        if isSection { try beginSection(at: offset) }
        let length = Int(integer(at: offset + 4, 4))
        guard length >= 12, length % 4 == 0, length <= Self.maximumBlock else {
            throw CaptureError(.badLength, at: offset)
        }
        let end = offset + length
        guard end <= bytes.count else { throw CaptureError(.truncated, at: offset) }
        guard integer(at: end - 4, 4) == UInt64(length) else { throw CaptureError(.badLength, at: offset) }
        let body = offset + 8..<end - 4
        switch UInt32(integer(at: offset, 4)) {
        case _ where isSection:
            guard body.count >= 16 else { throw CaptureError(.badLength, at: offset) }
            guard integer(at: body.lowerBound + 4, 2) == 1 else { throw CaptureError(.unknownVersion, at: offset) }
        case PcapngBlock.interface: try addInterface(body, offset)
        case PcapngBlock.enhancedPacket: try addPacket(body, offset)
        case PcapngBlock.simplePacket: try addSimplePacket(body, offset)
        default: break
        }
        return end
    }

    private mutating func beginSection(at offset: Int) throws(CaptureError) {
        interfaces = []
        isBigEndian = false
        if integer(at: offset + 8, 4) == UInt64(PcapngBlock.byteOrderMagic) { return }
        isBigEndian = true
        guard integer(at: offset + 8, 4) == UInt64(PcapngBlock.byteOrderMagic) else {
            throw CaptureError(offset == 0 ? .notPcapng : .badLength, at: offset)
        }
    }

    private mutating func addInterface(_ body: Range<Int>, _ offset: Int) throws(CaptureError) {
        guard body.count >= 8, interfaces.count < 65_536 else { throw CaptureError(.badLength, at: offset) }
        var interface = Interface(
            link: LinkType(rawValue: UInt16(integer(at: body.lowerBound, 2))),
            snapLength: Int(integer(at: body.lowerBound + 4, 4)))
        for (code, value) in try options(body.dropFirst(8), offset) where code == PcapngBlock.resolutionOption {
            guard let byte = value.first.map({ bytes[$0] }) else { continue }
            interface.isBinary = byte & 0x80 != 0
            interface.exponent = byte & 0x7F
        }
        interfaces.append(interface)
    }

    private mutating func addPacket(_ body: Range<Int>, _ offset: Int) throws(CaptureError) {
        guard body.count >= 20 else { throw CaptureError(.badLength, at: offset) }
        let start = body.lowerBound
        let number = Int(integer(at: start, 4))
        guard number < interfaces.count else { throw CaptureError(.unknownInterface, at: offset) }
        let time = integer(at: start + 4, 4) << 32 | integer(at: start + 8, 4)
        let count = Int(integer(at: start + 12, 4))
        let padded = (count + 3) / 4 * 4
        guard count <= body.count - 20, padded <= body.count - 20 else { throw CaptureError(.badLength, at: offset) }
        var packet = CapturedPacket(
            microseconds: interfaces[number].microseconds(time), link: interfaces[number].link,
            bytes: Array(bytes[start + 20..<start + 20 + count]), offset: offset)
        for (code, value) in try options(body.dropFirst(20 + padded), offset) {
            switch code {
            case PcapngBlock.commentOption: packet.comments.append(String(decoding: bytes[value], as: UTF8.self))
            case PcapngBlock.flagsOption where value.count == 4:
                packet.direction = .init(rawValue: UInt8(integer(at: value.lowerBound, 4) & 3))
            default: break
            }
        }
        try add(packet)
    }

    private mutating func addSimplePacket(_ body: Range<Int>, _ offset: Int) throws(CaptureError) {
        guard body.count >= 4 else { throw CaptureError(.badLength, at: offset) }
        guard let interface = interfaces.first else { throw CaptureError(.unknownInterface, at: offset) }
        let original = Int(integer(at: body.lowerBound, 4))
        let limit = interface.snapLength == 0 ? original : min(original, interface.snapLength)
        let count = min(limit, body.count - 4)
        // Such a packet has no time: it is taken to be at the time of the one before.
        try add(
            CapturedPacket(
                microseconds: packets.last?.microseconds ?? 0, link: interface.link,
                bytes: Array(bytes[body.lowerBound + 4..<body.lowerBound + 4 + count]), offset: offset))
    }

    private mutating func add(_ packet: CapturedPacket) throws(CaptureError) {
        guard packets.count < Self.maximumPackets else { throw CaptureError(.tooMany, at: packet.offset) }
        packets.append(packet)
    }

    /// Codes and places of the values.
    private func options(_ range: Range<Int>, _ offset: Int) throws(CaptureError) -> [(UInt16, Range<Int>)] {
        var result: [(UInt16, Range<Int>)] = []
        var place = range.lowerBound
        while place + 4 <= range.upperBound {
            let (code, count) = (UInt16(integer(at: place, 2)), Int(integer(at: place + 2, 2)))
            if code == 0 { break }
            guard place + 4 + count <= range.upperBound else { throw CaptureError(.badLength, at: offset) }
            result.append((code, place + 4..<place + 4 + count))
            place += 4 + (count + 3) / 4 * 4
        }
        return result
    }

    /// An unsigned integer in the section's byte order; the caller has seen to the bounds.
    private func integer(at offset: Int, _ count: Int) -> UInt64 {
        let slice = bytes[offset..<offset + count]
        return isBigEndian
            ? slice.reduce(0) { $0 << 8 | UInt64($1) } : slice.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension PcapngReader.Interface {
    /// A time stamp in microseconds; clamped where no integer holds it.
    fileprivate func microseconds(_ time: UInt64) -> Int64 {
        var unit = 1.0
        for _ in 0..<min(exponent, 64) { unit *= isBinary ? 2 : 10 }
        if !isBinary, exponent == 6 { return Int64(clamping: time) }
        let value = Double(time) / unit * 1_000_000
        return value < 9.2e18 ? Int64(value) : .max
    }
}

extension Range<Int> {
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
