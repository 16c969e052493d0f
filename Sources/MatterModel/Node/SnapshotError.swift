public import MatterWire

/// Why a stored snapshot can't be taken up.
public struct SnapshotError: Error, Hashable, Sendable {
    /// The kind of failure.
    public enum Code: Hashable, Sendable {
        /// The bytes are no TLV, or members are missing or of another type.
        case malformed(TLVError)
        /// Written by a later version of this package.
        case unknownVersion(UInt64)
        /// A key or certificate in it is not what it should be.
        case damaged
        /// More fabrics than the node takes.
        case tooManyFabrics
    }

    /// The kind of failure.
    public let code: Code
    /// What it was about, in words for a log; never holds secrets.
    public let reason: String

    /// An error of a kind.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
