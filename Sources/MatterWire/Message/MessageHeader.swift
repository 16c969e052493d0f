/// The part of a message that is never encrypted, and that the encryption authenticates (Core §4.4.1).
///
/// ```
/// flags u8 | session id u16 | security flags u8 | counter u32 | [source node u64] | [destination u64 or group u16]
/// ```
/// All integers are little-endian. Message extensions are skipped when read and never written.
public struct MessageHeader: Hashable, Sendable {
    /// Whether the session has one peer or a group of them.
    public enum SessionType: UInt8, Hashable, Sendable { case unicast = 0, group = 1 }
    /// Whom a message is for, where the header says so.
    public enum Destination: Hashable, Sendable {
        case node(NodeID)
        case group(GroupID)
    }

    /// The receiver's number of the session; 0 with type unicast is the unsecured session.
    public var sessionID: SessionID
    /// Whether the session has one peer or a group of them.
    public var sessionType: SessionType
    /// The C flag: the message has the control counter of its session.
    public var isControl: Bool
    /// The P flag: the bytes from the counter on are obfuscated.
    public var hasPrivacy: Bool
    /// The message's counter, unique for its sender and session.
    public var counter: MessageCounter
    /// The sender's node id; in unsecured and group messages only.
    public var source: NodeID?
    /// Whom the message is for, where the header says so.
    public var destination: Destination?

    /// Creates the value from its members.
    public init(
        sessionID: SessionID, sessionType: SessionType = .unicast, isControl: Bool = false, hasPrivacy: Bool = false,
        counter: MessageCounter, source: NodeID? = nil, destination: Destination? = nil
    ) {
        self.sessionID = sessionID
        self.sessionType = sessionType
        self.isControl = isControl
        self.hasPrivacy = hasPrivacy
        self.counter = counter
        self.source = source
        self.destination = destination
    }

    /// Whether the message belongs to the unsecured session.
    public var isUnsecured: Bool { sessionID == .unsecured && sessionType == .unicast }

    /// The octet that also begins the nonce. The MX flag is never set: extensions are not written.
    public var securityFlags: UInt8 {
        (hasPrivacy ? 0x80 : 0) | (isControl ? 0x40 : 0) | sessionType.rawValue
    }
}

// MARK: - Bytes

extension MessageHeader {
    /// Reads a header; the reader then stands at the protocol header or the ciphertext.
    ///
    /// - Throws: ``MessageError``; the reader's position is then unspecified.
    public init(decoding reader: inout ByteReader) throws(MessageError) {
        func need<T>(_ value: T?) throws(MessageError) -> T {
            guard let value else { throw MessageError(code: .truncated, offset: reader.offset) }
            return value
        }
        let flags = try need(reader.integer(UInt8.self))
        guard flags >> 4 == 0 else { throw MessageError(code: .unsupportedVersion(flags >> 4), offset: 0) }
        guard flags & 0x03 != 3 else { throw MessageError(code: .reservedDestinationSize, offset: 0) }
        sessionID = SessionID(rawValue: try need(reader.integer()))
        let security = try need(reader.integer(UInt8.self))
        guard let type = SessionType(rawValue: security & 0x03) else {
            throw MessageError(code: .reservedSessionType(security & 0x03), offset: 3)
        }
        sessionType = type
        hasPrivacy = security & 0x80 != 0
        isControl = security & 0x40 != 0
        counter = MessageCounter(rawValue: try need(reader.integer()))
        source = flags & 0x04 != 0 ? NodeID(rawValue: try need(reader.integer())) : nil
        switch flags & 0x03 {
        case 1: destination = .node(NodeID(rawValue: try need(reader.integer())))
        case 2: destination = .group(GroupID(rawValue: try need(reader.integer())))
        default: destination = nil
        }
        if type == .unicast, case .group = destination {
            throw MessageError(code: .groupDestinationOnUnicastSession, offset: 0)
        }
        if type == .group, source == nil { throw MessageError(code: .groupSessionWithoutSource, offset: 0) }
        if security & 0x20 != 0 { _ = try need(reader.take(Int(try need(reader.integer(UInt16.self))))) }
    }

    /// Appends the header's bytes, 8 to 24 of them.
    public func encode(into bytes: inout [UInt8]) {
        let size: UInt8 =
            switch destination {
            case nil: 0
            case .node: 1
            case .group: 2
            }
        bytes.append((source == nil ? 0 : 0x04) | size)
        bytes.appendLittleEndian(UInt64(sessionID.rawValue), byteCount: 2)
        bytes.append(securityFlags)
        bytes.appendLittleEndian(UInt64(counter.rawValue), byteCount: 4)
        if let source { bytes.appendLittleEndian(source.rawValue, byteCount: 8) }
        switch destination {
        case nil: break
        case .node(let node): bytes.appendLittleEndian(node.rawValue, byteCount: 8)
        case .group(let group): bytes.appendLittleEndian(UInt64(group.rawValue), byteCount: 2)
        }
    }

    /// The header's bytes.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// The 13 bytes that make this message's encryption unique: security flags, counter, sender (Core §4.8.1.1).
    ///
    /// - Parameter sender: the operational id in a CASE session, `unspecified` in a PASE session.
    public func nonce(sender: NodeID) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(13)
        bytes.append(securityFlags)
        bytes.appendLittleEndian(UInt64(counter.rawValue), byteCount: 4)
        bytes.appendLittleEndian(sender.rawValue, byteCount: 8)
        return bytes
    }
}
