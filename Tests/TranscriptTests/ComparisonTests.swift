import HubControl
import Testing
import Transcript

@Suite("Comparing dialogues") struct ComparisonTests {
    /// The transcript with a text replaced throughout, line by line.
    static func variant(_ name: String, _ change: (String) -> String) throws -> Dialogue {
        let text = String(decoding: try GoldenTranscripts.bytes(name), as: UTF8.self)
        return try Dialogue(
            parsing: Array(text.split(separator: "\n").map { change(String($0)) }.joined(separator: "\n").utf8))
    }

    static func differences(_ left: Dialogue, _ right: Dialogue) -> [DialogueDifference] {
        DialogueComparison().differences(left, right)
    }

    @Test(arguments: GoldenTranscripts.names)
    func `ids, times, versions and event numbers of another run are no difference`(_ name: String) throws {
        let other = try Self.variant(name) { line in
            var line = line
            for (from, to) in [
                ("<session-1>", "00000000000000a1"), ("<session-2>", "00000000000000a2"),
                ("<id-1>", "00000000000000b1"),
                ("<node-1>", "00000000000000c1"), ("<structure-1>", "<structure-7>"), ("\"<ms>\"", "17"),
                ("\"<time>\"", "1700000000"), ("<address-1>", "127.0.0.1:5540"), ("app 2", "second"),
                ("commission-1", "other-key"), ("\"message\": \"", "\"message\": \"said otherwise: "),
            ] {
                line = line.replacing(from, with: to)
            }
            return line
        }
        #expect(Self.differences(try GoldenTranscripts.load(name), other).isEmpty)
        #expect(Self.differences(other, try GoldenTranscripts.load(name)).isEmpty)
    }

    @Test func `numbers of events count from where the welcome stands`() throws {
        let later = try Self.variant("cancel-in-a-stage") { line in
            var line = line
            for number in (1...12).reversed() {
                line = line.replacing("\"number\": \(number),", with: "\"number\": \(number + 40),")
                line = line.replacing("\"next\": \(number),", with: "\"next\": \(number + 40),")
            }
            return line.replacing("\"newest\": 1}", with: "\"newest\": 41}")
        }
        let golden = try GoldenTranscripts.load("cancel-in-a-stage")
        #expect(Self.differences(golden, later).isEmpty)
        let gap = try Self.variant("cancel-in-a-stage") { $0.replacing("\"number\": 8,", with: "\"number\": 9,") }
        #expect(Self.differences(golden, gap).map(\.values) == [[ValueDifference(path: "number", left: 8, right: 9)]])
    }

    @Test func `between an event and a response there is no order`() throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        // Every response as early as it can be: right after its request.
        var frames: [DialogueFrame] = []
        for frame in golden.frames.map(\.value) {
            if frame.kind == "response",
                let index = frames.lastIndex(where: { $0.kind == "request" && $0.requestID == frame.requestID })
            {
                frames.insert(frame, at: index + 1)
            } else {
                frames.append(frame)
            }
        }
        #expect(frames != golden.frames.map(\.value))
        #expect(Self.differences(golden, Dialogue(frames)).isEmpty)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        var from: String, to: String, count: Int, path: String
        var testDescription: String { "\(from) → \(to)" }
    }

    static let changes: [Change] = [
        Change(from: "\"name\": \"Lamp\"", to: "\"name\": \"Desk\"", count: 1, path: "result.devices[0].name"),
        Change(from: "\"reachable\": true", to: "\"reachable\": false", count: 1, path: "result.devices[0].reachable"),
        Change(from: "\"reachable\": true, ", to: "", count: 1, path: "result.devices[0].reachable"),
        Change(from: "\"gap\": false", to: "\"gap\": true", count: 1, path: "result.gap"),
        Change(
            from: "{\"deviceIds\": [\"", to: "{\"deviceIds\": [\"<id-9>\", \"", count: 1, path: "result.deviceIds[0]"),
        Change(from: "\"stage\": \"csr\", \"index\"", to: "\"stage\": \"CSR\", \"index\"", count: 2, path: ""),
        Change(from: "\"method\": \"devices.list\"", to: "\"method\": \"rooms.list\"", count: 3, path: ""),
        Change(from: "\"name\": \"Contract hub\"", to: "\"name\": \"Other\"", count: 1, path: "hub.name"),
    ]

    @Test(arguments: changes) func `what is different is found, with the member`(_ change: Change) throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        let other = try Self.variant("seed-flow") { $0.replacing(change.from, with: change.to) }
        let found = Self.differences(golden, other)
        #expect(found.count >= 1)
        if change.path.isEmpty { return }
        #expect(found.first?.values.first?.path == change.path, "\(found.map(\.values))")
    }

    @Test func `an id that stands for two is a difference, and what is ignored is none`() throws {
        let golden = try GoldenTranscripts.load("refused-prepare")
        let same = try Self.variant("refused-prepare") { $0.replacing("<session-2>", with: "<session-1>") }
        let found = Self.differences(golden, same)
        #expect(
            found.map(\.values) == [
                [ValueDifference(path: "result.session", left: "<session-2>", right: "<session-1>")]
            ])
        var matcher = DialogueMatcher()
        matcher.ignoredPaths = ["result.session"]
        #expect(DialogueComparison(matcher: matcher).differences(golden, same).isEmpty)
        let reworded = try Self.variant("refused-prepare") { $0.replacing("another app holds", with: "held:") }
        #expect(Self.differences(golden, reworded).isEmpty)
        matcher.comparesMessages = true
        #expect(DialogueComparison(matcher: matcher).differences(golden, reworded).count == 1)
    }

    @Test func `names of secrets of several recordings in one file are each their own`() throws {
        let golden = try GoldenTranscripts.load("resume-after-reconnect")
        var isSecond = false
        let appended = try Self.variant("resume-after-reconnect") { line in
            isSecond = isSecond || line.contains("app 2")
            return isSecond ? line.replacing("<grant-text-1>", with: "<grant-text-2.1>") : line
        }
        #expect(Self.differences(golden, appended).isEmpty)
        #expect(Self.differences(appended, golden).isEmpty)
        let other = try Self.variant("resume-after-reconnect") { line in
            line.contains("app 2") ? line.replacing("<grant-text-1>", with: "<grant-text-2>") : line
        }
        #expect(Self.differences(golden, other).map { $0.values.map(\.path) } == [["grant"]])
    }

    @Test func `a member that only a newer version has is none`() throws {
        let old = try Self.variant("seed-flow") {
            $0.replacing("\"protocol\": \"<version>\"", with: "\"protocol\": \"1.1\"")
        }
        func with(_ version: String) throws -> Dialogue {
            try Self.variant("seed-flow") { line in
                line.replacing("\"protocol\": \"<version>\"", with: "\"protocol\": \"\(version)\"")
                    .replacing("\"bridged\": false", with: "\"bridged\": false, \"colour\": 1")
            }
        }
        #expect(Self.differences(old, try with("1.2")).isEmpty)
        #expect(Self.differences(try with("1.2"), old).isEmpty)
        #expect(Self.differences(old, try with("1.1")).count == 1)
        #expect(Self.differences(old, try with("1.0")).count == 1)
    }

    @Test func `no difference shows a secret`() throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        let grants = try Self.variant("seed-flow") { $0.replacing("\"<grant-text-1>\"", with: "5") }
        let found = Self.differences(grants, golden)
        #expect(!found.isEmpty)
        let codes = try Self.variant("seed-flow") { $0.replacing("\"MT:-24J0AFN00KA0648G00\"", with: "{}") }
        let values = Self.differences(golden, codes).flatMap(\.values)
        #expect(values == [ValueDifference(path: "params.payload", left: "<secret>", right: [:])])
    }

    @Test func `long dialogues are compared too, in a time that does not grow with the square`() throws {
        let frames = (0..<6000).map { number in
            DialogueFrame(
                connection: "a", sender: .client, kind: "request",
                payload: ["id": JSONValue(number + 1), "method": .string("m\(number % 700)")])
        }
        #expect(Self.differences(Dialogue(frames), Dialogue(frames)).isEmpty)
        let found = Self.differences(Dialogue(frames), Dialogue(Array(frames[..<3000] + frames[3001...])))
        #expect(found.count == 1 && found.first?.left?.line == 3001 && found.first?.right == nil)
        let others = frames.map { frame in
            var frame = frame
            frame.payload["method"] = "other"
            return frame
        }
        #expect(Self.differences(Dialogue(frames), Dialogue(others)).count == 12_000)
    }
}
