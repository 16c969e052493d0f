import Foundation
package import HubClient
import HubControl
import MatterSupport

/// The user's home, as the hub and the user's permission show it.
public final class Home: Sendable {
    @MainActor private static var configuration: HomeClientConfiguration?
    /// What an app asks permission for.
    static let scopes: GrantScopes = [.structureRead, .deviceControl, .commissioning, .automation]

    let link: AppLink

    private init(_ link: AppLink) { self.link = link }

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

    @MainActor
    private static func configured() throws(HomeError) -> HomeClientConfiguration {
        guard let configuration else {
            throw HomeError(code: .failedPrecondition, message: "call Home.configure first")
        }
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
        return try await HomeError.translating { () async throws(ControlError) in
            if try link.group.grant() != nil {
                do throws(ControlError) {
                    _ = try await link.connection()
                    return Home(link)
                } catch  where HomeError(error).code == .permissionDenied {
                    try await link.forgetGrant()
                }
            }
            try await link.requestGrant(
                for: configuration.identity, appName: ProcessInfo.processInfo.processName, scopes: scopes)
            _ = try await link.connection()
            return Home(link)
        }
    }

    /// See ``restoreSession()``.
    package static func restoreSession(
        _ configuration: HomeClientConfiguration, _ settings: ClientSettings
    ) async throws(HomeError) -> Home? {
        let link = try link(configuration, settings)
        return try await HomeError.translating { () async throws(ControlError) in
            guard try link.group.grant() != nil else { return nil }
            do throws(ControlError) {
                _ = try await link.connection()
            } catch  where HomeError(error).code == .permissionDenied {
                try await link.forgetGrant()
                return nil
            } catch {
                // The hub is away for now; the permission stands.
            }
            return Home(link)
        }
    }

    private static func link(
        _ configuration: HomeClientConfiguration, _ settings: ClientSettings
    ) throws(HomeError) -> AppLink {
        guard !configuration.sharedAppGroup.isEmpty else {
            throw HomeError(
                code: .failedPrecondition, message: "set sharedAppGroup in Home.configure: app and extension share it")
        }
        return try HomeError.translating { () throws(ControlError) in
            try AppLink(group: configuration.sharedAppGroup, settings: settings)
        }
    }

    // MARK: - Queries

    /// The structures that the permission covers.
    public func structures() -> Query<Structure> {
        Query { [link] () async throws(ControlError) in
            let structures = try await link.call(.structures)
            return Set(structures.map { Structure(id: $0.id, name: $0.name, link: link) })
        }
    }

    /// The rooms of all structures.
    public func rooms() -> Query<Room> {
        Query { [link] () async throws(ControlError) in
            var rooms: Set<Room> = []
            for structure in try await link.call(.structures) {
                for room in try await link.call(.rooms(of: structure.id)) {
                    rooms.insert(Room(id: room.id.text, name: room.name, structureID: structure.id.text))
                }
            }
            return rooms
        }
    }

    /// The devices of all structures.
    public func devices() -> Query<HomeDevice> {
        Query { [link] () async throws(ControlError) in
            var devices: Set<HomeDevice> = []
            for structure in try await link.call(.structures) {
                for device in try await link.connection().devices(of: structure.id) {
                    devices.insert(
                        HomeDevice(
                            id: device.id.text, name: device.name, structureID: structure.id.text,
                            roomID: device.room?.text, isMatterDevice: true))
                }
            }
            return devices
        }
    }
}
