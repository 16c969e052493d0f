/// Why a capture or a key file cannot be used: what is wrong, where, and what to do.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Hashable, Sendable {
        /// The file does not begin as a pcapng file does.
        case notPcapng
        /// It is a capture in the older format.
        case oldFormat
        /// The file ends within a block.
        case truncated
        /// A block's lengths contradict each other, or are beyond the limit.
        case badLength
        /// A packet of an interface that the file does not have.
        case unknownInterface
        /// A version of the format that is not 1.
        case unknownVersion
        /// More packets than can be looked at.
        case tooMany
        /// A line of a key file is no JSON object, or one with wrong members; what.
        case keyLine(String)
        /// A key file without its head.
        case notKeys
        /// A key file of a newer version.
        case newerKeys
    }

    /// What is wrong.
    public let code: Code
    /// Byte offset in a capture; the line, from 1, in a key file.
    public let place: Int

    /// Makes an error.
    public init(_ code: Code, at place: Int) {
        self.code = code
        self.place = place
    }

    /// One sentence, with the place and what to do.
    public var description: String {
        switch code {
        case .notPcapng: "this is no pcapng file (byte 0); give one that --capture, tshark or dumpcap wrote"
        case .oldFormat: "this is a capture in the older pcap format (byte 0); convert it: editcap -F pcapng OLD NEW"
        case .truncated:
            "the file ends within a block (byte \(place)); the writer was stopped: cut the file there, or capture anew"
        case .badLength: "a block has a length that cannot be (byte \(place)); the file is damaged: capture anew"
        case .unknownInterface:
            "a packet names an interface that the file does not describe (byte \(place)); the file is damaged: capture anew"
        case .unknownVersion:
            "a section has a version that is not 1 (byte \(place)); convert it: editcap -F pcapng OLD NEW"
        case .tooMany: "there are too many packets (byte \(place)); cut the file: editcap -c 1000000 OLD NEW"
        case .keyLine(let what):
            "line \(place) of the keys: \(what); the line must be as --capture-keys wrote it, or go"
        case .notKeys:
            "line 1 of the keys is not the head that --capture-keys writes; give the key file of the same run"
        case .newerKeys: "the keys were written by a newer version (line 1); use that version's program"
        }
    }
}
