import Foundation
import NetIO
import SetupDoubles
import Testing

@testable import MatterSupport

/// What a process sets once; one test at a time.
@Suite("The host of this process", .serialized, .timeLimit(.minutes(2))) struct HostChoiceTests {
    @Test func `without a host the error says what to write or to set`() {
        let error = #expect(throws: MatterSetupError.self) { try SetupEnvironment.current([:]) }
        #expect(error?.code == .noExtension)
        #expect(error?.message.contains("MatterExtensionHost.register { RequestHandler() }") == true)
        #expect(error?.message.contains("MATTERHUB_EXTENSION") == true)
        #expect(error?.message.contains("try await MatterExtensionHost.main { RequestHandler() }") == true)
    }

    @Test func `a registered extension goes before an executable, a script in code before variables`() throws {
        let variables = [
            "MATTERHUB_EXTENSION": "/x", "MATTERHUB_SETUP_CODE": "variable", "MATTERHUB_PHONE_FABRIC": "0",
        ]
        guard case .executable("/x") = try SetupEnvironment.current(variables).host else { return #expect(Bool(false)) }
        MatterExtensionHost.register { FakeHandler("") { _ in } }
        MatterExtensionHost.setup(MatterSetupScript(code: "script"))
        defer {
            MatterExtensionHost.unregister()
            MatterExtensionHost.setup(nil)
        }
        let environment = try SetupEnvironment.current(variables)
        guard case .inProcess = environment.host else { return #expect(Bool(false)) }
        #expect(environment.assistant.script.code == "script" && environment.assistant.script.phoneFabric == false)
    }

    @Test func `the public call`() async {
        MatterExtensionHost.register { FakeHandler("") { _ in } }
        MatterExtensionHost.setup(MatterSetupScript(cancelAt: .scan))
        let error = await #expect(throws: NSError.self) { try await SetupBench.request.perform() }
        #expect(error?.isCancelled == true)
        MatterExtensionHost.unregister()
        MatterExtensionHost.setup(nil)
        let none = await #expect(throws: NSError.self) { try await SetupBench.request.perform() }
        #expect(none?.domain == "com.apple.MatterSupport" && none?.setup?.code == .noExtension)
    }

    // MARK: - App groups

    @Test(arguments: ["a/b", "..", "../x", ".", "a..b", String(repeating: "x", count: 201)])
    func `a group name that could leave its folder is refused`(_ name: String) {
        let variables = ["MATTERHUB_EXTENSION": "/x", "MATTERHUB_APP_GROUP": name]
        var error = #expect(throws: MatterSetupError.self) { try SetupEnvironment.current(variables) }
        #expect(error?.code == .invalidAppGroup)
        AppGroupSuites.use(name)
        defer { AppGroupSuites.use("") }
        error = #expect(throws: MatterSetupError.self) { try SetupEnvironment.current(["MATTERHUB_EXTENSION": "/x"]) }
        #expect(error?.code == .invalidAppGroup && error?.message.contains(name) == true)
    }

    @Test func `the group is the configured one, else the variable's`() throws {
        let variables = ["MATTERHUB_EXTENSION": "/x", "MATTERHUB_APP_GROUP": "group.variable"]
        #expect(try SetupEnvironment.current(variables).group == "group.variable")
        AppGroupSuites.use("group.configured")
        #expect(try SetupEnvironment.current(variables).group == "group.configured")
        AppGroupSuites.use("")
        #expect(try SetupEnvironment.current(["MATTERHUB_EXTENSION": "/x"]).group == nil)
    }

    @Test func `a value crosses from app to extension and back`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("suite-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // What a test left behind is of no interest.
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = folder.appendingPathComponent("out")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: SetupBench.executable)
        process.arguments = ["app"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "HOME": folder.path, "XDG_CONFIG_HOME": folder.appendingPathComponent("config").path,
            "MATTERHUB_EXTENSION": SetupBench.executable, "MATTERHUB_SETUP": #"{"code":"34970112332","room":null}"#,
            "TEST_EXTENSION": "suite=group.test", "TEST_GROUP": "group.test",
        ]) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { @Sendable in ended.yield($0.terminationStatus) }
        try process.run()
        let status = await ends.first { _ in true }
        #expect(status == 0)
        #expect(try String(contentsOf: output, encoding: .utf8) == "extension saw hello from the app\n")
    }
}
