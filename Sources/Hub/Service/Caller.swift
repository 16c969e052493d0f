package import HubControl

/// Whoever makes a request: what its grant says.
package struct Caller: Hashable, Sendable {
    package var grant: GrantID
    package var app: AppIdentity
    package var structure: StructureID
    package var scopes: GrantScopes

    package init(grant: GrantID, app: AppIdentity, structure: StructureID, scopes: GrantScopes) {
        self.grant = grant
        self.app = app
        self.structure = structure
        self.scopes = scopes
    }

    init(_ record: GrantRecord) {
        self.init(grant: record.id, app: record.app, structure: record.structure, scopes: record.scopes)
    }
}
