import MatterCrypto
import MatterNode
import MatterProtocol
import MatterWire
import NetIO

/// A phone in use: its folder is taken and its controller runs, until the last reference goes.
final class OpenPhone: Sendable {
    let node: ControllerNode
    let ledger: PhoneLedger
    let random: RandomSource
    private let clock: DriverClock
    private let removalLimit: Duration
    private let running: Task<Void, Never>
    private let cleaning = Locked<Task<Void, Never>?>(nil)

    private init(
        _ node: ControllerNode, _ ledger: PhoneLedger, _ environment: ControllerEnvironment, removalLimit: Duration
    ) {
        self.node = node
        self.ledger = ledger
        random = environment.random
        clock = environment.clock
        self.removalLimit = removalLimit
        running = Task { await node.run() }
    }

    deinit {
        cleaning.withLock { $0?.cancel() }
        running.cancel()
    }

    /// How long another process's use of the phone is waited for, in turns of ``retryTime``.
    private static let turns = 50
    private static let retryTime = Duration.milliseconds(200)

    /// Takes the folder, founding the phone's fabric where there is none, and starts.
    static func open(
        _ settings: PhoneSettings, _ makeEnvironment: @Sendable (PhoneSettings) throws -> ControllerEnvironment
    ) async throws -> OpenPhone {
        let environment = try makeEnvironment(settings)
        var turn = 0
        while true {
            do {
                return try await open(settings, environment)
            } catch let error as DeviceStateError where error.code == .inUse && turn < turns {
                turn += 1
                try await environment.clock.sleep(until: environment.clock.now + retryTime)
            }
        }
    }

    private static func open(
        _ settings: PhoneSettings, _ environment: ControllerEnvironment
    ) async throws -> OpenPhone {
        let ledger = try await PhoneLedger.open(settings.folder) {
            let root = try AdministeredFabric.newRoot(
                at: environment.wallClock(), random: environment.random, secrets: environment.secrets)
            let fabric = try AdministeredFabric.found(
                under: root, random: environment.random, secrets: environment.secrets)
            guard let key = root.rootKey else { preconditionFailure("a root without a signer makes its own key") }
            return PhoneState(fabric: fabric, rootKey: key.rawValue)
        }
        let state = ledger.state
        let addresses = state.nodes.compactMap { id, node in PeerAddress(text: node.address).map { (id, $0) } }
        let node = try state.fabric.controller(
            root: CertificateAuthority(restoring: state.fabric.rootCertificate, rootKey: state.rootKey),
            trust: try settings.trust(), knownAddresses: Dictionary(addresses) { _, last in last },
            environment: environment)
        let phone = OpenPhone(node, ledger, environment, removalLimit: settings.removalLimit)
        phone.startCleaning()
        return phone
    }

    // MARK: - Taking devices off

    /// Takes the phone's fabric off a device; one that cannot be reached in time is an orphan from then on.
    func takeOff(_ id: NodeID) async {
        await Self.takeOff(id, node, ledger, clock, limit: removalLimit)
    }

    private static func takeOff(
        _ id: NodeID, _ node: ControllerNode, _ ledger: PhoneLedger, _ clock: DriverClock, limit: Duration
    ) async {
        let known = ledger.state.nodes[id].flatMap { PeerAddress(text: $0.address) }
        let outcome = await within(limit, clock) { await node.removeFabric(from: id, known: known) }
        // A change that cannot be written leaves the row as it was, and the device is tried again: no harm.
        try? await ledger.update { state in
            switch outcome {
            case .removed?, .notOnFabric?: state.nodes[id] = nil
            case .failed?, nil: state.nodes[id]?.standing = .orphan
            }
        }
    }

    /// Tries devices that were left over, beside everything else.
    func startCleaning() {
        let leftovers = ledger.state.leftovers
        cleaning.withLock { task in
            guard task == nil, !leftovers.isEmpty else { return }
            // Holds the parts and not the phone, so that the phone can go meanwhile.
            task = Task { [node, ledger, clock, removalLimit] in
                await withDiscardingTaskGroup { group in
                    for id in leftovers {
                        group.addTask { await Self.takeOff(id, node, ledger, clock, limit: removalLimit) }
                    }
                }
            }
        }
    }

    /// Stops trying, so that a device that is both left over and about to be commissioned is not disturbed; what answers at
    /// once is done first.
    func pauseCleaning() async {
        guard let task = cleaning.withLock({ $0 }) else { return }
        _ = await within(.seconds(1)) { await task.value }
        task.cancel()
        await task.value
        cleaning.withLock { $0 = nil }
    }

    /// - Returns: `nil` when the time was over first; the body was cancelled then.
    func within<R: Sendable>(_ limit: Duration, _ body: @escaping @Sendable () async -> R?) async -> R? {
        await Self.within(limit, clock, body)
    }

    private static func within<R: Sendable>(
        _ limit: Duration, _ clock: DriverClock, _ body: @escaping @Sendable () async -> R?
    ) async -> R? {
        let work = Task { await body() }
        let end = clock.now + limit
        return await withTaskGroup(of: R?.self) { group in
            group.addTask {
                await withTaskCancellationHandler {
                    await work.value
                } onCancel: {
                    work.cancel()
                }
            }
            group.addTask {
                // Cancelled when the work was done in time.
                try? await clock.sleep(until: end)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
