package import HubClient
package import HubControl

/// A device of a structure: one endpoint of a commissioned Matter node.
public struct HomeDevice: RecordBacked {
    /// The device's id.
    public let id: String
    /// The structure that it is in.
    public let structureID: String?
    /// What the device can do: device types, and through them traits.
    public let types: DeviceTypeController
    let record: HubDevice
    let link: HomeLink

    package init(_ record: HubDevice, in structure: StructureID, link: HomeLink) {
        id = record.id.text
        structureID = structure.text
        types = DeviceTypeController(record, link: link)
        self.record = record
        self.link = link
    }

    /// The device's name.
    public var name: String { record.name }
    /// A device.
    public var objectType: HomeObjectType { .device }
    /// The room that it is in; `nil` for none.
    public var roomID: String? { record.room?.text }
    /// The cloud service that provides the device: always `nil`, since a MatterHub's devices come from none.
    public var agentID: String? { nil }
    /// Another name of ``types``.
    public var parts: DeviceTypeController { types }
    /// Whether it speaks Matter; every device of a MatterHub does.
    public var isMatterDevice: Bool { true }
    /// Whether the device answered the last time.
    public var sourceConnectivity: SourceConnectivity {
        SourceConnectivity(record.isReachable ? .online : .offline)
    }

    /// Names the device.
    ///
    /// - Returns: the device with its new name; this value keeps the old one.
    /// - Throws: ``HomeError``: `invalidArgument` for a name that the hub does not take, `notFound` when the device is gone.
    @discardableResult
    public func setName(_ name: String) async throws -> HomeDevice {
        with(try await link.call(.rename(record.id, to: name)))
    }

    /// Puts the device into a room, or out of any.
    func move(to room: RoomID?) async throws(HomeError) -> HomeDevice {
        with(try await link.call(.move(record.id, to: room)))
    }

    private func with(_ record: HubDevice) -> HomeDevice {
        HomeDevice(record, in: structureID.flatMap { StructureID(text: $0) } ?? StructureID(rawValue: 0), link: link)
    }
}
