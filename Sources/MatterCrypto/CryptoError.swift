import COpenSSL

/// Why a cryptographic operation gave no result.
public struct CryptoError: Error, Hashable, Sendable {
    /// The kind of failure, for callers that decide by it.
    public enum Code: Hashable, Sendable {
        /// An argument has a length or a value that the primitive does not take.
        case invalidArgument
        /// Bytes are no P-256 key: wrong length, zero, too large or not on the curve.
        case invalidKey
        /// Bytes are not the DER, TLV or fixed layout that was wanted.
        case malformed
        /// A tag, a signature or a confirmation does not match.
        case authenticationFailed
        /// The cryptographic library refused; `reason` carries its error queue.
        case library
    }

    /// The kind of failure.
    public let code: Code
    /// What was wrong, in words for a log; never holds secrets.
    public let reason: String

    /// An error of a kind, with words for a log.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// A library failure in `function`, with the whole error queue of this thread, which is empty afterwards.
    package static func drain(_ function: String) -> CryptoError {
        var details: [String] = []
        while true {
            let error = ERR_get_error()
            guard error != 0 else { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(error, &text, text.count)
            details.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return CryptoError(.library, ([function] + details).joined(separator: ": "))
    }

    /// Empties this thread's error queue after a failure that is an answer, such as a signature that does not match.
    package static func discardQueue() { ERR_clear_error() }
}
