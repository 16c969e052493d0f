import Glibc
import NetIO
import SetupDoubles
import TestSupport
import Testing

@testable import MatterSupport

/// Where the extension of a test runs.
enum TestHost: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inProcess, executable
    var testDescription: String { rawValue }
}

/// An app with the extension of the tests, on a clock that stands still.
final class SetupBench: Sendable {
    static let executable = Bundle.module.bundleURL.deletingLastPathComponent().appendingPathComponent("TestExtension")
        .path
    static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    static let code = "MT:Y.K90AFN00KA0648G00"
    static let script = MatterSetupScript(code: code, home: "Hut", room: "Hall", name: "Lamp")
    static let request = MatterAddDeviceRequest(
        topology: .init(ecosystemName: "E", homes: [.init(displayName: "House"), .init(displayName: "Hut")]))

    let time = ManualClock()
    let logged = Locked<[String]>([])
    let environment: SetupEnvironment
    private let folder: String
    private let notes: Int32

    /// - Parameter orders: of ``FakeHandler``.
    init(
        _ host: TestHost, _ orders: String = "rooms=Hall,Attic", script: MatterSetupScript = script, phone: FakePhone,
        executable: String = SetupBench.executable
    ) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("setup-\(UUID().uuidString)").path
        mkdir(folder, 0o700)
        let path = "\(folder)/notes"
        mkfifo(path, 0o600)
        // Open in both directions: then nobody waits for the other side, and there is no end.
        notes = open(path, O_RDWR | O_CLOEXEC)
        let extensionHost: SetupEnvironment.Host =
            switch host {
            case .inProcess: .inProcess { FakeHandler(orders) { line in NoteFile.append(line, to: path) } }
            case .executable: .executable(executable)
            }
        let variables = ProcessInfo.processInfo.environment.merging(
            ["TEST_EXTENSION": orders, "TEST_EXTENSION_LOG": path]
        ) { $1 }
        let logged = logged
        var environment = SetupEnvironment(
            host: extensionHost, assistant: SetupAssistant(script), phone: { phone }, variables: variables
        ) { line in logged.withLock { $0.append(line) } }
        environment.clock = DriverClock(time)
        environment.newID = { Self.id }
        self.environment = environment
    }

    deinit {
        close(notes)
        unlink("\(folder)/notes")
        rmdir(folder)
    }

    func perform(_ request: MatterAddDeviceRequest = request) async throws -> SetupReport {
        try await request.perform(in: environment)
    }

    /// Waits for a task while time passes, one grace a turn: for what ends in an order that the clock does not set.
    func whileTimePasses<R: Sendable>(_ task: Task<R, any Error>) async throws -> R {
        let passing = Task { [time, grace = environment.limits.grace] in
            while !Task.isCancelled {
                await time.advance(by: grace)
                await Task.yield()
            }
        }
        defer { passing.cancel() }
        return try await task.value
    }

    /// Runs a setup that must fail, and gives what the app sees.
    func failure(
        _ request: MatterAddDeviceRequest = request, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> NSError {
        do {
            _ = try await perform(request)
        } catch {
            let seen = error as NSError
            #expect(seen.domain == "com.apple.MatterSupport" && seen.code == 1, sourceLocation: sourceLocation)
            return seen
        }
        throw TestFailure("nothing was thrown", sourceLocation)
    }

    /// Waits for the next line of the handler that begins so.
    func note(_ prefix: String) async -> String {
        let descriptor = notes
        return await DedicatedThread.call { @Sendable in
            while true {
                let line = Self.line(descriptor)
                if line.hasPrefix(prefix) { return line }
            }
        } ?? ""
    }

    /// The lines of the handler so far that nobody waited for.
    func rest() -> [String] {
        var lines: [String] = []
        var event = pollfd(fd: notes, events: Int16(POLLIN), revents: 0)
        while poll(&event, 1, 0) > 0 { lines.append(Self.line(notes)) }
        return lines
    }

    private static func line(_ descriptor: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ what: String, _ place: SourceLocation) { description = "\(what) (\(place))" }
}

extension NSError {
    var under: NSError? { userInfo[NSUnderlyingErrorKey] as? NSError }
    /// What MatterHub itself says of the failure.
    var setup: MatterSetupError? { MatterSetupError(in: self) }
    var isCancelled: Bool {
        domain == "com.apple.MatterSupport" && under?.domain == NSCocoaErrorDomain
            && under?.code == CocoaError.userCancelled.rawValue
    }
    var step: String? { userInfo[SetupFailure.stepKey] as? String }
}
