package import HubControl

/// Why a transcript cannot be read: what is wrong, on which line, and what to do.
package struct TranscriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Code: Hashable, Sendable {
        /// A line is no JSON object, or one beyond the limits.
        case json(ControlProtocolError)
        /// A member is missing or of another type.
        case member(ControlProtocolError)
        /// The file has no frame.
        case empty
        /// More lines, or a longer one, than a transcript may have.
        case tooLong
        /// The file is a capture of packets.
        case capture
    }

    /// What is wrong.
    package let code: Code
    /// Counted from 1; 0 for the file as a whole.
    package let line: Int

    package var description: String {
        let (what, remedy) =
            switch code {
            case .json(let error):
                (
                    error.message,
                    "each line must be one JSON object (Protocols/transcripts.md); take the line out or record anew"
                )
            case .member(let error): (error.message, "Protocols/transcripts.md lists the members of a line")
            case .empty:
                ("there is no frame in it", "record a dialogue with “matterhub transcript record” or --transcript")
            case .tooLong: ("it is too long for a transcript", "cut it into several files, at the end of a connection")
            case .capture: ("this is a capture of packets", "use “matterhub transcript decode” for it")
            }
        return "\(line > 0 ? "line \(line): " : "")\(what); \(remedy)"
    }
}
