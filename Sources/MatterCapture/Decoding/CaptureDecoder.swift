import MatterCrypto
import MatterProtocol
import MatterWire

/// Finds Matter messages in packets and decrypts those whose keys are known.
public struct CaptureDecoder: Sendable {
    /// What was looked at and was no message.
    public struct Skipped: Hashable, Sendable {
        /// Packets that carry no whole UDP datagram.
        public var noDatagram = 0
        /// Datagrams that are no Matter message.
        public var noMessage = 0
        /// Messages that no key opens.
        public var noKey = 0
    }

    /// One direction of a session whose keys are known.
    private struct Opening: Sendable {
        var keys: SessionKeys
        var isOutbound: Bool
        var cipher: AESCCM
        var sender: NodeID
    }

    /// What names a message for good: its sender's counter within a session.
    private struct Name: Hashable {
        var channel: DecodedMessage.Channel
        var session: SessionID
        var ephemeral: NodeID?
        var source: PeerAddress
        var counter: MessageCounter
    }

    /// What an acknowledgement names: a counter of the other side on an exchange.
    private struct Awaiting: Hashable {
        var exchange: ExchangeID
        var sender: PeerAddress
        var receiver: PeerAddress
        var counter: MessageCounter
    }

    private let openings: [SessionID: [Opening]]
    /// The messages in their order.
    public private(set) var messages: [DecodedMessage] = []
    /// What else the capture has.
    public private(set) var skipped = Skipped()
    private var seen: Set<Name> = []
    private var sent: [Awaiting: Int] = [:]
    private var marks: [StageMark] = []

    /// - Parameter keys: later ones are tried first, since numbers of sessions come again.
    public init(keys: [SessionKeys]) {
        var openings: [SessionID: [Opening]] = [:]
        for keys in keys.sorted(by: { $0.microseconds > $1.microseconds }) {
            let own = keys.isInitiator ? keys.initiatorToResponderKey : keys.responderToInitiatorKey
            let other = keys.isInitiator ? keys.responderToInitiatorKey : keys.initiatorToResponderKey
            // A key file has 16 bytes a key; other keys open nothing.
            if let cipher = try? AESCCM(key: other) {
                openings[keys.localSessionID, default: []].append(
                    Opening(keys: keys, isOutbound: false, cipher: cipher, sender: keys.peerNode))
            }
            if let cipher = try? AESCCM(key: own) {
                openings[keys.peerSessionID, default: []].append(
                    Opening(keys: keys, isOutbound: true, cipher: cipher, sender: keys.localNode))
            }
        }
        self.openings = openings
    }

    /// Decodes a whole capture.
    public mutating func decode(_ packets: [CapturedPacket]) {
        for (index, packet) in packets.enumerated() {
            marks += packet.comments.compactMap(StageMark.init(comment:))
            guard let datagram = UDPPacket(packet) else {
                skipped.noDatagram += 1
                continue
            }
            var reader = ByteReader(datagram.payload)
            // What is no message of Matter is not an error of the capture.
            guard let header = try? MessageHeader(decoding: &reader), header.sessionType == .unicast,
                !header.hasPrivacy
            else {
                skipped.noMessage += 1
                continue
            }
            add(
                header, Array(datagram.payload.prefix(reader.offset)), Array(reader.rest()), datagram, packet, index + 1
            )
        }
    }

    private mutating func add(
        _ header: MessageHeader, _ headerBytes: [UInt8], _ rest: [UInt8], _ datagram: UDPPacket,
        _ packet: CapturedPacket, _ number: Int
    ) {
        var message = DecodedMessage(
            packet: number, microseconds: packet.microseconds, source: datagram.source,
            destination: datagram.destination, direction: packet.direction, header: header, headerBytes: headerBytes,
            channel: .unknown, inner: nil, plain: [], payload: [])
        if header.isUnsecured {
            message.channel = .unsecured
            message.plain = rest
        } else if let (opening, plain) = open(header, headerBytes, rest, packet.direction) {
            let keys = opening.keys
            message.channel = .secure(keys.kind, localNode: keys.localNode, peerNode: keys.peerNode)
            message.plain = plain
            message.direction = message.direction ?? (opening.isOutbound ? .outbound : .inbound)
        } else {
            skipped.noKey += 1
        }
        var inner = ByteReader(message.plain)
        // What has no whole header is shown as bytes.
        if let protocolHeader = try? ProtocolHeader(decoding: &inner) {
            message.inner = protocolHeader
            message.payload = Array(inner.rest())
        } else if header.isUnsecured {
            // Noise on the port: session 0 and a plausible first byte are not much.
            skipped.noMessage += 1
            return
        }
        (message.marks, marks) = (marks, [])
        relate(&message)
        messages.append(message)
    }

    private func open(
        _ header: MessageHeader, _ associated: [UInt8], _ sealed: [UInt8], _ direction: CapturedPacket.Direction?
    ) -> (Opening, [UInt8])? {
        let candidates = openings[header.sessionID] ?? []
        // Both ends may have given keys, and one number may name a session each way: only the tag decides.
        for opening in candidates {
            let nonce = header.nonce(sender: opening.sender)
            if let plain = try? opening.cipher.open(sealed, nonce: nonce, aad: associated) { return (opening, plain) }
        }
        return nil
    }

    /// Finds out whether the message was there before, and what it acknowledges.
    private mutating func relate(_ message: inout DecodedMessage) {
        let name = Name(
            channel: message.channel, session: message.header.sessionID,
            ephemeral: message.header.source ?? ephemeral(message), source: message.source,
            counter: message.header.counter)
        message.isRetransmission = !seen.insert(name).inserted
        guard let inner = message.inner else { return }
        if let acknowledged = inner.acknowledged {
            message.acknowledges =
                sent[
                    Awaiting(
                        exchange: inner.exchangeID, sender: message.destination, receiver: message.source,
                        counter: acknowledged)]
        }
        if inner.isReliable, !message.isRetransmission {
            sent[
                Awaiting(
                    exchange: inner.exchangeID, sender: message.source, receiver: message.destination,
                    counter: message.header.counter)] = messages.count
        }
    }

    private func ephemeral(_ message: DecodedMessage) -> NodeID? {
        if case .node(let node) = message.header.destination { node } else { nil }
    }
}
