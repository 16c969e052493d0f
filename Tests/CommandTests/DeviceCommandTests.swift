import Foundation
import Testing

@Suite("matterhub device", .timeLimit(.minutes(1))) struct DeviceCommandTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("device-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // What is left fails no test.
        try body(folder)
    }

    /// A device that runs until it is told to stop.
    private final class RunningDevice {
        private let process = Process()
        private let output = Pipe()
        let ready: [String: Any]

        /// The program ended before its first line.
        struct Ended: Error {}

        /// Starts it on a port of the system's choice unless one is given, and reads its first line.
        init(_ state: URL, _ arguments: [String] = []) throws {
            process.executableURL = BuiltProgram.url
            process.arguments =
                ["device", "--type", "on-off-light", "--no-mdns", "--json", "--state-dir", state.path] + arguments
            process.environment = ["HOME": state.path]
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            var line = Data()
            while !line.contains(UInt8(ascii: "\n")) {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw Ended() }
                line += more
            }
            let json = try JSONSerialization.jsonObject(with: line.prefix { $0 != UInt8(ascii: "\n") })
            ready = try #require(json as? [String: Any])
        }

        func stop(_ signal: Int32) -> Int32 {
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            return process.terminationStatus
        }
    }

    @Test(arguments: [SIGTERM, SIGINT]) func `says its codes, and ends well by a signal`(_ signal: Int32) throws {
        try withFolder { folder in
            let device = try RunningDevice(folder, ["--passcode", "20202021", "--discriminator", "3840"])
            #expect(device.ready["event"] as? String == "ready")
            #expect(device.ready["qrCode"] as? String == "MT:-24J0AFN00KA0648G00")
            #expect(device.ready["manualCode"] as? String == "34970112332")
            #expect(device.ready["commissionable"] as? Bool == true)
            #expect(device.stop(signal) == 0)
        }
    }

    @Test func `draws its codes once`() throws {
        try withFolder { folder in
            let first = try RunningDevice(folder)
            #expect(first.stop(SIGTERM) == 0)
            let second = try RunningDevice(folder)
            #expect(second.ready["qrCode"] as? String == first.ready["qrCode"] as? String)
            #expect(second.stop(SIGTERM) == 0)
        }
    }

    @Test func `names the port that is taken`() throws {
        try withFolder { folder in
            let first = try RunningDevice(folder.appendingPathComponent("a"))
            let port = try #require(first.ready["port"] as? Int)
            let second = try BuiltProgram.run([
                "device", "--type", "on-off-light", "--no-mdns", "--port", "\(port)", "--state-dir",
                folder.appendingPathComponent("b").path,
            ])
            #expect(second.status == 1)
            #expect(second.errors.contains("UDP port \(port) is taken"))
            #expect(first.stop(SIGTERM) == 0)
        }
    }

    @Test func `leaves a folder that is in use alone`() throws {
        try withFolder { folder in
            let first = try RunningDevice(folder)
            let second = try BuiltProgram.run([
                "device", "--type", "on-off-light", "--no-mdns", "--state-dir", folder.path,
            ])
            #expect(second.status == 1)
            #expect(second.errors.contains("another device runs with this state folder"))
            #expect(first.stop(SIGTERM) == 0)
        }
    }

    @Test func `reports a damaged state and keeps it`() throws {
        try withFolder { folder in
            let first = try RunningDevice(folder)
            #expect(first.stop(SIGTERM) == 0)
            let file = folder.appendingPathComponent("node.bin")
            var bytes = try Data(contentsOf: file)
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: file)
            let second = try BuiltProgram.run([
                "device", "--type", "on-off-light", "--no-mdns", "--state-dir", folder.path,
            ])
            #expect(second.status == 1)
            #expect(second.errors.contains("node.bin: is damaged"))
            #expect(try Data(contentsOf: file) == bytes)
        }
    }

    @Test func `writes the attestation root and does nothing else`() throws {
        try withFolder { folder in
            let outcome = try BuiltProgram.run(["device", "--export-paa", folder.path])
            #expect(outcome.status == 0)
            let file = folder.appendingPathComponent("matterhub-test-paa.der")
            let other = folder.appendingPathComponent("other")
            #expect(try BuiltProgram.run(["attestation", "export", "--out", other.path]).status == 0)
            let exported = try Data(contentsOf: other.appendingPathComponent("matterhub-test-paa.der"))
            #expect(try Data(contentsOf: file) == exported)
        }
    }

    @Test(arguments: [
        ([], "--type is missing"),
        (["--type", "toaster"], "--type knows on-off-light, not “toaster”"),
        (["--type", "on-off-light", "--passcode", "11111111"], "one that no device may have"),
        (["--type", "on-off-light", "--passcode", "0"], "--passcode must be"),
        (["--type", "on-off-light", "--discriminator", "4096"], "--discriminator must be"),
        (["--type", "on-off-light", "--vendor-id", "0xFFF2"], "--vendor-id can only be 0xFFF1"),
        (["--type", "on-off-light", "--name", ""], "--name has 1 to 32 bytes"),
        (["--type", "on-off-light", "extra"], "“extra” is no option"),
    ]) func `refuses what makes no device`(_ arguments: [String], _ message: String) throws {
        let outcome = try BuiltProgram.run(["device"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message))
    }
}
