import Foundation
import Testing

/// A hub and a device as programs, their files and everything that they and the client commands say.
@Suite("Privacy of programs, files and output (Protocols/security.md)", .timeLimit(.minutes(2)), .serialized)
struct PrivacyTests {
    /// A subcommand that runs until it is told to stop, its output in files.
    private final class Running {
        private let process = Process()
        let output: URL
        let errors: URL
        private(set) var ready: [String: Any] = [:]

        /// - Parameter umask: of the process.
        init(_ name: String, _ arguments: [String], in folder: URL, umask: String) throws {
            output = folder.appendingPathComponent("\(name).out")
            errors = folder.appendingPathComponent("\(name).err")
            for file in [output, errors] { try Data().write(to: file) }
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "umask \(umask); exec \"$0\" \"$@\"", BuiltProgram.url.path] + arguments
            process.environment = ["HOME": folder.path, "NO_COLOR": "1"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
        }

        /// Waits for the first line.
        func waitUntilReady() async throws {
            let limit = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < limit, process.isRunning {
                if let line = try? String(contentsOf: output, encoding: .utf8).split(separator: "\n").first,
                    let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                {
                    ready = json
                    return
                }
                await Task.yield()
            }
            Issue.record("not ready: \((try? String(contentsOf: errors, encoding: .utf8)) ?? "")")
        }

        func stop() -> Int32 {
            kill(process.processIdentifier, SIGTERM)
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    private struct Stage {
        let folder: URL
        let hub: Running
        let device: Running
        var hubState: URL { folder.appendingPathComponent("hub") }
        var deviceState: URL { folder.appendingPathComponent("device") }

        /// Runs a client command against the hub.
        func command(_ arguments: String...) throws -> BuiltProgram.Outcome {
            let port = hub.ready["port"] as? Int ?? 0
            return try BuiltProgram.run(arguments + ["--hub", "127.0.0.1:\(port)", "--state-dir", hubState.path])
        }

        /// Prepares, commissions the device and completes.
        ///
        /// - Returns: the device's id, and everything that was said.
        func commission() throws -> (device: String, said: String) {
            let port = device.ready["port"] as? Int ?? 0
            let code = device.ready["qrCode"] as? String ?? ""
            var outcomes = [try command("prepare")]
            outcomes.append(try command("commission", code, "--address", "127.0.0.1:\(port)"))
            outcomes.append(try command("complete", "--json"))
            for outcome in outcomes { #expect(outcome.status == 0, "\(outcome.errors)") }
            let json = try JSONSerialization.jsonObject(with: Data((outcomes[2].output).utf8)) as? [String: Any]
            let ids = json?["deviceIds"] as? [String] ?? []
            return (try #require(ids.first), outcomes.map { $0.output + $0.errors }.joined())
        }
    }

    private func withStage(umask: String, _ body: (Stage) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("privacy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left fails no test.
        let hub = try Running(
            "serve",
            [
                "serve", "--no-mdns", "--json", "--port", "0", "--trust-test-devices", "--state-dir",
                folder.path + "/hub",
            ], in: folder, umask: umask)
        let device = try Running(
            "device",
            [
                "device", "--type", "on-off-light", "--no-mdns", "--json", "--port", "0", "--name",
                "../../../tmp/evil", "--state-dir", folder.path + "/device",
            ], in: folder, umask: umask)
        do {
            try await hub.waitUntilReady()
            try await device.waitUntilReady()
            try await body(Stage(folder: folder, hub: hub, device: device))
        } catch {
            _ = hub.stop()
            _ = device.stop()
            throw error
        }
        #expect(hub.stop() == 0)
        #expect(device.stop() == 0)
    }

    /// Every file and folder from `folder` on, itself included, with its mode.
    private func modes(_ folder: URL) throws -> [String: Int] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        var modes: [String: Int] = [:]
        for path in [folder.path] + names.map({ "\(folder.path)/\($0)" }) {
            modes[path] = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        return modes
    }

    @Test(arguments: ["000", "022", "077"])
    func `everything that hub and device keep is private under any umask`(_ umask: String) async throws {
        try await withStage(umask: umask) { stage in
            _ = try stage.commission()
            for folder in [stage.hubState, stage.deviceState] {
                let modes = try modes(folder)
                #expect(modes.count > 3)
                for (path, mode) in modes {
                    var isFolder: ObjCBool = false
                    _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                    #expect(mode == (isFolder.boolValue ? 0o700 : 0o600), "\(path) is \(String(mode, radix: 8))")
                }
            }
        }
    }

    @Test func `a whole session through the program says no secret`() async throws {
        try await withStage(umask: "022") { stage in
            var (device, said) = try stage.commission()
            for arguments in [
                ["devices", "--json"], ["read", device, "on-off/on-off"], ["invoke", device, "toggle"],
                ["rooms", "list"], ["grants", "list"], ["grants", "list", "--json"], ["hub", "info"],
                ["faults", "list"],
                ["devices", "--orphans"], ["remove", device], ["cancel"],
            ] {
                let port = stage.hub.ready["port"] as? Int ?? 0
                let outcome = try BuiltProgram.run(
                    arguments + ["--hub", "127.0.0.1:\(port)", "--state-dir", stage.hubState.path])
                #expect(outcome.status == 0, "\(arguments): \(outcome.errors)")
                said += outcome.output + outcome.errors
            }
            // Wrong grants and codes are refused, and not repeated.
            let grant = try String(contentsOf: stage.hubState.appendingPathComponent("admin.grant"), encoding: .utf8)
                .trimmingCharacters(in: .newlines)
            let secret = try #require(grant.split(separator: ".").last).description
            let other = stage.folder.appendingPathComponent("wrong.grant")
            let wrong = String(grant.dropLast(2)) + (grant.hasSuffix("AA") ? "BA" : "AA")
            try Data(wrong.utf8).write(to: other)
            let refused = try stage.command("rooms", "list", "--grant-file", other.path)
            #expect(refused.status == 3)
            said += refused.output + refused.errors
            said += try String(contentsOf: stage.hub.output, encoding: .utf8)
            for file in [stage.hub.errors, stage.device.errors] {
                said += try String(contentsOf: file, encoding: .utf8)
            }

            #expect(said.contains(device), "the search looks at nothing")
            let passcode = try #require(stage.device.ready["passcode"] as? Int)
            let codes = try ["qrCode", "manualCode"].map { try #require(stage.device.ready[$0] as? String) }
            for text in [secret, String(secret.prefix(20)), String(passcode)] + codes {
                #expect(!said.contains(text), "somebody says \(text)")
            }
            // What the device calls itself is no path.
            let names = Set(try FileManager.default.contentsOfDirectory(atPath: stage.hubState.path))
            #expect(names.isSubset(of: ["hub.sqlite", "hub.sqlite-wal", "hub.sqlite-shm", "admin.grant", "lock"]))
            #expect(said.contains("../../../tmp/evil"))
            #expect(!FileManager.default.fileExists(atPath: "/tmp/evil"))
        }
    }
}
