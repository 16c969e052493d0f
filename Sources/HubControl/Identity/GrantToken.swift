/// A grant as its holder has it: `mh1.<hash of the control CA's key>.<grant id>.<secret>` (Protocols/hub-control.md §2).
///
/// Its description hides the secret; ``text`` is the only way to it.
public struct GrantToken: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of the hash and of the secret.
    public static let partLength = 32
    private static let version = "mh1"

    /// SHA-256 of the control CA's SubjectPublicKeyInfo, 32 bytes: what the client pins.
    public let authorityHash: [UInt8]
    /// Which grant it is.
    public let id: GrantID
    /// 32 random bytes.
    public let secret: [UInt8]

    /// Makes a token.
    ///
    /// - Parameters:
    ///   - authorityHash: 32 bytes; another count is a programming error.
    ///   - secret: 32 bytes; the same.
    public init(authorityHash: [UInt8], id: GrantID, secret: [UInt8]) {
        precondition(authorityHash.count == Self.partLength && secret.count == Self.partLength, "32 bytes each")
        self.authorityHash = authorityHash
        self.id = id
        self.secret = secret
    }

    /// Why a text is no grant.
    public enum Failure: Error, Hashable, Sendable {
        /// The text is not `mh1` and three parts after dots.
        case form
        /// The hash of the control CA's key is not 32 octets in base64url.
        case authorityHash
        /// The grant id is not 8 octets in base64url.
        case id
        /// The secret is not 32 octets in base64url.
        case secret
    }

    /// Reads a grant's text; blanks and line ends around it, as a file has them, mean nothing.
    public init(parsing text: String) throws(Failure) {
        let blanks: Set<Character> = [" ", "\n", "\r", "\t", "\r\n"]
        var trimmed = Substring(text).drop { blanks.contains($0) }
        while let last = trimmed.last, blanks.contains(last) { trimmed.removeLast() }
        let parts = trimmed.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == Self.version else { throw .form }
        func octets(_ part: Substring, _ count: Int) -> [UInt8]? {
            Base64URL.decode(part).flatMap { $0.count == count ? $0 : nil }
        }
        guard let hash = octets(parts[1], Self.partLength) else { throw .authorityHash }
        guard let id = octets(parts[2], 8) else { throw .id }
        guard let secret = octets(parts[3], Self.partLength) else { throw .secret }
        self.init(
            authorityHash: hash, id: GrantID(rawValue: id.reduce(0) { $0 << 8 | UInt64($1) }), secret: secret)
    }

    /// The whole grant, secret included.
    public var text: String {
        let id = (0..<8).map { UInt8(truncatingIfNeeded: self.id.rawValue >> (56 - 8 * UInt64($0))) }
        return [Self.version, Base64URL.encode(authorityHash), Base64URL.encode(id), Base64URL.encode(secret)]
            .joined(separator: ".")
    }

    /// The grant's id, without the secret.
    public var description: String { "grant \(id)" }
}
