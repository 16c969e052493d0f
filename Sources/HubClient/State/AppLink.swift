package import HubControl
package import NetIO

/// One app's way to its hub: keeps a connection for asynchronous callers, and gives synchronous ones their own.
///
/// What must outlast the process is in the app group's folder, which the app's extension reads too.
package actor AppLink {
    /// The shared folder.
    package nonisolated let group: GroupFolder
    private let settings: ClientSettings
    private var current: HubConnection?
    private var connecting: Task<Result<HubConnection, ControlError>, Never>?
    private nonisolated let watch: LinkWatch

    /// - Throws: ``ControlError`` `invalidArgument` for a group name that cannot be a folder's.
    package init(
        group: String, settings: ClientSettings, clock: DriverClock = DriverClock()
    ) throws(ControlError) {
        self.group = try settings.folder.group(group)
        self.settings = settings
        watch = LinkWatch(delay: settings.retryDelay, clock: clock)
    }

    /// Calls `body` with what happens in the home from now on, until the listener is cancelled or dropped.
    ///
    /// One connection follows the hub's events for all listeners; it is made again when it breaks, without losing events
    /// as long as the hub still has them. `body` is called for one signal after the other, on any thread, and must not block.
    ///
    /// - Parameter device: whose attributes the hub is to tell too, where it can.
    package nonisolated func listen(
        following device: FollowedDevice? = nil, _ body: @escaping @Sendable (LinkSignal) -> Void
    ) -> LinkListener {
        watch.listen(on: self, following: device, body)
    }

    /// Whether anybody listens.
    package nonisolated var isListenedTo: Bool { watch.isListenedTo }

    /// Tells all listeners that this process changed something on a device.
    package nonisolated func noteChange(of device: DeviceID) { watch.tell(.changed(device)) }

    /// The open connection with the group's grant, or a new one; callers at the same time share it.
    ///
    /// - Throws: ``ControlError``: `unauthenticated` with reason `noGrant` when the group has none.
    package func connection() async throws(ControlError) -> HubConnection {
        if let current, await current.isOpen { return current }
        let task: Task<Result<HubConnection, ControlError>, Never>
        if let connecting {
            task = connecting
        } else {
            task = Task { [settings, group] in
                do throws(ControlError) {
                    return .success(try await Self.open(settings, group))
                } catch {
                    return .failure(error)
                }
            }
            connecting = task
        }
        let outcome = await task.value
        if connecting == task { connecting = nil }
        let connection = try outcome.get()
        current = connection
        return connection
    }

    /// Makes a call that may be repeated without harm: when the connection turns out to be dead, once more over a new one.
    package func call<Answer>(
        _ call: HubCall<Answer>, deadline: Duration? = HubSession.callLimit,
        grace: Duration = HubConnection.answerGrace
    ) async throws(ControlError) -> Answer {
        let connection = try await connection()
        do throws(ControlError) {
            return try await connection.call(call, deadline: deadline, grace: grace)
        } catch {
            guard !Task.isCancelled, await !connection.isOpen else { throw error }
            return try await self.connection().call(call, deadline: deadline, grace: grace)
        }
    }

    /// Makes a call that must not be made twice.
    package func callOnce<Answer>(
        _ call: HubCall<Answer>, deadline: Duration? = HubSession.callLimit
    ) async throws(ControlError) -> Answer {
        try await connection().call(call, deadline: deadline)
    }

    private static func open(
        _ settings: ClientSettings, _ group: GroupFolder
    ) async throws(ControlError) -> HubConnection {
        guard let grant = try group.grant() else { throw .noGrant(group.name) }
        let state = try group.state()
        let connection = try await settings.connect(grant, known: state.hubs, structure: state.structure)
        try remember(connection, group)
        return connection
    }

    /// Keeps what the synchronous calls and other processes need to reach the same hub.
    private static func remember(_ connection: HubConnection, _ group: GroupFolder) throws(ControlError) {
        let structure = connection.welcome.structures.first?.id
        try group.update { state throws(ControlError) in
            state.hubs = [connection.address] + state.hubs.filter { $0 != connection.address }.prefix(3)
            state.structure = structure ?? state.structure
        }
    }

    /// Asks a hub for a grant and waits until somebody decides; keeps it in the group's folder.
    ///
    /// - Throws: ``ControlError``: `permissionDenied` when it was refused.
    ///
    /// - Parameters:
    ///   - structure: which one to ask for; `nil` for what the hub chooses.
    ///   - isWelcome: whether a grant for that structure is kept.
    package func requestGrant(
        for app: AppIdentity, appName: String?, scopes: GrantScopes, structure: StructureID? = nil,
        keptIf isWelcome: @Sendable (StructureID?) -> Bool = { _ in true }
    ) async throws(ControlError) {
        let connection = try await settings.connect(nil, known: group.state().hubs)
        let issued: IssuedGrant
        do throws(ControlError) {
            issued = try await connection.call(
                .requestGrant(for: app, appName: appName, structure: structure, scopes: scopes))
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        // The hub shows its authority by TLS and names it in the grant: a difference means that somebody is in between.
        if let authority = connection.authorityHash, authority != issued.token.authorityHash {
            throw ControlError(
                .unauthenticated, "the grant names another authority than the hub at \(connection.address) has",
                reason: ClientReason.wrongHub)
        }
        guard isWelcome(issued.structure) else {
            throw ControlError(
                .permissionDenied, "the permission that was given is for another structure",
                details: ["reason": "otherStructure"])
        }
        try group.setGrant(issued.token)
        try Self.remember(connection, group)
        if let structure = issued.structure {
            try group.update { state throws(ControlError) in state.structure = structure }
        }
        await forgetConnection()
    }

    /// Forgets the group's grant, so that the next one has to be asked for.
    package func forgetGrant() async throws(ControlError) {
        try group.setGrant(nil)
        await forgetConnection()
    }

    /// Ends the connection; the next call makes a new one.
    package func close() async { await forgetConnection() }

    private func forgetConnection() async {
        let old = current
        current = nil
        await old?.close()
        watch.wake()
    }

    /// A connection for synchronous calls to the hub that was reached last.
    ///
    /// - Throws: ``ControlError``: `unauthenticated` with reason `noGrant`, `unavailable` when no hub was reached yet.
    package nonisolated func blocking() throws(ControlError) -> BlockingHubConnection {
        guard let grant = try group.grant() else { throw .noGrant(group.name) }
        let known = try group.state().hubs
        let addresses = settings.hub.map { [$0] } ?? (settings.isPlain && known.isEmpty ? [.local] : known)
        guard !addresses.isEmpty else {
            throw ControlError(
                .unavailable, "no hub was reached yet by this app group", reason: ClientReason.hubUnreachable,
                actions: [.checkHubAvailability])
        }
        return BlockingHubConnection(
            HubTarget(addresses, settings.security(grant)).recorded(in: settings.records),
            limit: settings.blockingLimit)
    }
}

extension ControlError {
    static func noGrant(_ group: String) -> ControlError {
        ControlError(
            .unauthenticated, "the app group “\(group)” has no grant for a hub yet: connect in the app first",
            reason: ClientReason.noGrant)
    }
}
