import HubControl
import NetIO

/// The DNS-SD record: dns-sd.md.
enum AdvertisementCases {
    static let all: [HubCase] = [
        HubCase(
            "advertisement.found", "The hub is found as _matter-hub._tcp, with its id and port", ["dns-sd.record"],
            needs: [.mdns]
        ) { hub in
            let found = try await hub.advertisement()
            try expectEqual(found.port, hub.setup.address.port, "the port in the record")
        },
        HubCase("advertisement.keys", "The record's keys say what welcome says", ["dns-sd.record"], needs: [.mdns]) {
            hub in
            let record = try await hub.advertisement().txt
            let welcome = await (try hub.admin()).welcome
            let own = try welcome.record("hub", of: "welcome")
            try expectEqual(record["txtvers"], "1", "txtvers")
            try expectEqual(record["name"], try own.text("name", of: "hub"), "name")
            try expectEqual(record["proto"], try welcome.text("protocol", of: "welcome"), "proto")
            let served = Set((record["st"] ?? "").split(separator: ",").map(String.init))
            for structure in try welcome.listed("structures", of: "welcome") {
                let id = try structure.id("id", of: "a structure")
                try expect(served.contains(id), "st to have the structure \(id)", seen: record["st"] ?? "nothing")
            }
        },
        HubCase(
            "advertisement.state", "state is ready, and offline while the hub is set unreachable", ["dns-sd.state"],
            needs: [.mdns]
        ) { hub in
            let admin = try await hub.admin()
            for (isReachable, state) in [(false, "offline"), (true, "ready")] {
                try await admin.call("hub.setReachable", ["reachable": .bool(isReachable)])
                _ = try await hub.advertisement(within: .seconds(20), state: state)
            }
        },
    ]
}

extension HubContext {
    /// What a browse finds of the hub under examination.
    ///
    /// - Parameter state: waits until the record has this state.
    func advertisement(within limit: Duration = .seconds(15), state: String? = nil) async throws -> ServiceInstance {
        guard case .there(let directory) = setup.directory else { throw ConformanceSkip("there is no DNS-SD here") }
        let id = try await stranger().welcome.record("hub", of: "welcome").id("id", of: "hub")
        let last = Locked<String?>(nil)
        let found: ServiceInstance?
        do {
            found = try await withThrowingTaskGroup(of: ServiceInstance?.self) { group in
                group.addTask {
                    for try await change in directory.browseAndResolve(ServiceType("_matter-hub._tcp")) {
                        guard case .found(let instance) = change, instance.txt["id"] == id else { continue }
                        last.withLock { $0 = instance.txt["state"] }
                        if state == nil || instance.txt["state"] == state { return instance }
                    }
                    return nil
                }
                group.addTask { [clock] in
                    do { try await clock.sleep(until: clock.now + limit) } catch {
                        // Found first.
                    }
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        } catch let error as NetError {
            throw ConformanceSkip("DNS-SD does not work here: \(error)")
        }
        if let found { return found }
        throw ConformanceFailure(
            expected: "a record _matter-hub._tcp with id \(id)\(state.map { " and state \($0)" } ?? "")",
            seen: last.withLock { $0 }.map { "one with state \($0)" } ?? "none",
            meaning: "The hub does not announce itself on this machine's network, or was started with --no-mdns.")
    }
}
