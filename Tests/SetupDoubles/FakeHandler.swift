import Glibc
public import MatterSupport

/// An extension that does as it is told: `VERB=STEP` words, separated by blanks.
///
///     fail=STEP    throws two nested errors        exists=commission  throws that the device is there
///     wait=STEP    waits until it is cancelled     hang=STEP          waits for ever
///     exit=STEP    ends its process, status 7      kill=STEP          ends it by SIGKILL
///     rooms=A,B    its rooms                       wifi=SSID          the network that it chooses
///     suite=GROUP  passes values through the suite of that app group
public final class FakeHandler: MatterAddDeviceExtensionRequestHandler {
    private let orders: [String: String]
    private let note: @Sendable (String) -> Void

    /// - Parameter note: called with a line for each call of a method, as it begins.
    public init(_ orders: String, note: @escaping @Sendable (String) -> Void) {
        var parsed: [String: String] = [:]
        for word in orders.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            parsed[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        self.orders = parsed
        self.note = note
        super.init()
        note("made \(getpid())")
    }

    override public func validateDeviceCredential(_ credential: DeviceCredential) async throws {
        note("validate \(credential.deviceAttestationCertificate.count)")
        try await obey("validate")
    }

    override public func selectWiFiNetwork(from results: [WiFiScanResult]) async throws -> WiFiNetworkAssociation {
        note("wifi \(results.map { String(decoding: $0.ssid, as: UTF8.self) })")
        try await obey("wifi")
        guard let ssid = orders["wifi"] else { return .defaultSystemNetwork }
        return .network(ssid: Data(ssid.utf8), credentials: Data("secret".utf8))
    }

    override public func selectThreadNetwork(
        from results: [ThreadScanResult]
    ) async throws -> ThreadNetworkAssociation {
        note("thread \(results.map(\.networkName))")
        try await obey("thread")
        return results.first.map { .network(extendedPANID: $0.extendedPANID) } ?? .defaultSystemNetwork
    }

    override public func rooms(in home: MatterAddDeviceRequest.Home?) async -> [MatterAddDeviceRequest.Room] {
        note("rooms \(home?.displayName ?? "-")")
        // The method cannot throw: only the orders that wait or end the process count.
        do { try await obey("rooms") } catch {}
        if let group = orders["suite"], let suite = UserDefaults(suiteName: group) {
            let seen = suite.string(forKey: "fromApp") ?? "nothing"
            suite.set("extension saw \(seen)", forKey: "fromExtension")
            note("suite \(seen)")
        }
        return orders["rooms"]?.split(separator: ",").map { .init(displayName: String($0)) } ?? []
    }

    override public func commissionDevice(
        in home: MatterAddDeviceRequest.Home?, onboardingPayload: String, commissioningID: UUID
    ) async throws {
        note("commission \(home?.displayName ?? "-") \(onboardingPayload) \(commissioningID)")
        try await obey("commission")
    }

    override public func configureDevice(named name: String, in room: MatterAddDeviceRequest.Room?) async {
        note("configure \(name) \(room?.displayName ?? "-")")
        do { try await obey("configure") } catch {}
    }

    private func obey(_ step: String) async throws {
        if orders["fail"] == step { throw Self.failure }
        if orders["exists"] == step {
            throw NSError(
                domain: "com.google.home.HomeError", code: 6,
                userInfo: [NSLocalizedDescriptionKey: "the device is on the fabric"])
        }
        if orders["wait"] == step {
            let (never, source) = AsyncStream.makeStream(of: Never.self)
            for await _ in never {}
            withExtendedLifetime(source) {}
            note("cancelled \(step)")
            throw CancellationError()
        }
        if orders["hang"] == step { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
        if orders["exit"] == step { exit(7) }
        if orders["kill"] == step { kill(getpid(), SIGKILL) }
    }

    /// What `fail` throws.
    public static var failure: NSError {
        let root = NSError(
            domain: "com.google.home.HomeError", code: 14,
            userInfo: [
                NSLocalizedDescriptionKey: "the device went away (stage pase)", "MatterHubStage": "pase",
                "MatterHubReason": "deviceVanished", NSLocalizedRecoverySuggestionErrorKey: "Look at the device.",
            ])
        return NSError(
            domain: "com.example.app", code: 42,
            userInfo: [NSLocalizedDescriptionKey: "the extension gave up", NSUnderlyingErrorKey: root])
    }
}
