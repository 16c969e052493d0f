public import HubControl

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

    /// From `MATTERHUB_HUB` (`host:port`), `MATTERHUB_PLAIN=1`, `MATTERHUB_GRANT_OVER_PLAIN=1` and the variables of
    /// ``StateFolder/init(environment:)``.
    ///
    /// - Throws: ``ControlError`` `invalidArgument` when `MATTERHUB_HUB` is no address.
    public init(environment: [String: String]) throws(ControlError) {
        self.init(
            isPlain: environment["MATTERHUB_PLAIN"] == "1",
            sendsGrantOverPlain: environment["MATTERHUB_GRANT_OVER_PLAIN"] == "1",
            folder: StateFolder(environment: environment))
        guard let text = environment["MATTERHUB_HUB"], !text.isEmpty else { return }
        guard let address = HubAddress(text) else {
            throw ControlError(.invalidArgument, "MATTERHUB_HUB is no host:port: “\(text)”")
        }
        hub = address
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
        if let hub { return try await HubConnection.connect(to: HubTarget([hub], security)) }
        if isPlain { return try await HubConnection.connect(to: HubTarget([.local], security)) }
        if !known.isEmpty {
            do throws(ControlError) {
                return try await HubConnection.connect(to: HubTarget(known, security))
            } catch
                where [ClientReason.hubUnreachable, ClientReason.wrongHub, ClientReason.notAHub]
                .contains(error.reason)
            {
                // It may have moved: look for it.
            }
        }
        return try await HubLocator().connect(security, structure: structure)
    }
}
