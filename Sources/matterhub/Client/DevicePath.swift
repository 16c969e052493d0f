import HubClient
import HubControl

/// A place on a device as people write it: `[ENDPOINT/]CLUSTER[/ELEMENT]`, each by name, number or `*`.
struct DevicePath: Equatable {
    enum Kind { case attribute, command }
    enum Endpoint: Equatable { case all, number(UInt16), fitting }

    /// `fitting` when none was given: the root's for its clusters, else the device's own.
    var endpoint: Endpoint
    var cluster: UInt32?
    /// The attribute or the command.
    var element: UInt32?

    /// - Throws: ``UsageError`` that lists what is known.
    init(_ text: String, _ kind: Kind) throws(UsageError) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count), !parts.contains("") else {
            throw UsageError(
                "“\(text)” is no path: write [ENDPOINT/]CLUSTER/\(kind == .attribute ? "ATTRIBUTE" : "COMMAND")")
        }
        if parts.count == 1, kind == .command {
            // A command's name alone, where only one cluster has it.
            let owners = ClusterName.all.filter { $0.commands[parts[0]] != nil }
            guard owners.count == 1 else {
                throw UsageError("“\(text)” is no command that just one cluster has: write CLUSTER/COMMAND")
            }
            parts.insert(owners[0].name, at: 0)
        }
        endpoint = .fitting
        if parts.count == 3
            || (parts.count == 2 && parts[0] != "*" && UInt16(parts[0]) != nil && ClusterName.named(parts[1]) != nil)
        {
            endpoint = try Self.endpoint(parts.removeFirst())
        }
        cluster = try Self.cluster(parts[0])
        element = nil
        guard parts.count > 1 else { return }
        element = try Self.element(parts[1], of: cluster.flatMap { ClusterName.with(id: $0) }, kind)
    }

    private static func endpoint(_ text: String) throws(UsageError) -> Endpoint {
        if text == "*" { return .all }
        guard let number = UInt16(text) else { throw UsageError("“\(text)” is no endpoint: a number from 0 to 65535") }
        return .number(number)
    }

    private static func cluster(_ text: String) throws(UsageError) -> UInt32? {
        if text == "*" { return nil }
        if let number = number(text) { return number }
        guard let known = ClusterName.named(text) else {
            let names = ClusterName.all.map(\.name).joined(separator: ", ")
            throw UsageError("“\(text)” is no cluster that is known here; write its number, or one of: \(names)")
        }
        return known.id
    }

    private static func element(_ text: String, of cluster: ClusterName?, _ kind: Kind) throws(UsageError) -> UInt32? {
        if text == "*" { return nil }
        if let number = number(text) { return number }
        let names =
            kind == .attribute
            ? (cluster?.attributes ?? [:]).merging(ClusterName.global) { own, _ in own } : cluster?.commands ?? [:]
        guard let number = names[text] else {
            let what = kind == .attribute ? "attribute" : "command"
            throw UsageError(
                "“\(text)” is no \(what) of \(cluster?.name ?? "this cluster") that is known here; write its number"
                    + (names.isEmpty ? "" : ", or one of: \(names.keys.sorted().joined(separator: ", "))"))
        }
        return number
    }

    private static func number(_ text: String) -> UInt32? {
        text.lowercased().hasPrefix("0x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
    }

    /// The endpoint's number on this device; `nil` for all.
    func endpoint(on device: HubDevice) -> UInt16? {
        switch endpoint {
        case .all: nil
        case .number(let number): number
        case .fitting: cluster.flatMap { ClusterName.with(id: $0) }?.isRoot == true ? 0 : device.endpoint
        }
    }
}

extension HubConnection {
    /// The device that a word on the command line means: an id, or a name that only one device has.
    func device(_ word: String) async throws -> HubDevice {
        if let id = DeviceID(text: word) { return try await call(.device(id)) }
        let devices = try await devices()
        let named = devices.filter { $0.name == word }
        let fitting = named.isEmpty ? devices.filter { $0.name.lowercased() == word.lowercased() } : named
        guard let device = fitting.first, fitting.count == 1 else {
            throw CommandFailure(
                fitting.isEmpty
                    ? "there is no device “\(word)”; matterhub devices lists them"
                    : "\(fitting.count) devices are called “\(word)”: use an id, \(fitting.map(\.id.text).joined(separator: " or "))"
            )
        }
        return device
    }
}
