public import MatterWire

/// An exchange of this node. Never used for another exchange in the life of its ``MessageLayer``.
public struct ExchangeHandle: RawRepresentable, Hashable, Sendable {
    /// A number that only this process knows.
    public var rawValue: UInt64
    /// Creates the value from its members.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A message that arrived on an exchange, once.
public struct InboundMessage: Hashable, Sendable {
    /// The protocol that the opcode belongs to.
    public var protocolID: ProtocolID
    /// The message's number within its protocol.
    public var opcode: UInt8
    /// What the protocol carries, in its own encoding.
    public var payload: [UInt8]

    /// Creates the value from its members.
    public init(protocolID: ProtocolID, opcode: UInt8, payload: [UInt8]) {
        self.protocolID = protocolID
        self.opcode = opcode
        self.payload = payload
    }

    /// The secure channel's opcode; `nil` for another protocol or an unknown opcode.
    public var secureChannelOpcode: SecureChannelOpcode? {
        protocolID == .secureChannel ? SecureChannelOpcode(rawValue: opcode) : nil
    }
}

/// A message to send on an exchange.
public struct OutboundMessage: Hashable, Sendable {
    /// The protocol that the opcode belongs to.
    public var protocolID: ProtocolID
    /// The message's number within its protocol.
    public var opcode: UInt8
    /// At most ``MessageLayer/maximumPayloadCount`` bytes.
    public var payload: [UInt8]
    /// Retransmit until acknowledged.
    public var reliable: Bool

    /// Creates the value from its members.
    public init(protocolID: ProtocolID, opcode: UInt8, payload: [UInt8], reliable: Bool = true) {
        self.protocolID = protocolID
        self.opcode = opcode
        self.payload = payload
        self.reliable = reliable
    }

    /// A message of the secure channel protocol.
    public init(_ opcode: SecureChannelOpcode, _ payload: [UInt8], reliable: Bool = true) {
        self.init(protocolID: .secureChannel, opcode: opcode.rawValue, payload: payload, reliable: reliable)
    }

    /// A status report. Busy and close go without retransmission, others with.
    public init(_ report: StatusReport) {
        self.init(
            .statusReport, report.encoded(), reliable: !report.isCloseSession && report.busyWait == nil)
    }
}

/// Why an exchange ended before its owner closed it.
public struct ExchangeFailure: Error, Hashable, Sendable {
    /// What happened.
    public enum Reason: Hashable, Sendable {
        /// Every transmission of a message went without an answer: the peer is gone, or has forgotten the session.
        case noAnswer
        /// The session ended.
        case sessionClosed(SessionCloseReason)
    }
    /// What happened.
    public var reason: Reason
    /// How often the message in flight was sent; 0 when none was.
    public var transmissions: Int
    /// The time since the message in flight was first sent.
    public var elapsed: Duration

    /// Creates the value from its members.
    public init(reason: Reason, transmissions: Int = 0, elapsed: Duration = .zero) {
        self.reason = reason
        self.transmissions = transmissions
        self.elapsed = elapsed
    }

    /// Whether the peer answered nothing at all to a message that was sent as often as the protocol allows.
    public var isPeerSilent: Bool { reason == .noAnswer }
}

/// Why a ``MessageLayer`` can't do what its owner asks.
public struct MessageLayerError: Error, Hashable, Sendable {
    /// What is in the way.
    public enum Code: Hashable, Sendable {
        case unknownSession
        /// The exchange never was, failed, or is closed.
        case unknownExchange
        /// The named limit of ``MessageLayer/Limits`` is reached.
        case tooManyExchanges
        /// Too many messages wait for an acknowledgement on this exchange.
        case queueFull
        /// The payload has more than ``MessageLayer/maximumPayloadCount`` bytes.
        case payloadTooLarge(Int)
        /// The cipher failed.
        case cryptography
    }
    /// What is wrong.
    public let code: Code
    /// Creates the value from its members.
    public init(_ code: Code) { self.code = code }
}
