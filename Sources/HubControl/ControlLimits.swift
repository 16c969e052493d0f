/// What a peer may send at most (Protocols/hub-control.md §1).
public struct ControlLimits: Hashable, Sendable {
    /// The version of Protocols/hub-control.md that this package speaks.
    public static let protocolVersion = "1.1"
    /// Bytes of one payload.
    public var payloadLength: Int
    /// Containers inside containers; the payload's own object is the first.
    public var depth: Int
    /// UTF-8 bytes of one string, escapes resolved.
    public var stringLength: Int
    /// Members or elements of one container.
    public var entries: Int

    /// Makes limits; the defaults are those of the protocol.
    public init(payloadLength: Int = 1 << 20, depth: Int = 32, stringLength: Int = 256 << 10, entries: Int = 10_000) {
        self.payloadLength = payloadLength
        self.depth = depth
        self.stringLength = stringLength
        self.entries = entries
    }
}
