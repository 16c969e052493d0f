import Foundation
import HubControl
import MatterCrypto
import TestSupport
import Testing

@Suite("matterhub attestation") struct AttestationCommandTests {
    @Test func `verify --json judges the public cases as marked`() throws {
        // Third-party data, there in some checkouts only; the cases that we make are judged in the tests of the parts.
        guard let json = SharedData.bytes("vectors/attestation-cases.json") else { return }
        let outcome = try BuiltProgram.run(["attestation", "verify", "--json", "-"], input: json)
        #expect(outcome.status == 0)
        let cases = try JSONObject(
            parsing: json, limits: ControlLimits(payloadLength: json.count)
        ).array("cases").compactMap(\.object)
        try #require(outcome.lines.count == cases.count)
        for (row, text) in zip(cases, outcome.lines) {
            let line = try JSONObject(parsing: Array(text.utf8))
            #expect(line["name"] == row["name"])
            #expect(line["accepted"]?.bool == (row["is_success_case"] == "true"), "\(text)")
        }
    }

    @Test func `verify says of each case what is wrong`() throws {
        let outcome = try BuiltProgram.run(["attestation", "verify", "-"], input: Array(#"{"cases": [{}]}"#.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.lines == ["refused   case 1", "          case: dac_cert is missing", "0 of 1 cases accepted"])
    }

    @Test(arguments: [
        ("{", "byte 1"), ("", "ends too early"), ("[]", "no JSON object"), (#"{"rows": []}"#, "cases is missing"),
        (#"{"cases": 1}"#, "cases must be an array"),
    ])
    func `verify refuses a malformed file with status 2`(_ text: String, _ words: String) throws {
        let outcome = try BuiltProgram.run(["attestation", "verify", "--json", "-"], input: Array(text.utf8))
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(words))
    }

    @Test func `verify refuses a missing file, a bad folder and no argument with status 2`() throws {
        for words in [["no-such-file.json"], ["--paa", "no-such-folder", "-"], [], ["-", "-"]] {
            let outcome = try BuiltProgram.run(["attestation", "verify"] + words)
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(!outcome.errors.isEmpty)
        }
    }

    @Test func `verify says in plain words why a file or folder cannot be read`() throws {
        for (words, reason) in [
            (["/"], "/ cannot be read: Is a directory"), (["no-such-file.json"], "No such file or directory"),
            (["--paa", "/dev/null", "-"], "/dev/null cannot be read: Not a directory"),
        ] {
            let outcome = try BuiltProgram.run(["attestation", "verify"] + words)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
            #expect(!outcome.errors.contains("Error Domain"))
        }
    }

    @Test func `export writes the root, and verify can trust it`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("matterhub-\(UUID().uuidString)")
        // A folder left behind in the temporary folder fails no test.
        defer { try? FileManager.default.removeItem(at: folder) }
        let export = try BuiltProgram.run(["attestation", "export", "--out", folder.path])
        #expect(export.status == 0)
        let file = folder.appendingPathComponent("matterhub-test-paa.der")
        #expect(export.lines == [file.path])
        #expect(try [UInt8](Data(contentsOf: file)) == TestAttestationAuthority.certificate)

        let verify = try BuiltProgram.run(
            ["attestation", "verify", "--no-test-devices", "--paa", folder.path, "-"],
            input: Array(#"{"cases": []}"#.utf8))
        #expect(verify.status == 0)
        #expect(verify.lines == ["0 of 0 cases accepted"])
        try Data([0x30]).write(to: folder.appendingPathComponent("bad.der"))
        let bad = try BuiltProgram.run(["attestation", "verify", "--paa", folder.path, "-"])
        #expect(bad.status == 2)
        #expect(bad.errors.contains("bad.der"))
    }
}
