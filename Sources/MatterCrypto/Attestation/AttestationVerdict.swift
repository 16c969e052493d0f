/// One rule that a device's attestation has to keep, in the order in which verdicts list them (Core §6.2.3).
public enum AttestationRule: String, CaseIterable, Hashable, Sendable {
    /// The PAI is an X.509 certificate that keeps Matter's format rules.
    case paiFormat = "pai-format"
    /// The DAC is an X.509 certificate that keeps Matter's format rules.
    case dacFormat = "dac-format"
    /// The subject of the PAI has a vendor id, and its ids are spelled rightly.
    case paiSubject = "pai-subject"
    /// The subject of the DAC has a vendor id and a product id, spelled rightly.
    case dacSubject = "dac-subject"
    /// DAC and PAI name the same vendor.
    case vendorsAgree = "dac-pai-vendor"
    /// A PAI with a product id names the product of the DAC.
    case productsAgree = "dac-pai-product"
    /// The device signed the elements and this session's challenge with the key of its DAC.
    case attestationSignature = "attestation-signature"
    /// The authority that issued the PAI is trusted.
    case authorityTrusted = "paa-trusted"
    /// The PAA keeps Matter's format rules and signed itself.
    case authorityFormat = "paa-format"
    /// A PAA with a vendor id names the vendor of the PAI; it has no product id.
    case authoritySubject = "paa-subject"
    /// The DAC is valid now.
    case dacValidity = "dac-validity"
    /// The PAA issued the PAI: signature, names and key identifiers.
    case paiIssuer = "pai-issuer"
    /// The PAI issued the DAC: signature, names and key identifiers.
    case dacIssuer = "dac-issuer"
    /// PAA and PAI were valid when the DAC's validity began.
    case chainValidity = "chain-validity"
    /// Neither PAI nor DAC is on the revocation list.
    case notRevoked = "not-revoked"
    /// The attestation elements are well-formed, with their members in order.
    case elementsFormat = "elements-format"
    /// The elements carry our nonce.
    case nonce = "nonce"
    /// The certification declaration is a CMS message in Matter's layout.
    case declarationFormat = "cd-format"
    /// The signer of the declaration is trusted.
    case declarationSigner = "cd-signer"
    /// The signature of the declaration is right.
    case declarationSignature = "cd-signature"
    /// The declaration has all fields, in order and in range.
    case declarationContent = "cd-content"
    /// The signer may sign declarations of this type.
    case declarationKind = "cd-type"
    /// The declaration names the vendor that BasicInformation tells.
    case declarationVendor = "cd-vendor"
    /// The declaration lists the product that BasicInformation tells.
    case declarationProduct = "cd-product"
    /// The declaration names the ids of DAC and PAI, or their origin.
    case declarationCertificates = "cd-certificates"
    /// A declaration that lists authorities lists the PAA.
    case declarationAuthority = "cd-authorized-paa"

    /// Rules without which this one cannot be checked.
    var prerequisites: [AttestationRule] {
        switch self {
        case .paiFormat, .dacFormat, .elementsFormat: []
        case .paiSubject, .authorityTrusted: [.paiFormat]
        case .dacSubject, .attestationSignature, .dacValidity: [.dacFormat]
        case .vendorsAgree, .productsAgree: [.paiSubject, .dacSubject]
        case .authorityFormat: [.authorityTrusted]
        case .authoritySubject: [.authorityTrusted, .paiSubject]
        case .paiIssuer: [.paiFormat, .authorityTrusted]
        case .dacIssuer, .notRevoked: [.paiFormat, .dacFormat]
        case .chainValidity: [.paiFormat, .dacFormat, .authorityTrusted]
        case .nonce, .declarationFormat: [.elementsFormat]
        case .declarationSigner, .declarationContent: [.declarationFormat]
        case .declarationSignature: [.declarationSigner]
        case .declarationKind: [.declarationSigner, .declarationContent]
        case .declarationVendor, .declarationProduct: [.declarationContent]
        case .declarationCertificates: [.declarationContent, .paiSubject, .dacSubject]
        case .declarationAuthority: [.declarationContent, .authorityTrusted]
        }
    }
}

/// What became of one rule.
public struct AttestationRuleResult: Hashable, Sendable {
    /// Whether a rule was kept.
    public enum Outcome: Hashable, Sendable {
        /// The rule was kept.
        case passed
        /// The rule was broken.
        case failed
        /// The rule could not be looked at, because another one was broken.
        case notChecked
    }
    /// The rule.
    public let rule: AttestationRule
    /// Whether it was kept.
    public let outcome: Outcome
    /// Plain words: what was found, and for a broken rule what was wanted.
    public let detail: String
    /// Whether the rule was checked and kept.
    public var passed: Bool { outcome == .passed }
    /// Makes a result.
    public init(rule: AttestationRule, outcome: Outcome, detail: String) {
        self.rule = rule
        self.outcome = outcome
        self.detail = detail
    }
}

/// The answer on a device's attestation: every rule, and what became of it.
public struct AttestationVerdict: Hashable, Sendable {
    /// One result for each rule, in the order of ``AttestationRule``.
    public let rules: [AttestationRuleResult]
    /// The key identifier (20 bytes) of the authority that the device's chain needs and nobody trusts.
    public let missingAuthority: [UInt8]?

    /// Whether every rule was kept.
    public var accepted: Bool { rules.allSatisfy(\.passed) }
    /// The rules that were broken, without those that could not be checked for it.
    public var failures: [AttestationRuleResult] { rules.filter { $0.outcome == .failed } }
    /// One sentence for a person: what was wrong, or that nothing was.
    public var explanation: String {
        accepted
            ? "all \(rules.count) attestation rules are kept"
            : failures.map { "\($0.rule.rawValue): \($0.detail)" }.joined(separator: "; ")
    }
    /// What became of one rule.
    public subscript(rule: AttestationRule) -> AttestationRuleResult? { rules.first { $0.rule == rule } }

    init(rules: [AttestationRuleResult], missingAuthority: [UInt8]?) {
        self.rules = rules
        self.missingAuthority = missingAuthority
    }

    /// The verdict on evidence that could not even be collected: `rule` broken, all others not checked.
    init(broken rule: AttestationRule, detail: String) {
        var ledger = AttestationLedger()
        ledger.record(rule, false, detail)
        self.init(rules: ledger.results(), missingAuthority: nil)
    }
}

/// Collects results, and says of the rules without one why they have none.
struct AttestationLedger {
    private var recorded: [AttestationRule: AttestationRuleResult] = [:]

    /// Records a rule as kept or broken.
    mutating func record(_ rule: AttestationRule, _ passed: Bool, _ detail: String) {
        recorded[rule] = AttestationRuleResult(rule: rule, outcome: passed ? .passed : .failed, detail: detail)
    }

    /// Records a rule with one of two details.
    mutating func record(_ rule: AttestationRule, _ passed: Bool, kept: String, broken: String) {
        record(rule, passed, passed ? kept : broken)
    }

    /// Records what a cryptographic check says; a check that fails itself breaks the rule.
    mutating func check(
        _ rule: AttestationRule, kept: String, broken: String, _ body: () throws(CryptoError) -> Bool
    ) {
        do throws(CryptoError) {
            record(rule, try body(), kept: kept, broken: broken)
        } catch {
            record(rule, false, "the check itself failed: \(error.reason)")
        }
    }

    /// One result for every rule.
    func results() -> [AttestationRuleResult] {
        AttestationRule.allCases.map { rule in
            if let result = recorded[rule] { return result }
            let cause = rule.prerequisites.first { recorded[$0]?.passed != true }
            return AttestationRuleResult(
                rule: rule, outcome: .notChecked,
                detail: cause.map { "not checked, because \($0.rawValue) failed" } ?? "not checked")
        }
    }
}

/// Writes bytes and ids the way people compare them.
enum AttestationText {
    /// A key identifier as upper-case pairs with colons, as certificate tools print it.
    static func keyID(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }
    /// A 16-bit id as `0xFFF1`.
    static func id(_ number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
