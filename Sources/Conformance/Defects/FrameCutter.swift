import HubControl

/// Cuts a stream into the preface and frames, and gives what is neither as bytes: from there on all of it.
struct FrameCutter {
    enum Piece: Sendable {
        case bytes([UInt8])
        case frame(ControlFrame)
    }

    private var buffer: [UInt8] = []
    private var awaitsPreface: Bool
    private var isRaw = false
    private let maximumPayload: Int

    init(maximumPayload: Int, preface: Bool = true) {
        self.maximumPayload = maximumPayload
        awaitsPreface = preface
    }

    mutating func append(_ bytes: [UInt8]) -> [Piece] {
        buffer += bytes
        var pieces: [Piece] = []
        while let piece = next() { pieces.append(piece) }
        return pieces
    }

    private mutating func next() -> Piece? {
        if isRaw { return buffer.isEmpty ? nil : take(buffer.count) }
        if awaitsPreface {
            let expected = ControlPreface.bytes
            guard buffer.starts(with: expected.prefix(buffer.count)) else {
                isRaw = true
                return next()
            }
            guard buffer.count >= expected.count else { return nil }
            awaitsPreface = false
            return take(expected.count)
        }
        guard buffer.count >= ControlFrame.headerLength else { return nil }
        let length = buffer.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length <= maximumPayload else {
            isRaw = true
            return next()
        }
        let end = ControlFrame.headerLength + length
        guard buffer.count >= end else { return nil }
        let frame = ControlFrame(
            kind: .init(rawValue: buffer[4]), flags: buffer[5], payload: Array(buffer[ControlFrame.headerLength..<end]))
        buffer.removeFirst(end)
        return .frame(frame)
    }

    private mutating func take(_ count: Int) -> Piece {
        defer { buffer.removeFirst(count) }
        return .bytes(Array(buffer.prefix(count)))
    }
}
