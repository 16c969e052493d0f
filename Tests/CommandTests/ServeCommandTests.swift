import Foundation
import Testing

@Suite("matterhub serve", .timeLimit(.minutes(1))) struct ServeCommandTests {
    @Test(arguments: [
        ("/dev/null/hub", "Not a directory"), ("/proc/no-such-folder/hub", "No such file or directory"),
        (String(repeating: "x", count: 300), "File name too long"),
    ])
    func `a state folder that cannot be made is refused in plain words`(_ path: String, _ reason: String) throws {
        let outcome = try BuiltProgram.run(["serve", "--no-mdns", "--port", "0", "--state-dir", path])
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(outcome.errors.contains(path))
        for dump in ["Error Domain", "NSCocoa", "UserInfo", "Optional"] { #expect(!outcome.errors.contains(dump)) }
    }

    @Test func `a hub that was started with few open files allowed takes as many as the system lets it`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("serve-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left fails no test.
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "ulimit -S -n 64; exec \"$0\" serve --no-mdns --port 0 --json --state-dir \"$1\"",
            BuiltProgram.url.path, folder.path,
        ]
        process.environment = ["HOME": folder.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let ready = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(ready.contains("\"ready\""))
        let limits = try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
        let files = limits.split(separator: "\n").first { $0.hasPrefix("Max open files") }
        let numbers = files?.split(separator: " ").compactMap { Int($0) } ?? []
        #expect(numbers.count == 2 && numbers.first == numbers.last && numbers.first != 64, "\(limits)")
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
