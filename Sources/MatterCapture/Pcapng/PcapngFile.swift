/// One packet of a capture.
public struct CapturedPacket: Hashable, Sendable {
    /// Which way it went, where the capture says so.
    public enum Direction: UInt8, Hashable, Sendable {
        /// To the node that captured.
        case inbound = 1
        /// From the node that captured.
        case outbound = 2
    }

    /// Microseconds since 1970.
    public var microseconds: Int64
    /// How `bytes` begin.
    public var link: LinkType
    /// What was kept of the packet.
    public var bytes: [UInt8]
    /// Which way it went.
    public var direction: Direction?
    /// Remarks on the packet.
    public var comments: [String]
    /// Where its block is in the file.
    public var offset: Int

    /// Makes a packet.
    public init(
        microseconds: Int64, link: LinkType, bytes: [UInt8], direction: Direction? = nil, comments: [String] = [],
        offset: Int = 0
    ) {
        self.microseconds = microseconds
        self.link = link
        self.bytes = bytes
        self.direction = direction
        self.comments = comments
        self.offset = offset
    }
}

/// How captured packets begin (the tcpdump group's list of link-layer header types).
public struct LinkType: RawRepresentable, Hashable, Sendable {
    /// The number in the file.
    public let rawValue: UInt16
    /// Takes any number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// An Ethernet frame.
    public static let ethernet = LinkType(rawValue: 1)
    /// An IPv4 or IPv6 packet.
    public static let raw = LinkType(rawValue: 101)
    /// What Linux gives for several interfaces at once.
    public static let linuxCooked = LinkType(rawValue: 113)
    /// The same in its second form.
    public static let linuxCooked2 = LinkType(rawValue: 276)
    /// An IPv4 packet.
    public static let ipv4 = LinkType(rawValue: 228)
    /// An IPv6 packet.
    public static let ipv6 = LinkType(rawValue: 229)
    /// For private use, the first of 16: our decrypted messages (Protocols/captures.md).
    public static let user0 = LinkType(rawValue: 147)
}

/// Blocks and options of pcapng files (draft-ietf-opsawg-pcapng).
enum PcapngBlock {
    static let section: UInt32 = 0x0A0D_0D0A
    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    static let interface: UInt32 = 1
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6

    static let commentOption: UInt16 = 1
    static let applicationOption: UInt16 = 4
    static let interfaceNameOption: UInt16 = 2
    static let resolutionOption: UInt16 = 9
    static let flagsOption: UInt16 = 2
}
