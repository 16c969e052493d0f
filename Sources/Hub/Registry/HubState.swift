package import HubControl
import MatterNode
package import MatterWire

/// A hub's state in memory: exactly what the store holds. Values only; O(log n) or O(1) look-up by id.
package struct HubState: Hashable, Sendable {
    /// A node id is unique within its structure's fabric only.
    package struct NodeKey: Hashable, Sendable {
        package var structure: StructureID
        package var node: NodeID
        package init(_ structure: StructureID, _ node: NodeID) {
            self.structure = structure
            self.node = node
        }
    }
    /// What makes a client key unique.
    package struct AnswerKey: Hashable, Sendable {
        package var structure: StructureID
        package var app: AppIdentity
        package var method: String
        package var clientKey: String
        package init(structure: StructureID, app: AppIdentity, method: String, clientKey: String) {
            self.structure = structure
            self.app = app
            self.method = method
            self.clientKey = clientKey
        }
    }

    package private(set) var hub: HubID?
    package private(set) var hubName = ""
    package private(set) var structures: [StructureID: StructureRecord] = [:]
    package private(set) var fabrics: [StructureID: FabricRecord] = [:]
    package private(set) var rooms: [RoomID: RoomRecord] = [:]
    package private(set) var nodes: [NodeKey: NodeRecord] = [:]
    package private(set) var devices: [DeviceID: DeviceRecord] = [:]
    package private(set) var grants: [GrantID: GrantRecord] = [:]
    package private(set) var answers: [AnswerKey: AnswerRecord] = [:]
    private var spentNodes: Set<NodeKey> = []
    private var spentDevices: Set<DeviceID> = []

    package init(_ snapshot: HubSnapshot = .init()) {
        hub = snapshot.hub
        hubName = snapshot.hubName
        var changes: [StoreChange] = snapshot.structures.map { .putStructure($0) }
        changes += snapshot.fabrics.map { .putFabric($0) }
        changes += snapshot.rooms.map { .putRoom($0) }
        changes += snapshot.nodes.map { .putNode($0) }
        changes += snapshot.devices.map { .putDevice($0) }
        changes += snapshot.grants.map { .putGrant($0) }
        changes += snapshot.answers.map { .putAnswer($0) }
        for change in changes { apply(change) }
        for (structure, ids) in snapshot.spentNodes { spentNodes.formUnion(ids.map { NodeKey(structure, $0) }) }
        spentDevices.formUnion(snapshot.spentDevices)
    }

    /// Brings the state to where the store is after `change`.
    package mutating func apply(_ change: StoreChange) {
        switch change {
        case .setHub(let id, let name):
            hub = id
            hubName = name
        case .putStructure(let record): structures[record.id] = record
        case .putFabric(let record):
            fabrics[record.structure] = record
            spentNodes.insert(NodeKey(record.structure, record.hubNode))
        case .putRoom(let record): rooms[record.id] = record
        case .deleteRoom(let id):
            rooms[id] = nil
            for device in devices.values where device.room == id { devices[device.id]?.room = nil }
        case .putNode(let record):
            nodes[NodeKey(record.structure, record.id)] = record
            spentNodes.insert(NodeKey(record.structure, record.id))
        case .deleteNode(let id, let structure):
            nodes[NodeKey(structure, id)] = nil
            for device in devices.values where device.node == id && device.structure == structure {
                devices[device.id] = nil
            }
        case .putDevice(let record):
            devices[record.id] = record
            spentDevices.insert(record.id)
        case .deleteDevice(let id): devices[id] = nil
        case .putGrant(let record): grants[record.id] = record
        case .putAnswer(let record):
            let key = AnswerKey(
                structure: record.structure, app: record.app, method: record.method, clientKey: record.clientKey)
            answers[key] = record
        case .deleteAnswers(let time):
            // Mostly there is none; a new dictionary at every answer would cost more than all that they hold.
            if answers.values.contains(where: { $0.answeredAt < time }) {
                answers = answers.filter { $0.value.answeredAt >= time }
            }
        case .deleteAnswer(let key): answers[key] = nil
        }
    }

    // MARK: - Ids that were never used

    /// Draws an operational node id that the structure's fabric has never seen.
    package func unusedNodeID(in structure: StructureID, random: RandomSource) -> NodeID {
        NodeID.drawn(using: random) { spentNodes.contains(NodeKey(structure, $0)) }
    }

    /// Draws a device id that no device ever had; never zero.
    package func unusedDeviceID(random: RandomSource, except taken: Set<DeviceID> = []) -> DeviceID {
        var random = random
        while true {
            let id = DeviceID(rawValue: UInt64.random(in: 1...UInt64.max, using: &random))
            if !spentDevices.contains(id), !taken.contains(id) { return id }
        }
    }

    // MARK: - Lists in a stable order

    /// Rooms by name, those of one name as they were made.
    package func rooms(of structure: StructureID) -> [RoomRecord] {
        rooms.values.filter { $0.structure == structure }.sorted {
            ($0.name, $0.number, $0.id.rawValue) < ($1.name, $1.number, $1.id.rawValue)
        }
    }

    /// The room that a name means: the first made of those that have it, else of those whose names are alike.
    package func room(named name: DisplayName, in structure: StructureID) -> RoomRecord? {
        let made = rooms(of: structure).sorted { ($0.number, $0.id.rawValue) < ($1.number, $1.id.rawValue) }
        return made.first { $0.name == name.text } ?? made.first { DisplayName.folded($0.name) == name.folded }
    }

    /// Devices by time of commissioning, then id.
    package func devices(of structure: StructureID) -> [DeviceRecord] {
        devices.values.filter { $0.structure == structure }.sorted {
            ($0.commissionedAt.rawValue, $0.id.rawValue) < ($1.commissionedAt.rawValue, $1.id.rawValue)
        }
    }

    /// Nodes in one of `states`, oldest first.
    package func nodes(of structure: StructureID, in states: Set<NodeRecord.State>) -> [NodeRecord] {
        nodes.values.filter { $0.structure == structure && states.contains($0.state) }.sorted {
            ($0.createdAt.rawValue, $0.id.rawValue) < ($1.createdAt.rawValue, $1.id.rawValue)
        }
    }
}

extension HubState {
    /// Everything, as a store would give it at a start.
    package var snapshot: HubSnapshot {
        var snapshot = HubSnapshot()
        snapshot.hub = hub
        snapshot.hubName = hubName
        snapshot.structures = Array(structures.values)
        snapshot.fabrics = Array(fabrics.values)
        snapshot.rooms = Array(rooms.values)
        snapshot.nodes = Array(nodes.values)
        snapshot.devices = Array(devices.values)
        snapshot.grants = Array(grants.values)
        snapshot.answers = Array(answers.values)
        for key in spentNodes { snapshot.spentNodes[key.structure, default: []].insert(key.node) }
        snapshot.spentDevices = spentDevices
        return snapshot
    }
}
