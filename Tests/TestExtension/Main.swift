import Glibc
import MatterSupport
import NetIO
import SetupDoubles

/// The extension of the tests, and with the argument `app` an app with this executable as its extension.
///
/// `TEST_EXTENSION` are the orders of ``FakeHandler``, or one of the ways to be no good extension; each line that the
/// handler notes goes to the file `TEST_EXTENSION_LOG`.
@main enum Main {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        if CommandLine.arguments.dropFirst().first == "app" {
            try await app(environment)
            return
        }
        let orders = environment["TEST_EXTENSION"] ?? ""
        switch orders {
        case "silent": while true { pause() }
        case "deaf":
            signal(SIGTERM, SIG_IGN)
            while true { pause() }
        case "quits": exit(3)
        case "garbage": send([0, 0, 0, 2, 0x7B, 0x00])
        case "huge": send([0xFF, 0xFF, 0xFF, 0xFF])
        case "half": send([0, 0, 0, 9, 0x7B])
        case "newer": send(frame(#"{"kind":"hello","version":2}"#))
        case "rude": send(frame(#"{"kind":"cancel"}"#))
        case "mistaken": mistaken()
        default:
            let log = environment["TEST_EXTENSION_LOG"]
            try await MatterExtensionHost.main { FakeHandler(orders) { line in NoteFile.append(line, to: log) } }
        }
    }

    private static func frame(_ json: String) -> [UInt8] { [0, 0, 0, UInt8(json.utf8.count)] + Array(json.utf8) }

    private static func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { write(3, $0.baseAddress, $0.count) }
    }

    /// Greets well, and answers the first call with another's number.
    private static func mistaken() {
        send(frame(#"{"kind":"hello","version":1}"#))
        var byte: UInt8 = 0
        var seen: [UInt8] = []
        while !String(decoding: seen, as: UTF8.self).contains("call"), read(3, &byte, 1) == 1 { seen.append(byte) }
        send(frame(#"{"kind":"answer","id":99,"result":{}}"#))
        while read(3, &byte, 1) == 1 {}
    }

    /// Passes a value to the extension and prints the one that comes back.
    private static func app(_ environment: [String: String]) async throws {
        let group = environment["TEST_GROUP"] ?? ""
        AppGroupSuites.use(group)
        let suite = UserDefaults(suiteName: group)
        suite?.set("hello from the app", forKey: "fromApp")
        let phone = FakePhone()
        var setup = try SetupEnvironment.current(environment)
        setup.phone = { phone }
        let request = MatterAddDeviceRequest(topology: .init(ecosystemName: "Test", homes: []))
        try await request.perform(in: setup)
        print(suite?.string(forKey: "fromExtension") ?? "nothing came back")
    }
}
