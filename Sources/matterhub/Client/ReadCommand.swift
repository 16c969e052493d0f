import HubClient
import HubControl
import MatterWire

/// `matterhub read`
enum ReadCommand: Command {
    static let name = "read"
    static let summary = "Read attributes of a device."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [[ENDPOINT/]CLUSTER[/ATTRIBUTE]] [OPTION]…",
            text: """
                DEVICE is an id or a name. Endpoint, cluster and attribute are numbers (0x for hexadecimal), names of the common
                ones (on-off/on-off, basic-information/vendor-name) or * for all; without a path everything is read. Without an
                endpoint the device's own is meant, or the root for clusters that only it has.

                --json prints one object a line: endpoint, cluster, attribute, value or status.
                """,
            options: HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let words = try invocation.arguments(["the device"], optional: ["the path"])
        let path = try words.count > 1 ? DevicePath(words[1], .attribute) : nil
        return try await invocation.withHub { hub in
            let device = try await hub.device(words[0])
            let selection = AttributeSelection(
                endpoint: path?.endpoint(on: device), cluster: path?.cluster, attribute: path?.element)
            let readings = try await hub.call(.read(selection, of: device.id))
            for reading in readings { show(reading, invocation) }
            return readings.contains { $0.value != nil } ? .ok : .failed
        }
    }

    private static func show(_ reading: AttributeReading, _ invocation: Invocation) {
        guard !invocation.isJSON else { return invocation.console.print(reading.json) }
        invocation.console.print(line(reading))
    }

    /// What a person reads of one attribute.
    static func line(_ reading: AttributeReading) -> String {
        let place = "\(reading.endpoint)/\(ClusterName.text(cluster: reading.cluster, attribute: reading.attribute))"
        let text = reading.value.map { $0.json.text() } ?? "refused: \(words(reading.status))"
        return "\(place) = \(text)"
    }

    /// The name of a status that came as a number; a structure has the cluster's own too.
    private static func words(_ status: JSONValue?) -> String {
        guard case .integer(let number)? = status, let code = UInt8(exactly: number) else {
            return "status \(status?.text() ?? "unknown")"
        }
        return InteractionStatus(rawValue: code).description
    }
}
