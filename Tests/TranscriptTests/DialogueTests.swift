import HubControl
import TestSupport
import Testing
import Transcript

@Suite("Lines of transcripts (Protocols/transcripts.md)") struct DialogueTests {
    @Test(arguments: GoldenTranscripts.names)
    func `the golden transcripts are read, and written as they are`(_ name: String) throws {
        let dialogue = try GoldenTranscripts.load(name)
        #expect(dialogue.frames.count > 10)
        #expect(dialogue.about != nil)
        let again = try Dialogue(parsing: dialogue.lines.flatMap(\.value.encoded))
        #expect(again == dialogue)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        var text: String, words: String
        var testDescription: String { text }
    }

    static let bad: [Bad] = [
        Bad(text: "", words: "there is no frame in it"),
        Bad(text: #"{"about": "nothing"}"#, words: "there is no frame in it"),
        Bad(text: "{", words: "line 1: the JSON text ends too early"),
        Bad(text: "[]", words: "line 1: the payload is no JSON object"),
        Bad(text: "{\"about\": \"x\"}\n\nhello", words: "line 3: the payload is no JSON object"),
        Bad(text: #"{"about": 1}"#, words: "line 1: about must be a string"),
        Bad(text: #"{"from": "hub", "kind": "event", "payload": {}}"#, words: "line 1: connection is missing"),
        Bad(
            text: #"{"connection": "a", "from": "moon", "kind": "event", "payload": {}}"#,
            words: "from must be “client”"),
        Bad(
            text: #"{"connection": "a", "from": "hub", "kind": "event", "payload": 5}"#,
            words: "payload must be an object"),
        Bad(text: #"{"connection": "a", "from": "hub", "payload": {}}"#, words: "kind is missing"),
        Bad(
            text: #"{"ms": -1, "connection": "a", "from": "hub", "kind": "event", "payload": {}}"#, words: "ms must be"),
        Bad(text: #"{"ms": "1", "connection": "a", "note": "x"}"#, words: "ms must be"),
        Bad(text: "\n\r\r\n\u{1c}", words: "transcript decode"),
    ]

    @Test(arguments: bad) func `what is no transcript is refused with the line and what to do`(_ bad: Bad) throws {
        var bytes = Array(bad.text.utf8)
        if bad.words == "transcript decode" { bytes = [0x0A, 0x0D, 0x0D, 0x0A, 0x1C, 0, 0, 0] }
        let error = #expect(throws: TranscriptError.self) { try Dialogue(parsing: bytes) }
        let text = error?.description ?? ""
        #expect(text.contains(bad.words), "\(text)")
        #expect(text.contains("; "), "\(text)")
    }

    @Test func `damaged transcripts are read or refused`() throws {
        var generator = SeededGenerator(seed: 41)
        let lines = try GoldenTranscripts.load("seed-flow").lines.map(\.value.encoded)
        var refused = 0
        for _ in 0..<2000 {
            guard let line = lines.randomElement(using: &generator) else { break }
            do throws(TranscriptError) {
                let line = try DialogueLine(parsing: generator.mutated(Array(line.dropLast())), number: 7)
                _ = try DialogueLine(parsing: Array(line.encoded.dropLast()), number: 7)
                let dialogue = try Dialogue(parsing: line.encoded)
                _ = DialogueTimeline(dialogue).lines
                _ = DialogueComparison().differences(dialogue, dialogue)
            } catch {
                refused += 1
                #expect(error.line == 7 || error.code == .empty)
            }
        }
        #expect((400..<2000).contains(refused), "\(refused)")
    }

    @Test func `a timeline has the time, the direction and what was answered`() throws {
        let text = """
            {"about": "x", "at": 5}
            {"ms": 0, "connection": "1", "note": "opened from [::1]:5, TLS"}
            {"ms": 1.5, "connection": "1", "from": "client", "kind": "request", "payload": {"id": 1, "method": "session.prepare"}}
            {"ms": 2, "connection": "1", "from": "hub", "kind": "event", "payload": {"number": 3, "event": "session.prepared", "data": {"a": "\\u001b[2J\\u202e"}}}
            {"ms": 13.25, "connection": "1", "from": "hub", "kind": "response", "payload": {"id": 1, "error": {"code": 9, "name": "failedPrecondition", "message": "another", "stage": "csr", "details": {"reason": "sessionActive"}}}}
            {"ms": 14, "connection": "1", "from": "hub", "kind": "goaway", "payload": {"code": 14, "name": "unavailable", "message": "stopping"}}
            """
        let timeline = DialogueTimeline(try Dialogue(parsing: Array(text.utf8)))
        #expect(
            timeline.lines == [
                "     0.000  1 · opened from [::1]:5, TLS",
                "     1.500  1 → #1 session.prepare",
                #"     2.000  1 ← event 3 session.prepared {"a":"\u001b[2J"# + "\u{FFFD}" + #""}"#,
                "    13.250  1 ← #1 session.prepare failed at csr: failedPrecondition (sessionActive): another [11.750 ms]",
                "    14.000  1 ← goaway unavailable: stopping",
            ])
        #expect(timeline.entries[3].elapsed == 11.75)
    }
}
