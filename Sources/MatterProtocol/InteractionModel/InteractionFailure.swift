public import MatterWire

/// Why an interaction gave no result. A status inside a result is not one of these.
public struct InteractionFailure: Error, Hashable, Sendable {
    /// What happened.
    public enum Code: Hashable, Sendable {
        /// The peer refused the whole request.
        case status(InteractionStatus)
        /// The peer's message does not decode.
        case malformed(TLVError)
        /// A message that has no place here; its opcode, or `nil` for another protocol's.
        case unexpectedMessage(opcode: UInt8?)
        /// The answer is about something that was not asked, or about nothing.
        case mismatchedAnswer
        /// The peer sends more than ``InteractionLimits`` allows.
        case answerTooLarge
        /// A part of the request fits no message.
        case requestTooLarge
        /// The peer acknowledged nothing: it is gone, or has forgotten the session.
        case unreachable
        /// The session ended before the answer.
        case sessionClosed
        /// The peer acknowledged and did not answer in time.
        case timedOut
    }
    /// What happened.
    public var code: Code
    /// Makes a failure.
    public init(_ code: Code) { self.code = code }

    /// The peer's status, when that is the reason.
    public var peerStatus: InteractionStatus? { if case .status(let status) = code { status } else { nil } }

    /// One sentence without the peer's name.
    public var explanation: String {
        switch code {
        case .status(let status): "the request was refused: \(status)"
        case .malformed(let error): "the answer does not decode (\(error))"
        case .unexpectedMessage(let opcode):
            opcode.map { "a message with opcode \($0) came where an answer was due" }
                ?? "another protocol's message came"
        case .mismatchedAnswer: "the answer is about something else"
        case .answerTooLarge: "the answer is larger than \(InteractionLimits.maximumAnswer) bytes"
        case .requestTooLarge: "a part of the request is larger than a message"
        case .unreachable: "nothing was acknowledged"
        case .sessionClosed: "the session ended"
        case .timedOut: "the request was acknowledged and not answered in time"
        }
    }
}

/// Bounds of interactions.
public enum InteractionLimits {
    /// The largest payload, bytes: the largest message, 1232, less its headers and integrity check (Core §4.4.4).
    public static let maximumPayload = MessageLayer.maximumPayloadCount
    /// Attribute paths in one read that every node serves (Core §2.11.2.1).
    public static let pathsPerRead = 9
    /// Bytes of one answer, over all chunks, that a client takes.
    public static let maximumAnswer = 4 << 20
    /// Chunks of one answer that a client takes.
    public static let maximumChunks = 4096
}

/// What a client transaction wants done.
public enum InteractionAction<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Send on the transaction's exchange.
    case send(OutboundMessage)
    /// The transaction is over; close its exchange. Always last, exactly once.
    case finished(Result<Value, InteractionFailure>)
}

extension OutboundMessage {
    /// A message of the interaction model; always reliable.
    init(_ message: some InteractionMessage) {
        self.init(
            protocolID: .interactionModel, opcode: type(of: message).opcode.rawValue, payload: message.encoded(),
            reliable: true)
    }
}

extension InboundMessage {
    /// The interaction model's opcode; `nil` for another protocol or an unknown opcode.
    var interactionOpcode: InteractionOpcode? {
        protocolID == .interactionModel ? InteractionOpcode(rawValue: opcode) : nil
    }

    /// The payload as `type`, or what is wrong with it.
    func interaction<M: InteractionMessage>(_ type: M.Type = M.self) throws(InteractionFailure) -> M {
        guard interactionOpcode == M.opcode else {
            throw InteractionFailure(
                .unexpectedMessage(opcode: protocolID == .interactionModel ? opcode : nil))
        }
        do {
            return try M(decoding: payload)
        } catch {
            throw InteractionFailure(.malformed(error))
        }
    }

    /// The answer as `type`; a status response is the peer's refusal.
    func answer<M: InteractionMessage>(_ type: M.Type = M.self) throws(InteractionFailure) -> M {
        guard interactionOpcode == .statusResponse else { return try interaction() }
        let status = try interaction(StatusResponse.self).status
        throw InteractionFailure(
            status == .success ? .unexpectedMessage(opcode: opcode) : .status(status))
    }
}

extension InteractionFailure {
    /// Whether the peer should be told that its message makes no sense.
    var isPeersMistake: Bool {
        switch code {
        case .malformed, .unexpectedMessage, .mismatchedAnswer, .answerTooLarge: true
        case .status, .requestTooLarge, .unreachable, .sessionClosed, .timedOut: false
        }
    }

    /// The end of a transaction that failed so, with a word to the peer when it is to blame.
    func end<Value>(_: Value.Type = Value.self) -> [InteractionAction<Value>] {
        let finished = InteractionAction<Value>.finished(.failure(self))
        return isPeersMistake ? [.send(OutboundMessage(StatusResponse(.invalidAction))), finished] : [finished]
    }
}
