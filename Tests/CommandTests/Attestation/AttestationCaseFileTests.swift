import HubControl
import MatterCrypto
import MatterWire
import TestSupport
import Testing

@testable import matterhub

@Suite("Files of attestation cases")
struct AttestationCaseFileTests {
    /// 2026-01-01T00:00:00Z.
    private let now = EpochSeconds(unixSeconds: 1_767_225_600)

    private func reports(_ json: String) throws -> [AttestationCaseReport] {
        let runner = AttestationCaseRunner(
            trust: try .standard(), secrets: SeededSecretSource(seed: 1), now: now)
        return try AttestationCaseFile(json: Array(json.utf8)).rows.map { AttestationCaseReport($0, by: runner) }
    }

    /// A row that is accepted, and what it is made of.
    private func goodRow() throws -> JSONObject {
        let device = try TestAttestationAuthority.issue(
            product: ProductID(rawValue: 0x8000), deviceType: DeviceTypeID(rawValue: 0x0100),
            secrets: SeededSecretSource(seed: 2))
        return [
            "name": "good", "is_success_case": "true", "basic_info_pid": 0x8000, "dac_cert": .string(device.dac.hex),
            "pai_cert": .string(device.pai.hex),
            "certification_declaration": .string(device.certificationDeclaration.hex),
            "dac_private_key": .string(device.dacKey.rawValue.hex),
        ]
    }

    private func file(_ rows: [JSONValue]) -> String { JSONValue.object(["cases": .array(rows)]).text() }

    @Test func `judges a good row and prints one line of JSON`() throws {
        let report = try #require(try reports(file([.object(try goodRow())])).first)
        #expect(report.accepted, "\(report.text)")
        let object = try JSONObject(parsing: Array(report.json.utf8))
        #expect(object.members.map(\.name) == ["name", "accepted", "rules"])
        #expect(object["name"] == "good")
        #expect(object["accepted"] == true)
        let rules = try object.array("rules")
        #expect(rules.count == AttestationRule.allCases.count + 1)
        #expect(rules.allSatisfy { $0.object?.members.map(\.name) == ["rule", "passed", "detail"] })
        #expect(!report.json.contains("\n"))
    }

    @Test(
        arguments: [
            ("dac_cert", nil, "dac_cert is missing"),
            ("pai_cert", JSONValue.integer(1), "pai_cert is no string of hexadecimal digits"),
            (
                "certification_declaration", "30x0",
                "certification_declaration has a character at 2 that is no hexadecimal digit"
            ),
            ("dac_private_key", "123", "dac_private_key has an odd number of hexadecimal digits"),
            ("dac_private_key", "00", "dac_private_key: a private key is 32 bytes between 1 and the order of P-256"),
            ("basic_info_pid", "0x8000", "basic_info_pid is no integer from 0 to 65535"),
            ("basic_info_pid", 65536, "basic_info_pid is no integer from 0 to 65535"),
            ("basic_info_vid", -1, "basic_info_vid is no integer from 0 to 65535"),
            ("name", 7, "name is no string"),
        ] as [(String, JSONValue?, String)])
    func `a malformed row is refused by the rule on rows`(_ member: String, _ value: JSONValue?, _ reason: String)
        throws
    {
        var row = try goodRow()
        row[member] = value
        let report = try #require(try reports(file([.object(row)])).first)
        #expect(!report.accepted)
        #expect(report.lines.first?.rule == "case")
        #expect(report.lines.first?.detail == reason)
        #expect(report.lines.count == AttestationRule.allCases.count + 1)
        #expect(report.lines.allSatisfy { !$0.passed })
    }

    @Test func `a bad row does not stop the others`() throws {
        let reports = try reports(file([1, .object(try goodRow()), .object([:])]))
        #expect(reports.map(\.name) == ["case 1", "good", "case 3"])
        #expect(reports.map(\.accepted) == [false, true, false])
    }

    @Test func `ids have their usual values when absent`() throws {
        var row = try goodRow()
        row["basic_info_pid"] = nil
        #expect(try reports(file([.object(row)])).first?.accepted == true)
        row["basic_info_vid"] = 0xFFF2
        let report = try #require(try reports(file([.object(row)])).first)
        #expect(report.lines.filter { !$0.passed }.map(\.rule) == ["cd-vendor"])
    }

    @Test(arguments: ["", "[]", "{}", #"{"cases": {}}"#, #"{"cases": [}"#, "{\"cases\": [\u{0}]}", #"{"cases":[]} x"#])
    func `a file that is no list of cases is refused`(_ json: String) {
        #expect(throws: ControlProtocolError.self) { try AttestationCaseFile(json: Array(json.utf8)) }
    }

    @Test func `the public cases come out as marked`() throws {
        // Third-party data, there in some checkouts only; elsewhere the generated cases of MatterCrypto stand in.
        guard let json = SharedData.bytes("vectors/attestation-cases.json") else { return }
        var trust = try AttestationTrustStore.standard()
        try trust.trustPublicTestMaterial()
        let runner = AttestationCaseRunner(trust: trust, secrets: SeededSecretSource(seed: 1), now: now)
        let reports = try AttestationCaseFile(json: json).rows.map { AttestationCaseReport($0, by: runner) }
        #expect(reports.count == 97)
        #expect(reports.filter { $0.accepted != $0.isMarkedAccepted }.map(\.name) == [])
    }
}
