import Foundation
package import HubClient
import HubControl
import MatterSupport
import NetIO

/// The user's home, as the hub and the user's permission show it.
public final class Home: Sendable {
    @MainActor private static var configuration: HomeClientConfiguration?
    /// What an app asks permission for.
    static let scopes: GrantScopes = [.structureRead, .deviceControl, .commissioning, .automation]
    /// The version of the API that this package mirrors.
    public static let version = "1.12.0"

    /// Names the home that the permission is for; the same in every process and after every start.
    public let identifier: String
    /// What the user permits the app.
    public let permissions: UserScopedPermissionsController
    let link: HomeLink
    /// The request of ``presentPermissionsUpdate()`` that runs.
    private let update = Locked<Task<Void, Never>?>(nil)

    private init(_ link: HomeLink, _ identity: AppIdentity) {
        self.link = link
        identifier = Self.identifier(of: link.app.group)
        permissions = UserScopedPermissionsController(link, identity)
    }

    deinit { update.withLock { $0 }?.cancel() }

    private static func identifier(of group: GroupFolder) -> String {
        do throws(ControlError) {
            guard let grant = try group.grant() else { return group.name }
            return Base64URL.encode(grant.authorityHash)
        } catch {
            // The folder cannot be read; whoever needs the grant is told so.
            return group.name
        }
    }

    // MARK: - Connecting

    /// Sets what the app says of itself; before every other call.
    @preconcurrency @MainActor
    public static func configure(_ block: (inout HomeClientConfiguration) -> Void) {
        var changed = configuration ?? HomeClientConfiguration()
        block(&changed)
        configuration = changed
        AppGroupSuites.use(changed.sharedAppGroup)
    }

    /// Connects to the hub: with the permission that the app group has, else asks for it and waits until it is given.
    ///
    /// - Throws: ``HomeError``: `permissionDenied` when it is refused, `unavailable` without a hub, `failedPrecondition`
    ///   before ``configure(_:)``.
    @preconcurrency @MainActor
    public static func connect() async throws -> Home {
        try await connect(try configured(), settings())
    }

    /// Takes up the permission that the app group has, without asking anybody.
    ///
    /// - Returns: `nil` when it has none, or not any more.
    @preconcurrency @MainActor
    public static func restoreSession() async -> Home? {
        do {
            return try await restoreSession(try configured(), settings())
        } catch {
            return nil
        }
    }

    /// Takes up a permission that somebody made for the app beforehand (`matterhub grants create`), without asking.
    ///
    /// - Parameter token: the grant's text.
    /// - Throws: ``HomeError``: `invalidArgument` for another text, `permissionDenied` when the hub does not take it.
    @preconcurrency @MainActor
    public static func acceptInvitation(_ token: String) async throws -> Home {
        try await acceptInvitation(token, try configured(), settings())
    }

    @MainActor
    private static func configured() throws(HomeError) -> HomeClientConfiguration {
        guard let configuration else { throw .failedPrecondition("call Home.configure first") }
        return configuration
    }

    static func settings() throws(HomeError) -> ClientSettings {
        try HomeError.translating { () throws(ControlError) in
            try ClientSettings(environment: ProcessInfo.processInfo.environment)
        }
    }

    /// See ``connect()``.
    package static func connect(
        _ configuration: HomeClientConfiguration, _ settings: ClientSettings
    ) async throws(HomeError) -> Home {
        let link = try link(configuration, settings)
        let app = link.app
        return try await HomeError.translating { () async throws(ControlError) in
            if try app.group.grant() != nil {
                do throws(ControlError) {
                    _ = try await app.connection()
                    return Home(link, configuration.identity)
                } catch  where error.isMissingPermission {
                    try await app.forgetGrant()
                }
            }
            try await app.requestGrant(
                for: configuration.identity, appName: ProcessInfo.processInfo.processName, scopes: scopes)
            _ = try await app.connection()
            return Home(link, configuration.identity)
        }
    }

    /// See ``restoreSession()``.
    package static func restoreSession(
        _ configuration: HomeClientConfiguration, _ settings: ClientSettings
    ) async throws(HomeError) -> Home? {
        let link = try link(configuration, settings)
        let app = link.app
        return try await HomeError.translating { () async throws(ControlError) in
            guard try app.group.grant() != nil else { return nil }
            do throws(ControlError) {
                _ = try await app.connection()
            } catch  where error.isMissingPermission {
                try await app.forgetGrant()
                return nil
            } catch {
                // The hub is away for now; the permission stands.
            }
            return Home(link, configuration.identity)
        }
    }

    /// See ``acceptInvitation(_:)``.
    package static func acceptInvitation(
        _ token: String, _ configuration: HomeClientConfiguration, _ settings: ClientSettings
    ) async throws(HomeError) -> Home {
        let grant: GrantToken
        do throws(GrantToken.Failure) {
            grant = try GrantToken(parsing: token)
        } catch {
            throw .invalidArgument("the invitation is no grant of a hub")
        }
        let link = try link(configuration, settings)
        let app = link.app
        return try await HomeError.translating { () async throws(ControlError) in
            let before = try app.group.grant()
            try app.group.setGrant(grant)
            await app.close()
            do throws(ControlError) {
                _ = try await app.connection()
            } catch {
                try app.group.setGrant(before)
                throw error
            }
            return Home(link, configuration.identity)
        }
    }

    private static func link(
        _ configuration: HomeClientConfiguration, _ settings: ClientSettings
    ) throws(HomeError) -> HomeLink {
        guard !configuration.sharedAppGroup.isEmpty else {
            throw .failedPrecondition("set sharedAppGroup in Home.configure: app and extension share it")
        }
        let app = try HomeError.translating { () throws(ControlError) in
            try AppLink(group: configuration.sharedAppGroup, settings: settings)
        }
        return HomeLink(app: app, validatesOperations: configuration.strictOperationValidation)
    }

    /// Gives up the permission on this side: the app group forgets it, and queries become empty. The hub keeps it until
    /// somebody revokes it there.
    public func disconnect() async {
        do throws(ControlError) {
            try await link.app.forgetGrant()
        } catch {
            // The SDK's call throws nothing; a folder that cannot be written keeps the permission.
        }
    }

    /// Asks for the permission anew, in the background; see ``UserScopedPermissionsController``.
    public func presentPermissionsUpdate() {
        let permissions = permissions
        update.withLock { update in
            update?.cancel()
            update = Task { await permissions.presentPermissionsUpdate() }
        }
    }

    // MARK: - Commands

    /// Sends the commands that a closure collects, all at the same time, and waits for all.
    ///
    /// - Throws: what the closure throws, then nothing is sent; else ``HomeError``: the one failure, or one with subtype
    ///   ``HomeError/Subtype/bulk(errors:)``. The other commands are done all the same.
    @preconcurrency @MainActor
    public func sendBatchedCommands<T>(_ block: (CommandBatcher) throws -> T) async throws -> T {
        let batcher = CommandBatcher()
        let result = try block(batcher)
        try await batcher.commit().send()
        return result
    }

    // MARK: - Queries

    /// The structures that the permission covers.
    public func structures() -> Query<Structure> {
        Query(link, concerns: { $0.name.hasPrefix("structure.") }) { [link] () async throws(ControlError) in
            let structures = try await link.app.call(.structures)
            return Set(structures.map { Structure($0, link: link) })
        }
    }

    /// The rooms of all structures.
    public func rooms() -> Query<Room> {
        Query(link, concerns: { $0.name.hasPrefix("room.") }) { [link] () async throws(ControlError) in
            var rooms: Set<Room> = []
            for structure in try await link.app.call(.structures) {
                for room in try await link.app.call(.rooms(of: structure.id)) {
                    rooms.insert(Room(room, in: structure.id, link: link))
                }
            }
            return rooms
        }
    }

    /// The devices of all structures.
    public func devices() -> Query<HomeDevice> {
        Query(
            link,
            concerns: {
                ["device.added", "device.removed", "device.changed", "room.removed"].contains($0.name)
            },
            load: { [link] () async throws(ControlError) in
                var devices: Set<HomeDevice> = []
                for structure in try await link.app.call(.structures) {
                    for device in try await link.app.connection().devices(of: structure.id) {
                        devices.insert(HomeDevice(device, in: structure.id, link: link))
                    }
                }
                return devices
            })
    }
}
