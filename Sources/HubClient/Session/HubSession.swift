public import HubControl

/// The commissioning session of one structure over a connection (Protocols/commissioning-session.md).
///
/// The session lives in the hub and belongs to the app: another connection of the same app goes on with it.
public struct HubSession: Sendable {
    /// How long the hub may take for one device unless the caller says otherwise.
    public static let commissionLimit = Duration.seconds(120)
    /// How much longer to wait for a commissioning's own answer: the hub cleans the device first.
    public static let commissionGrace = Duration.seconds(15)
    /// How long the other calls wait for the hub.
    public static let callLimit = Duration.seconds(10)

    /// The connection that it goes over.
    public let connection: HubConnection
    /// The structure; `nil` for the only one that the grant covers.
    public let structure: StructureID?

    /// Takes the session of a structure, whether one is open or not.
    public init(_ connection: HubConnection, structure: StructureID? = nil) {
        self.connection = connection
        self.structure = structure
    }

    /// Opens a session; an older one of the same app ends.
    ///
    /// - Throws: ``ControlError``: `permissionDenied`, `unavailable` (hub), `notFound` (structure), or
    ///   `failedPrecondition` when another app has one.
    public func prepare(lifetime: Duration? = nil) async throws(ControlError) -> PreparedSession {
        try await connection.call(.prepareSession(in: structure, lifetime: lifetime), deadline: Self.callLimit)
    }

    /// Commissions a device.
    ///
    /// - Parameters:
    ///   - payload: a QR text or a manual code.
    ///   - address: `host:port` of the device instead of discovery.
    ///   - clientKey: a repeat with the same key, also over another connection, gets the first answer.
    ///   - limit: for the whole commissioning.
    ///   - onStage: called in order, once a stage, and not after the return; when the grant does not allow events, never.
    public func commission(
        _ payload: String, address: String? = nil, clientKey: ClientKey = .random(), limit: Duration = commissionLimit,
        onStage: (@Sendable (StageProgress) -> Void)? = nil
    ) async throws(ControlError) -> ProvisionalDevice {
        let call = HubCall<ProvisionalDevice>.commission(
            payload, clientKey: clientKey, address: address, limit: limit, in: structure)
        guard let onStage, try await subscribe() else {
            return try await connection.call(call, deadline: limit, grace: Self.commissionGrace)
        }
        let (id, events) = await connection.openEvents()
        async let shown: Void = Self.relay(
            events, of: structure ?? connection.welcome.structures.first?.id, to: onStage)
        let outcome: Result<ProvisionalDevice, ControlError>
        do throws(ControlError) {
            outcome = .success(try await connection.call(call, deadline: limit, grace: Self.commissionGrace))
        } catch {
            outcome = .failure(error)
        }
        await connection.closeEvents(id)
        await shown
        return try outcome.get()
    }

    private static func relay(
        _ events: AsyncStream<ControlEvent>, of structure: StructureID?, to onStage: @Sendable (StageProgress) -> Void
    ) async {
        for await event in events where event.name == "session.stage" && event.structure == structure {
            do throws(ControlProtocolError) {
                onStage(try StageProgress(json: event.data))
            } catch {
                // A newer hub's event of another form: progress is shown without it.
            }
        }
    }

    /// - Returns: `false` when the grant does not cover events.
    private func subscribe() async throws(ControlError) -> Bool {
        do throws(ControlError) {
            _ = try await connection.call(.subscribe(to: structure), deadline: Self.callLimit)
            return true
        } catch  where error.code == .permissionDenied {
            return false
        }
    }

    /// Names the device commissioned last, and puts it into the first room of that name.
    public func configure(deviceName: String, roomName: String? = nil) async throws(ControlError) {
        try await connection.call(
            .configure(deviceName: deviceName, roomName: roomName, in: structure), deadline: Self.callLimit)
    }

    /// Ends the session; its devices become visible.
    public func complete(clientKey: ClientKey = .random()) async throws(ControlError) -> Set<DeviceID> {
        try await connection.call(.completeSession(clientKey: clientKey, in: structure), deadline: Self.callLimit)
    }

    /// Ends the session; its devices are removed. Idempotent.
    public func cancel(force: Bool = false) async throws(ControlError) -> CancelledSession {
        try await connection.call(.cancelSession(force: force, in: structure), deadline: Self.callLimit)
    }

    /// The session's state; `notFound` without one.
    public func info() async throws(ControlError) -> SessionInfo {
        try await connection.call(.sessionInfo(in: structure), deadline: Self.callLimit)
    }
}
