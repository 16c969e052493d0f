/// A home. There is none so far, see ``HMHomeManager``: what app code says of one compiles, and is never run.
public final class HMHome: NSObject, Sendable {
    /// The name.
    public let name: String
    /// Tells it from other homes.
    public let uniqueIdentifier: UUID
    /// Whether the user prefers it.
    public let isPrimary: Bool
    /// The rooms, without that of the whole home.
    public var rooms: [HMRoom] { [] }
    /// The accessories.
    public var accessories: [HMAccessory] { [] }

    init(name: String) {
        self.name = name
        uniqueIdentifier = UUID()
        isPrimary = false
    }

    /// Refuses to set an accessory up.
    public func addAndSetupAccessories(completionHandler completion: @escaping ((any Error)?) -> Void) {
        completion(HMError(.operationNotSupported))
    }
    /// Refuses to set an accessory up.
    public func addAndSetupAccessories() async throws { throw HMError(.operationNotSupported) }
    /// Refuses to make a room.
    public func addRoom(withName name: String, completionHandler completion: @escaping (HMRoom?, (any Error)?) -> Void)
    {
        completion(nil, HMError(.operationNotSupported))
    }
    /// Refuses to make a room.
    public func addRoom(named name: String) async throws -> HMRoom { throw HMError(.operationNotSupported) }
    /// Refuses to move an accessory.
    public func assignAccessory(
        _ accessory: HMAccessory, to room: HMRoom, completionHandler completion: @escaping ((any Error)?) -> Void
    ) {
        completion(HMError(.operationNotSupported))
    }
    /// Refuses to move an accessory.
    public func assignAccessory(_ accessory: HMAccessory, to room: HMRoom) async throws {
        throw HMError(.operationNotSupported)
    }
    /// Refuses to take an accessory away.
    public func removeAccessory(
        _ accessory: HMAccessory, completionHandler completion: @escaping ((any Error)?) -> Void
    ) {
        completion(HMError(.operationNotSupported))
    }
    /// Refuses to take an accessory away.
    public func removeAccessory(_ accessory: HMAccessory) async throws { throw HMError(.operationNotSupported) }
}

/// A room of a home; there is none so far.
public final class HMRoom: NSObject, Sendable {
    /// The name.
    public let name: String
    /// Tells it from other rooms.
    public let uniqueIdentifier: UUID
    /// The accessories in it.
    public var accessories: [HMAccessory] { [] }

    init(name: String) {
        self.name = name
        uniqueIdentifier = UUID()
    }
}

/// An accessory of a home; there is none so far.
public final class HMAccessory: NSObject, Sendable {
    /// The name.
    public let name: String
    /// Tells it from other accessories.
    public let uniqueIdentifier: UUID
    /// Whether it answers.
    public let isReachable: Bool
    /// Whether it is behind a bridge.
    public let isBridged: Bool
    /// The room that it is in.
    public let room: HMRoom?
    /// Its node id on the system's Matter fabric.
    public let matterNodeID: UInt64?

    init(name: String) {
        self.name = name
        uniqueIdentifier = UUID()
        isReachable = false
        isBridged = false
        room = nil
        matterNodeID = nil
    }
}
