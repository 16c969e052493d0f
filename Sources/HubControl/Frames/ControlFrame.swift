/// What a frame carries; kinds that are not named here are skipped by a receiver (Protocols/hub-control.md §1).
public struct ControlFrameKind: RawRepresentable, Hashable, Sendable {
    /// The byte in the frame header.
    public let rawValue: UInt8
    /// Takes any byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The client's first frame.
    public static let hello = Self(rawValue: 1)
    /// The hub's answer to hello.
    public static let welcome = Self(rawValue: 2)
    /// Something that the client asks for.
    public static let request = Self(rawValue: 3)
    /// The one answer to a request.
    public static let response = Self(rawValue: 4)
    /// Something that happened in a structure.
    public static let event = Self(rawValue: 5)
    /// Asks for a pong with the same payload.
    public static let ping = Self(rawValue: 6)
    /// The answer to a ping.
    public static let pong = Self(rawValue: 7)
    /// Why the sender closes the connection.
    public static let goaway = Self(rawValue: 8)
    /// Whether this version knows the kind.
    public var isKnown: Bool { (Self.hello.rawValue...Self.goaway.rawValue).contains(rawValue) }
}

/// One frame: 4 bytes of payload length (big-endian), a kind, flags, the payload (Protocols/hub-control.md §1).
public struct ControlFrame: Hashable, Sendable {
    /// Bytes before the payload.
    public static let headerLength = 6

    /// What the payload is.
    public var kind: ControlFrameKind
    /// Sent as 0; a receiver ignores bits that it does not know.
    public var flags: UInt8
    /// A JSON object in UTF-8.
    public var payload: [UInt8]

    /// Makes a frame; whoever sends it sees to the peer's limit of the payload's length.
    public init(kind: ControlFrameKind, flags: UInt8 = 0, payload: [UInt8]) {
        self.kind = kind
        self.flags = flags
        self.payload = payload
    }

    /// The bytes on the wire.
    public func encoded() -> [UInt8] {
        let length = UInt32(payload.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headerLength + payload.count)
        for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: length >> shift)) }
        bytes += [kind.rawValue, flags]
        return bytes + payload
    }
}

/// What a client sends first, inside TLS or plain (Protocols/hub-control.md §1).
public enum ControlPreface {
    /// `MHUB`.
    public static let magic: [UInt8] = [0x4D, 0x48, 0x55, 0x42]
    /// The major version that this package speaks.
    public static let majorVersion: UInt8 = 1
    /// The whole preface, 5 bytes.
    public static let bytes: [UInt8] = magic + [majorVersion]

    /// What the first byte of a connection announces.
    public enum Opening: Hashable, Sendable {
        /// A TLS handshake record.
        case tls
        /// The plain preface.
        case plain
        /// Neither: the connection is closed.
        case garbage
    }

    /// Sorts a connection by its first byte.
    public static func opening(firstByte: UInt8) -> Opening {
        switch firstByte {
        case 0x16: .tls
        case magic[0]: .plain
        default: .garbage
        }
    }
}
