import Glibc
import NetIO
import SetupDoubles
import TestSupport
import Testing

@testable import MatterSupport

@Suite("The extension as an executable", .timeLimit(.minutes(2))) struct ExtensionProcessTests {
    @Test(arguments: [
        ("exit=rooms", "rooms", "with status 7"), ("kill=commission", "commission", "by signal 9 (Killed)"),
        ("exit=validate", "validate", "with status 7"), ("kill=configure", "configure", "by signal 9 (Killed)"),
    ]) func `its death is an error, and the phone leaves`(_ orders: String, _ step: String, _ how: String) async throws
    {
        let phone = FakePhone()
        let bench = SetupBench(.executable, "rooms=Hall \(orders)", phone: phone)
        let error = try await bench.failure()
        #expect(error.setup?.code == .extensionEnded && error.step == step)
        #expect(error.setup?.message == "the extension ended \(how) before it had answered \(step)")
        #expect(phone.log.last == "remove 1")
        expectGone(await bench.note("made"))
    }

    @Test(arguments: [
        ("quits", "ended with status 3 before it said hello"), ("garbage", "no dialogue of MatterHub's"),
        ("huge", "longer than the limit"), ("half", "in the middle of a message"),
        ("newer", "speaks version 2 of the dialogue, this one 1"), ("rude", "did not begin with a hello"),
        ("mistaken", "answered call 99 and not 1"),
    ]) func `what is no extension is an error`(_ orders: String, _ text: String) async throws {
        let phone = FakePhone()
        let bench = SetupBench(.executable, orders, phone: phone)
        let error = try await bench.failure()
        #expect(error.setup?.message.contains(text) == true, "\(error)")
        #expect(phone.log.last == "remove 1")
    }

    @Test func `a file that cannot be run`() async throws {
        let missing = try await SetupBench(.executable, phone: FakePhone(), executable: "/nowhere/extension").failure()
        #expect(missing.setup?.code == .extensionUnusable)
        #expect(missing.setup?.message.contains("MATTERHUB_EXTENSION names “/nowhere/extension”") == true)
        let file = try await SetupBench(.executable, phone: FakePhone(), executable: "/etc/hostname").failure()
        #expect(file.setup?.message.contains("Permission denied") == true || getuid() == 0)
    }

    @Test(arguments: ["silent", "deaf"]) func `one that says nothing is ended`(_ orders: String) async throws {
        let bench = SetupBench(.executable, orders, phone: FakePhone())
        let limits = bench.environment.limits
        async let error = bench.failure()
        // Beside the timer of the call there is the one of the hello, then those of the process's end.
        await bench.time.sleepers(atLeast: 2)
        await bench.time.advance(by: limits.start)
        for _ in 0..<(orders == "deaf" ? 2 : 1) {
            await bench.time.sleepers(atLeast: 2)
            await bench.time.advance(by: limits.grace)
        }
        let message = try await error.setup?.message ?? ""
        #expect(message.contains("did not say hello within 30"), "\(message)")
    }

    @Test func `cancelled before its hello, it is ended`() async throws {
        let bench = SetupBench(.executable, "silent", phone: FakePhone())
        let task = Task { try await bench.failure() }
        await bench.time.sleepers(atLeast: 2)
        task.cancel()
        #expect(try await bench.whileTimePasses(task).isCancelled)
    }

    @Test func `it inherits the environment, but not the variable that would start another`() async throws {
        let (ours, theirs) = try DialogueSocket.pair()
        defer { close(theirs) }
        let child = try ChildProcess(
            starting: "/bin/sh", environment: ["A": "1"], inherited: theirs, as: ExtensionProcess.descriptor)
        #expect(await child.ending == .exited(0))
        child.signal(SIGKILL)
        withExtendedLifetime(ours) {}
    }

    @Test func `main outside of a request says what to do`() async {
        let error = await #expect(throws: MatterSetupError.self) {
            try await MatterExtensionHost.main { FakeHandler("") { _ in } }
        }
        #expect(error?.code == .noExtension)
        #expect(error?.message.contains("MATTERHUB_EXTENSION") == true)
    }

    // MARK: - The extension's side

    private func serving(_ orders: String) throws -> (app: DialogueSocket, server: Task<Void, any Error>) {
        let (app, theirs) = try DialogueSocket.pair()
        let server = ExtensionServer(
            DialogueSocket(takingOwnership: theirs), { FakeHandler(orders) { _ in } }, group: nil)
        return (app, Task { try await server.run() })
    }

    @Test func `it answers each call, and ends with the dialogue`() async throws {
        let (app, server) = try serving("rooms=A fail=validate")
        #expect(try await app.receive() == .hello(version: 1))
        try await app.send(.hello(version: 1))
        try await app.send(.call(id: 5, .rooms(nil)))
        #expect(try await app.receive() == .answer(id: 5, .success(.rooms([.init(displayName: "A")]))))
        try await app.send(.call(id: 6, .validate(FakePhone.credential)))
        #expect(try await app.receive() == .answer(id: 6, .failure(PortableError(FakeHandler.failure))))
        app.shutDown()
        try await server.value
    }

    @Test func `the end of the app cancels the handler`() async throws {
        let (app, server) = try serving("wait=commission")
        try await app.send(.hello(version: 1))
        try await app.send(.call(id: 1, .commission(nil, payload: "", id: UUID())))
        app.shutDown()
        try await server.value
    }

    @Test func `an app that gives up before its hello is no error`() async throws {
        let (app, server) = try serving("")
        app.shutDown()
        try await server.value
    }

    @Test func `an app of another version, or without manners, is refused`() async throws {
        for message in [DialogueMessage.hello(version: 2), .cancel] {
            let (app, server) = try serving("")
            try await app.send(message)
            await #expect(throws: MatterSetupError.self) { try await server.value }
        }
        let (app, server) = try serving("")
        try await app.send(.hello(version: 1))
        try await app.send(.answer(id: 1, .success(.done)))
        await #expect(throws: MatterSetupError.self) { try await server.value }
    }
}
