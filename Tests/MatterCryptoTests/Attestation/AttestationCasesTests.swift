import MatterCrypto
import MatterWire
import TestSupport
import Testing

/// Rows of `attestation-cases.json`: the CHIP SDK's public cases, which are not part of this project.
struct AttestationCasesFile: Decodable, Sendable {
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        enum CodingKeys: String, CodingKey {
            case name, isSuccessCase = "is_success_case", productID = "basic_info_pid", dac = "dac_cert"
            case pai = "pai_cert", declaration = "certification_declaration", key = "dac_private_key"
        }
        var name: String
        var isSuccessCase: String
        var productID: UInt16?
        var dac: HexBytes
        var pai: HexBytes
        var declaration: HexBytes
        var key: HexBytes
        var testDescription: String { name }
    }
    var cases: [Row]
    static let all: AttestationCasesFile? = SharedData.load(AttestationCasesFile.self, "vectors/attestation-cases.json")
}

@Suite("Public attestation cases", .enabled(if: SharedData.isPresent))
struct AttestationCasesTests {
    @Test(arguments: AttestationCasesFile.all?.cases ?? [])
    func `verdict as marked`(_ row: AttestationCasesFile.Row) throws {
        var trust = try AttestationTrustStore()
        try trust.trustPublicTestMaterial()
        let runner = AttestationCaseRunner(
            trust: trust, secrets: SeededSecretSource(seed: 1), now: AttestationCertificateTests.now)
        let verdict = try runner.verdict(
            on: AttestationCase(
                name: row.name, dac: row.dac.bytes, pai: row.pai.bytes, certificationDeclaration: row.declaration.bytes,
                dacPrivateKey: row.key.bytes, productID: row.productID.map(ProductID.init)))
        #expect(verdict.accepted == (row.isSuccessCase == "true"), "\(verdict.explanation)")
    }

    @Test func `all 97 cases are there`() {
        #expect(AttestationCasesFile.all?.cases.count == 97)
    }

    @Test(arguments: ["Google-Matter-PAA-1", "Matter-Development-PAA", "Chip-Test-PAA-NoVID", "Chip-Test-PAA-FFF1"])
    func `authorities of others can be trusted`(_ name: String) throws {
        var trust = try AttestationTrustStore()
        let der = try #require(SharedData.bytes("credentials/\(name).der"))
        let keyID = try trust.add(authority: der)
        #expect(trust.authority(keyID: keyID)?.der == der)
    }
}
