import Conformance
import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO
import TestSupport
import VirtualHome

/// Runs the device suite on a virtual light, in a network in memory and on a clock that stands still until all wait.
struct DeviceBenchHome {
    let home: Home

    init() throws { home = try Home() }

    /// - Parameters:
    ///   - names: cases; `nil` for all.
    ///   - adjust: the order.
    func run(
        faults: FaultPlan = FaultPlan(), defects: Set<DeviceDefect> = [], only names: [String] = [],
        adjusting adjust: (inout DeviceOrder) -> Void = { _ in }
    ) async throws -> (report: ConformanceReport, left: [String], fabrics: Int, isOpen: Bool) {
        let (home, suite) = (home, DeviceSuite.suite)
        var order = DeviceOrder(
            payload: home.identity.payload, address: MemoryNetwork.address(Home.devicePort), trust: try .standard())
        adjust(&order)
        return try await home.withLight(faults: faults, defects: defects) { light in
            await until { !light.advertiser.services.isEmpty }
            let bench = DeviceBench(
                order,
                environment: ControllerEnvironment(
                    link: home.network.link(port: 77), clock: home.driverClock, wallClock: home.wallClock,
                    random: .seeded(5), secrets: SeededSecretSource(seed: 5),
                    discovery: AnnouncedDiscovery(light.advertiser)))
            let running = Task { await bench.run() }
            defer { running.cancel() }
            let (report, left) = try await home.lapse(limit: .seconds(200_000)) {
                let report = await ConformanceRunner(clock: home.driverClock).run(
                    suite, suite.selected(names), of: DeviceSubject(bench))
                return (report, await bench.leave())
            }
            return (report, left, await light.node.fabrics.count, await light.node.isCommissionable)
        }
    }
}

/// Finds what a light announces at the moment of the question.
private struct AnnouncedDiscovery: NodeDiscovery {
    private let advertiser: RecordingAdvertiser

    init(_ advertiser: RecordingAdvertiser) { self.advertiser = advertiser }

    func commissionableNodes() -> AsyncThrowingStream<CommissionableEvent, any Error> {
        let services = advertiser.services.filter { $0.type == "_matterc._udp" }
        return AsyncThrowingStream { continuation in
            for service in services {
                let txt = Dictionary(
                    uniqueKeysWithValues: service.txt.entries.map { entry in
                        (entry.key, String(decoding: entry.value ?? [], as: UTF8.self))
                    })
                continuation.yield(
                    .found(
                        CommissionableRecord(
                            instance: service.name, port: service.port,
                            addresses: [MemoryNetwork.address(service.port)], txt: txt)))
            }
            continuation.finish()
        }
    }

    func operationalNode(instance: String) -> AsyncThrowingStream<OperationalAddress, any Error> {
        let found = advertiser.services.first { $0.type == "_matter._tcp" && $0.name == instance }
        return AsyncThrowingStream { continuation in
            if let found {
                continuation.yield(
                    OperationalAddress(address: MemoryNetwork.address(found.port), timing: MRPParameters()))
            }
            continuation.finish()
        }
    }
}
