package import HubControl

/// Cuts the bytes of a dialogue into messages, however they arrive. A message is a `u32` length, big-endian, and that many
/// bytes of JSON.
///
///     length ── 4 bytes, within the limit ──▶ message ── all bytes, well-formed ──▶ length
///        └── beyond the limit ──▶ failed ◀── malformed ──┘        (for good)
package struct DialogueDecoder: Sendable {
    private var buffer: [UInt8] = []
    private var failure: ControlProtocolError?

    /// Makes a decoder at the start of a dialogue.
    package init() {}

    /// Whether bytes of an incomplete message are held.
    package var isInsideMessage: Bool { !buffer.isEmpty }

    /// Takes bytes in as they come; nothing is kept after a failure.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        guard failure == nil else { return }
        buffer.append(contentsOf: bytes)
    }

    /// The next message; `nil` when more bytes are needed.
    ///
    /// - Throws: ``ControlProtocolError``; then always the same.
    package mutating func next() throws(ControlProtocolError) -> DialogueMessage? {
        if let failure { throw failure }
        do throws(ControlProtocolError) {
            return try take()
        } catch {
            failure = error
            buffer = []
            throw error
        }
    }

    private mutating func take() throws(ControlProtocolError) -> DialogueMessage? {
        guard buffer.count >= 4 else { return nil }
        let length = buffer[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard length <= DialogueMessage.maximumLength else {
            throw ControlProtocolError(
                .payloadTooLong(length: length, limit: DialogueMessage.maximumLength), offset: 0)
        }
        guard buffer.count >= 4 + length else { return nil }
        let payload = Array(buffer[4..<4 + length])
        buffer.removeFirst(4 + length)
        return try DialogueMessage(json: JSONObject(parsing: payload))
    }
}

extension DialogueMessage {
    /// The message as bytes of the dialogue.
    ///
    /// - Throws: ``ControlProtocolError`` `payloadTooLong` for a message that the other side would refuse.
    package func encoded() throws(ControlProtocolError) -> [UInt8] {
        let payload = json.encoded()
        guard payload.count <= Self.maximumLength else {
            throw ControlProtocolError(.payloadTooLong(length: payload.count, limit: Self.maximumLength))
        }
        return withUnsafeBytes(of: UInt32(payload.count).bigEndian) { Array($0) } + payload
    }
}
