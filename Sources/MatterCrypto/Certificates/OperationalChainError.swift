/// Which rule of Core §6.5 a chain of operational certificates breaks, and which certificate breaks it.
public struct OperationalChainError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A certificate's place in the chain.
    public enum Role: String, Hashable, Sendable {
        case root = "RCAC"
        case intermediate = "ICAC"
        case node = "NOC"
    }

    /// A rule; the raw value says what must hold.
    public enum Rule: String, Hashable, Sendable, CaseIterable {
        case wellFormed = "the certificate is well formed and at most 400 bytes long"
        case subjectIdentifiers = "the subject has the identifiers of its role, each once, and no others"
        case nodeIDRange = "the node id is operational"
        case fabricIDNotZero = "the fabric id is not zero"
        case tags = "at most three CASE authenticated tags, of version 1 or more, no identifier twice"
        case basicConstraints = "a CA says that it is one, and a node that it is none"
        case pathLength = "no more CAs follow than the path length allows"
        case keyUsage = "the key usage is certificate signing for a CA and digital signature for a node"
        case extendedKeyUsage = "a node's key is for client and server authentication"
        case keyIdentifiers = "subject and authority key identifiers are there"
        case knownExtensions = "every critical extension is understood"
        case issuerName = "the issuer's name is the subject of the certificate above"
        case issuerKey = "the authority key identifier is the subject key identifier of the certificate above"
        case publicKey = "the public key is a point of P-256"
        case signature = "the signature was made with the key of the certificate above"
        case begun = "the certificate is valid already"
        case notExpired = "the certificate has not expired"
        case fabricMatches = "every fabric id in the chain is the node's"
        case library = "the cryptographic library works"
    }

    /// The certificate that breaks the rule.
    public let role: Role
    /// The rule that is broken.
    public let rule: Rule
    /// The figures concerned; may be empty.
    public let detail: String

    /// An error of a certificate.
    public init(_ role: Role, _ rule: Rule, _ detail: String = "") {
        self.role = role
        self.rule = rule
        self.detail = detail
    }

    /// For example "NOC breaks the rule: the fabric id is not zero".
    public var description: String {
        "\(role.rawValue) breaks the rule: \(rule.rawValue)" + (detail.isEmpty ? "" : " (\(detail))")
    }
}
