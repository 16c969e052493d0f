import HubClient
import HubControl

/// `matterhub subscribe`
enum SubscribeCommand: Command {
    static let name = "subscribe"
    static let summary = "Show a device's attributes, then every change, until Ctrl-C."
    static var help: CommandHelp {
        CommandHelp(
            usage: "DEVICE [[ENDPOINT/]CLUSTER[/ATTRIBUTE]] [OPTION]…",
            text: """
                DEVICE and the path are those of matterhub read. The hub keeps a subscription with the device and sets it up
                again when it is lost, so that nothing is missed for good.

                --json prints one object a line: endpoint, cluster, attribute, value; "initial": true until the first change.
                """,
            options: [
                .value("count", "N", "stop with status 0 after N changes"),
                .value("timeout", "SECONDS", "stop with status 5 when that much time has passed"),
            ] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let words = try invocation.arguments(["the device"], optional: ["the path"])
        let path = try words.count > 1 ? DevicePath(words[1], .attribute) : nil
        let count = try invocation.options.integer("count", as: Int.self, in: 1...1_000_000)
        let limit = try invocation.options.integer("timeout", as: Int.self, in: 1...86_400)
        let signals = TerminationSignals()
        return try await invocation.withHub { hub in
            let device = try await hub.device(words[0])
            let selection = AttributeSelection(
                endpoint: path?.endpoint(on: device), cluster: path?.cluster, attribute: path?.element)
            let changes = try await hub.follow(device.id, selection, deadline: .seconds(40))
            for reading in changes.current { show(reading, isInitial: true, invocation) }
            return try await withThrowingTaskGroup(of: ExitStatus.self) { group in
                group.addTask { try await follow(changes, count, hub, invocation) }
                group.addTask {
                    await signals.wait()
                    return .interrupted
                }
                if let limit {
                    group.addTask {
                        try await ContinuousClock().sleep(for: .seconds(limit))
                        invocation.console.error("not enough changed within \(limit) s")
                        return .timedOut
                    }
                }
                defer { group.cancelAll() }
                return try await group.next() ?? .ok
            }
        }
    }

    private static func follow(
        _ changes: DeviceChanges, _ count: Int?, _ hub: HubConnection, _ invocation: Invocation
    ) async throws -> ExitStatus {
        var seen = 0
        for await change in changes {
            switch change {
            case .ended(let reason): throw CommandFailure("the hub ended the subscription: \(reason)")
            case .attributes(let readings):
                for reading in readings { show(reading, isInitial: false, invocation) }
                seen += readings.count
                if let count, seen >= count { return .ok }
            }
        }
        if Task.isCancelled { return .interrupted }
        let goaway = await hub.goaway
        throw CommandFailure("the connection ended: \(goaway?.message ?? "no reason was given")", status: .unreachable)
    }

    private static func show(_ reading: AttributeReading, isInitial: Bool, _ invocation: Invocation) {
        guard !invocation.isJSON else {
            var json = reading.json
            if isInitial { json["initial"] = true }
            return invocation.console.print(json)
        }
        invocation.console.print(ReadCommand.line(reading))
    }
}
