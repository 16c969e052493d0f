public import HubControl
package import NetIO
package import Transcript

/// How this process reaches hubs, as its user set it.
public struct ClientSettings: Hashable, Sendable {
    /// The hub; `nil` to look for one.
    public var hub: HubAddress?
    /// Without TLS: only for a hub on this machine that was started with `--plain`.
    public var isPlain: Bool
    /// Whether a grant may be sent without TLS.
    public var sendsGrantOverPlain: Bool
    /// Where grants and what apps share are kept.
    public var folder: StateFolder
    /// Where connections leave records.
    package var records = ConnectionRecords()
    /// How long a synchronous call may take.
    package var blockingLimit = BlockingHubConnection.limit
    /// How long a listener of the home waits before it tries a hub again that could not be reached.
    package var retryDelay = Duration.seconds(1)

    /// Makes settings.
    public init(
        hub: HubAddress? = nil, isPlain: Bool = false, sendsGrantOverPlain: Bool = false, folder: StateFolder
    ) {
        self.hub = hub
        self.isPlain = isPlain
        self.sendsGrantOverPlain = sendsGrantOverPlain
        self.folder = folder
    }

    /// From `MATTERHUB_HUB` (`host:port`), `MATTERHUB_PLAIN=1`, `MATTERHUB_GRANT_OVER_PLAIN=1`, `MATTERHUB_TRANSCRIPT` (a
    /// file that dialogues are appended to, without secrets), `SSLKEYLOGFILE` (a file that TLS secrets are appended to) and the variables of ``StateFolder/init(environment:)``.
    ///
    /// - Throws: ``ControlError`` `invalidArgument` when `MATTERHUB_HUB` is no address, or the transcript cannot be written.
    public init(environment: [String: String]) throws(ControlError) {
        self.init(
            isPlain: environment["MATTERHUB_PLAIN"] == "1",
            sendsGrantOverPlain: environment["MATTERHUB_GRANT_OVER_PLAIN"] == "1",
            folder: StateFolder(environment: environment))
        if let path = environment["MATTERHUB_TRANSCRIPT"], !path.isEmpty {
            records.transcript = try Self.transcript(path) { _ in }
        }
        if let path = environment["SSLKEYLOGFILE"], !path.isEmpty {
            records.tlsKeys = try Self.tlsKeys(path) { _ in }
        }
        guard let text = environment["MATTERHUB_HUB"], !text.isEmpty else { return }
        guard let address = HubAddress(text) else {
            throw ControlError(.invalidArgument, "MATTERHUB_HUB is no host:port: “\(text)”")
        }
        hub = address
    }

    /// Opens a file that the dialogues of this process are appended to.
    ///
    /// - Parameter report: told once when it cannot be written any more.
    package static func transcript(
        _ path: String, report: @escaping @Sendable (String) -> Void
    ) throws(ControlError) -> DialogueLog {
        do {
            return try DialogueLog(
                path: path, about: "What a client says to hubs and hears from them.",
                prefix: "app-\(SystemTime.processID).", clock: DriverClock(),
                unixMilliseconds: SystemTime.unixMilliseconds, report: report)
        } catch {
            throw ControlError(.invalidArgument, "the transcript \(path) cannot be written: \(error)")
        }
    }

    /// Opens a file that TLS secrets of this process are appended to.
    ///
    /// - Parameter report: told once when it cannot be written any more.
    package static func tlsKeys(
        _ path: String, report: @escaping @Sendable (String) -> Void
    ) throws(ControlError) -> TLSKeyLog {
        do throws(NetError) {
            return try TLSKeyLog(path: path, report: report)
        } catch {
            throw ControlError(.invalidArgument, "the TLS key log \(path) cannot be written: \(error)")
        }
    }

    /// How to talk to a hub with this grant, or to ask for one.
    public func security(_ grant: GrantToken?) -> HubSecurity {
        guard isPlain else { return grant.map { .tls($0) } ?? .tlsWithoutGrant }
        guard let grant, sendsGrantOverPlain else { return .plain }
        return .plainSending(grant)
    }

    /// Connects to the hub of the settings, else to one of `known`, else to one that is found.
    ///
    /// - Parameters:
    ///   - grant: `nil` to ask for one.
    ///   - known: where the hub was before; tried first, and given up for a search when it is not there.
    ///   - structure: what a hub that is looked for must serve.
    public func connect(
        _ grant: GrantToken?, known: [HubAddress] = [], structure: StructureID? = nil
    ) async throws(ControlError) -> HubConnection {
        let security = security(grant)
        func target(_ addresses: [HubAddress]) -> HubTarget {
            HubTarget(addresses, security).recorded(in: records)
        }
        if let hub { return try await HubConnection.connect(to: target([hub])) }
        if isPlain { return try await HubConnection.connect(to: target([.local])) }
        if !known.isEmpty {
            do throws(ControlError) {
                return try await HubConnection.connect(to: target(known))
            } catch
                where [ClientReason.hubUnreachable, ClientReason.wrongHub, ClientReason.notAHub]
                .contains(error.reason)
            {
                // It may have moved: look for it.
            }
        }
        var locator = HubLocator()
        locator.records = records
        return try await locator.connect(security, structure: structure)
    }
}
