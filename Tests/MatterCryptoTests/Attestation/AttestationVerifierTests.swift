@testable import MatterCrypto
import MatterWire
import TestSupport
import Testing

/// A bent device and the rules that it has to break, no more and no less; none means that it is accepted.
struct ForgedCase: Sendable, CustomTestStringConvertible {
    var name: String
    var breaks: Set<AttestationRule>
    var bend: @Sendable (inout AttestationForge) throws -> Void
    var testDescription: String { name }
    init(
        _ name: String, _ breaks: Set<AttestationRule> = [],
        _ bend: @escaping @Sendable (inout AttestationForge) throws -> Void = { _ in }
    ) {
        self.name = name
        self.breaks = breaks
        self.bend = bend
    }
}

@Suite("Attestation verdicts over our own material (Core §6.2.3)")
struct AttestationVerifierTests {
    @Test(arguments: ForgedCase.all)
    func `names exactly the broken rules`(_ item: ForgedCase) throws {
        var forge = try AttestationForge()
        try item.bend(&forge)
        let verdict = try AttestationVerifier(trust: .standard()).verify(forge.evidence())
        #expect(Set(verdict.failures.map(\.rule)) == item.breaks, "\(verdict.explanation)")
        #expect(verdict.accepted == item.breaks.isEmpty)
        #expect(verdict.rules.map(\.rule) == AttestationRule.allCases)
        #expect(verdict.rules.allSatisfy { !$0.detail.isEmpty })
    }

    @Test func `a rule that cannot be checked says which one is to blame`() throws {
        var evidence = try AttestationForge().evidence()
        evidence.dac = [0x30, 0x00]
        evidence.elements = []
        let verdict = try AttestationVerifier(trust: .standard()).verify(evidence)
        #expect(Set(verdict.failures.map(\.rule)) == [.dacFormat, .elementsFormat])
        #expect(verdict[.dacValidity]?.outcome == .notChecked)
        #expect(verdict[.dacValidity]?.detail == "not checked, because dac-format failed")
        #expect(verdict[.vendorsAgree]?.detail == "not checked, because dac-subject failed")
        #expect(verdict[.declarationVendor]?.detail == "not checked, because cd-content failed")
        #expect(verdict[.paiIssuer]?.passed == true)
    }

    @Test func `an absent certificate is named`() throws {
        var evidence = try AttestationForge().evidence()
        evidence.pai = []
        let verdict = try AttestationVerifier(trust: .standard()).verify(evidence)
        #expect(verdict[.paiFormat]?.detail == "the device gave no such certificate")
        #expect(verdict.failures.map(\.rule) == [.paiFormat, .declarationSigner])
    }

    @Test func `a missing authority is named by key id and name`() throws {
        let verdict = try AttestationVerifier(trust: AttestationTrustStore()).verify(AttestationForge().evidence())
        let keyID = try #require(AttestationCertificate(der: TestAttestationAuthority.certificate).subjectKeyID)
        #expect(verdict.missingAuthority == keyID)
        let detail = try #require(verdict[.authorityTrusted]?.detail)
        #expect(detail.contains(AttestationText.keyID(keyID)))
        #expect(detail.contains("\"MatterHub Test PAA\""))
        #expect(verdict[.paiIssuer]?.detail == "not checked, because paa-trusted failed")
    }

    @Test func `a public test authority is recognised, yet not trusted`() throws {
        let row = try #require(DACChainFile.all.rows.first { $0.expect == "accept" })
        var evidence = try AttestationForge().evidence()
        evidence.pai = row.pai.bytes
        evidence.dac = row.dac.bytes
        let verdict = try AttestationVerifier(trust: .standard()).verify(evidence)
        #expect(verdict[.authorityTrusted]?.detail.contains("public test authority Chip-Test-PAA-FFF1") == true)
        #expect(verdict[.declarationSigner]?.detail.contains("trusted for test devices only") == true)
    }

    @Test func `the alliance's test key signs for our own devices only`() throws {
        var trust = try AttestationTrustStore.standard()
        let evidence = try AttestationForge().evidence()
        #expect(AttestationVerifier(trust: trust).verify(evidence).accepted)
        // The same device under an authority that the user added: its declaration proves nothing.
        let foreign = try ForeignAuthority()
        try trust.add(authority: foreign.certificate)
        let verdict = try AttestationVerifier(trust: trust).verify(foreign.forge().evidence())
        #expect(Set(verdict.failures.map(\.rule)) == [.declarationSigner])
        try trust.trustPublicTestMaterial()
        #expect(try AttestationVerifier(trust: trust).verify(foreign.forge().evidence()).accepted)
    }

    @Test func `a signer of the alliance may declare any type`() throws {
        var trust = try AttestationTrustStore.standard()
        var forge = try AttestationForge()
        forge.declarationSigner = try P256PrivateKey.generate(using: SeededSecretSource(seed: 5))
        forge.declaration.set(8, .unsigned(2))
        #expect(try !AttestationVerifier(trust: trust).verify(forge.evidence()).accepted)
        try trust.add(signer: forge.declarationSigner.publicKey.bytes, scope: .official)
        #expect(try AttestationVerifier(trust: trust).verify(forge.evidence()).accepted)
    }

    @Test func `a revoked certificate is refused`() throws {
        var trust = try AttestationTrustStore.standard()
        let evidence = try AttestationForge().evidence()
        let dac = try AttestationCertificate(der: evidence.dac)
        trust.revocations = [.init(issuerKeyID: try #require(dac.authorityKeyID), serialNumber: dac.serialNumber)]
        let verdict = AttestationVerifier(trust: trust).verify(evidence)
        #expect(verdict.failures.map(\.rule) == [.notRevoked])
        #expect(verdict[.notRevoked]?.detail == "revoked: DAC")
    }

    @Test func `an authority that breaks the rules cannot be added`() throws {
        var trust = try AttestationTrustStore()
        #expect(throws: AttestationError.self) { try trust.add(authority: []) }
        #expect(throws: AttestationError.self) { try trust.add(authority: AttestationForge().makePAI()) }
        var foreign = try ForeignAuthority()
        foreign.template.extensions[0] = .basicConstraints(isCA: true, pathLength: 2)
        #expect(throws: AttestationError.self) { try trust.add(authority: foreign.certificate) }
        foreign.template.extensions[0] = .basicConstraints(isCA: true)
        #expect(throws: Never.self) { try trust.add(authority: foreign.certificate) }
        foreign.template.issuer = [.commonName("Someone else")]
        #expect(throws: AttestationError.self) { try trust.add(authority: foreign.certificate) }
        #expect(trust.authorityKeyIDs.count == 1)
    }

    @Test func `survives damaged evidence`() throws {
        let verifier = try AttestationVerifier(trust: .standard())
        let good = try AttestationForge().evidence()
        var random = SeededGenerator(seed: 97)
        for round in 0..<400 {
            var evidence = good
            switch round % 4 {
            case 0: evidence.dac = random.mutated(good.dac)
            case 1: evidence.pai = random.mutated(good.pai)
            case 2: evidence.elements = random.mutated(good.elements)
            default: evidence.signature = random.mutated(good.signature)
            }
            let verdict = verifier.verify(evidence)
            #expect(verdict.rules.count == AttestationRule.allCases.count)
            let isChanged =
                evidence.dac != good.dac || evidence.pai != good.pai || evidence.elements != good.elements
                || evidence.signature != good.signature
            #expect(verdict.accepted == !isChanged, "round \(round)")
        }
    }
}

/// An authority that is none of ours, for devices of every vendor.
struct ForeignAuthority {
    var template: CertificateTemplate
    let key: P256PrivateKey
    init() throws {
        key = try P256PrivateKey.generate(using: SeededSecretSource(seed: 77))
        template = try TestAttestationAuthority.template(.paa, key: key.publicKey, issuerKey: key.publicKey)
        template.subject = [.commonName("Foreign PAA")]
        template.issuer = template.subject
    }
    var certificate: [UInt8] { get throws { try template.signed(by: key) } }
    /// A device whose chain ends here.
    func forge() throws -> AttestationForge {
        var forge = try AttestationForge()
        forge.pai.issuer = template.subject
        forge.paiSigner = key
        AttestationForge.replace(
            ObjectIdentifier.authorityKeyIdentifier, in: &forge.pai,
            with: .authorityKeyID(try key.publicKey.keyIdentifier()))
        return forge
    }
}
