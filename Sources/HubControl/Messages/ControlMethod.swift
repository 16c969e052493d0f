/// A method of the control protocol (Protocols/hub-control.md §4).
public struct ControlMethod: RawRepresentable, Hashable, Sendable {
    /// The name on the wire.
    public let rawValue: String
    /// Takes any name: a peer may know more, or less.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The hub's name, version and state.
    public static let hubInfo = Self(rawValue: "hub.info")
    /// Makes the hub play one that can be reached, or not.
    public static let hubSetReachable = Self(rawValue: "hub.setReachable")
    /// Stops another request of the same connection.
    public static let cancel = Self(rawValue: "cancel")
    /// Asks for a grant and waits until it is approved.
    public static let grantsRequest = Self(rawValue: "grants.request")
    /// The grants, and the requests that wait for approval.
    public static let grantsList = Self(rawValue: "grants.list")
    /// Approves a request for a grant.
    public static let grantsApprove = Self(rawValue: "grants.approve")
    /// Refuses a request for a grant.
    public static let grantsDeny = Self(rawValue: "grants.deny")
    /// Makes a grant without a request.
    public static let grantsCreate = Self(rawValue: "grants.create")
    /// Ends a grant at once.
    public static let grantsRevoke = Self(rawValue: "grants.revoke")
    /// The structures that the grant covers.
    public static let structuresList = Self(rawValue: "structures.list")
    /// The rooms of a structure.
    public static let roomsList = Self(rawValue: "rooms.list")
    /// Adds a room.
    public static let roomsCreate = Self(rawValue: "rooms.create")
    /// Names a room.
    public static let roomsRename = Self(rawValue: "rooms.rename")
    /// Removes a room; its devices stay.
    public static let roomsDelete = Self(rawValue: "rooms.delete")
    /// Begins a commissioning session.
    public static let sessionPrepare = Self(rawValue: "session.prepare")
    /// Commissions a device in the session.
    public static let sessionCommission = Self(rawValue: "session.commission")
    /// Names the device commissioned last.
    public static let sessionConfigure = Self(rawValue: "session.configure")
    /// Ends the session; its devices become visible.
    public static let sessionComplete = Self(rawValue: "session.complete")
    /// Ends the session; its devices are removed.
    public static let sessionCancel = Self(rawValue: "session.cancel")
    /// The session's state.
    public static let sessionGet = Self(rawValue: "session.get")
    /// The devices of a structure, or its orphans.
    public static let devicesList = Self(rawValue: "devices.list")
    /// One device.
    public static let devicesGet = Self(rawValue: "devices.get")
    /// Names a device.
    public static let devicesRename = Self(rawValue: "devices.rename")
    /// Puts a device into a room.
    public static let devicesMove = Self(rawValue: "devices.move")
    /// Reads attributes.
    public static let devicesRead = Self(rawValue: "devices.read")
    /// Writes an attribute.
    public static let devicesWrite = Self(rawValue: "devices.write")
    /// Follows attributes of a device.
    public static let devicesSubscribe = Self(rawValue: "devices.subscribe")
    /// Ends that.
    public static let devicesUnsubscribe = Self(rawValue: "devices.unsubscribe")
    /// Invokes a command.
    public static let devicesInvoke = Self(rawValue: "devices.invoke")
    /// Opens a commissioning window for another administrator.
    public static let devicesOpenWindow = Self(rawValue: "devices.openWindow")
    /// Removes a device.
    public static let devicesRemove = Self(rawValue: "devices.remove")
    /// Tries to clean an orphan now.
    public static let orphansRetry = Self(rawValue: "orphans.retry")
    /// Drops an orphan.
    public static let orphansForget = Self(rawValue: "orphans.forget")
    /// The faults that the hub has on purpose.
    public static let faultsList = Self(rawValue: "faults.list")
    /// Replaces them.
    public static let faultsSet = Self(rawValue: "faults.set")
    /// Asks for events.
    public static let eventsSubscribe = Self(rawValue: "events.subscribe")

    /// What a grant must allow for a method of this version.
    public enum Requirement: Hashable, Sendable {
        /// No grant is needed.
        case nothing
        /// A grant with this scope is needed.
        case scope(GrantScopes)
    }

    /// What the method requires; `nil` for a method that this version does not have.
    public var requirement: Requirement? { Self.requirements[self] }

    /// Every method of this version.
    public static var all: Set<ControlMethod> { Set(requirements.keys) }

    private static let requirements: [ControlMethod: Requirement] = {
        let table: [(Requirement, [ControlMethod])] = [
            (
                .nothing,
                [
                    .hubInfo, .cancel, .grantsRequest,
                ]
            ),
            (
                .scope(.admin),
                [
                    .grantsList, .grantsApprove, .grantsDeny, .grantsCreate, .grantsRevoke, .devicesOpenWindow,
                    .orphansRetry, .orphansForget, .hubSetReachable, .faultsList, .faultsSet,
                ]
            ),
            (
                .scope(.structureRead),
                [
                    .structuresList, .roomsList, .devicesList, .devicesGet, .eventsSubscribe,
                ]
            ),
            (
                .scope(.commissioning),
                [
                    .roomsCreate, .roomsRename, .roomsDelete, .sessionPrepare, .sessionCommission, .sessionConfigure,
                    .sessionComplete, .sessionCancel, .sessionGet, .devicesRename, .devicesMove, .devicesRemove,
                ]
            ),
            (
                .scope(.deviceControl),
                [
                    .devicesRead, .devicesWrite, .devicesInvoke, .devicesSubscribe, .devicesUnsubscribe,
                ]
            ),
        ]
        return table.reduce(into: [:]) { result, row in
            for method in row.1 { result[method] = row.0 }
        }
    }()
}
