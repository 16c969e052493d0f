import NetIO
import SetupDoubles
import TestSupport
import Testing

@testable import MatterSupport

@Suite("perform()", .timeLimit(.minutes(2))) struct PerformTests {
    private static let id = SetupBench.id

    @Test(arguments: TestHost.allCases) func `phone on: everybody does his part in order`(_ host: TestHost) async throws
    {
        let phone = FakePhone()
        let bench = SetupBench(host, phone: phone)
        let report = try await bench.perform()
        #expect(phone.log == ["commission \(SetupBench.code) -", "window 1"])
        #expect(
            bench.rest().dropFirst() == [
                "validate 2", "rooms Hut", "commission Hut \(FakePhone.window) \(Self.id)", "configure Lamp Hall",
            ])
        #expect(report.phone != nil && report.skippedValidation == nil && report.room?.displayName == "Hall")
        #expect(bench.logged.withLock { $0 } == ["the phone commissions the device: pase"])
    }

    @Test(arguments: TestHost.allCases) func `phone off: the extension gets the scanned code`(_ host: TestHost)
        async throws
    {
        let phone = FakePhone()
        var script = SetupBench.script
        (script.phoneFabric, script.address, script.name) = (false, "127.0.0.1:5540", nil)
        let bench = SetupBench(host, "", script: script, phone: phone)
        let report = try await bench.perform(.init(topology: .init(ecosystemName: "E", homes: [])))
        #expect(phone.log == ["examine \(SetupBench.code) 127.0.0.1:5540"])
        #expect(
            bench.rest().dropFirst() == [
                "validate 2", "rooms -", "commission - \(SetupBench.code) \(Self.id)", "configure Matter Accessory -",
            ])
        #expect(report.home == nil && report.room == nil && report.phone == nil)
    }

    @Test(arguments: TestHost.allCases) func `without a credential validate is skipped, and a line says so`(
        _ host: TestHost
    )
        async throws
    {
        let phone = FakePhone(hasCredential: false)
        var script = SetupBench.script
        script.phoneFabric = false
        let bench = SetupBench(host, script: script, phone: phone)
        #expect(try await bench.perform().skippedValidation == "the device takes no second PASE")
        #expect(!bench.rest().contains { $0.hasPrefix("validate") })
        #expect(
            bench.logged.withLock { $0 } == ["validateDeviceCredential was not called: the device takes no second PASE"]
        )
    }

    @Test(arguments: TestHost.allCases) func `networks are chosen by the extension`(_ host: TestHost) async throws {
        var script = SetupBench.script
        (script.wifi, script.thread) = (SetupFlowTests.scan, SetupFlowTests.threadScan)
        let bench = SetupBench(host, "wifi=Mine", script: script, phone: FakePhone(needs: .wifi))
        let report = try await bench.perform()
        #expect(report.wifi == .network(ssid: Data("Mine".utf8), credentials: Data("secret".utf8)))
        #expect(report.thread == .network(extendedPANID: 2))
        let notes = bench.rest()
        #expect(notes.contains(#"wifi ["Net"]"#) && notes.contains(#"thread ["T"]"#))
    }

    @Test(arguments: TestHost.allCases) func `each request has a handler of its own`(_ host: TestHost) async throws {
        let bench = SetupBench(host, phone: FakePhone())
        _ = try await bench.perform()
        _ = try await bench.perform()
        #expect(bench.rest().count { $0.hasPrefix("made") } == 2)
    }

    // MARK: - Errors that an app sees

    @Test(arguments: TestHost.allCases, ["validate", "wifi", "thread", "commission"])
    func `the extension's error is nested in the system's`(_ host: TestHost, _ step: String) async throws {
        let phone = FakePhone(needs: [.wifi, .thread])
        let bench = SetupBench(host, "rooms=Hall fail=\(step)", phone: phone)
        let error = try await bench.failure()
        #expect(error.step == step)
        #expect(error.under?.domain == "com.example.app" && error.under?.code == 42)
        #expect(error.under?.localizedDescription == "the extension gave up")
        let root = error.under?.under
        #expect(root?.domain == "com.google.home.HomeError" && root?.code == 14)
        #expect(root?.userInfo["MatterHubStage"] as? String == "pase")
        #expect(root?.userInfo["MatterHubReason"] as? String == "deviceVanished")
        #expect(root?.localizedRecoverySuggestion == "Look at the device.")
        #expect(error.localizedDescription == "The device was not added (\(step)): the extension gave up")
        #expect(phone.log.last == "remove 1")
    }

    @Test(arguments: TestHost.allCases) func `a device that the home has is HomeKit's 33`(_ host: TestHost) async throws
    {
        let error = try await SetupBench(host, "rooms=Hall exists=commission", phone: FakePhone()).failure()
        #expect(error.under?.domain == "HFErrorDomain" && error.under?.code == 33)
        #expect(error.under?.under?.domain == "com.google.home.HomeError" && error.under?.under?.code == 6)
    }

    @Test(arguments: [("commission", "device", true), ("window", "window", true), ("examine", "device", false)])
    func `the phone's error is nested too`(_ failing: String, _ step: String, _ on: Bool) async throws {
        let phone = FakePhone(failing: failing)
        var script = SetupBench.script
        script.phoneFabric = on
        let error = try await SetupBench(.inProcess, script: script, phone: phone).failure()
        #expect(error.under?.domain == "phone" && error.under?.code == 7 && error.step == step)
        #expect(phone.log.contains("remove 1") == (failing == "window"))
    }

    @Test func `a phone that is not there`() async throws {
        var environment = SetupBench(.inProcess, phone: FakePhone()).environment
        environment.phone = { throw MatterSetupError(.phoneFailed, "no phone") }
        do {
            try await SetupBench.request.perform(in: environment)
            Issue.record("nothing was thrown")
        } catch {
            #expect((error as NSError).setup == MatterSetupError(.phoneFailed, "no phone"))
        }
    }

    @Test func `the app's own code is not scanned, and must be one`() async throws {
        var script = SetupBench.script
        (script.code, script.address, script.cancelAt) = ("nonsense", "h:1", .scan)
        let phone = FakePhone()
        var request = SetupBench.request
        request.setupPayload = MTRSetupPayload(payload: "34970112332")
        _ = try await SetupBench(.inProcess, script: script, phone: phone).perform(request)
        #expect(phone.log.first == "commission 34970112332 h:1")
        request.setupPayload = MTRSetupPayload(setupPasscode: 0, discriminator: 1)
        let error = try await SetupBench(.inProcess, script: script, phone: FakePhone()).failure(request)
        #expect(error.setup?.code == .invalidCode && error.step == "scan")
    }

    @Test func `answers that are missing or do not fit`() async throws {
        var script = MatterSetupScript()
        var error = try await SetupBench(.inProcess, script: script, phone: FakePhone()).failure()
        #expect(error.setup?.code == .missingAnswer && error.step == "scan", "\(error)")
        #expect((error.under?.userInfo[MatterSetupError.codeKey] as? String) == "missingAnswer")
        script.code = "nonsense"
        error = try await SetupBench(.inProcess, script: script, phone: FakePhone()).failure()
        #expect(error.setup?.code == .invalidCode)
        script.code = SetupBench.code
        error = try await SetupBench(.inProcess, script: script, phone: FakePhone()).failure()
        #expect(error.setup?.code == .missingAnswer && error.step == "home")
        script.home = "House"
        let phone = FakePhone()
        error = try await SetupBench(.inProcess, script: script, phone: phone).failure()
        #expect(error.setup?.code == .missingAnswer && error.step == "room")
        #expect(phone.log.last == "remove 1")
        let request = MatterAddDeviceRequest(topology: SetupBench.request.topology, showing: .productID(1))
        error = try await SetupBench(.inProcess, phone: FakePhone()).failure(request)
        #expect(error.setup?.code == .deviceNotShown)
    }

    // MARK: - Cancelling

    @Test(arguments: TestHost.allCases, MatterSetupStep.allCases)
    func `the person cancels at any step`(_ host: TestHost, _ step: MatterSetupStep) async throws {
        let phone = FakePhone(needs: [.wifi, .thread])
        var script = SetupBench.script
        script.cancelAt = step
        let bench = SetupBench(host, script: script, phone: phone)
        let error = try await bench.failure()
        #expect(error.isCancelled && error.step == step.rawValue)
        let joins = SetupFlowTests.joinedSteps.contains(step)
        // The phone of this test is faster than the cancel and has joined all the same.
        #expect((phone.log.last == "remove 1") == (joins || step == .device))
    }

    @Test func `a cancel that comes too late is told`() async throws {
        var script = SetupBench.script
        (script.cancelAt, script.cancelAfter) = (.commission, .milliseconds(1))
        let bench = SetupBench(.inProcess, script: script, phone: FakePhone())
        _ = try await bench.perform()
        #expect(bench.logged.withLock { $0 }.last?.hasPrefix("commission ended before") == true)
    }

    @Test(arguments: TestHost.allCases, ["validate", "wifi", "thread", "rooms", "commission", "configure"])
    func `the app's task is cancelled while the extension works`(_ host: TestHost, _ step: String) async throws {
        let phone = FakePhone(needs: [.wifi, .thread])
        let bench = SetupBench(host, "rooms=Hall wait=\(step)", phone: phone)
        let task = Task { try await bench.failure() }
        let process = await bench.note("made")
        _ = await bench.note(step)
        task.cancel()
        let error = try await task.value
        #expect(error.isCancelled && error.step == step)
        #expect(bench.rest() == ["cancelled \(step)"])
        #expect(phone.log.last == "remove 1")
        if host == .executable { expectGone(process) }
    }

    @Test(arguments: ["commission", "window", "examine"], [false, true])
    func `the app's task is cancelled while the phone works`(_ what: String, _ isDeaf: Bool) async throws {
        let (notes, note) = AsyncStream.makeStream(of: String.self)
        let phone = FakePhone(waiting: what, isDeaf: isDeaf) { note.yield($0) }
        var script = SetupBench.script
        script.phoneFabric = what != "examine"
        let bench = SetupBench(.inProcess, script: script, phone: phone)
        let task = Task { try await bench.failure() }
        for await line in notes where line.hasPrefix(what) { break }
        task.cancel()
        #expect(try await task.value.isCancelled)
        // Not cancelled itself, or it would leave the phone on the device.
        #expect(phone.log.contains("remove 1") == (what == "window" || (what == "commission" && isDeaf)))
    }

    @Test(arguments: TestHost.allCases) func `a step has a time limit`(_ host: TestHost) async throws {
        let phone = FakePhone()
        let bench = SetupBench(host, "wait=rooms", phone: phone)
        async let error = bench.failure()
        _ = await bench.note("rooms")
        await bench.time.sleepers(atLeast: 1)
        await bench.time.advance(by: bench.environment.limits.start + bench.environment.limits.call)
        #expect(try await error.setup?.code == .timedOut)
        #expect(phone.log.last == "remove 1")
    }

    @Test func `a handler that ends never is left alone in process`() async throws {
        let phone = FakePhone()
        let bench = SetupBench(.inProcess, "hang=commission", phone: phone)
        let task = Task { try await bench.failure() }
        _ = await bench.note("commission")
        task.cancel()
        #expect(try await bench.whileTimePasses(task).isCancelled)
        #expect(phone.log.last == "remove 1")
    }

    @Test func `a handler that ends never is ended with its process`() async throws {
        let phone = FakePhone()
        let bench = SetupBench(.executable, "hang=commission", phone: phone)
        let task = Task { try await bench.failure() }
        let process = await bench.note("made")
        _ = await bench.note("commission")
        task.cancel()
        #expect(try await bench.whileTimePasses(task).isCancelled)
        expectGone(process)
        #expect(phone.log.last == "remove 1")
    }
}

/// - Parameter note: `made PID`.
func expectGone(_ note: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let id = pid_t(note.split(separator: " ").last ?? "") ?? 0
    #expect(id > 1, sourceLocation: sourceLocation)
    #expect(kill(id, 0) == -1 && errno == ESRCH, "the process is still there", sourceLocation: sourceLocation)
}
