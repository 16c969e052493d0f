import FakeHub
import Foundation
import HubControl
import Testing

/// The program and a fake hub, whose admin grant is in a state folder.
private final class ProgramAndHub: Sendable {
    let hub: FakeHub
    let folder: URL

    init() throws {
        hub = try FakeHub()
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("matterhub-state-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("\(hub.grant.text)\n".utf8).write(to: folder.appendingPathComponent("admin.grant"))
    }

    deinit {
        // A folder left behind in the temporary folder fails no test.
        try? FileManager.default.removeItem(at: folder)
    }

    func run(_ arguments: String..., address: String? = nil) throws -> BuiltProgram.Outcome {
        try BuiltProgram.run(
            arguments,
            environment: [
                "NO_COLOR": "1", "MATTERHUB_STATE_DIR": folder.path,
                "MATTERHUB_HUB": address ?? hub.place,
            ])
    }
}

@Suite("Subcommands that talk to a hub", .timeLimit(.minutes(2)))
struct ClientCommandTests {
    @Test func `prepare, commission, complete, devices`() throws {
        let both = try ProgramAndHub()
        let prepare = try both.run("prepare", "--lifetime", "60")
        #expect(prepare.status == 0, "\(prepare.errors)")
        #expect(prepare.output == "Session 0000000000005001 is open for 600 s.\n")
        let commission = try both.run(
            "commission", "MT:X", "--address", "[::1]:5540", "--name", "Desk lamp", "--room", "Kitchen")
        #expect(commission.status == 0, "\(commission.errors)")
        #expect(commission.output.contains("Commissioned in 0.03 s: vendor 0xFFF1, product 0x8001."))
        #expect(commission.output.contains("opening a channel with the passcode"))
        both.hub.on(.devicesGet) { request in
            var device = FakeHub.light
            device["id"] = request.params["id"]
            return .result(device)
        }
        #expect(try both.run("complete").output == "0000000000000d02  Lamp\n")
        _ = try both.run("prepare")
        _ = try both.run("commission", "MT:X", "--json")
        let ids = try both.run("complete", "--json")
        #expect(ids.lines == [#"{"deviceIds":["0000000000000d03"]}"#])
        let devices = try both.run("devices")
        #expect(devices.lines.first?.split(separator: " ").first == "ID")
        #expect(
            devices.lines.contains { $0.hasPrefix("0000000000000d02  Desk lamp  Kitchen  on/off light") },
            "\(devices.output)")
    }

    @Test func `commission --json prints stages, then the result or the error`() throws {
        let both = try ProgramAndHub()
        _ = try both.run("prepare")
        let good = try both.run("commission", "MT:X", "--json")
        #expect(good.lines.count == 4)
        #expect(good.lines.first == #"{"stage":"discover","index":1,"total":3,"elapsedMs":0}"#)
        #expect(good.lines.last?.hasPrefix(#"{"provisionalId":"00000000000000b1","vendorId":65521"#) == true)
        let bad = try both.run("commission", "MT:LOST", "--json")
        #expect(bad.status == 4)
        #expect(bad.lines.last?.hasPrefix(#"{"error":{"code":14,"name":"unavailable","#) == true)
        #expect(bad.errors.contains("error: unavailable at pase: the device went away"))
        #expect(bad.errors.contains("What to do: see that the device has power and is in commissioning mode."))
    }

    @Test func `what an error holds is explained`() throws {
        let both = try ProgramAndHub()
        both.hub.on(.sessionCommission) { _ in
            .error(
                ControlError(
                    .failedPrecondition, "the maker's certificates are not trusted", stage: "attestation",
                    details: [
                        "reason": "attestationRefused", "rules": [["rule": "paaTrusted", "detail": "no PAA 6A FD"]],
                        "candidates": [["address": "[::1]:5540", "answer": "wrong passcode"]],
                    ]))
        }
        let outcome = try both.run("commission", "MT:X")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("Attestation: paaTrusted: no PAA 6A FD"))
        #expect(outcome.errors.contains("Candidate: address [::1]:5540, answer wrong passcode"))
    }

    @Test func `cancel says what is left`() throws {
        let both = try ProgramAndHub()
        #expect(try both.run("cancel").output == "There was no session.\n")
        _ = try both.run("prepare")
        #expect(try both.run("cancel").output == "The session is cancelled. No device was changed.\n")
        #expect(
            try both.run("cancel", "--force", "--json").output == "{\"session\":\"none\",\"device\":\"untouched\"}\n")
        #expect(both.hub.requests.last?.params == ["force": true])
    }

    @Test func `read, write and invoke by name and by number`() throws {
        let both = try ProgramAndHub()
        both.hub.on(.devicesRead) { _ in
            .result([
                "attributes": [
                    ["endpoint": 1, "cluster": 6, "attribute": 0, "value": true],
                    ["endpoint": 1, "cluster": 6, "attribute": 16384, "status": 134],
                ]
            ])
        }
        both.hub.on(.devicesWrite) { _ in .result([:]) }
        both.hub.on(.devicesInvoke) { _ in .result([:]) }
        both.hub.on(.devicesGet) { _ in .result(FakeHub.light) }
        let read = try both.run("read", "lamp", "on-off")
        #expect(
            read.lines == [
                "1/on-off/on-off = true", "1/on-off/global-scene-control = refused: unsupported attribute (0x86)",
            ])
        #expect(
            both.hub.requests.last?.params == ["id": "0000000000000d01", "endpoint": 1, "cluster": 6])
        _ = try both.run("read", "0000000000000d01", "basic-information/vendor-name")
        #expect(
            both.hub.requests.last?.params == ["id": "0000000000000d01", "endpoint": 0, "cluster": 40, "attribute": 1])
        _ = try both.run("read", "Lamp", "*/0x6/*")
        #expect(both.hub.requests.last?.params == ["id": "0000000000000d01", "cluster": 6])
        #expect(try both.run("write", "Lamp", "basic-information/node-label", "Desk").status == 0)
        #expect(both.hub.requests.last?.params["value"] == "Desk")
        _ = try both.run("write", "Lamp", "2/8/0x10", #"{"i": 5}"#)
        #expect(
            both.hub.requests.last?.params
                == [
                    "id": "0000000000000d01", "endpoint": 2, "cluster": 8, "attribute": 16, "value": ["i": 5],
                ])
        #expect(try both.run("invoke", "Lamp", "toggle").output == "done\n")
        #expect(
            both.hub.requests.last?.params == ["id": "0000000000000d01", "endpoint": 1, "cluster": 6, "command": 2])
        _ = try both.run("invoke", "Lamp", "level-control/move-to-level", #"{"0": 128}"#, "--timed", "500", "--json")
        #expect(both.hub.requests.last?.params["fields"] == ["0": 128])
        #expect(both.hub.requests.last?.params["timedMs"] == 500)
    }

    @Test func `commands take fields by name, and what a device needs besides is filled in`() throws {
        let both = try ProgramAndHub()
        both.hub.on(.devicesInvoke) { _ in .result([:]) }
        both.hub.on(.devicesGet) { _ in .result(FakeHub.light) }
        func params(_ words: String...) throws -> JSONObject {
            let outcome = try BuiltProgram.run(
                ["invoke", "Lamp"] + words,
                environment: ["MATTERHUB_STATE_DIR": both.folder.path, "MATTERHUB_HUB": both.hub.place])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try #require(both.hub.requests.last?.params)
        }
        let level = try params("move-to-level", "level=128", "transition-time=20")
        #expect(level["cluster"] == 8 && level["command"] == 0 && level["timedMs"] == nil)
        #expect(level["fields"] == ["0": 128, "1": 20, "2": 0, "3": 0])
        #expect(try params("move-to-level", "level=1")["fields"] == ["0": 1, "1": .null, "2": 0, "3": 0])
        #expect(try params("move-to-color-temperature", "0=300")["fields"] == ["0": 300, "1": 0, "2": 0, "3": 0])
        let raise = try params("setpoint-raise-lower", "mode=2", "amount=5")
        #expect(raise["fields"] == ["0": 2, "1": ["i": 5]])
        let lock = try params("lock-door", "pin-code=0123")
        #expect(lock["timedMs"] == 10_000 && lock["fields"] == ["0": ["octets": "MDEyMw"]])
        #expect(try params("unlock-door", "--timed", "900")["timedMs"] == 900)
        #expect(try params("unlock-door")["fields"] == nil)
        #expect(try params("2/0xFFF1FC00/3", "1=5")["fields"] == ["1": 5])
    }

    @Test func `write says what it wrote, in the attribute's type`() throws {
        let both = try ProgramAndHub()
        both.hub.on(.devicesWrite) { _ in .result([:]) }
        both.hub.on(.devicesGet) { _ in .result(FakeHub.light) }
        let setpoint = try both.run("write", "Lamp", "thermostat/occupied-heating-setpoint", "2150")
        #expect(setpoint.output == "1/thermostat/occupied-heating-setpoint = 2150\n")
        #expect(both.hub.requests.last?.params["value"] == ["i": 2150])
        let label = try both.run("write", "Lamp", "basic-information/node-label", "7", "--json")
        #expect(label.output == #"{"endpoint":0,"cluster":40,"attribute":5,"value":"7"}"# + "\n")
    }

    @Test(arguments: [
        ["read"], ["read", "Lamp", "on-off/toggle"], ["read", "Lamp", "x/y"], ["read", "Lamp", "a/b/c/d"],
        ["write", "Lamp", "on-off/on-off"], ["write", "Lamp", "on-off", "1"],
        ["write", "Lamp", "on-off/on-off", "1.5"],
        ["write", "Lamp", "on-off/on-off", "{"], ["invoke", "Lamp", "stop-it"], ["invoke", "Lamp", "toggle", "5"],
        ["invoke", "Lamp", "move-to-level"], ["invoke", "Lamp", "move-to-level", "level=1", "level=2"],
        ["invoke", "Lamp", "move-to-level", "speed=2"], ["invoke", "Lamp", "step"], ["invoke", "Lamp"],
        ["invoke", "Lamp", "on-off/*"], ["commission"], ["commission", "MT:X", "--room", "R"],
        ["devices", "--retry", "1"],
        ["grants", "approve", "1"], ["grants", "create"], ["grants", "create", "--app-id", "a", "--scopes", "x"],
        ["complete", "--client-key", ""], ["devices", "--hub", "a b"], ["remove"], ["rooms", "create"],
    ])
    func `wrong usage is refused before a hub is asked`(arguments: [String]) throws {
        let both = try ProgramAndHub()
        let outcome = try BuiltProgram.run(
            arguments,
            environment: [
                "NO_COLOR": "1", "MATTERHUB_STATE_DIR": both.folder.path,
                "MATTERHUB_HUB": both.hub.place,
            ])
        #expect(outcome.status == 2, "\(outcome.output)\(outcome.errors)")
        #expect(both.hub.connectionCount == 0)
    }

    @Test func `rooms, grants, orphans, windows and removal`() throws {
        let both = try ProgramAndHub()
        both.hub.on(.devicesGet) { _ in .result(FakeHub.light) }
        both.hub.on(.devicesRemove) { _ in .result(["removed": ["0000000000000d01"], "orphaned": []]) }
        both.hub.on(.devicesOpenWindow) { _ in
            .result([
                "manualCode": "34970112332", "qrCode": "MT:Y.K90AFN00KA0648G00", "passcode": 20_202_021,
                "discriminator": 3840, "expiresInMs": 180_000,
            ])
        }
        both.hub.on(.grantsRevoke) { _ in .result([:]) }
        let grant = both.hub.grant
        both.hub.on(.grantsCreate) { _ in .result(["grant": .string(grant.text), "grantId": grant.id.json]) }
        #expect(
            try both.run("rooms", "list").lines
                == ["ID                NAME", "0000000000000a01  Kitchen", "0000000000000a02  Hall"])
        #expect(try both.run("rooms", "list", "--json").lines.count == 2)
        #expect(try both.run("open-window", "0000000000000d01").output.contains("3497-011-2332"))
        #expect(try both.run("remove", "Lamp").output == "Removed: 0000000000000d01\n")
        #expect(try both.run("grants", "revoke", "0000000000000007").status == 0)
        let created = try both.run("grants", "create", "--app-id", "app", "--app-group", "g", "--store")
        #expect(created.output == "\(grant.text)\n")
        let stored = try Data(contentsOf: both.folder.appendingPathComponent("groups/g/grant"))
        #expect(String(decoding: stored, as: UTF8.self) == "\(grant.text)\n")
    }

    @Test func `a grant is asked for without one`() throws {
        let both = try ProgramAndHub()
        let grant = both.hub.grant
        both.hub.on(.grantsRequest) { _ in .result(["grant": .string(grant.text), "grantId": grant.id.json]) }
        let outcome = try both.run("grants", "request", "--app-id", "app", "--scopes", "commissioning")
        #expect(outcome.output == "\(grant.text)\n")
        #expect(both.hub.hellos.map(\.grant) == [nil])
        let other = try FakeHub().grant
        both.hub.on(.grantsRequest) { _ in .result(["grant": .string(other.text), "grantId": other.id.json]) }
        let refused = try both.run("grants", "request", "--app-id", "app")
        #expect(refused.status == 1)
        #expect(refused.output.isEmpty)
    }

    @Test func `errors have their exit status, and the grant goes to no other hub`() throws {
        let (both, other) = (try ProgramAndHub(), try FakeHub())
        let wrong = try both.run("devices", address: other.place)
        #expect(wrong.status == 3)
        #expect(wrong.errors.contains("the grant was not sent"))
        #expect(other.hellos.isEmpty)
        let nobody = try both.run("devices", address: "127.0.0.2:\(both.hub.port)")
        #expect(nobody.status == 4)
        #expect(nobody.errors.contains("What to do: see that the hub runs and can be reached."))
        both.hub.revoke()
        #expect(try both.run("devices").status == 3)
        try FileManager.default.removeItem(at: both.folder.appendingPathComponent("admin.grant"))
        let none = try both.run("devices")
        #expect(none.status == 3)
        #expect(none.errors.contains("there is no grant in"))
    }

    @Test func `plain, and the grant only when told`() throws {
        let both = try ProgramAndHub()
        _ = try both.run("rooms", "list", "--plain")
        _ = try both.run("rooms", "list", "--plain", "--grant-over-plain")
        #expect(both.hub.hellos.map(\.grant) == [nil, both.hub.grant.text])
    }

    @Test func `Ctrl-C stops a commissioning at the hub`() async throws {
        let both = try ProgramAndHub()
        both.hub.on(.sessionCommission) { _ in .silence }
        let process = Process()
        process.executableURL = BuiltProgram.url
        process.arguments = ["commission", "MT:X"]
        process.environment = ["MATTERHUB_STATE_DIR": both.folder.path, "MATTERHUB_HUB": both.hub.place]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let asked = await both.hub.waitForRequests(.sessionCommission)
        process.interrupt()
        let stopped = await both.hub.waitForRequests(.cancel)
        #expect(stopped.first?.params["id"]?.integer == asked.first?.id.rawValue)
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        #expect(process.terminationReason == .exit)
    }
}
