public import HubControl

/// A session that was opened.
public struct PreparedSession: Hashable, Sendable {
    /// The session's id.
    public var id: CommissioningSessionID
    /// Until it ends by itself.
    public var expiresIn: Duration
}

/// A stage of a commissioning (Protocols/commissioning-session.md).
public struct StageProgress: Hashable, Sendable {
    /// The stage's name, for example `pase`.
    public var name: String
    /// Its place, counted as the hub counts.
    public var index: Int
    /// How many stages there are.
    public var total: Int
    /// Since the commissioning began.
    public var elapsed: Duration

    /// Reads the data of a `session.stage` event.
    public init(json: JSONObject) throws(ControlProtocolError) {
        name = try json.string("stage")
        index = try json.integer("index")
        total = try json.integer("total")
        elapsed = .milliseconds(try json.integer("elapsedMs", as: Int64.self))
    }
}

/// When a stage of a finished commissioning began.
public struct StageTime: Hashable, Sendable {
    /// The stage's name.
    public var name: String
    /// Since the commissioning began.
    public var elapsed: Duration
}

/// A device that was commissioned in a session that is not complete yet.
public struct ProvisionalDevice: Hashable, Sendable {
    /// Names it within the session; not a device id.
    public var id: String
    /// The vendor's Matter id.
    public var vendorID: UInt16
    /// The product's id within the vendor.
    public var productID: UInt16
    /// The stages that it went through.
    public var stages: [StageTime]
    /// The whole time.
    public var elapsed: Duration
    /// Where it was met as a node of the home: `knownAddress`, where the code was used, or `browse`.
    public var operationalPath: String?
    /// What the user should know although it worked.
    public var warnings: [String]

    /// The result of `session.commission`.
    public var json: JSONObject {
        [
            "provisionalId": .string(id), "vendorId": JSONValue(vendorID), "productId": JSONValue(productID),
            "stages": .array(
                stages.map { ["stage": .string($0.name), "elapsedMs": JSONValue($0.elapsed.milliseconds)] }),
            "elapsedMs": JSONValue(elapsed.milliseconds),
            "operationalPath": operationalPath.map { .string($0) },
            "warnings": warnings.isEmpty ? nil : .array(warnings.map { .string($0) }),
        ]
    }

    init(json: JSONObject) throws(ControlProtocolError) {
        id = try json.string("provisionalId")
        vendorID = try json.integer("vendorId")
        productID = try json.integer("productId")
        stages = try json.objects("stages") { row throws(ControlProtocolError) in
            StageTime(
                name: try row.string("stage"), elapsed: .milliseconds(try row.integer("elapsedMs", as: Int64.self)))
        }
        elapsed = .milliseconds(try json.integer("elapsedMs", as: Int64.self))
        operationalPath = try json.optionalString("operationalPath")
        warnings = json["warnings"] == nil ? [] : try json.strings("warnings")
    }
}

/// What `session.cancel` left behind.
public struct CancelledSession: Hashable, Sendable {
    /// The state of a device that was being commissioned (Protocols/commissioning-session.md).
    public struct DeviceState: RawRepresentable, Hashable, Sendable {
        /// The word on the wire.
        public let rawValue: String
        /// Takes any word.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Nothing was sent that changes it.
        public static let untouched = Self(rawValue: "untouched")
        /// Nothing is left to clean.
        public static let clean = Self(rawValue: "clean")
        /// The hub goes on cleaning.
        public static let cleaning = Self(rawValue: "cleaning")
        /// The hub finds out and cleans then.
        public static let unknown = Self(rawValue: "unknown")
    }

    /// Whether there was a session.
    public var hadSession: Bool
    /// What is left on the device.
    public var device: DeviceState
}

/// The structure's session as its owner sees it.
public struct SessionInfo: Hashable, Sendable {
    /// The session's id.
    public var id: CommissioningSessionID
    /// `prepared` or `commissioning`.
    public var state: String
    /// Who holds it.
    public var owner: AppIdentity
    /// Until it ends by itself.
    public var expiresIn: Duration
    /// The running stage.
    public var stage: String?
    /// How many devices were commissioned in it.
    public var provisionalCount: Int
    /// The message of the last failed commission.
    public var lastError: String?

    init(json: JSONObject) throws(ControlProtocolError) {
        id = try json.identifier("session")
        state = try json.string("state")
        let holder = try json.object("owner")
        do throws(ControlProtocolError) {
            owner = AppIdentity(appID: try holder.string("appId"), appGroup: try holder.string("appGroup"))
        } catch {
            throw error.within("owner")
        }
        expiresIn = .milliseconds(try json.integer("expiresInMs", as: Int64.self))
        stage = try json.optionalString("stage")
        provisionalCount = try json.array("provisional").count
        lastError = try json.optionalString("lastError")
    }
}
