import Foundation
import Hub
import HubControl
import NetIO

@testable import Conformance

/// A whole hub on loopback, made as `matterhub serve` makes it, without DNS-SD.
struct LiveHub: Sendable {
    let port: UInt16
    let grant: GrantToken

    var address: HostAndPort { HostAndPort(host: "127.0.0.1", port: port) }

    /// Runs a hub while the body runs.
    static func run<R: Sendable>(_ body: (LiveHub) async throws -> R) async throws -> R {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("matterhub-conformance-\(UUID().uuidString)").path
        defer {
            // A leftover only costs disk.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let options = HubOptions(
            stateDirectory: folder, hubName: "Conformance", port: 0, allowsPlain: true, usesMulticast: false,
            version: "1")
        let hub = try await StartedHub.start(options) { _ in }
        let text = try String(contentsOfFile: hub.adminGrantPath, encoding: .utf8)
        let live = LiveHub(port: hub.server.port, grant: try GrantToken(parsing: text))
        let serving = Task { await hub.run { _ in } }
        let outcome: Result<R, any Error>
        do { outcome = .success(try await body(live)) } catch { outcome = .failure(error) }
        serving.cancel()
        await serving.value
        return try outcome.get()
    }

    /// Runs cases on a hub at an address.
    static func examine(
        _ address: HostAndPort, _ grant: GrantToken, _ cases: [HubCase],
        times: HubSetup.Times = HubSetup.Times(answer: .seconds(30), silence: .seconds(30), leeway: .seconds(30))
    ) async -> ConformanceReport {
        let setup = HubSetup(
            address: address, grant: grant, playsDevices: true, directory: .absent("no DNS-SD in this test"),
            times: times)
        return await ConformanceRunner(timeLimit: .seconds(100)).run(.hub, cases, of: HubSubject(setup))
    }
}
