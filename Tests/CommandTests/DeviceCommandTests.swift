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
        private(set) var ready: [String: Any]

        /// The program ended before its first line.
        struct Ended: Error {}

        private let input = Pipe()
        private var unread = Data()

        /// Starts it, and reads its first line.
        init(_ state: URL, type: String = "on-off-light", _ arguments: [String] = []) throws {
            process.executableURL = BuiltProgram.url
            process.arguments =
                ["device", "--type", type, "--no-mdns", "--json", "--state-dir", state.path] + arguments
            process.environment = ["HOME": state.path]
            process.standardInput = input
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            ready = [:]
            ready = try next()
        }

        /// The next line of output.
        func next() throws -> [String: Any] {
            while !unread.contains(UInt8(ascii: "\n")) {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw Ended() }
                unread += more
            }
            let line = unread.prefix { $0 != UInt8(ascii: "\n") }
            unread = Data(unread.dropFirst(line.count + 1))
            return try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        }

        /// The next line of output with this event.
        func next(_ event: String) throws -> [String: Any] {
            while true {
                let line = try next()
                if line["event"] as? String == event { return line }
            }
        }

        func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

        func endInput() throws { try input.fileHandleForWriting.close() }

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

    @Test func `a door opens by a line of input, is told, and stays open over a restart`() throws {
        try withFolder { folder in
            let first = try RunningDevice(folder, type: "contact-sensor", ["--port", "0"])
            #expect(first.ready["port"] as? Int ?? 0 > 0)
            try first.type("set boolean-state/state-value false")
            let change = try first.next("attribute")
            #expect(change["cluster"] as? String == "boolean-state" && change["endpoint"] as? Int == 1)
            #expect(change["attribute"] as? String == "state-value" && change["value"] as? Bool == false)
            try first.type("list")
            let settable = try first.next("settable")
            #expect(settable["attribute"] as? String == "identify-time")
            #expect(try first.next("settable")["type"] as? String == "true or false")
            try first.endInput()
            #expect(first.stop(SIGTERM) == 0)
            let second = try RunningDevice(folder, type: "contact-sensor")
            try second.type("get 1/boolean-state/state-value")
            #expect(try second.next("value")["value"] as? Bool == false)
            #expect(second.stop(SIGTERM) == 0)
        }
    }

    @Test func `a wrong line changes nothing and is explained`() throws {
        let lines = [
            ("set 1/boolean-state/state-value 7", "stateValue is true or false"),
            ("set 9/boolean-state/state-value true", "there is no endpoint 9"),
            ("set 1/on-off/on-off true", "endpoint 1 has no such cluster"),
            ("set boolean-state true", "“boolean-state” must be one attribute"),
            ("set */boolean-state/state-value true", "must be one attribute"),
            ("set boolean-state/state-value", "set needs a place and a value"),
            ("set boolean-state/colour red", "“colour” is no attribute of boolean-state"),
            ("set boolean-state/state-value {", "is no JSON"),
            ("get 1/on-off/on-off", "there is no 1/on-off/on-off on this device"),
            ("open", "“open” is no command here: set, get, list or faults"),
            ("faults addNOC:vanish x:silence", "no such stage"),
            ("faults csr:wrongChain", "does not happen at csr"),
            ("faults " + Array(repeating: "csr:silence", count: 65).joined(separator: " "), "at most 64 faults"),
        ]
        try withFolder { folder in
            let device = try RunningDevice(folder, type: "contact-sensor")
            for (line, reason) in lines {
                try device.type(line)
                let refused = try device.next("refused")
                #expect(refused["line"] as? String == line)
                #expect((refused["reason"] as? String)?.contains(reason) == true, "\(refused)")
            }
            try device.type("set boolean-state/state-value true")
            #expect(try device.next()["event"] as? String == "done")
            for line in ["faults csr:silence addNOC:error=busy@2x3", "faults"] {
                try device.type(line)
                let done = try device.next()
                #expect(done["event"] as? String == "done" && done["line"] as? String == line)
            }
            #expect(device.stop(SIGTERM) == 0)
        }
    }

    @Test func `a bridge keeps its devices, and takes more only after them`() throws {
        try withFolder { folder in
            let first = try RunningDevice(folder, type: "bridge", ["--bridged", "fan,door-lock"])
            #expect(first.ready["bridged"] as? [String] == ["fan", "door-lock"])
            try first.type("get 2/bridged-device-basic-information/unique-id")
            let id = try #require(try first.next("value")["value"] as? String)
            #expect(id.hasSuffix("-2") && id.utf8.count == 32)
            #expect(first.stop(SIGTERM) == 0)
            let second = try RunningDevice(folder, type: "bridge", ["--bridged", "fan,door-lock,fan"])
            try second.type("get 4/bridged-device-basic-information/node-label")
            #expect(try second.next("value")["value"] as? String == "Fan 2")
            try second.type("get 2/bridged-device-basic-information/unique-id")
            #expect(try second.next("value")["value"] as? String == id)
            #expect(second.stop(SIGTERM) == 0)
            let third = try BuiltProgram.run([
                "device", "--type", "bridge", "--no-mdns", "--bridged", "fan", "--state-dir", folder.path,
            ])
            #expect(third.status == 1)
            #expect(third.errors.contains("holds a bridge of fan,door-lock,fan; devices can only be added after these"))
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

    /// What is given to `device`, and what its refusal says.
    static let refusals: [([String], String)] = [
        ([], "--type is missing"),
        (["--type", "toaster"], "temperature-sensor, generic-switch, bridge, not “toaster”"),
        (["--type", "on-off-light", "--passcode", "11111111"], "one that no device may have"),
        (["--type", "on-off-light", "--passcode", "0"], "--passcode must be"),
        (["--type", "on-off-light", "--discriminator", "4096"], "--discriminator must be"),
        (["--type", "on-off-light", "--vendor-id", "0xFFF2"], "--vendor-id can only be 0xFFF1"),
        (["--type", "on-off-light", "--name", ""], "--name has 1 to 32 bytes"),
        (["--type", "on-off-light", "extra"], "“extra” is no option"),
        (["--type", "fan", "--bridged", "fan"], "--bridged is for --type bridge; fan has nothing behind it"),
        (["--type", "bridge", "--bridged", "bridge"], "--bridged knows on-off-light, dimmable-light"),
        (["--type", "bridge", "--bridged", "fan,,fan"], "not “”"),
        (
            ["--type", "bridge", "--bridged", Array(repeating: "fan", count: 65).joined(separator: ",")],
            "--bridged has at most 64 devices"
        ),
    ]

    @Test(arguments: refusals)
    func `refuses what makes no device`(_ arguments: [String], _ message: String) throws {
        let outcome = try BuiltProgram.run(["device"] + arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains(message))
    }
}
