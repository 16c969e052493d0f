import HubClient
import HubControl
import MatterModel

/// `matterhub write`
enum WriteCommand: Command {
    static let name = "write"
    static let summary = "Write one attribute of a device."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [ENDPOINT/]CLUSTER/ATTRIBUTE VALUE [OPTION]…",
            text: """
                VALUE is JSON: true, 5, -3, "text", null, [1, 2], {"0": 1} (members by tag), {"i": 5} (signed), {"f32": 1.5},
                {"octets": "base64url"}; what is no JSON is text. For attributes that are known here, a number is made signed
                where it has to be. DEVICE and path are as for matterhub read. Prints what was written.

                --json prints {"endpoint", "cluster", "attribute", "value"}.
                """,
            options: HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let words = try invocation.arguments(["the device", "the path", "the value"])
        let path = try DevicePath(words[1], .attribute)
        guard let cluster = path.cluster, let attribute = path.element else {
            throw UsageError("a write goes to one attribute: CLUSTER/ATTRIBUTE, without *")
        }
        let type = ClusterName.type(of: attribute, in: cluster)
        let value = ValueArgument.fit(try ValueArgument.parse(words[2]), words[2], to: type)
        return try await invocation.withHub { hub in
            let device = try await hub.device(words[0])
            guard let endpoint = path.endpoint(on: device) else {
                throw UsageError("a write goes to one endpoint, not to *")
            }
            try await hub.call(
                .write(value, endpoint: endpoint, cluster: cluster, attribute: attribute, of: device.id))
            if invocation.isJSON {
                invocation.console.print([
                    "endpoint": JSONValue(endpoint), "cluster": JSONValue(cluster), "attribute": JSONValue(attribute),
                    "value": value.json,
                ])
            } else {
                let place = ClusterName.text(cluster: cluster, attribute: attribute)
                invocation.console.print("\(endpoint)/\(place) = \(value.json.text())")
            }
            return .ok
        }
    }
}

/// A value on the command line.
enum ValueArgument {
    /// Reads JSON, else takes the word as text.
    ///
    /// - Throws: ``UsageError`` for JSON that stands for no value.
    static func parse(_ text: String) throws(UsageError) -> AttributeValue {
        let json: JSONValue
        do throws(ControlProtocolError) {
            json = try JSONValue(parsing: Array(text.utf8))
        } catch {
            // Something that begins as JSON and isn't is a slip, not a text.
            guard let first = text.first, "{[\"".contains(first) else { return .string(text) }
            throw UsageError("“\(text)” is no JSON: \(error.message)")
        }
        do throws(ControlProtocolError) {
            return try AttributeValue(json: json)
        } catch {
            throw UsageError(
                "“\(text)” is no value: \(error.path.isEmpty ? "it" : error.path) must be \(error.reason ?? "another")")
        }
    }

    /// Makes a value one of the type that it is for, where the command line can't tell: a number may have to be signed, and
    /// text or digits may stand for bytes.
    static func fit(_ value: AttributeValue, _ text: String, to type: ValueType?) -> AttributeValue {
        switch (type, value) {
        case (.signed?, .unsigned(let number)): Int64(exactly: number).map { .signed($0) } ?? value
        case (.octets?, .string), (.octets?, .unsigned): .octets(Array(text.utf8))
        case (.string?, .unsigned), (.string?, .signed), (.string?, .bool), (.string?, .null): .string(text)
        default: value
        }
    }
}
