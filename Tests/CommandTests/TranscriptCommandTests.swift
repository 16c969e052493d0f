import FakeHub
import Foundation
import HubControl
import Testing

@Suite("matterhub transcript", .timeLimit(.minutes(2))) struct TranscriptCommandTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("transcript-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    private static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Protocols/transcripts/refused-prepare.jsonl").path

    @Test func `show prints a timeline, for people and for programs`() throws {
        let text = try BuiltProgram.run(["transcript", "show", Self.golden])
        #expect(text.status == 0)
        #expect(text.lines.first?.hasPrefix("Another app wants the session") == true)
        #expect(text.output.contains("other  ← #1 session.prepare failed: failedPrecondition (sessionActive): "))
        let json = try BuiltProgram.run(["transcript", "show", "--json", "--connection", "holder", Self.golden])
        #expect(json.lines.count == 6)
        let last = try JSONObject(parsing: Array((json.lines.last ?? "").utf8))
        #expect(last["connection"] == "holder" && last["from"] == "hub" && last["kind"] == "response")
        let unknown = try BuiltProgram.run(["transcript", "show", "--connection", "x", Self.golden])
        #expect(unknown.status == 2 && unknown.errors.contains("there are holder, other"))
    }

    @Test func `diff says what differs, and how many times, by its status too`() throws {
        #expect(try BuiltProgram.run(["transcript", "diff", Self.golden, Self.golden]).status == 0)
        let text = try String(contentsOfFile: Self.golden, encoding: .utf8)
        let other = try write(
            text.replacing("\"device\": \"untouched\"", with: "\"device\": \"clean\""), to: "other.jsonl")
        let found = try BuiltProgram.run(["transcript", "diff", Self.golden, other])
        #expect(found.status == 1)
        #expect(found.lines.first == "The first of 2 differences:")
        #expect(found.output.contains(#"result.device: "untouched" ≠ "clean""#))
        let json = try BuiltProgram.run(["transcript", "diff", "--json", Self.golden, other])
        #expect(json.lines.count == 3 && json.lines.last == #"{"event":"finished","differences":2}"#)
        let ignored = try BuiltProgram.run(["transcript", "diff", "--ignore", "result.device", Self.golden, other])
        #expect(ignored.status == 0)
    }

    @Test func `wrong files and wrong usage are refused with what to do`() throws {
        let bad = try write("{\"about\": \"x\"}\n{\"connection\": \"a\"}\n", to: "bad.jsonl")
        let refused = try BuiltProgram.run(["transcript", "show", bad])
        #expect(refused.status == 1)
        #expect(refused.errors.contains("bad.jsonl: line 2: from is missing; Protocols/transcripts.md lists"))
        for words in [
            ["show"], ["show", Self.golden, "x"], ["diff", Self.golden], ["replay", Self.golden],
            ["replay", "--set", "x", Self.golden], ["record"], ["record", "--listen", "nowhere", "f"],
            ["decode"],
        ] {
            let outcome = try BuiltProgram.run(["transcript"] + words)
            #expect(outcome.status == 2, "\(words): \(outcome.errors)")
        }
        let missing = try BuiltProgram.run(["transcript", "replay", Self.golden])
        #expect(missing.errors.contains("<grant-text-1>, <grant-text-2>"))
        let nothing = try BuiltProgram.run(["transcript", "decode", path("none.pcapng")])
        #expect(nothing.status == 1 && nothing.errors.contains("none.pcapng cannot be read"))
        let text = try BuiltProgram.run(["transcript", "decode", bad])
        #expect(text.status == 1 && text.errors.contains("this is no pcapng file (byte 0); give one"))
        let alone = try BuiltProgram.run(["serve", "--capture-keys", path("k"), "--state-dir", path("hub")])
        #expect(alone.status == 2 && alone.errors.contains("--capture-keys is for --capture FILE"))
    }

    @Test func `a command records itself when it is told to, and its TLS secrets by SSLKEYLOGFILE only`() throws {
        let hub = try FakeHub()
        _ = try write("\(hub.grant.text)\n", to: "admin.grant")
        var environment = ["NO_COLOR": "1", "MATTERHUB_STATE_DIR": folder.path, "MATTERHUB_HUB": hub.place]
        #expect(try BuiltProgram.run(["rooms", "list"], environment: environment).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["admin.grant"])
        environment["MATTERHUB_TRANSCRIPT"] = path("t.jsonl")
        #expect(try BuiltProgram.run(["rooms", "list"], environment: environment).errors.isEmpty)
        let shown = try BuiltProgram.run(["transcript", "show", path("t.jsonl")])
        #expect(shown.output.contains("#1 rooms.list done"))
        #expect(!shown.output.contains("mh1."))
        environment["SSLKEYLOGFILE"] = path("keys")
        let logged = try BuiltProgram.run(["rooms", "list"], environment: environment)
        #expect(logged.errors.contains("warning: "))
        #expect(try String(contentsOfFile: path("keys"), encoding: .utf8).contains("CLIENT_TRAFFIC_SECRET_0 "))
        environment["MATTERHUB_TRANSCRIPT"] = "/dev/null/t"
        let refused = try BuiltProgram.run(["rooms", "list"], environment: environment)
        #expect(refused.status == 1 && refused.errors.contains("the transcript /dev/null/t cannot be written"))
    }

    @Test func `a client's half is replayed to a hub over TLS`() throws {
        let hub = try FakeHub()
        let grant = try write("\(hub.grant.text)\n", to: "grant")
        let recorded = path("t.jsonl")
        _ = try BuiltProgram.run(
            ["rooms", "list", "--hub", hub.place, "--grant-file", grant, "--transcript", recorded])
        let again = ["transcript", "replay", "--hub", hub.place, "--grant-file", grant, recorded]
        let same = try BuiltProgram.run(again)
        #expect(same.status == 0, "\(same.output)\(same.errors)")
        #expect(same.lines.last == "4 frames as in the transcript, 0 differences.")
        hub.on(.roomsList) { _ in .result(["rooms": []]) }
        let other = try BuiltProgram.run(again)
        #expect(other.status == 1)
        #expect(other.output.contains("result.rooms[0]: "))
        let stranger = try FakeHub()
        let wrong = try BuiltProgram.run(
            ["transcript", "replay", "--hub", stranger.place, "--grant-file", grant, recorded])
        #expect(wrong.status == 4 && stranger.hellos.isEmpty)
    }

    @Test func `a hub's half is played to a client, which gets a grant for it`() throws {
        let hub = try FakeHub()
        let grant = try write("\(hub.grant.text)\n", to: "grant")
        let recorded = path("t.jsonl")
        _ = try BuiltProgram.run(["rooms", "list", "--hub", hub.place, "--grant-file", grant, "--transcript", recorded])
        let process = Process()
        process.executableURL = BuiltProgram.url
        process.arguments = ["transcript", "replay", "--as-hub", "--json", "--grant-out", path("g"), recorded]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var first: [UInt8] = []
        while !first.contains(0x0A) {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty)
            first += more
        }
        let ready = try JSONObject(parsing: first)
        let port = try #require(ready["port"]?.integer)
        let client = try BuiltProgram.run(
            ["rooms", "list", "--json", "--hub", "127.0.0.1:\(port)", "--grant-file", path("g")])
        #expect(client.status == 0, "\(client.errors)")
        #expect(client.lines.count == 2)
        let rest = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(rest.hasSuffix(#"{"event":"finished","passed":4,"differences":0}"# + "\n"))
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: path("g"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `a capture whose end was not written is decoded as far as it goes`() throws {
        let head: [UInt8] = [
            0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
            0xFF, 0xFF, 28, 0, 0, 0,
        ]
        try Data(head + [6, 0, 0, 0, 40, 0, 0, 0, 1]).write(to: URL(fileURLWithPath: path("cut.pcapng")))
        let outcome = try BuiltProgram.run(["transcript", "decode", path("cut.pcapng")])
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("the last 9 bytes are no whole block"))
        #expect(outcome.output.contains("0 messages"))
    }
}
