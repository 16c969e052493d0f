import FakeHub
import Foundation
import HubControl
import NetIO
import Testing

@testable import HubClient
@testable import Transcript

@Suite("Recording connections", .timeLimit(.minutes(5))) struct RecordingTests {
    /// Other tests may keep this process's threads busy for long.
    static let patience = Duration.seconds(120)

    static func log(_ path: String, _ prefix: String = "", at time: Int64 = 1_000_000) throws -> DialogueLog {
        try DialogueLog(
            path: path, about: "A test.", prefix: prefix, clock: DriverClock(), unixMilliseconds: time,
            report: { Issue.record("\($0)") })
    }

    @Test func `a client writes down what it says within TLS, for its owner only, and without secrets`() async throws {
        let (hub, folder) = (try FakeHub(), try TemporaryFolder())
        hub.on(.sessionCommission) { _ in .result([:]) }
        let log = try Self.log(folder.path("t.jsonl"), "app ")
        let target = HubTarget([HubAddress(host: "127.0.0.1", port: hub.port)], .tls(hub.grant)).recorded(
            in: ConnectionRecords(transcript: log))
        let connection = try await HubConnection.connect(to: target, limit: Self.patience)
        _ = try await connection.request(
            .sessionCommission, ["payload": "MT:Y.K90AFN00KA0648G00", "clientKey": "k"])
        await connection.close()
        _ = try BlockingHubConnection(target, limit: Self.patience).call(.rooms())
        let text = try folder.text("t.jsonl")
        #expect(!text.contains(hub.grant.text) && !text.contains("mh1.") && !text.contains("MT:"))
        let dialogue = try Dialogue(parsing: Array(text.utf8))
        #expect(dialogue.about == "A test.")
        let connections = DialogueTimeline(dialogue).connections
        #expect(connections == ["app 1", "app 2"])
        let kinds = dialogue.frames.map { "\($0.value.connection) \($0.value.sender) \($0.value.kind)" }
        #expect(kinds.prefix(3) == ["app 1 client hello", "app 1 hub welcome", "app 1 client request"])
        #expect(kinds.suffix(2) == ["app 2 client request", "app 2 hub response"])
        let times = dialogue.frames.compactMap(\.value.milliseconds)
        #expect(times.count == dialogue.frames.count && times == times.sorted())
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("t.jsonl"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `an app records itself and its TLS secrets by variables, and by nothing else`() async throws {
        let (hub, folder) = (try FakeHub(), try TemporaryFolder())
        var environment = ["HOME": folder.url.path, "MATTERHUB_HUB": hub.place]
        let plain = try ClientSettings(environment: environment)
        #expect(plain.records == ConnectionRecords())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        environment["MATTERHUB_TRANSCRIPT"] = folder.path("t.jsonl")
        environment["SSLKEYLOGFILE"] = folder.path("keys")
        let recorded = try ClientSettings(environment: environment)
        let target = HubTarget([try #require(recorded.hub)], recorded.security(hub.grant))
        let connection = try await HubConnection.connect(
            to: target.recorded(in: recorded.records), limit: Self.patience)
        await connection.close()
        let dialogue = try Dialogue(parsing: Array(try folder.text("t.jsonl").utf8))
        #expect(dialogue.frames.map(\.value.kind) == ["hello", "welcome"])
        #expect(try folder.text("keys").contains("CLIENT_TRAFFIC_SECRET_0 "))
        environment["MATTERHUB_TRANSCRIPT"] = folder.path("no/such")
        #expect(throws: ControlError.self) { try ClientSettings(environment: environment) }
    }

    @Test func `a second recording in one file has names and times of its own`() throws {
        let folder = try TemporaryFolder()
        for (run, time) in [(1, 5_000), (2, 7_500)] {
            let log = try Self.log(folder.path("t.jsonl"), at: Int64(time))
            let watch = log.open("from here")
            watch.passed(RecorderTests.client, from: .client)
            watch.closed()
            watch.closed()
            #expect(run > 0)
        }
        let dialogue = try Dialogue(parsing: Array(try folder.text("t.jsonl").utf8))
        #expect(DialogueTimeline(dialogue).connections == ["1", "2.1"])
        let grants = dialogue.frames.compactMap { $0.value.payload["grant"]?.string }
        #expect(grants == ["<grant-text-1>", "<grant-text-2.1>"])
        let second = dialogue.frames.first { $0.value.connection == "2.1" }?.value.milliseconds
        #expect(second.map { $0 >= 2_500 && $0 < 60_000 } == true)
        let notes = dialogue.lines.filter { line in if case .note = line.value { true } else { false } }
        #expect(notes.count == 4)
    }

    @Test func `a file that is no transcript is left as it is`() throws {
        let folder = try TemporaryFolder()
        try Data("precious\n".utf8).write(to: folder.url.appendingPathComponent("t"))
        #expect(throws: TranscriptError.self) { try Self.log(folder.path("t")) }
        #expect(try folder.text("t") == "precious\n")
        #expect(throws: NetError.self) { try Self.log(folder.url.path) }
    }

    @Test func `a relay records what is plain, and passes TLS on unread`() async throws {
        let (hub, folder) = (try FakeHub(), try TemporaryFolder())
        let relay = RecordingRelay(
            listener: try TCPListener(addresses: [.loopbackV4]), hub: [SocketAddress(ip: .loopbackV4, port: hub.port)],
            log: try Self.log(folder.path("t.jsonl")), clock: DriverClock(), connectTime: Self.patience)
        let running = Task { await relay.run() }
        let address = HubAddress(host: "127.0.0.1", port: relay.port)
        for security in [HubSecurity.plainSending(hub.grant), .tls(hub.grant)] {
            let connection = try await HubConnection.connect(to: HubTarget([address], security), limit: Self.patience)
            _ = try await connection.request(.roomsList)
            await connection.close()
        }
        running.cancel()
        await running.value
        let dialogue = try Dialogue(parsing: Array(try folder.text("t.jsonl").utf8))
        #expect(dialogue.frames.map(\.value.kind) == ["hello", "welcome", "request", "response"])
        let texts = DialogueTimeline(dialogue).entries.filter { $0.connection == "2" }.map(\.text)
        #expect(texts.count == 4)
        #expect(texts.dropFirst().first?.hasPrefix("TLS: passed on unread") == true)
        #expect(texts.dropFirst(2).first?.hasSuffix(" bytes of TLS passed") == true)
    }

    @Test(arguments: GoldenTranscripts.names)
    func `a replayed client and a replayed hub understand each other over TLS`(_ name: String) async throws {
        let golden = try GoldenTranscripts.load(name)
        let authority = try ControlCA.create(commonName: "replay", validity: FakeHub.validity)
        let problems = Locked<[DialogueDifference]>([])
        let listener = try TCPListener(addresses: [.loopbackV4])
        let server = HubReplayServer(
            HubReplay(golden, ReplaySubstitutions(), .init(now: 1, version: "1")), listener: listener,
            tls: try TLSContext.server(
                authority.issue(commonName: "replay", validity: FakeHub.validity), applicationProtocol: "matterhub/1"),
            allowsPlain: false, clock: DriverClock(), openingTime: Self.patience
        ) { action in
            if case .differs(let difference) = action { problems.withLock { $0.append(difference) } }
        }
        let serving = Task { await server.run() }
        let run = ClientReplayRun(
            hub: [SocketAddress(ip: .loopbackV4, port: listener.port)],
            tls: try TLSContext.client(trust: .pinned(authority.pin), applicationProtocol: "matterhub/1"),
            clock: DriverClock(), patience: Self.patience)
        var passed = 0
        try await run.run(try ClientReplay(golden, GoldenTranscripts.substitutions)) { action in
            switch action {
            case .passed: passed += 1
            case .differs(let difference): problems.withLock { $0.append(difference) }
            case .connect, .send, .close, .finished: break
            }
        }
        // It ends by itself when all was played.
        await serving.value
        #expect(problems.withLock { $0 } == [])
        #expect(passed == golden.frames.count)
    }
}
