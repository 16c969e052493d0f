import HubClient
import HubControl

/// `matterhub devices`
enum DevicesCommand: Command {
    static let name = "devices"
    static let summary = "List the devices of the home, or the nodes that could not be cleaned yet."
    static var help: CommandHelp {
        CommandHelp(
            usage: "[--orphans [--retry ID | --forget ID]] [OPTION]…",
            text: """
                An orphan is a node that a cancelled session or a forced removal left on the home's fabric: the hub tries to clean it.
                --json prints one object a line, as Protocols/hub-control.md has it.
                """,
            options: [
                .flag("orphans", "list orphans instead of devices"),
                .value("retry", "ID", "try to clean this orphan now"),
                .value("forget", "ID", "drop this orphan without cleaning it"),
            ] + HubAccess.options)
    }

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        _ = try invocation.arguments([])
        let options = invocation.options
        let (retry, forget) = (try options.string("retry"), try options.string("forget"))
        let orphans = options.flag("orphans")
        guard orphans || (retry == nil && forget == nil) else {
            throw UsageError("--retry and --forget need --orphans")
        }
        return try await invocation.withHub { hub in
            if let retry { try await hub.call(.retryOrphan(retry)) }
            if let forget { try await hub.call(.forgetOrphan(forget)) }
            if retry != nil || forget != nil { return .ok }
            if orphans {
                show(try await hub.orphans(), invocation)
            } else {
                let rooms = try await hub.call(.rooms())
                show(try await hub.devices(), rooms, invocation)
            }
            return .ok
        }
    }

    private static func show(_ devices: [HubDevice], _ rooms: [HubRoom], _ invocation: Invocation) {
        if invocation.isJSON {
            for device in devices { invocation.console.print(device.json) }
            return
        }
        guard !devices.isEmpty else { return invocation.console.note("No devices yet. Begin with: matterhub prepare") }
        var table = TextTable("ID", "NAME", "ROOM", "TYPE", "PRODUCT", "STATE")
        for device in devices {
            let room = device.room.flatMap { id in rooms.first { $0.id == id }?.name } ?? "–"
            let types = device.deviceTypes.map(DeviceTypeNames.name).joined(separator: ", ")
            table.add(
                device.id.text, device.name, room, types.isEmpty ? "–" : types,
                "\(device.vendorName) \(device.productName)", device.isReachable ? "reachable" : "does not answer")
        }
        invocation.console.print(table.text)
    }

    private static func show(_ orphans: [HubOrphan], _ invocation: Invocation) {
        if invocation.isJSON {
            for orphan in orphans { invocation.console.print(orphan.json) }
            return
        }
        guard !orphans.isEmpty else { return invocation.console.note("There are no orphans.") }
        var table = TextTable("ID", "ADDRESS", "TRIES", "LAST ERROR")
        for orphan in orphans {
            table.add(orphan.id, orphan.address, String(orphan.attempts), orphan.lastError ?? "–")
        }
        invocation.console.print(table.text)
    }
}

/// Names of the device types that are common (Matter device library).
enum DeviceTypeNames {
    private static let names: [UInt32: String] = [
        0x0016: "root node", 0x000E: "bridge", 0x0013: "bridged node", 0x0100: "on/off light", 0x0101: "dimmable light",
        0x010C: "color temperature light", 0x010D: "extended color light", 0x010A: "on/off plug",
        0x010B: "dimmable plug", 0x000A: "door lock", 0x0301: "thermostat", 0x0202: "window covering", 0x002B: "fan",
        0x0015: "contact sensor", 0x0107: "occupancy sensor", 0x0302: "temperature sensor", 0x000F: "switch",
    ]

    static func name(_ type: UInt32) -> String { names[type] ?? "0x\(String(type, radix: 16, uppercase: true))" }
}
