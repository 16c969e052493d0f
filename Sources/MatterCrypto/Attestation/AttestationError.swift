/// Why attestation material could not be read, or is not what Matter asks for (Core §6).
public struct AttestationError: Error, Hashable, Sendable {
    /// What kind of thing is wrong.
    public enum Code: Hashable, Sendable {
        /// The bytes are not the DER or TLV structure that they should be.
        case malformed
        /// A size, count or depth is over its limit.
        case tooLarge
        /// A version, algorithm, curve or format number is not the one that Matter uses.
        case unsupported
        /// A mandatory part is absent.
        case missing
        /// A part is there, with a value that is not allowed.
        case invalid
    }
    /// What kind of thing is wrong.
    public let code: Code
    /// Plain words for a person: what was found and what was wanted.
    public let reason: String
    /// Makes an error; `reason` is a clause without a full stop.
    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }
}
