import HubControl
import Testing
import Transcript

/// The two halves of a replay, joined in memory.
private struct Joined {
    var client: ClientReplay
    var hub: HubReplay
    var differences: [DialogueDifference] = []
    var passed = 0
    var isFinished = false
    /// Labels of the client's connections, and those of the hub's.
    private var labels: [String: String] = [:]
    private var decoders: [String: FrameDecoder] = [:]

    init(_ client: Dialogue, _ hub: Dialogue) throws {
        self.client = try ClientReplay(client, GoldenTranscripts.substitutions)
        self.hub = HubReplay(hub, ReplaySubstitutions(), .init(now: 1_700_000_000, version: "1"))
    }

    mutating func run() {
        var actions = client.start()
        while true {
            while !actions.isEmpty { actions = actions.flatMap { take($0) } }
            if isFinished { return }
            // Nothing is on its way: what is waited for will not come.
            actions = client.timedOut()
        }
    }

    private mutating func take(_ action: ClientReplay.Action) -> [ClientReplay.Action] {
        switch action {
        case .connect(let label):
            labels[label] = hub.opened()
            decoders[label] = FrameDecoder(reading: .client)
            return labels[label] == nil ? client.ended(label) : []
        case .send(let label, let bytes):
            decoders[label]?.append(bytes)
            var answers: [ClientReplay.Action] = []
            while let mine = labels[label], let frame = try? decoders[label]?.next() {
                for action in hub.received(frame, on: mine) { answers += take(action, label) }
            }
            return answers
        case .close(let label):
            guard let mine = labels.removeValue(forKey: label) else { return [] }
            for action in hub.ended(mine) { _ = take(action, label) }
            return []
        case .passed: passed += 1
        case .differs(let difference): differences.append(difference)
        case .finished: isFinished = true
        }
        return []
    }

    private mutating func take(_ action: HubReplay.Action, _ label: String) -> [ClientReplay.Action] {
        switch action {
        case .send(let bytes):
            var decoder = FrameDecoder(reading: .hub)
            decoder.append(bytes)
            guard let frame = try? decoder.next() else { return [] }
            return client.received(frame, on: label)
        case .close:
            labels[label] = nil
            return client.ended(label)
        case .passed: return []
        case .differs(let difference):
            differences.append(difference)
            return []
        }
    }
}

@Suite("Replaying dialogues") struct ReplayTests {
    @Test(arguments: GoldenTranscripts.names)
    func `both halves of a transcript understand each other`(_ name: String) throws {
        let golden = try GoldenTranscripts.load(name)
        var joined = try Joined(golden, golden)
        joined.run()
        #expect(joined.differences.isEmpty, "\(joined.differences)")
        #expect(joined.passed == golden.frames.count)
        #expect(joined.hub.isFinished)
    }

    @Test(arguments: ComparisonTests.changes)
    func `a hub that answers otherwise is found`(_ change: ComparisonTests.Change) throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        let other = try ComparisonTests.variant("seed-flow") { $0.replacing(change.from, with: change.to) }
        var joined = try Joined(golden, other)
        joined.run()
        #expect(!joined.differences.isEmpty)
        #expect(joined.isFinished)
    }

    @Test func `an answer or an event that does not come is found, and the replay goes on`() throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        for missing in golden.frames where missing.value.sender == .hub && missing.value.kind != "welcome" {
            var joined = try Joined(golden, Dialogue(golden.frames.filter { $0 != missing }.map(\.value)))
            joined.run()
            #expect(joined.isFinished)
            #expect(joined.differences.contains { $0.left == missing && $0.right == nil }, "\(missing)")
        }
    }

    @Test func `an event that was not recorded is found`() throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        var frames = golden.frames.map(\.value)
        let index = try #require(frames.firstIndex { $0.event == "session.prepared" })
        var more = frames[index]
        more.payload["event"] = "room.removed"
        frames.insert(more, at: index)
        var joined = try Joined(golden, Dialogue(frames))
        joined.run()
        #expect(joined.differences.contains { $0.left == nil && $0.right?.value.event == "room.removed" })
    }

    @Test func `placeholders without a value are named before anything is sent`() throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        let error = #expect(throws: MissingSubstitutions.self) { try ClientReplay(golden, ReplaySubstitutions()) }
        #expect(error?.names == ["grant-text-1", "address-1"])
        _ = try ClientReplay(golden, ReplaySubstitutions(["grant-text": "x", "address": "y"]))
    }

    @Test func `what is sent has the values of this run, and the code that was given`() throws {
        let golden = try GoldenTranscripts.load("seed-flow")
        var replay = try ClientReplay(golden, GoldenTranscripts.substitutions)
        var hub = HubReplay(golden, ReplaySubstitutions(), .init(now: 1, version: "1"))
        let opened = hub.opened()
        let label = try #require(opened)
        var sent: [JSONObject] = []
        var actions = replay.start()
        var decoder = FrameDecoder(reading: .client)
        while !actions.isEmpty {
            var next: [ClientReplay.Action] = []
            for case .send(_, let bytes) in actions {
                decoder.append(bytes)
                guard let frame = try decoder.next() else { continue }
                sent.append(try JSONObject(parsing: frame.payload))
                for case .send(let bytes) in hub.received(frame, on: label) {
                    var answers = FrameDecoder(reading: .hub)
                    answers.append(bytes)
                    if let frame = try answers.next() { next += replay.received(frame, on: "app") }
                }
            }
            actions = next
        }
        #expect(sent.first?["grant"] == "mh1.a.b.c")
        let commission = sent.first { $0["method"] == "session.commission" }?["params"]?.object
        #expect(commission?["payload"] == "MT:OTHER")
        #expect(commission?["address"] == "[::1]:5540")
        let invoke = sent.first { $0["method"] == "devices.invoke" }?["params"]?.object
        #expect(invoke?["id"]?.string?.hasPrefix("face") == true)
        #expect(!sent.contains { $0.encoded().contains(UInt8(ascii: "<")) })
    }
}
