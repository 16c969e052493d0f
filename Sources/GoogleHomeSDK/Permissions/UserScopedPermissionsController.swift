public import Foundation
import HubClient
import HubControl

/// What the user permits the app: one structure of one hub at a time.
public struct UserScopedPermissionsController: Sendable {
    private let link: HomeLink
    private let identity: AppIdentity

    init(_ link: HomeLink, _ identity: AppIdentity) {
        self.link = link
        self.identity = identity
    }

    /// Asks for the permission anew, and waits until somebody decides at the hub. A refusal changes nothing.
    ///
    /// - Parameters:
    ///   - structureID: the structure to ask for; `nil` for what the hub offers.
    ///   - allowedStructureIDs: a permission for another structure is given up again; `nil` for any.
    ///   - allowStructureChange: whether the permission may go to another structure than now.
    public func presentPermissionsUpdate(
        structureID: String? = nil, allowedStructureIDs: [String]? = nil, allowStructureChange: Bool = false
    ) async {
        do throws(ControlError) {
            let current = try link.app.group.grant() == nil ? nil : try link.app.group.state().structure
            try await link.app.requestGrant(
                for: identity, appName: ProcessInfo.processInfo.processName, scopes: Home.scopes,
                structure: structureID.flatMap { StructureID(text: $0) }
            ) { structure in
                guard let structure else { return true }
                guard allowedStructureIDs?.contains(structure.text) != false else { return false }
                return allowStructureChange || structureID != nil || current == nil || structure == current
            }
        } catch {
            // The SDK's call throws nothing: the user closed the view, and the permission is as before.
        }
    }

    /// What proves the permission to the hub.
    ///
    /// - Returns: the group's grant, which is a secret, and an empty assertion, since no vendor vouches for the app here.
    /// - Throws: ``HomeError`` `permissionDenied` when there is none.
    public func authorization() async throws -> (accessToken: String, assertion: Data) {
        let grant = try HomeError.translating { () throws(ControlError) in try link.app.group.grant() }
        guard let grant else { throw HomeError.permissionDenied("the app has no permission") }
        return (grant.text, Data())
    }
}
