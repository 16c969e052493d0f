import Foundation
import HubControl
import NetIO
import Testing
import Transcript

@testable import Hub

@Suite("ControlServer: transcripts (Protocols/transcripts.md)", .timeLimit(.minutes(1)))
struct ControlTranscriptTests {
    @Test func `every dialogue is written down as it was on the wire, the refused ones too, without grants`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("t.jsonl").path
        let log = try DialogueLog(
            path: path, about: "A test.", prefix: "", clock: DriverClock(), unixMilliseconds: 0,
            report: { Issue.record("\($0)") })
        try await withServer(configure: { $0.transcript = log }) { server in
            let client = try await server.client()
            _ = try await client.call(.roomsList)
            await #expect(throws: ControlError.self) { try await client.call(.devicesRemove, ["id": "1"]) }
            client.channel.finishWriting()
            await client.end()
            let plain = TestClient(try await server.tcp())
            try await plain.hello("mh1.no.such.grant")
            await plain.end()
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let dialogue = try Dialogue(parsing: Array(text.utf8))
        let first = dialogue.frames.map(\.value).filter { $0.connection == "1" }
        #expect(first.map(\.kind) == ["hello", "welcome", "request", "response", "request", "response"])
        #expect(first[0].payload["grant"] == "<grant-text-1>")
        #expect(first[5].payload["error"]?.object?["name"] != nil)
        let refused = dialogue.frames.map(\.value).filter { $0.connection == "2" }
        #expect(refused.contains { $0.kind == "goaway" && $0.payload["name"] == "permissionDenied" })
        #expect(!text.contains("mh1."))
        #expect(DialogueTimeline(dialogue).entries.filter { $0.text == "closed" }.count == 2)
    }
}
