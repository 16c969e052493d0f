/// What an interaction model message is; the opcode under protocol id 1 (Core §10.2.1).
public enum InteractionOpcode: UInt8, Hashable, Sendable, CaseIterable {
    case statusResponse = 0x01
    case readRequest = 0x02
    case subscribeRequest = 0x03
    case subscribeResponse = 0x04
    case reportData = 0x05
    case writeRequest = 0x06
    case writeResponse = 0x07
    case invokeRequest = 0x08
    case invokeResponse = 0x09
    case timedRequest = 0x0A
}

/// The revision of the interaction model, the last member of every message.
public enum InteractionModelRevision {
    /// What we send: 12, of Matter 1.4. Readers accept any value, and none.
    public static let sent: UInt8 = 12
    /// The context tag that carries it.
    public static let tag: UInt8 = 0xFF
}

/// A message of the interaction model: one anonymous structure.
public protocol InteractionMessage: Hashable, Sendable {
    /// The opcode that goes with the payload.
    static var opcode: InteractionOpcode { get }
    /// Reads the message from a decoded payload; members may come in any order, unknown ones are ignored.
    ///
    /// - Throws: ``TLVError`` `missing` or `wrongType` with the path of context tags to the member.
    init(value: TLVValue) throws(TLVError)
    /// The members but the revision, in ascending tag order.
    var members: [TLVElement] { get }
}

extension InteractionMessage {
    /// Reads a payload.
    ///
    /// - Throws: ``TLVError``: how the bytes are malformed, or which member is missing or of another type.
    public init(decoding bytes: [UInt8]) throws(TLVError) {
        let value = try TLVValue.decode(bytes)
        guard case .structure = value else { throw TLVError(code: .wrongType) }
        try self.init(value: value)
    }

    /// The payload: members in ascending tag order, then the revision that we send.
    public func encoded() -> [UInt8] {
        TLVValue.structure(members + [TLVElement(InteractionModelRevision.tag, .uint(InteractionModelRevision.sent))])
            .encoded()
    }
}
