import HubControl

/// A whole transcript: the lines of one file, in their order.
package struct Dialogue: Hashable, Sendable {
    /// Lines that a file may have.
    package static let maximumLines = 1_000_000
    /// Bytes that one line may have.
    package static let maximumLine = 4 << 20

    /// A line and its place in the file.
    package struct Placed<Value: Hashable & Sendable>: Hashable, Sendable {
        /// Counted from 1.
        package var line: Int
        package var value: Value
    }

    /// Every line, but empty ones.
    package private(set) var lines: [Placed<DialogueLine>] = []

    /// The frames in their order.
    package var frames: [Placed<DialogueFrame>] {
        lines.compactMap { line in
            if case .frame(let frame) = line.value { Placed(line: line.line, value: frame) } else { nil }
        }
    }

    /// What the file says that it is about.
    package var about: String? {
        for line in lines { if case .about(let json) = line.value { return json["about"]?.string } }
        return nil
    }

    /// Makes a dialogue of frames, numbered from 1.
    package init(_ frames: [DialogueFrame]) {
        lines = frames.enumerated().map { Placed(line: $0 + 1, value: .frame($1)) }
    }

    /// Reads a file: JSON lines.
    ///
    /// - Throws: ``TranscriptError``.
    package init(parsing bytes: [UInt8]) throws(TranscriptError) {
        let captures: [[UInt8]] = [[0x0A, 0x0D, 0x0D, 0x0A], [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4]]
        if captures.contains(where: { bytes.starts(with: $0) }) { throw TranscriptError(code: .capture, line: 0) }
        var hasFrame = false
        var number = 0
        for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            guard number <= Self.maximumLines, part.count <= Self.maximumLine else {
                throw TranscriptError(code: .tooLong, line: number)
            }
            guard part.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { continue }
            let line = try DialogueLine(parsing: Array(part), number: number)
            if case .frame = line { hasFrame = true }
            lines.append(Placed(line: number, value: line))
        }
        guard hasFrame else { throw TranscriptError(code: .empty, line: 0) }
    }
}
