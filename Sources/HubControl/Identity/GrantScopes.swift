/// What a grant allows (Protocols/hub-control.md §2).
public struct GrantScopes: OptionSet, Hashable, Sendable {
    /// One bit a scope; not on the wire, where scopes are names.
    public let rawValue: Int
    /// Takes the bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Names, rooms and devices.
    public static let structureRead = GrantScopes(rawValue: 1)
    /// Read, write and invoke.
    public static let deviceControl = GrantScopes(rawValue: 2)
    /// The session methods.
    public static let commissioning = GrantScopes(rawValue: 4)
    /// Action sets and triggers.
    public static let automation = GrantScopes(rawValue: 8)
    /// Everything, and the grants themselves.
    public static let admin = GrantScopes(rawValue: 16)

    private static let names: [(scope: GrantScopes, name: String)] = [
        (.structureRead, "structure.read"), (.deviceControl, "device.control"), (.commissioning, "commissioning"),
        (.automation, "automation"), (.admin, "admin"),
    ]

    /// The names on the wire, in the order of the protocol's document.
    public var names: [String] { Self.names.filter { contains($0.scope) }.map(\.name) }

    /// - Returns: `nil` when a name is not a scope.
    public init?(names: [String]) {
        self = []
        for name in names {
            guard let scope = Self.names.first(where: { $0.name == name })?.scope else { return nil }
            insert(scope)
        }
    }

    /// Whether a holder may do what needs `scope`; admin may do everything.
    public func allows(_ scope: GrantScopes) -> Bool { contains(.admin) || contains(scope) }
}

/// Who a grant speaks for: an app and its extension share one.
public struct AppIdentity: Hashable, Sendable {
    /// The app's identifier, for example its bundle id.
    public var appID: String
    /// The group that the app shares with its extension.
    public var appGroup: String
    /// Makes an identity.
    public init(appID: String, appGroup: String) {
        self.appID = appID
        self.appGroup = appGroup
    }
}
