/// How a secure-channel step ended, as the peer tells it (Core §4.11.1.3). Not TLV; little-endian.
///
/// ```
/// general code u16 | protocol id u16 | vendor id u16 | protocol code u16 | data
/// ```
public struct StatusReport: Hashable, Sendable {
    /// The kind of outcome, common to all protocols (Core, appendix D).
    public struct GeneralCode: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public var rawValue: UInt16
        /// Creates the value from its members.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// It went well.
        public static let success = GeneralCode(rawValue: 0)
        /// It went wrong.
        public static let failure = GeneralCode(rawValue: 1)
        /// The receiver's state doesn't allow it.
        public static let badPrecondition = GeneralCode(rawValue: 2)
        /// The receiver has no room for it.
        public static let resourceExhausted = GeneralCode(rawValue: 7)
        /// The sender has no room for another handshake now.
        public static let busy = GeneralCode(rawValue: 8)
        /// It took too long.
        public static let timeout = GeneralCode(rawValue: 9)
    }
    /// What happened, in terms of the secure channel protocol.
    public struct SecureChannelCode: RawRepresentable, Hashable, Sendable {
        /// The number on the wire.
        public var rawValue: UInt16
        /// Creates the value from its members.
        public init(rawValue: UInt16) { self.rawValue = rawValue }
        /// The session exists.
        public static let sessionEstablished = SecureChannelCode(rawValue: 0)
        /// The responder is on no fabric that the destination id names.
        public static let noSharedTrustRoots = SecureChannelCode(rawValue: 1)
        /// Something in the handshake is wrong, for example a proof of the passcode.
        public static let invalidParameter = SecureChannelCode(rawValue: 2)
        /// The sender forgets the session.
        public static let closeSession = SecureChannelCode(rawValue: 3)
        /// The sender has no room for another handshake now.
        public static let busy = SecureChannelCode(rawValue: 4)
        /// Not in the specification; some nodes send it.
        public static let sessionNotFound = SecureChannelCode(rawValue: 5)
    }

    /// The kind of outcome.
    public var generalCode: GeneralCode
    /// The protocol that the opcode belongs to.
    public var protocolID: ProtocolID
    /// 0 for the standard protocols.
    public var vendorID: VendorID
    /// The outcome in terms of the protocol.
    public var protocolCode: UInt16
    /// What the protocol adds, for example a time to wait.
    public var data: [UInt8]

    /// Creates the value from its members.
    public init(
        generalCode: GeneralCode, protocolID: ProtocolID = .secureChannel, vendorID: VendorID = VendorID(rawValue: 0),
        protocolCode: UInt16, data: [UInt8] = []
    ) {
        self.generalCode = generalCode
        self.protocolID = protocolID
        self.vendorID = vendorID
        self.protocolCode = protocolCode
        self.data = data
    }

    /// The secure-channel code; `nil` when the report speaks of another protocol.
    public var secureChannelCode: SecureChannelCode? {
        protocolID == .secureChannel && vendorID.rawValue == 0 ? SecureChannelCode(rawValue: protocolCode) : nil
    }

    /// Whether a handshake ended well.
    public var isSessionEstablished: Bool {
        generalCode == .success && secureChannelCode == .sessionEstablished
    }

    /// Whether the peer closes the session in which the report came.
    public var isCloseSession: Bool { generalCode == .success && secureChannelCode == .closeSession }

    /// How long a busy peer asks to wait; `nil` when the report says something else. Zero when it names no time.
    public var busyWait: Duration? {
        guard secureChannelCode == .busy, generalCode != .success else { return nil }
        var reader = ByteReader(data)
        return .milliseconds(Int64(reader.integer(UInt16.self) ?? 0))
    }

    // MARK: - The reports that a node sends

    /// A handshake ended well.
    public static let sessionEstablished = StatusReport(generalCode: .success, protocolCode: 0)
    /// The sender forgets the session.
    public static let closeSession = StatusReport(
        generalCode: .success, protocolCode: SecureChannelCode.closeSession.rawValue)
    /// A handshake failed for the given reason.
    public static func failure(_ code: SecureChannelCode) -> StatusReport {
        StatusReport(generalCode: .failure, protocolCode: code.rawValue)
    }
    /// The sender can't begin a handshake now.
    ///
    /// - Parameter wait: from 0 to 65,535 ms; longer waits are cut.
    public static func busy(wait: Duration) -> StatusReport {
        let milliseconds = wait.components.seconds * 1000 + wait.components.attoseconds / 1_000_000_000_000_000
        var data: [UInt8] = []
        data.appendLittleEndian(UInt64(max(0, min(milliseconds, 0xFFFF))), byteCount: 2)
        return StatusReport(generalCode: .busy, protocolCode: SecureChannelCode.busy.rawValue, data: data)
    }
}

// MARK: - Bytes

extension StatusReport {
    /// Reads a report; what follows its 8 fixed bytes is ``data``.
    ///
    /// - Throws: ``MessageError`` `truncated`.
    public init(decoding bytes: [UInt8]) throws(MessageError) {
        var reader = ByteReader(bytes)
        func need<T>(_ value: T?) throws(MessageError) -> T {
            guard let value else { throw MessageError(code: .truncated, offset: reader.offset) }
            return value
        }
        generalCode = GeneralCode(rawValue: try need(reader.integer()))
        protocolID = ProtocolID(rawValue: try need(reader.integer()))
        vendorID = VendorID(rawValue: try need(reader.integer()))
        protocolCode = try need(reader.integer())
        data = Array(reader.rest())
    }

    /// The report's payload.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt64(generalCode.rawValue), byteCount: 2)
        bytes.appendLittleEndian(UInt64(protocolID.rawValue), byteCount: 2)
        bytes.appendLittleEndian(UInt64(vendorID.rawValue), byteCount: 2)
        bytes.appendLittleEndian(UInt64(protocolCode), byteCount: 2)
        return bytes + data
    }
}
