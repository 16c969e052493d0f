public import HubControl
import NetIO

/// Finds hubs on the local network by DNS-SD.
///
/// Needs a running daemon (Avahi); without one ``ControlError`` `unavailable` says what to start.
public struct HubLocator: Sendable {
    /// The service type of hubs.
    public static let serviceType = "_matter-hub._tcp"
    /// How long ``connect(_:structure:within:client:)`` looks for a hub.
    public static let searchLimit = Duration.seconds(5)

    private let clock: DriverClock
    /// Where a connection that ``connect(_:structure:within:client:)`` makes leaves a record.
    var records = ConnectionRecords()

    /// A locator on the system's clock.
    public init() { clock = DriverClock() }

    /// Reports the hubs that are there after each change, until the iteration ends.
    public func changes() -> AsyncThrowingStream<[DiscoveredHub], any Error> {
        let (stream, continuation) = AsyncThrowingStream<[DiscoveredHub], any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let browsing = Task {
            var directory = HubDirectory()
            do {
                for try await change in DNSServiceDirectory().browseAndResolve(ServiceType(Self.serviceType)) {
                    directory.apply(change)
                    continuation.yield(directory.hubs)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: ControlError(browsing: error))
            }
        }
        continuation.onTermination = { _ in browsing.cancel() }
        return stream
    }

    /// The hubs that were found within a time.
    ///
    /// - Parameter isEnough: ends the search early.
    public func hubs(
        within limit: Duration, until isEnough: @escaping @Sendable ([DiscoveredHub]) -> Bool = { _ in false }
    ) async throws(ControlError) -> [DiscoveredHub] {
        let found = Locked<[DiscoveredHub]>([])
        let failure = Locked<ControlError?>(nil)
        do throws(NetError) {
            try await withTimeout(limit, clock: clock, "browse") {
                do {
                    for try await hubs in changes() {
                        found.withLock { $0 = hubs }
                        if isEnough(hubs) { break }
                    }
                } catch {
                    failure.withLock { $0 = ControlError(browsing: error) }
                }
            }
        } catch {
            // The time is over, as asked for; or the caller was cancelled and wants nothing more.
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return found.withLock { $0 }
    }

    /// Looks for the hub that takes the grant, and connects to it; where DNS-SD cannot be used, tries this machine.
    ///
    /// - Parameter structure: only hubs that serve it; `nil` for any.
    /// - Throws: ``ControlError`` `unavailable` with reason `noHubFound`, or why the last hub was not it.
    public func connect(
        _ security: HubSecurity, structure: StructureID? = nil, within limit: Duration = searchLimit,
        client: String = "matterhub-swift/1.0"
    ) async throws(ControlError) -> HubConnection {
        let seen: [DiscoveredHub]
        let missing: ControlError
        do throws(ControlError) {
            let attempt = FirstConnection(security, structure, client, records)
            if let connection = try await search(attempt, within: limit) { return connection }
            seen = await attempt.tried
            missing = .notFound(among: seen, await attempt.failure)
        } catch {
            seen = []
            missing = error
        }
        guard seen.isEmpty else { throw missing }
        do throws(ControlError) {
            return try await HubConnection.connect(
                to: HubTarget([.local], security, client: client).recorded(in: records))
        } catch  where error.reason == ClientReason.hubUnreachable {
            throw ControlError(
                missing.code, "\(missing.message); nor does one listen at \(HubAddress.local)",
                reason: missing.reason ?? ClientReason.noHubFound, actions: missing.suggestedUserActions)
        }
    }

    private func search(
        _ attempt: FirstConnection, within limit: Duration
    ) async throws(ControlError) -> HubConnection? {
        let failure = Locked<ControlError?>(nil)
        do throws(NetError) {
            try await withTimeout(limit, clock: clock, "browse") {
                do {
                    for try await hubs in changes() where await attempt.tries(hubs) { break }
                } catch {
                    failure.withLock { $0 = ControlError(browsing: error) }
                }
            }
        } catch {
            // The time is over: what was tried so far counts.
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
        return await attempt.connection
    }
}

/// Connects to one hub after the other until one takes the grant.
private actor FirstConnection {
    let security: HubSecurity
    let structure: StructureID?
    let client: String
    let records: ConnectionRecords
    private(set) var tried: [DiscoveredHub] = []
    private(set) var failure: ControlError?
    private(set) var connection: HubConnection?

    init(_ security: HubSecurity, _ structure: StructureID?, _ client: String, _ records: ConnectionRecords) {
        self.security = security
        self.structure = structure
        self.client = client
        self.records = records
    }

    /// - Returns: whether there is a connection now.
    func tries(_ hubs: [DiscoveredHub]) async -> Bool {
        for hub in hubs where !tried.contains(hub) && (structure.map { hub.structures.contains($0) } ?? true) {
            tried.append(hub)
            do throws(ControlError) {
                connection = try await HubConnection.connect(
                    to: HubTarget(hub.addresses, security, client: client).recorded(in: records))
                return true
            } catch {
                // The end of the search is no hub's failure; and other homes' hubs are no news, the one that the grant is
                // for may say more than that it is not there.
                guard error.code != .cancelled else { continue }
                if failure == nil || failure?.reason == ClientReason.wrongHub { failure = error }
            }
        }
        return false
    }
}

extension ControlError {
    /// What came of a search that gave no connection.
    static func notFound(among seen: [DiscoveredHub], _ failure: ControlError?) -> ControlError {
        if let failure, failure.reason != ClientReason.wrongHub { return failure }
        let message =
            seen.isEmpty
            ? "no hub announces itself on this network; is one running (matterhub serve)?"
            : "none of the hubs on this network is the one that the grant is for "
                + "(\(seen.map { "“\($0.name)”" }.joined(separator: ", "))); is it running? No other one was told the grant"
        return ControlError(
            .unavailable, message, reason: ClientReason.noHubFound, actions: [.checkHubAvailability, .checkWifiNetwork])
    }

    fileprivate init(browsing error: any Error) {
        if let error = error as? ControlError {
            self = error
        } else {
            self.init(
                .unavailable, "hubs cannot be looked for by DNS-SD: \(error)", reason: ClientReason.noHubFound)
        }
    }
}
