import MatterCrypto
import MatterProtocol
import MatterWire

/// A message of the device as it came, read beside the message layer, which hides acknowledgements and repetitions.
struct HeardMessage: Hashable, Sendable {
    let counter: MessageCounter
    let header: ProtocolHeader

    /// Whether it carries nothing but an acknowledgement.
    var isStandaloneAck: Bool {
        header.protocolID == .secureChannel && header.opcode == SecureChannelOpcode.standaloneAck.rawValue
    }

    /// - Returns: `nil` for a datagram that is not of this session.
    init?(_ datagram: [UInt8], in session: EstablishedSession) {
        var reader = ByteReader(datagram)
        // Whatever does not decode or decrypt is not of this session.
        guard let header = try? MessageHeader(decoding: &reader), header.sessionID == session.localSessionID,
            let key = try? AESCCM(key: session.responderToInitiatorKey),
            let plain = try? key.open(
                Array(datagram[reader.offset...]), nonce: header.nonce(sender: session.peerNode),
                aad: Array(datagram[..<reader.offset]))
        else { return nil }
        var inner = ByteReader(plain)
        // Nobody heard a message that is none.
        guard let message = try? ProtocolHeader(decoding: &inner) else { return nil }
        counter = header.counter
        self.header = message
    }

    /// The counter of a datagram of ours.
    static func counter(of datagram: [UInt8]) -> MessageCounter? {
        var reader = ByteReader(datagram)
        // Ours decodes.
        return try? MessageHeader(decoding: &reader).counter
    }
}
