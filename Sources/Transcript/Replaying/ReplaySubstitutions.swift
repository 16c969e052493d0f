import HubControl

/// What stands in the place of a transcript's placeholders when it is played again.
package struct ReplaySubstitutions: Hashable, Sendable {
    /// Values by placeholder without its brackets (`grant-text-1`), or by its word (`grant-text`) for all that have no own.
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) { self.values = values }

    /// The value for a member's text; `nil` when there is none.
    func value(of text: String, named name: String) -> String? {
        if Placeholder.isOne(text), let own = values[String(text.dropFirst().dropLast())] { return own }
        if let word = Placeholder.word(of: text) { return values[word] }
        // A transcript may have a code or an address as it was.
        switch name {
        case "payload", "manualCode", "qrCode": return values["code"]
        case "address": return values["address"]
        case "grant": return values["grant-text"]
        default: return nil
        }
    }
}

/// A transcript that cannot be played: values are missing for these placeholders.
package struct MissingSubstitutions: Error, Hashable, Sendable {
    /// Without brackets, in order.
    package var names: [String]
}

extension JSONValue {
    /// The value with every text and number replaced.
    ///
    /// - Parameter replace: gets a value that is no container and the name of the member that holds it.
    func replacing(named name: String = "", _ replace: (JSONValue, String) -> JSONValue) -> JSONValue {
        switch self {
        case .object(let object): .object(object.replacing(replace))
        case .array(let values): .array(values.map { $0.replacing(named: name, replace) })
        case .null, .bool, .integer, .number, .string: replace(self, name)
        }
    }
}

extension JSONObject {
    /// The object with every text and number replaced; see `JSONValue`.
    func replacing(_ replace: (JSONValue, String) -> JSONValue) -> JSONObject {
        var result = JSONObject()
        for member in members { result[member.name] = member.value.replacing(named: member.name, replace) }
        return result
    }
}
