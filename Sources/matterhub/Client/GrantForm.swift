import HubClient
import HubControl

/// What `request` and `create` have in common: whom a grant is for, and where it goes.
enum GrantForm {
    static let options: [CommandOption] = [
        .value("app-id", "ID", "the app, for example its bundle id"),
        .value("app-group", "GROUP", "what the app shares with its extension (default: the app id)"),
        .value("scopes", "LIST", "with commas (default structure.read,device.control,commissioning)"),
        .flag("store", "put the grant into the state folder of the app group too"),
    ]

    static func read(_ options: ParsedOptions) throws(UsageError) -> (app: AppIdentity, scopes: GrantScopes) {
        let id = try options.required("app-id")
        let names = (try options.string("scopes") ?? "structure.read,device.control,commissioning").split(
            separator: ",")
        guard let scopes = GrantScopes(names: names.map(String.init)), !scopes.isEmpty else {
            let all: GrantScopes = [.structureRead, .deviceControl, .commissioning, .automation, .admin]
            throw UsageError("--scopes is a list of: \(all.names.joined(separator: ", "))")
        }
        return (AppIdentity(appID: id, appGroup: try options.string("app-group") ?? id), scopes)
    }

    static func give(_ issued: IssuedGrant, to app: AppIdentity, _ access: HubAccess, _ invocation: Invocation) throws {
        if invocation.options.flag("store") {
            try access.settings.folder.group(app.appGroup).setGrant(issued.token)
        }
        if invocation.isJSON {
            invocation.console.print(["grant": .string(issued.token.text), "grantId": issued.token.id.json])
        } else {
            invocation.console.print(issued.token.text)
        }
    }
}
