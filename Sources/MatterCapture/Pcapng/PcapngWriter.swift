import MatterWire

/// Writes pcapng files: one section, one interface, a block a packet; little-endian, times in microseconds.
///
/// Every function gives bytes that can be appended as they are, so a capture that is cut off loses no more than its end.
public enum PcapngWriter {
    /// What a file begins with.
    ///
    /// - Parameters:
    ///   - link: of all packets.
    ///   - interface: the interface's name, shown by Wireshark.
    ///   - application: who writes.
    public static func head(link: LinkType, interface: String, application: String) -> [UInt8] {
        var section: [UInt8] = []
        section.appendLittleEndian(UInt64(PcapngBlock.byteOrderMagic), byteCount: 4)
        section.appendLittleEndian(1, byteCount: 2)
        section.appendLittleEndian(0, byteCount: 2)
        // The section's length is not known.
        section.appendLittleEndian(UInt64.max, byteCount: 8)
        section += options([(PcapngBlock.applicationOption, Array(application.utf8))])
        var description: [UInt8] = []
        description.appendLittleEndian(UInt64(link.rawValue), byteCount: 2)
        description.appendLittleEndian(0, byteCount: 2)
        // Packets are kept whole.
        description.appendLittleEndian(0, byteCount: 4)
        description += options([
            (PcapngBlock.interfaceNameOption, Array(interface.utf8)), (PcapngBlock.resolutionOption, [6]),
        ])
        return block(PcapngBlock.section, section) + block(PcapngBlock.interface, description)
    }

    /// A packet's block. Its link type is the head's, whatever it says.
    public static func block(_ packet: CapturedPacket) -> [UInt8] {
        var body: [UInt8] = []
        let time = UInt64(bitPattern: packet.microseconds)
        body.appendLittleEndian(0, byteCount: 4)
        body.appendLittleEndian(time >> 32, byteCount: 4)
        body.appendLittleEndian(time & 0xFFFF_FFFF, byteCount: 4)
        body.appendLittleEndian(UInt64(packet.bytes.count), byteCount: 4)
        body.appendLittleEndian(UInt64(packet.bytes.count), byteCount: 4)
        body += padded(packet.bytes)
        var list = packet.comments.map { (PcapngBlock.commentOption, Array($0.utf8.prefix(60_000))) }
        if let direction = packet.direction { list.append((PcapngBlock.flagsOption, [direction.rawValue, 0, 0, 0])) }
        return block(PcapngBlock.enhancedPacket, body + options(list))
    }

    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + 12)
        bytes.appendLittleEndian(UInt64(type), byteCount: 4)
        bytes.appendLittleEndian(UInt64(body.count + 12), byteCount: 4)
        bytes += body
        bytes.appendLittleEndian(UInt64(body.count + 12), byteCount: 4)
        return bytes
    }

    private static func options(_ options: [(UInt16, [UInt8])]) -> [UInt8] {
        guard !options.isEmpty else { return [] }
        var bytes: [UInt8] = []
        for (code, value) in options {
            bytes.appendLittleEndian(UInt64(code), byteCount: 2)
            bytes.appendLittleEndian(UInt64(value.count), byteCount: 2)
            bytes += padded(value)
        }
        bytes.appendLittleEndian(0, byteCount: 4)
        return bytes
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
    }
}
