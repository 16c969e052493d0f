package import HubControl
package import MatterWire

/// One durable change. Changes given together are one transaction.
package enum StoreChange: Hashable, Sendable {
    case setHub(HubID, name: String)
    case putStructure(StructureRecord)
    case putFabric(FabricRecord)
    case putRoom(RoomRecord)
    /// Devices in the room stay, without a room.
    case deleteRoom(RoomID)
    case putNode(NodeRecord)
    /// The node's devices go with it. Its id stays spent.
    case deleteNode(NodeID, of: StructureID)
    case putDevice(DeviceRecord)
    case deleteDevice(DeviceID)
    case putGrant(GrantRecord)
    case putAnswer(AnswerRecord)
    case deleteAnswers(before: EpochSeconds)
    case deleteAnswer(HubState.AnswerKey)
}

/// Everything that a hub keeps, as it starts with it.
package struct HubSnapshot: Hashable, Sendable {
    package var hub: HubID?
    package var hubName: String = ""
    package var structures: [StructureRecord] = []
    package var fabrics: [FabricRecord] = []
    package var rooms: [RoomRecord] = []
    package var nodes: [NodeRecord] = []
    package var devices: [DeviceRecord] = []
    package var grants: [GrantRecord] = []
    package var answers: [AnswerRecord] = []
    /// Node ids of each structure that were ever given out; none is given out twice.
    package var spentNodes: [StructureID: Set<NodeID>] = [:]
    /// Device ids that were ever given out.
    package var spentDevices: Set<DeviceID> = []
    package init() {}
}

/// Where a hub keeps its state. The hub works on its copy in memory and acknowledges nothing before `commit` returned.
///
/// SQLite implements it; the interface has room for a store that several hubs share.
package protocol HubStore: Sendable {
    /// Reads everything; called once at the start.
    func load() async throws -> HubSnapshot
    /// Makes all changes durable or none. When it throws, nothing was changed.
    func commit(_ changes: [StoreChange]) async throws
    /// Flushes and closes; later calls throw.
    func close() async
}
