public import HubControl

/// A fault that a hub has been told to have.
public struct HubFault: Hashable, Sendable {
    /// `WHERE:KIND[=MS][@N][xM]`.
    public var rule: String
    /// How often it happened.
    public var met: Int

    /// Reads a row of `faults.list`.
    public init(json: JSONObject) throws(ControlProtocolError) {
        rule = try json.string("rule")
        met = try json.integer("met")
    }

    /// The row of `faults.list`.
    public var json: JSONObject { ["rule": .string(rule), "met": JSONValue(met)] }
}

extension HubCall where Answer == [HubFault] {
    /// The faults of a hub.
    public static var faults: Self {
        Self(.faultsList) { json throws(ControlProtocolError) in
            try json.objects("faults") { row throws(ControlProtocolError) in try HubFault(json: row) }
        }
    }

    /// Replaces the faults of a hub that was started with `--allow-faults`.
    ///
    /// - Parameter rules: `WHERE:KIND[=MS][@N][xM]` each; none for a hub that works.
    public static func setFaults(_ rules: [String]) -> Self {
        Self(.faultsSet, ["rules": .array(rules.map { .string($0) })]) { json throws(ControlProtocolError) in
            try json.objects("faults") { row throws(ControlProtocolError) in try HubFault(json: row) }
        }
    }
}
