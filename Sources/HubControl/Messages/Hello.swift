/// The client's first message.
public struct Hello: Hashable, Sendable {
    /// Name and version of the client, for logs; trust never depends on it.
    public var client: String
    /// The grant's text; `nil` to ask for one.
    public var grant: String?

    /// Makes a hello.
    public init(client: String, grant: String? = nil) {
        self.client = client
        self.grant = grant
    }

    /// The JSON form.
    public var json: JSONObject { ["client": .string(client), "grant": grant.map { .string($0) }] }

    /// Reads the JSON form.
    public init(json: JSONObject) throws(ControlProtocolError) {
        self.init(client: try json.string("client"), grant: try json.optionalString("grant"))
    }
}

/// The hub's answer to ``Hello``.
public struct Welcome: Hashable, Sendable {
    /// Who answers.
    public struct Hub: Hashable, Sendable {
        /// The hub's lasting id.
        public var id: HubID
        /// The hub's name.
        public var name: String
        /// The program's version.
        public var version: String
        /// Makes the description of a hub.
        public init(id: HubID, name: String, version: String) {
            self.id = id
            self.name = name
            self.version = version
        }
    }

    /// A structure that the grant covers.
    public struct Structure: Hashable, Sendable {
        /// The structure's id.
        public var id: StructureID
        /// The structure's name.
        public var name: String
        /// Makes the description of a structure.
        public init(id: StructureID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The grant that was presented.
    public struct Grant: Hashable, Sendable {
        /// The grant's id.
        public var id: GrantID
        /// Whom it speaks for.
        public var app: AppIdentity
        /// What it allows. Names that are not known here are left out when reading.
        public var scopes: GrantScopes
        /// Makes the description of a grant.
        public init(id: GrantID, app: AppIdentity, scopes: GrantScopes) {
            self.id = id
            self.app = app
            self.scopes = scopes
        }
    }

    /// Where the structure's events stand.
    public struct Events: Hashable, Sendable {
        /// Names the numbering; another one means that numbers started again.
        public var epoch: String
        /// The oldest event that can be replayed.
        public var oldest: UInt64
        /// The newest event; less than `oldest` when there is none.
        public var newest: UInt64
        /// Makes the position.
        public init(epoch: String, oldest: UInt64, newest: UInt64) {
            self.epoch = epoch
            self.oldest = oldest
            self.newest = newest
        }
    }

    /// Version of the protocol, major and minor.
    public var version: String
    /// Who answers.
    public var hub: Hub
    /// What the grant covers; empty without one.
    public var structures: [Structure]
    /// The grant; `nil` without one.
    public var grant: Grant?
    /// The longest payload that the hub takes, in bytes.
    public var maximumPayload: Int
    /// Where events stand; `nil` without a grant.
    public var events: Events?

    /// Makes a welcome.
    public init(
        version: String = ControlLimits.protocolVersion, hub: Hub, structures: [Structure] = [], grant: Grant? = nil,
        maximumPayload: Int = ControlLimits().payloadLength, events: Events? = nil
    ) {
        self.version = version
        self.hub = hub
        self.structures = structures
        self.grant = grant
        self.maximumPayload = maximumPayload
        self.events = events
    }

    /// The JSON form.
    public var json: JSONObject {
        [
            "protocol": .string(version),
            "hub": ["id": hub.id.json, "name": .string(hub.name), "version": .string(hub.version)],
            "structures": .array(structures.map { ["id": $0.id.json, "name": .string($0.name)] }),
            "grant": grant.map {
                [
                    "id": $0.id.json, "appId": .string($0.app.appID), "appGroup": .string($0.app.appGroup),
                    "scopes": .array($0.scopes.names.map { .string($0) }),
                ]
            },
            "limits": ["maxPayload": JSONValue(maximumPayload)],
            "events": events.map {
                ["epoch": .string($0.epoch), "oldest": JSONValue($0.oldest), "newest": JSONValue($0.newest)]
            },
        ]
    }

    /// Reads the JSON form.
    public init(json: JSONObject) throws(ControlProtocolError) {
        let hub = try json.object("hub")
        let limits = try json.object("limits")
        self.init(
            version: try json.string("protocol"),
            hub: try Self.member("hub") { () throws(ControlProtocolError) in
                Hub(
                    id: try hub.identifier("id"), name: try hub.string("name"), version: try hub.string("version"))
            },
            structures: try json.objects("structures") { row throws(ControlProtocolError) in
                Structure(id: try row.identifier("id"), name: try row.string("name"))
            },
            maximumPayload: try Self.member("limits") { () throws(ControlProtocolError) in
                try limits.integer("maxPayload", in: 1...Int(UInt32.max))
            })
        if let grant = try json.optionalObject("grant") {
            self.grant = try Self.member("grant") { () throws(ControlProtocolError) in
                Grant(
                    id: try grant.identifier("id"),
                    app: AppIdentity(appID: try grant.string("appId"), appGroup: try grant.string("appGroup")),
                    scopes: try grant.strings("scopes").reduce(into: []) {
                        $0.formUnion(GrantScopes(names: [$1]) ?? [])
                    })
            }
        }
        if let events = try json.optionalObject("events") {
            self.events = try Self.member("events") { () throws(ControlProtocolError) in
                Events(
                    epoch: try events.string("epoch"), oldest: try events.integer("oldest"),
                    newest: try events.integer("newest"))
            }
        }
    }

    private static func member<T>(
        _ name: String, _ read: () throws(ControlProtocolError) -> T
    ) throws(ControlProtocolError) -> T {
        do throws(ControlProtocolError) {
            return try read()
        } catch {
            throw error.within(name)
        }
    }
}
