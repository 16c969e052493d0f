/// Cuts a byte stream into frames, however the bytes arrive.
///
///     preface ── 5 good bytes ──▶ header ── 6 bytes, length within the limit ──▶ payload ── all bytes ──▶ header
///        │                          │
///        └── wrong byte, version    └── length beyond the limit ──▶ failed (for good; before any payload byte is read)
///
/// It never holds more than one payload and one chunk of what was appended.
public struct FrameDecoder: Sendable {
    /// Whose stream is read.
    public enum Source: Hashable, Sendable {
        /// A client's, which begins with the preface.
        case client
        /// A hub's, which is frames only.
        case hub
    }

    private enum State: Hashable, Sendable {
        case preface
        case header
        case payload(kind: ControlFrameKind, flags: UInt8, length: Int)
        case failed(ControlProtocolError)
    }

    private var state: State
    private var buffer: [UInt8] = []
    /// Index in `buffer` of the first byte not yet used.
    private var start = 0
    /// Bytes of the stream before `buffer[start]`.
    private var position = 0
    /// The longest payload that is accepted, in bytes; a change counts from the next frame header on.
    public var maximumPayload: Int

    /// Makes a decoder at the start of a stream.
    public init(reading source: Source, maximumPayload: Int = ControlLimits().payloadLength) {
        state = source == .client ? .preface : .header
        self.maximumPayload = maximumPayload
    }

    /// Takes bytes in as they come from the peer; nothing is kept after a failure.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        if case .failed = state { return }
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole frame; `nil` when more bytes are needed.
    ///
    /// - Throws: ``ControlProtocolError`` `badPreface`, `unsupportedVersion` or `payloadTooLong`, and then the same one
    ///   for ever: the connection is of no use any more.
    public mutating func next() throws(ControlProtocolError) -> ControlFrame? {
        while true {
            switch state {
            case .preface:
                guard try readPreface() else { return nil }
                state = .header
            case .header:
                guard let header = take(ControlFrame.headerLength) else { return nil }
                let length = header.prefix(4).reduce(0) { $0 << 8 | Int($1) }
                guard length <= maximumPayload else {
                    throw fail(
                        .payloadTooLong(length: length, limit: maximumPayload),
                        offset: position - ControlFrame.headerLength)
                }
                state = .payload(kind: .init(rawValue: header[4]), flags: header[5], length: length)
            case .payload(let kind, let flags, let length):
                guard let payload = take(length) else { return nil }
                state = .header
                return ControlFrame(kind: kind, flags: flags, payload: payload)
            case .failed(let error):
                throw error
            }
        }
    }

    /// Whether the stream may end here: between frames, after the preface.
    public var isBetweenFrames: Bool { state == .header && start == buffer.count }

    /// Checks each byte of the preface as it comes, so that garbage is refused at once.
    private mutating func readPreface() throws(ControlProtocolError) -> Bool {
        let available = buffer[start...].prefix(ControlPreface.bytes.count)
        for (index, byte) in available.enumerated() {
            if index < ControlPreface.magic.count {
                guard byte == ControlPreface.magic[index] else { throw fail(.badPreface, offset: index) }
            } else {
                guard byte == ControlPreface.majorVersion else { throw fail(.unsupportedVersion(byte), offset: index) }
            }
        }
        return take(ControlPreface.bytes.count) != nil
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard buffer.count - start >= count else { return nil }
        defer {
            start += count
            position += count
        }
        return Array(buffer[start..<start + count])
    }

    private mutating func fail(_ code: ControlProtocolError.Code, offset: Int) -> ControlProtocolError {
        let error = ControlProtocolError(code, offset: offset)
        state = .failed(error)
        buffer = []
        start = 0
        return error
    }
}
