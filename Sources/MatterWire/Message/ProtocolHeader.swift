/// The part of a message that tells its exchange, protocol and opcode; encrypted in secure sessions (Core §4.4.3).
///
/// ```
/// exchange flags u8 | opcode u8 | exchange id u16 | protocol id u16 | [acknowledged counter u32]
/// ```
/// Secured extensions are skipped when read and never written. A vendor's protocol is refused.
public struct ProtocolHeader: Hashable, Sendable {
    /// The I flag: the sender began the exchange.
    public var isFromInitiator: Bool
    /// The R flag: the sender wants an acknowledgement.
    public var isReliable: Bool
    /// The message's number within its protocol.
    public var opcode: UInt8
    /// The exchange's number, chosen by its initiator.
    public var exchangeID: ExchangeID
    /// The protocol that the opcode belongs to.
    public var protocolID: ProtocolID
    /// The counter of the message that this one acknowledges.
    public var acknowledged: MessageCounter?

    /// Creates the value from its members.
    public init(
        isFromInitiator: Bool, isReliable: Bool, opcode: UInt8, exchangeID: ExchangeID, protocolID: ProtocolID,
        acknowledged: MessageCounter? = nil
    ) {
        self.isFromInitiator = isFromInitiator
        self.isReliable = isReliable
        self.opcode = opcode
        self.exchangeID = exchangeID
        self.protocolID = protocolID
        self.acknowledged = acknowledged
    }

    /// The most bytes that a header written here has.
    public static let maximumByteCount = 10
}

// MARK: - Bytes

extension ProtocolHeader {
    /// Reads a header; the reader then stands at the application payload.
    ///
    /// - Throws: ``MessageError``; the reader's position is then unspecified.
    public init(decoding reader: inout ByteReader) throws(MessageError) {
        func need<T>(_ value: T?) throws(MessageError) -> T {
            guard let value else { throw MessageError(code: .truncated, offset: reader.offset) }
            return value
        }
        let start = reader.offset
        let flags = try need(reader.integer(UInt8.self))
        guard flags & 0x10 == 0 else { throw MessageError(code: .vendorProtocol, offset: start) }
        isFromInitiator = flags & 0x01 != 0
        isReliable = flags & 0x04 != 0
        opcode = try need(reader.integer())
        exchangeID = ExchangeID(rawValue: try need(reader.integer()))
        protocolID = ProtocolID(rawValue: try need(reader.integer()))
        acknowledged = flags & 0x02 != 0 ? MessageCounter(rawValue: try need(reader.integer())) : nil
        if flags & 0x08 != 0 { _ = try need(reader.take(Int(try need(reader.integer(UInt16.self))))) }
    }

    /// Appends the header's bytes, 6 or 10 of them.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append((isFromInitiator ? 0x01 : 0) | (acknowledged != nil ? 0x02 : 0) | (isReliable ? 0x04 : 0))
        bytes.append(opcode)
        bytes.appendLittleEndian(UInt64(exchangeID.rawValue), byteCount: 2)
        bytes.appendLittleEndian(UInt64(protocolID.rawValue), byteCount: 2)
        if let acknowledged { bytes.appendLittleEndian(UInt64(acknowledged.rawValue), byteCount: 4) }
    }

    /// The header's bytes.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }
}
