public import MatterProtocol
public import MatterWire

/// One Matter message of a capture.
public struct DecodedMessage: Hashable, Sendable {
    /// The session that a message belongs to.
    public enum Channel: Hashable, Sendable {
        /// Messages in clear: handshakes.
        case unsecured
        /// A session whose keys are known.
        case secure(EstablishedSession.Kind, localNode: NodeID, peerNode: NodeID)
        /// No key fits.
        case unknown
    }

    /// The packet's place in the capture, from 1.
    public var packet: Int
    /// Microseconds since 1970.
    public var microseconds: Int64
    /// Where it came from.
    public var source: PeerAddress
    /// Where it went to.
    public var destination: PeerAddress
    /// Which way it went, where capture or keys say so.
    public var direction: CapturedPacket.Direction?
    /// The part that is never encrypted.
    public var header: MessageHeader
    /// The bytes of `header`.
    public var headerBytes: [UInt8]
    /// The session.
    public var channel: Channel
    /// The inner header; `nil` when it could not be decrypted or read.
    public var inner: ProtocolHeader?
    /// Inner header and payload, decrypted; empty when they could not be.
    public var plain: [UInt8]
    /// What follows the inner header.
    public var payload: [UInt8]
    /// It was there before: the same counter from the same sender.
    public var isRetransmission = false
    /// The message that this one acknowledges, by its place among the messages, from 0.
    public var acknowledges: Int?
    /// Stages of commissioning that the capturing node began before this message, with their times.
    public var marks: [StageMark] = []

    /// Whether the message only acknowledges.
    public var isStandaloneAck: Bool { isSecureChannel(.standaloneAck) }

    func isSecureChannel(_ opcode: SecureChannelOpcode) -> Bool {
        inner?.protocolID == .secureChannel && inner?.opcode == opcode.rawValue
    }

    func isInteraction(_ opcode: InteractionOpcode) -> Bool {
        inner?.protocolID == .interactionModel && inner?.opcode == opcode.rawValue
    }

    /// The only command of an invoke request, or the first.
    var command: CommandDataIB? {
        guard isInteraction(.invokeRequest) else { return nil }
        // Whether a message can be read is said where it is shown.
        return (try? InvokeRequest(decoding: payload))?.commands.first
    }
}

/// A stage that a commissioner began, as a remark in its capture.
public struct StageMark: Hashable, Sendable {
    /// The stage.
    public var stage: CommissioningStage
    /// Microseconds since 1970.
    public var microseconds: Int64

    /// Makes a mark.
    public init(stage: CommissioningStage, microseconds: Int64) {
        self.stage = stage
        self.microseconds = microseconds
    }

    private static let prefix = "matterhub: stage "

    /// The remark: `matterhub: stage csr at 1796040000000000`.
    public var comment: String { "\(Self.prefix)\(stage.rawValue) at \(microseconds)" }

    /// Reads a remark; `nil` for another one.
    public init?(comment: String) {
        guard comment.hasPrefix(Self.prefix) else { return nil }
        let words = comment.dropFirst(Self.prefix.count).split(separator: " ")
        guard words.count == 3, words[1] == "at", let stage = CommissioningStage(rawValue: String(words[0])),
            let microseconds = Int64(words[2])
        else { return nil }
        self.init(stage: stage, microseconds: microseconds)
    }
}
