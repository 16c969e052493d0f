import HubClient
import HubControl

/// A hub on this network.
public struct Hub: Identifiable, Hashable, Sendable {
    /// The hub's lasting id; its name when it announces none.
    public let id: String
    /// The name that it announces.
    public let name: String
    /// Whether it serves the structure that the app has permission for.
    let isActivated: Bool

    init(_ hub: DiscoveredHub, structure: StructureID?) {
        id = hub.id?.text ?? hub.name
        name = hub.name
        isActivated = structure.map { hub.structures.contains($0) } ?? false
    }
}

extension Home {
    /// The hubs on this network that do not serve the app's structure: in the SDK's words, those that are not activated.
    ///
    /// - Parameter duration: how long to look.
    /// - Returns: none where DNS-SD cannot be used.
    public func discoverAvailableHubs(duration: Duration = .seconds(5)) async -> [Hub] {
        do throws(ControlError) {
            let structure = try link.app.group.state().structure
            return Self.available(try await HubLocator().hubs(within: duration), for: structure)
        } catch {
            // The SDK's call throws nothing.
            return []
        }
    }

    static func available(_ hubs: [DiscoveredHub], for structure: StructureID?) -> [Hub] {
        hubs.map { Hub($0, structure: structure) }.filter { !$0.isActivated }
    }

    /// Adds a hub to the structure; a MatterHub cannot be: it founds a structure of its own when it starts first.
    ///
    /// - Throws: ``HomeError`` with subtype ``HomeError/Subtype/hubActivation(_:)``: always.
    public func startHubActivation(_ hub: Hub, structureID: String? = nil) async throws {
        let reason = "the hub “\(hub.name)” has a structure of its own; ask for the permission there instead"
        throw HomeError(code: .unimplemented, message: reason, subtype: .hubActivation(.other(reason)))
    }
}
