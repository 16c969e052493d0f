import HubControl

/// A question for objects of one kind.
public struct Query<Object: HomeObject>: Sendable {
    private let load: @Sendable () async throws(ControlError) -> Set<Object>

    init(_ load: @escaping @Sendable () async throws(ControlError) -> Set<Object>) { self.load = load }

    /// The objects as they are now; none when the user has revoked the permission, as in the SDK.
    ///
    /// - Throws: ``HomeError``, with code `unavailable` when the hub cannot be reached.
    public func list() async throws -> Set<Object> {
        do throws(ControlError) {
            return try await load()
        } catch {
            let translated = HomeError(error)
            guard translated.code == .permissionDenied else { throw translated }
            return []
        }
    }
}
