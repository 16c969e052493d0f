public import HubControl
import NetIO

/// A hub that announces itself (Protocols/dns-sd.md).
public struct DiscoveredHub: Hashable, Sendable {
    /// The name of the announcement.
    public var name: String
    /// The hub's lasting id; `nil` when the announcement has none.
    public var id: HubID?
    /// The structures that it serves.
    public var structures: [StructureID]
    /// The control protocol's version, for example `1.0`; empty when the announcement has none.
    public var version: String
    /// Whether it says that it can be reached.
    public var isReady: Bool
    /// Where it listens; never empty.
    public var addresses: [HubAddress]

    /// Makes the description of a hub.
    public init(
        name: String, id: HubID?, structures: [StructureID], version: String = "1.0", isReady: Bool = true,
        addresses: [HubAddress]
    ) {
        self.name = name
        self.id = id
        self.structures = structures
        self.version = version
        self.isReady = isReady
        self.addresses = addresses
    }

    init(_ instance: ServiceInstance) {
        let txt = instance.txt
        self.init(
            name: instance.name, id: txt["id"].flatMap { HubID(text: $0) },
            structures: (txt["st"] ?? "").split(separator: ",").compactMap { StructureID(text: String($0)) },
            version: txt["proto"] ?? "", isReady: txt["state"] != "offline",
            addresses: instance.addresses.map { HubAddress(host: $0.hostDescription, port: $0.port) })
    }

    /// What was announced, for programs.
    public var json: JSONObject {
        [
            "name": .string(name), "id": id?.json, "structures": .array(structures.map(\.json)),
            "protocol": .string(version), "state": isReady ? "ready" : "offline",
            "addresses": .array(addresses.map { .string($0.description) }),
        ]
    }
}

/// The hubs that announce themselves just now, made of what the interfaces report one by one.
struct HubDirectory: Sendable {
    private var instances: [ServiceName: ServiceInstance] = [:]
    private var order: [String] = []

    mutating func apply(_ change: ServiceChange) {
        switch change {
        case .found(let instance):
            if !order.contains(instance.name) { order.append(instance.name) }
            instances[instance.service] = instance
        case .lost(let service): instances[service] = nil
        }
    }

    /// In the order in which they were first seen; a hub on several interfaces once, with all its addresses.
    var hubs: [DiscoveredHub] {
        order.compactMap { name in
            let seen = instances.values.filter { $0.name == name }.sorted { $0.interface < $1.interface }
            guard var hub = seen.first.map({ DiscoveredHub($0) }) else { return nil }
            for instance in seen.dropFirst() {
                hub.addresses += DiscoveredHub(instance).addresses.filter { !hub.addresses.contains($0) }
            }
            return hub
        }
    }
}
