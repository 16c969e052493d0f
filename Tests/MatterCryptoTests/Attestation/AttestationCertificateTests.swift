@testable import MatterCrypto
import MatterWire
import TestSupport
import Testing

/// Rows of `dac-chain.json`.
struct DACChainFile: Decodable, Sendable {
    struct IDs: Decodable, Sendable {
        var error: String
        var vid: String?
        var pid: String?
    }
    struct Oracle: Decodable, Sendable {
        var dacValidNow: String
        var dacFormat: String
        var paiFormat: String
        var chain: String
        var dacIds: IDs
        var paiIds: IDs
    }
    struct Row: Decodable, Sendable, CustomTestStringConvertible {
        var name: String
        var dac: HexBytes
        var pai: HexBytes
        var paa: String
        var expect: String
        var oracle: Oracle
        var testDescription: String { name }
    }
    struct NameRow: Decodable, Sendable, CustomTestStringConvertible {
        var commonName: String
        var ids: IDs
        var testDescription: String { commonName }
    }
    var rows: [Row]
    var commonNameFallback: [NameRow]
    static let all: DACChainFile = Vectors.load(DACChainFile.self, "dac-chain.json")
}

@Suite("Attestation certificates (Core §6.2)")
struct AttestationCertificateTests {
    /// 2026-01-01T00:00:00Z.
    static let now = EpochSeconds(unixSeconds: 1_767_225_600)
    private static let chainRules: [AttestationRule] = [
        .paiFormat, .dacFormat, .paiSubject, .dacSubject, .vendorsAgree, .productsAgree, .authorityTrusted,
        .authorityFormat, .authoritySubject, .dacValidity, .paiIssuer, .dacIssuer, .chainValidity, .notRevoked,
    ]

    @Test(arguments: DACChainFile.all.rows)
    func `judges a chain as the reference does`(_ row: DACChainFile.Row) throws {
        var trust = try AttestationTrustStore()
        let paa = try #require(PublicTestMaterial.authorities.first { $0.name == row.paa })
        try trust.add(authority: [UInt8](constantHex: paa.certificate))
        let verdict = AttestationVerifier(trust: trust).verify(
            AttestationEvidence(
                dac: row.dac.bytes, pai: row.pai.bytes, elements: [], signature: [], challenge: [], nonce: [],
                vendorID: VendorID(rawValue: 0xFFF1), productID: ProductID(rawValue: 0x8000), now: Self.now))
        let broken = Self.chainRules.filter { verdict[$0]?.passed != true }
        #expect(broken.isEmpty == (row.expect == "accept"), "\(verdict.explanation)")

        #expect((verdict[.dacFormat]?.passed == true) == (row.oracle.dacFormat == "0x0"))
        #expect((verdict[.paiFormat]?.passed == true) == (row.oracle.paiFormat == "0x0"))
        #expect((verdict[.dacValidity]?.passed == true) == (row.oracle.dacValidNow == "0x0"))
        try expectIDs(row.oracle.dacIds, AttestationCertificate(der: row.dac.bytes))
        try expectIDs(row.oracle.paiIds, AttestationCertificate(der: row.pai.bytes))
        if row.oracle.chain == "0x0/0" {
            #expect(!broken.contains(.dacIssuer) && !broken.contains(.paiIssuer) && !broken.contains(.chainValidity))
        } else {
            #expect(broken.contains { [.dacIssuer, .paiIssuer, .chainValidity, .authorityTrusted].contains($0) })
        }
    }

    @Test(arguments: DACChainFile.all.commonNameFallback)
    func `finds ids in a common name`(_ row: DACChainFile.NameRow) throws {
        var forge = try AttestationForge()
        forge.dac.subject = [.commonName(row.commonName)]
        try expectIDs(row.ids, AttestationCertificate(der: forge.makeDAC()))
    }

    private func expectIDs(_ expected: DACChainFile.IDs, _ certificate: AttestationCertificate) throws {
        guard expected.error == "0x0" else {
            #expect(throws: AttestationError.self) { try certificate.subjectIDs() }
            return
        }
        let ids = try certificate.subjectIDs()
        #expect(ids.vendorID.map { AttestationText.id($0.rawValue) } == expected.vid)
        #expect(ids.productID.map { AttestationText.id($0.rawValue) } == expected.pid)
    }

    @Test func `ids may be PrintableString, and only in the attributes for them if there are such`() throws {
        var forge = try AttestationForge()
        forge.dac.subject = [
            .commonName("Mvid:fff1 Mpid:zzzz"),
            .init(identifier: ObjectIdentifier.vendorID, value: "FFF1", tag: DER.printableString),
        ]
        let ids = try AttestationCertificate(der: forge.makeDAC()).subjectIDs()
        #expect(ids.vendorID == VendorID(rawValue: 0xFFF1))
        #expect(ids.productID == nil)
        forge.dac.subject = [.vendor(VendorID(rawValue: 0xFFF1)), .vendor(VendorID(rawValue: 0xFFF1))]
        #expect(throws: AttestationError.self) { try AttestationCertificate(der: forge.makeDAC()).subjectIDs() }
        forge.dac.subject = [.init(identifier: ObjectIdentifier.vendorID, value: "FFF1", tag: DER.ia5String)]
        #expect(throws: AttestationError.self) { try AttestationCertificate(der: forge.makeDAC()).subjectIDs() }
    }

    @Test func `names are equal whatever their case, blanks and string type`() throws {
        func name(_ text: String, _ tag: UInt8 = DER.utf8String) throws -> AttestationName {
            var forge = try AttestationForge()
            forge.dac.subject = [.init(identifier: ObjectIdentifier.commonName, value: text, tag: tag)]
            return try AttestationCertificate(der: forge.makeDAC()).subject
        }
        #expect(try name("Some  PAI ") == name("some pai", DER.printableString))
        #expect(try name("Some PAI") != name("Some PAI 2"))
    }

    @Test func `bytes after the certificate and a cut certificate are refused`() throws {
        let der = try AttestationForge().makeDAC()
        #expect(throws: AttestationError.self) { try AttestationCertificate(der: der + [0]) }
        #expect(throws: AttestationError.self) { try AttestationCertificate(der: der.dropLast()) }
        #expect(throws: AttestationError.self) { try AttestationCertificate(der: []) }
        #expect(throws: AttestationError.self) {
            try AttestationCertificate(der: [UInt8](repeating: 0x30, count: 5000))
        }
    }
}

extension AttestationCertificate {
    fileprivate init(der: ArraySlice<UInt8>) throws(AttestationError) { try self.init(der: Array(der)) }
}
