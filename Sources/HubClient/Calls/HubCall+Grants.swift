public import HubControl

/// A grant that the hub gave out just now.
public struct IssuedGrant: Hashable, Sendable {
    /// The grant with its secret; the hub shows it this once.
    public var token: GrantToken
    /// The structure that it covers, where the hub says so.
    public var structure: StructureID?
    /// What it allows, where the hub says so.
    public var scopes: GrantScopes?
}

/// A grant as the hub lists it.
public struct GrantInfo: Hashable, Sendable {
    /// The grant's id.
    public var id: GrantID
    /// Whom it speaks for.
    public var app: AppIdentity
    /// The structure that it covers.
    public var structure: StructureID
    /// Names of what it allows.
    public var scopes: [String]
    /// Seconds since 1970.
    public var createdAt: Int64
    /// Whether it was revoked.
    public var isRevoked: Bool
}

/// A request for a grant that waits for approval.
public struct PendingGrantInfo: Hashable, Sendable {
    /// The id to approve or deny.
    public var id: GrantID
    /// Who asks.
    public var app: AppIdentity
    /// Names of what is asked for.
    public var scopes: [String]
}

/// All grants of a hub.
public struct GrantList: Hashable, Sendable {
    /// Those that were given.
    public var grants: [GrantInfo]
    /// Those that wait.
    public var pending: [PendingGrantInfo]
}

extension AppIdentity {
    fileprivate init(json: JSONObject) throws(ControlProtocolError) {
        self.init(appID: try json.string("appId"), appGroup: try json.string("appGroup"))
    }
    fileprivate func params(_ structure: StructureID?, _ scopes: GrantScopes) -> JSONObject {
        [
            "appId": .string(appID), "appGroup": .string(appGroup), "structure": structure?.json,
            "scopes": .array(scopes.names.map { .string($0) }),
        ]
    }
}

extension HubCall where Answer == IssuedGrant {
    /// Asks for a grant; the answer comes when somebody approved it, or `permissionDenied`.
    public static func requestGrant(
        for app: AppIdentity, appName: String? = nil, structure: StructureID? = nil, scopes: GrantScopes
    ) -> Self {
        var params = app.params(structure, scopes)
        params["appName"] = appName.map { .string($0) }
        return Self(.grantsRequest, params) { json throws(ControlProtocolError) in try issued(json) }
    }

    /// Makes a grant without asking anybody; needs admin.
    public static func createGrant(
        for app: AppIdentity, structure: StructureID? = nil, scopes: GrantScopes
    ) -> Self {
        Self(.grantsCreate, app.params(structure, scopes)) { json throws(ControlProtocolError) in try issued(json) }
    }

    private static func issued(_ json: JSONObject) throws(ControlProtocolError) -> IssuedGrant {
        let text = try json.string("grant")
        let token: GrantToken
        do throws(GrantToken.Failure) {
            token = try GrantToken(parsing: text)
        } catch {
            throw ControlProtocolError(.wrongType, path: "grant", reason: "a grant")
        }
        return IssuedGrant(
            token: token, structure: try json.optionalIdentifier("structure"),
            scopes: json["scopes"] == nil
                ? nil : try json.strings("scopes").reduce(into: []) { $0.formUnion(GrantScopes(names: [$1]) ?? []) })
    }
}

extension HubCall where Answer == GrantList {
    /// All grants, and the requests that wait; needs admin.
    public static var grants: Self {
        Self(.grantsList) { json throws(ControlProtocolError) in
            GrantList(
                grants: try json.objects("grants") { row throws(ControlProtocolError) in
                    GrantInfo(
                        id: try row.identifier("id"), app: try AppIdentity(json: row),
                        structure: try row.identifier("structure"), scopes: try row.strings("scopes"),
                        createdAt: try row.integer("createdAt"), isRevoked: try row.bool("revoked"))
                },
                pending: try json.objects("pending") { row throws(ControlProtocolError) in
                    PendingGrantInfo(
                        id: try row.identifier("id"), app: try AppIdentity(json: row),
                        scopes: try row.strings("scopes"))
                })
        }
    }
}

extension HubCall where Answer == Void {
    /// Approves a request that waits.
    public static func approveGrant(_ id: GrantID) -> Self { Self(.grantsApprove, ["id": id.json]) }
    /// Refuses a request that waits.
    public static func denyGrant(_ id: GrantID) -> Self { Self(.grantsDeny, ["id": id.json]) }
    /// Ends a grant at once, and what runs with it.
    public static func revokeGrant(_ id: GrantID) -> Self { Self(.grantsRevoke, ["id": id.json]) }
}
