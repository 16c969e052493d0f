import Foundation
import HubControl
import Testing

@Suite("matterhub conformance", .timeLimit(.minutes(1))) struct ConformanceCommandTests {
    private static let grant =
        "mh1.\(String(repeating: "A", count: 43)).AAAAAAAAAAE.\(String(repeating: "B", count: 42))A"

    @Test func `cases are listed with what they need, for people and for programs`() throws {
        let table = try BuiltProgram.run(["conformance", "hub", "--list", "--filter", "session.cancel"])
        #expect(table.status == 0)
        #expect(table.output.contains("session.cancel.in-pase") && table.output.contains("virtual device"))
        #expect(!table.output.contains("session.prepare"))
        let lines = try BuiltProgram.run(["conformance", "hub", "--list", "--json"]).output.split(separator: "\n")
        #expect(lines.count > 200)
        for line in lines {
            let json = try JSONObject(parsing: Array(line.utf8))
            #expect(json["case"]?.string?.contains(".") == true)
            #expect(json["behaviours"]?.array?.isEmpty == false)
        }
        let part = try BuiltProgram.run([
            "conformance", "hub", "--list", "--json", "--filter", "ping", "--except", "*.pong",
        ])
        #expect(part.output.split(separator: "\n").count == 1)
    }

    @Test func `defects are listed with the cases that see them`() throws {
        let listed = try BuiltProgram.run(["conformance", "broken-hub", "--list", "--json"])
        let defects = try listed.output.split(separator: "\n").map { try JSONObject(parsing: Array($0.utf8)) }
        #expect(defects.count >= 30)
        for defect in defects { #expect(defect["failing"]?.array?.isEmpty == false) }
    }

    struct Row: Sendable {
        let words: [String]
        let status: Int32
        let says: String
    }

    static let rows: [Row] = [
        Row(words: ["hub"], status: 2, says: "HOST[:PORT] is missing"),
        Row(words: ["hub", "127.0.0.1:1"], status: 2, says: "--grant is missing"),
        Row(words: ["hub", "a b", "--grant", grant], status: 2, says: "“a b”"),
        Row(words: ["hub", "--list", "--filter", "no.such"], status: 2, says: "no.such means no case"),
        Row(words: ["hub", "--list", "--except", "no.such"], status: 2, says: "--except no.such means no case"),
        Row(words: ["hub", "127.0.0.1:1", "--grant", "/no/such/file"], status: 3, says: "/no/such/file"),
        Row(words: ["hub", "127.0.0.1:1", "--grant", "mh1.a.b.c"], status: 3, says: "damaged"),
        Row(words: ["hub", "127.0.0.1:1", "--grant", grant], status: 4, says: "cannot be examined"),
        Row(words: ["hub", "127.0.0.1:1", "--grant", grant, "--address", "x:1"], status: 2, says: "--device"),
        Row(words: ["broken-hub", "no-such", "127.0.0.1:1"], status: 2, says: "“no-such”"),
        Row(words: ["broken-hub", "answers-twice", "127.0.0.1:1", "--grant", grant], status: 2, says: "--grant-out"),
    ]

    @Test(arguments: rows) func `what is wrong is said, with a status, and no grant`(row: Row) throws {
        let outcome = try BuiltProgram.run(["conformance"] + row.words)
        #expect(outcome.status == row.status)
        #expect(outcome.errors.contains(row.says), "\(outcome.errors)")
        #expect(!outcome.errors.contains(String(repeating: "B", count: 20)))
    }
}
