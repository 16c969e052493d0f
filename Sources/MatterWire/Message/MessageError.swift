/// Why a datagram is not a message that this node may look at (Core §4.4, §4.7.2).
///
/// A receiver drops such datagrams without an answer.
public struct MessageError: Error, Hashable, Sendable {
    /// What is wrong with the bytes.
    public enum Code: Hashable, Sendable {
        case truncated
        /// The version field of the message flags is not 0.
        case unsupportedVersion(UInt8)
        /// DSIZ is 3.
        case reservedDestinationSize
        /// The session type is 2 or 3.
        case reservedSessionType(UInt8)
        /// A unicast session with a group as destination.
        case groupDestinationOnUnicastSession
        /// A group session without a source node identifier.
        case groupSessionWithoutSource
        /// The protocol header names a vendor; implementations disagree where that field stands.
        case vendorProtocol
    }
    /// What is wrong.
    public let code: Code
    /// Byte offset from the start of the header where decoding stopped.
    public let offset: Int
    /// Creates the value from its members.
    public init(code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }
}
