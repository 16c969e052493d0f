public import MatterWire

/// What a commissioner collected of a device's attestation (Core §6.2.3).
public struct AttestationEvidence: Hashable, Sendable {
    /// The device attestation certificate, DER.
    public var dac: [UInt8]
    /// The product attestation intermediate, DER.
    public var pai: [UInt8]
    /// The attestation elements as the device sent them, TLV.
    public var elements: [UInt8]
    /// The device's signature over the elements and the challenge: r then s, 64 bytes.
    public var signature: [UInt8]
    /// The attestation challenge of the session, 16 bytes.
    public var challenge: [UInt8]
    /// The nonce of our AttestationRequest, 32 bytes.
    public var nonce: [UInt8]
    /// BasicInformation's VendorID.
    public var vendorID: VendorID
    /// BasicInformation's ProductID.
    public var productID: ProductID
    /// Wall-clock time.
    public var now: EpochSeconds

    /// Collects evidence.
    public init(
        dac: [UInt8], pai: [UInt8], elements: [UInt8], signature: [UInt8], challenge: [UInt8], nonce: [UInt8],
        vendorID: VendorID, productID: ProductID, now: EpochSeconds
    ) {
        self.dac = dac
        self.pai = pai
        self.elements = elements
        self.signature = signature
        self.challenge = challenge
        self.nonce = nonce
        self.vendorID = vendorID
        self.productID = productID
        self.now = now
    }
}

/// Judges a device's attestation against a trust store, and says of every rule what became of it.
///
/// Rules do not stop at the first failure: whatever can still be read is still checked.
public struct AttestationVerifier: Sendable {
    /// Whom the verifier trusts.
    public var trust: AttestationTrustStore

    /// A verifier over this trust.
    public init(trust: AttestationTrustStore) { self.trust = trust }

    /// The verdict on `evidence`. Several signature checks, so a few milliseconds.
    public func verify(_ evidence: AttestationEvidence) -> AttestationVerdict {
        var examination = AttestationExamination(evidence, trust)
        examination.checkChain()
        examination.checkElements()
        return AttestationVerdict(
            rules: examination.ledger.results(), missingAuthority: examination.missingAuthority)
    }
}

/// One run through the rules: the part on certificates; the part on the elements is an extension.
struct AttestationExamination {
    let evidence: AttestationEvidence
    let trust: AttestationTrustStore
    var ledger = AttestationLedger()
    private(set) var missingAuthority: [UInt8]?
    /// Ids of the certificates, once their rules are kept.
    private(set) var paiIDs: AttestationSubject?
    private(set) var dacIDs: AttestationSubject?
    /// The trusted authority.
    private(set) var paa: AttestationCertificate?

    init(_ evidence: AttestationEvidence, _ trust: AttestationTrustStore) {
        self.evidence = evidence
        self.trust = trust
    }

    mutating func checkChain() {
        let pai = certificate(evidence.pai, .pai, .paiFormat)
        let dac = certificate(evidence.dac, .dac, .dacFormat)
        paiIDs = pai.flatMap { ids($0, .paiSubject, needsProduct: false) }
        dacIDs = dac.flatMap { ids($0, .dacSubject, needsProduct: true) }
        compareIDs()
        if let dac {
            checkAttestationSignature(dac)
            ledger.record(
                .dacValidity, dac.isValid(at: evidence.now), kept: "the DAC is valid now",
                broken: "the DAC is \(evidence.now < dac.notBefore ? "not valid yet" : "expired")")
        }
        if let pai { checkAuthority(of: pai) }
        if let pai, let paa { checkIssuer(.paiIssuer, of: pai, "PAI", by: paa, "PAA") }
        if let dac, let pai {
            checkIssuer(.dacIssuer, of: dac, "DAC", by: pai, "PAI")
            checkRevocation(dac, pai)
            if let paa { checkChainValidity(dac, pai, paa) }
        }
    }

    // MARK: - Steps

    private mutating func certificate(
        _ der: [UInt8], _ role: AttestationCertificate.Role, _ rule: AttestationRule
    ) -> AttestationCertificate? {
        guard !der.isEmpty else {
            ledger.record(rule, false, "the device gave no such certificate")
            return nil
        }
        do throws(AttestationError) {
            let certificate = try AttestationCertificate(der: der)
            let violations = certificate.formatViolations(as: role)
            ledger.record(
                rule, violations.isEmpty,
                violations.isEmpty
                    ? "X.509 v3, P-256, extensions as Matter wants them" : violations.joined(separator: "; "))
            return certificate
        } catch {
            ledger.record(rule, false, error.reason)
            return nil
        }
    }

    private mutating func ids(
        _ certificate: AttestationCertificate, _ rule: AttestationRule, needsProduct: Bool
    ) -> AttestationSubject? {
        do throws(AttestationError) {
            let ids = try certificate.subjectIDs()
            guard let vendor = ids.vendorID else {
                throw AttestationError(code: .missing, reason: "the subject has no vendor id")
            }
            guard ids.productID != nil || !needsProduct else {
                throw AttestationError(code: .missing, reason: "the subject has no product id")
            }
            let product = ids.productID.map { ", product \(AttestationText.id($0.rawValue))" } ?? ""
            ledger.record(rule, true, "vendor \(AttestationText.id(vendor.rawValue))\(product)")
            return ids
        } catch {
            ledger.record(rule, false, error.reason)
            return nil
        }
    }

    private mutating func compareIDs() {
        guard let paiIDs, let dacIDs else { return }
        ledger.record(
            .vendorsAgree, paiIDs.vendorID == dacIDs.vendorID, kept: "DAC and PAI name the same vendor",
            broken: "the DAC names vendor \(text(dacIDs.vendorID)), the PAI vendor \(text(paiIDs.vendorID))")
        ledger.record(
            .productsAgree, paiIDs.productID == nil || paiIDs.productID == dacIDs.productID,
            kept: paiIDs.productID == nil ? "the PAI names no product" : "DAC and PAI name the same product",
            broken: "the DAC names product \(text(dacIDs.productID)), the PAI product \(text(paiIDs.productID))")
    }

    private mutating func checkAttestationSignature(_ dac: AttestationCertificate) {
        guard let key = dac.publicKey else { return }
        let (message, signature) = (evidence.elements + evidence.challenge, evidence.signature)
        ledger.check(
            .attestationSignature, kept: "signed with the DAC's key for this session",
            broken: "the signature over elements and challenge was not made with the DAC's key for this session"
        ) { () throws(CryptoError) in
            try key.verify(signature: signature, message: message)
        }
    }

    private mutating func checkAuthority(of pai: AttestationCertificate) {
        guard let keyID = pai.authorityKeyID else { return }
        guard let paa = trust.authority(keyID: keyID) else {
            missingAuthority = keyID
            ledger.record(.authorityTrusted, false, Self.unknown(authority: keyID, name: pai.issuer.commonNames.first))
            return
        }
        self.paa = paa
        ledger.record(
            .authorityTrusted, true,
            "\(paa.subject.commonNames.first ?? "the authority") (key id \(AttestationText.keyID(keyID))) is trusted")
        let violations = paa.authorityViolations()
        ledger.record(
            .authorityFormat, violations.isEmpty,
            violations.isEmpty ? "a self-signed PAA as Matter wants it" : violations.joined(separator: "; "))
        guard let paiIDs else { return }
        do throws(AttestationError) {
            let ids = try paa.subjectIDs()
            if ids.productID != nil {
                throw AttestationError(code: .invalid, reason: "the PAA names a product, which it must not")
            }
            let served = ids.vendorID.map { "the PAA serves vendor \(text($0))" }
            ledger.record(
                .authoritySubject, ids.vendorID == nil || ids.vendorID == paiIDs.vendorID,
                kept: served ?? "the PAA serves every vendor",
                broken: "\(served ?? "") only, the PAI names \(text(paiIDs.vendorID))")
        } catch {
            ledger.record(.authoritySubject, false, error.reason)
        }
    }

    private static func unknown(authority keyID: [UInt8], name: String?) -> String {
        let called = name.map { ", which calls itself \"\($0.prefix(64))\"," } ?? ""
        let text =
            "no trusted authority has the key id \(AttestationText.keyID(keyID)); the authority\(called) is needed"
        let known = PublicTestMaterial.authorities.first { [UInt8](constantHex: $0.keyID) == keyID }
        return known.map { "\(text): it is the public test authority \($0.name), for test devices only" } ?? text
    }

    private mutating func checkIssuer(
        _ rule: AttestationRule, of certificate: AttestationCertificate, _ name: String,
        by issuer: AttestationCertificate, _ issuerName: String
    ) {
        guard certificate.issuer == issuer.subject else {
            ledger.record(rule, false, "the \(name)'s issuer is not named as the \(issuerName)'s subject")
            return
        }
        if let keyID = certificate.authorityKeyID, keyID != issuer.subjectKeyID {
            ledger.record(rule, false, "the \(name)'s authority key identifier is not that of the \(issuerName)")
            return
        }
        ledger.check(
            rule, kept: "the \(issuerName) signed the \(name)",
            broken: "the \(name) was not signed with the \(issuerName)'s key"
        ) { () throws(CryptoError) in
            try certificate.isSigned(by: issuer)
        }
    }

    private mutating func checkChainValidity(
        _ dac: AttestationCertificate, _ pai: AttestationCertificate, _ paa: AttestationCertificate
    ) {
        let invalid = [("PAI", pai), ("PAA", paa)].filter { !$0.1.isValid(at: dac.notBefore) }.map(\.0)
        ledger.record(
            .chainValidity, invalid.isEmpty, kept: "PAI and PAA were valid when the DAC was issued",
            broken: "not valid when the DAC was issued: \(invalid.joined(separator: ", "))")
    }

    private mutating func checkRevocation(_ dac: AttestationCertificate, _ pai: AttestationCertificate) {
        let revoked = [("DAC", dac), ("PAI", pai)].filter { _, certificate in
            guard let issuer = certificate.authorityKeyID else { return false }
            return trust.revocations.contains(.init(issuerKeyID: issuer, serialNumber: certificate.serialNumber))
        }
        ledger.record(
            .notRevoked, revoked.isEmpty,
            kept: trust.revocations.isEmpty ? "no revocation list is loaded" : "not on the revocation list",
            broken: "revoked: \(revoked.map(\.0).joined(separator: ", "))")
    }

    func text(_ id: VendorID?) -> String { id.map { AttestationText.id($0.rawValue) } ?? "none" }
    func text(_ id: ProductID?) -> String { id.map { AttestationText.id($0.rawValue) } ?? "none" }
}

extension AttestationCertificate {
    /// What is wrong with the certificate as a root: format rules, and that it names and signed itself.
    func authorityViolations() -> [String] {
        var violations = formatViolations(as: .paa)
        do throws(CryptoError) {
            let isSelfSigned = try isSigned(by: self)
            if issuer != subject || !isSelfSigned { violations.append("the certificate did not sign itself") }
        } catch {
            violations.append("its signature cannot be checked (\(error.reason))")
        }
        return violations
    }
}
