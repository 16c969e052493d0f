import HubControl
import NetIO
import Testing

@testable import Conformance

/// The suite for hubs against our own.
@Suite("Conformance of hubs", .timeLimit(.minutes(10)))
struct HubSuiteTests {
    /// It waits for every try of the hub to reach a device that is gone, more than half a minute; `tools/conformance` runs it.
    static let slow: Set<String> = ["devices.remove-unreachable"]
    /// Our hub cannot be made to have what these ask for.
    static let notHere: Set<String> = ["session.cancel.in-discover", "session.cancel.in-regulatory"]

    @Test func `the suite has its groups, and says what it does not exercise`() {
        let suite = ConformanceSuite.hub
        #expect(suite.cases.count >= 200)
        let groups: Set = [
            "advertisement", "transport", "preface", "frame", "order", "hello", "request", "params", "deadline",
            "cancel",
            "limits", "permissions", "grants", "rooms", "names", "session", "commission", "commissioning", "failure",
            "events", "devices", "subscribe", "offline", "bridge", "reset", "silence",
        ]
        #expect(groups.isSubset(of: Set(suite.groups)))
        let exercised = Set(suite.cases.flatMap(\.behaviours))
        let rest = suite.behaviours.map(\.id).filter { !exercised.contains($0) }
        #expect(rest.contains("crash") && rest.count < suite.behaviours.count / 5, "\(rest)")
        let stages = suite.cases.map(\.name).filter { $0.hasPrefix("session.cancel.in-") }
        #expect(stages.count == 11)
    }

    @Test func `our hub passes every case`() async throws {
        let cases = ConformanceSuite.hub.cases.filter { !Self.slow.contains($0.name) }
        // Much of it is waiting: several hubs share the cases. Neighbours go to different ones, since a group is alike.
        let shards = 6
        let reports = try await withThrowingTaskGroup(of: ConformanceReport.self) { group in
            for shard in 0..<shards {
                let part = cases.enumerated().filter { $0.offset % shards == shard }.map(\.element)
                group.addTask {
                    try await LiveHub.run { hub in await LiveHub.examine(hub.address, hub.grant, part) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let records = reports.flatMap(\.records)
        #expect(records.count == cases.count)
        for record in records {
            switch record.outcome {
            case .passed: break
            case .skipped(let reason):
                let needs = ConformanceSuite.hub.cases.first { $0.name == record.name }?.needs ?? []
                #expect(
                    needs.contains(.mdns) || needs.contains(.patience) || Self.notHere.contains(record.name),
                    "\(record.name) was skipped: \(reason)")
            case .failed(let failure): Issue.record("\(record.name): \(failure.summary)")
            case .interrupted: Issue.record("\(record.name) was interrupted")
            }
            #expect(record.remarks.isEmpty, "\(record.name): \(record.remarks)")
        }
        #expect(reports.flatMap(\.remarks).isEmpty)
    }

    @Test func `cases take away what they made`() async throws {
        let cases = ConformanceSuite.hub.selected(["rooms", "names", "session.prepare", "commission.flow", "grants"])
        try await LiveHub.run { hub in
            let report = await LiveHub.examine(hub.address, hub.grant, cases)
            #expect(!report.hasFailures)
            let setup = HubSetup(address: hub.address, grant: hub.grant, directory: .absent(""))
            let context = HubContext(setup, VirtualDevices(clock: DriverClock()))
            let admin = try await context.admin()
            #expect(try await admin.call("rooms.list").list("rooms").isEmpty)
            #expect(try await admin.call("devices.list").list("devices").isEmpty)
            #expect(try await admin.call("devices.list", ["orphans": true]).list("devices").isEmpty)
            let grants = try await admin.call("grants.list")
            let live = try grants.listed("grants").filter { $0["revoked"] == false }
            #expect(live.count == 1)
            let pending = try grants.list("pending")
            #expect(pending.isEmpty)
            try await admin.refusal(of: "session.get", .notFound)
            await context.closeAll()
        }
    }

    @Test func `without a device, what needs one is skipped for a reason`() async throws {
        let cases = ConformanceSuite.hub.selected(["commission.flow", "failure.wrongPasscode", "hello.late"])
        try await LiveHub.run { hub in
            let setup = HubSetup(address: hub.address, grant: hub.grant, directory: .absent("none"))
            let report = await ConformanceRunner().run(.hub, cases, of: HubSubject(setup))
            #expect(report.count("skipped") == 3)
            for record in report.records {
                guard case .skipped(let reason) = record.outcome else { continue }
                #expect(reason.contains("--"), "\(reason)")
            }
        }
    }

    @Test func `a hub that is not there, or a grant that is no admin's, is said at once`() async throws {
        try await LiveHub.run { hub in
            let nobody = HubSetup(
                address: HostAndPort(host: "127.0.0.1", port: 1), grant: hub.grant, directory: .absent(""))
            await #expect(throws: NetError.self) { try await HubSubject(nobody).check() }
            let setup = HubSetup(address: hub.address, grant: hub.grant, directory: .absent(""))
            let context = HubContext(setup, VirtualDevices(clock: DriverClock()))
            let reader = try await context.app(["structure.read"], by: try await context.admin())
            let weak = HubSetup(
                address: hub.address, grant: try GrantToken(parsing: reader.grant), directory: .absent(""))
            await #expect(throws: ConformanceFailure.self) { try await HubSubject(weak).check() }
            await context.closeAll()
        }
    }
}
