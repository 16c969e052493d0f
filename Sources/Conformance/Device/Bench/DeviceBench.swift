package import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// Examines one device: finds it, opens sessions, runs commissionings as far as a case wants them, and puts everything back.
///
/// Cases run one after another. Until a case needs more, the device is met with its printed code. Then the bench commissions
/// it on a fabric of its own, `A`, and from there on opens a window for each PASE session: so that a device's count of
/// attempts never spoils a case. A second fabric, `B`, comes through such a window.
///
///     printed code ── commission ──▶ A ── window ──▶ PASE of a case, tidied up
///                                    └─── window ──▶ B ── removed
package actor DeviceBench {
    let order: DeviceOrder
    let probe: DeviceProbe
    nonisolated let environment: ControllerEnvironment
    /// Where the device answers, once it was found.
    var address: PeerAddress?
    /// The fabric of the run, once the device is on it.
    var main: DeviceAdministrator?
    /// The second administrator.
    var second: DeviceAdministrator?
    /// Fabrics for which AddNOC was sent and that belong to neither.
    var provisional: [DeviceAdministrator] = []
    /// Every fabric for which AddNOC was sent in this run.
    var founded: [DeviceAdministrator] = []
    /// CASE sessions by the administrator's id.
    var operational: [UInt64: ProbeSession] = [:]
    var paseSessions: [ProbeSession] = []
    /// The window that the bench opened.
    var window: DeviceWindow?
    var wrongPasscodes = 0
    /// Handshakes with the printed code.
    var printedAttempts = 0
    /// The printed code is used however often it was.
    var isCommissioning = false
    /// What could not be had, with how often: a later case that needs it is skipped.
    var troubles: [Facility: (count: Int, reason: String)] = [:]
    /// What several cases look at.
    var attestation: DeviceAttestation?
    var expiry: ExpiryObservation?
    var completion: CompletionObservation?
    var removal: RemovalObservation?

    /// What cases build on.
    enum Facility: String {
        case device = "the device"
        case session = "a PASE session"
        case commissioning = "a commissioning"
        case window = "a commissioning window"
        case administrator = "a session with the device on our fabric"
        case secondAdministrator = "a second administrator"
    }

    package init(_ order: DeviceOrder, environment: ControllerEnvironment) {
        self.order = order
        self.environment = environment
        probe = DeviceProbe(environment)
    }

    /// Moves datagrams and time until the task is cancelled.
    package nonisolated func run() async { await probe.run() }

    func sleep(_ time: Duration) async throws { try await probe.sleep(time) }

    /// Tries that are made for something before it is given up.
    private static let tries = 3

    /// Gives what a case builds on. When it cannot be had, the first case that needs it fails, and the others are skipped; it
    /// is tried again a few times.
    func having<R: Sendable>(_ facility: Facility, _ body: () async throws -> R) async throws -> R {
        let before = troubles[facility]
        func skip(_ reason: String) -> ConformanceSkip {
            ConformanceSkip("it needs \(facility.rawValue), which could not be had: \(reason)")
        }
        if let before, before.count >= Self.tries { throw skip(before.reason) }
        do {
            return try await body()
        } catch let failure as ConformanceFailure where !Task.isCancelled {
            troubles[facility] = ((before?.count ?? 0) + 1, failure.seen)
            if before != nil { throw skip(failure.seen) }
            throw failure
        }
    }

    // MARK: - Finding

    /// Where the device is: as ordered, or the newest record that fits the code.
    func locate() async throws -> PeerAddress {
        if let address { return address }
        let found = try await having(.device) {
            if let given = order.address { return given }
            guard let record = try await record(CommissionableFilter(order.payload), within: order.searchTime),
                let first = record.addresses.first
            else {
                throw ConformanceFailure(
                    expected: "a commissionable device with the code's discriminator on the network",
                    seen: "none within \(order.searchTime.milliseconds / 1000) s",
                    meaning:
                        "Is the device on, on this network, and is its window open? --address HOST:PORT skips the search."
                )
            }
            return first
        }
        address = found
        return found
    }

    /// The first record that fits.
    func record(_ filter: CommissionableFilter, within time: Duration) async throws -> CommissionableRecord? {
        try await records(within: time) { $0.contains(where: filter.matches) }.last(where: filter.matches)
    }

    /// The records that are announced, in the order in which they came.
    ///
    /// - Parameter isEnough: ends the search before its time.
    func records(
        within time: Duration, until isEnough: @escaping @Sendable ([CommissionableRecord]) -> Bool = { _ in false }
    ) async throws -> [CommissionableRecord] {
        guard let discovery = environment.discovery else { throw ConformanceSkip("there is no multicast DNS") }
        let records = Locked<[CommissionableRecord]>([])
        try await within(time) {
            do {
                for try await event in discovery.commissionableNodes() {
                    let now = records.withLock { records in
                        switch event {
                        case .found(let record):
                            records.removeAll { $0.instance == record.instance }
                            if record.port != 0, !record.addresses.isEmpty { records.append(record) }
                        case .lost(let instance): records.removeAll { $0.instance == instance }
                        }
                        return records
                    }
                    if isEnough(now) { return }
                }
            } catch let error where !(error is CancellationError) {
                throw ConformanceSkip("multicast DNS cannot be searched: \(error)")
            }
        }
        return records.withLock { $0 }
    }

    /// Runs the body for at most a time.
    func within(_ time: Duration, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let deadline = environment.clock.now + time
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            // Cancelled when the body ended in time.
            group.addTask { [clock = environment.clock] in try? await clock.sleep(until: deadline) }
            defer { group.cancelAll() }
            try await group.next()
        }
        try Task.checkCancellation()
    }
}
