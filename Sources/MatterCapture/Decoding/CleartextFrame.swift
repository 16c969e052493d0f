import MatterWire

/// A decrypted message as the user link type 147 has it (Protocols/captures.md), for Wireshark with tools/wireshark/matter.lua.
///
/// ```
/// version u8 = 1 | flags u8 | source: ip 16, port u16 | destination: ip 16, port u16 | message header | inner header | payload
/// ```
/// Addresses and ports are in network order; flags: 1 outbound, 2 was encrypted, 4 a retransmission.
public enum CleartextFrame {
    /// Bytes before the message header.
    public static let headerLength = 38
    private static let version: UInt8 = 1

    /// The packet; `nil` for a message that could not be decrypted.
    public static func packet(_ message: DecodedMessage) -> CapturedPacket? {
        guard message.inner != nil else { return nil }
        var flags: UInt8 = message.direction == .outbound ? 1 : 0
        if message.channel != .unsecured { flags |= 2 }
        if message.isRetransmission { flags |= 4 }
        var bytes = [version, flags]
        for address in [message.source, message.destination] {
            bytes += address.ip
            bytes.appendBigEndian(address.port)
        }
        return CapturedPacket(
            microseconds: message.microseconds, link: .user0, bytes: bytes + message.headerBytes + message.plain,
            direction: message.direction, comments: message.marks.map(\.comment))
    }
}
