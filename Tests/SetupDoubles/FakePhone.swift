public import MatterSupport
import MatterWire
import NetIO

/// A phone that does as it is told, and keeps a line of all it did.
public final class FakePhone: Sendable {
    /// The payload of its window.
    public static let window = "MT:-24J042C00KA0648G00"
    /// A device's attestation, of no meaning.
    public static let credential = MatterAddDeviceExtensionRequestHandler.DeviceCredential(
        certificationDeclaration: Data([1, 2, 3]), deviceAttestationCertificate: Data([4, 5]),
        productAttestationIntermediateCertificate: Data([6]))

    private let lines = Locked<[String]>([])
    private let failing: String?
    private let waiting: String?
    private let isDeaf: Bool
    private let hasCredential: Bool
    private let needs: NetworkNeeds
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - failing: what throws: `examine`, `commission` or `window`.
    ///   - waiting: what waits until it is cancelled.
    ///   - isDeaf: whether what waits succeeds when it is cancelled.
    ///   - note: called with each line as it begins.
    package init(
        failing: String? = nil, waiting: String? = nil, isDeaf: Bool = false, hasCredential: Bool = true,
        needs: NetworkNeeds = [], note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.failing = failing
        self.waiting = waiting
        self.isDeaf = isDeaf
        self.hasCredential = hasCredential
        self.needs = needs
        self.note = note
    }

    /// What it did, in order.
    public var log: [String] { lines.withLock { $0 } }

    private func begin(_ what: String, _ line: String) async throws {
        lines.withLock { $0.append(line) }
        note(line)
        if failing == what {
            throw NSError(domain: "phone", code: 7, userInfo: [NSLocalizedDescriptionKey: "the \(what) failed"])
        }
        guard waiting == what else { return }
        let (never, source) = AsyncStream.makeStream(of: Never.self)
        for await _ in never {}
        withExtendedLifetime(source) {}
        if !isDeaf { throw CancellationError() }
    }
}

extension FakePhone: SetupPhone {
    package func examine(_ payload: String, address: String?) async throws -> PhoneExamination {
        try await begin("examine", "examine \(payload) \(address ?? "-")")
        return PhoneExamination(
            credential: hasCredential ? Self.credential : nil,
            credentialMissing: hasCredential ? nil : "the device takes no second PASE", networks: needs)
    }

    package func commission(
        _ payload: String, address: String?, progress: @Sendable (String) -> Void
    ) async throws -> PhoneDevice {
        progress("pase")
        try await begin("commission", "commission \(payload) \(address ?? "-")")
        return PhoneDevice(nodeID: NodeID(rawValue: 1), credential: Self.credential, networks: needs)
    }

    package func openWindow(on device: PhoneDevice) async throws -> String {
        try await begin("window", "window \(device.nodeID.rawValue)")
        return Self.window
    }

    package func remove(_ device: PhoneDevice) async {
        lines.withLock { $0.append("remove \(device.nodeID.rawValue)\(Task.isCancelled ? " cancelled" : "")") }
        note("remove")
    }
}
