package import HubClient
package import HubControl

/// A room of a structure.
public struct Room: RecordBacked {
    /// The room's id.
    public let id: String
    /// The structure that it is in.
    public let structureID: String
    let record: HubRoom
    private let link: HomeLink

    package init(_ record: HubRoom, in structure: StructureID, link: HomeLink) {
        id = record.id.text
        structureID = structure.text
        self.record = record
        self.link = link
    }

    /// The room's name; not unique.
    public var name: String { record.name }
    /// A room.
    public var objectType: HomeObjectType { .room }

    /// Names the room.
    ///
    /// - Returns: the room with its new name; this value keeps the old one.
    /// - Throws: ``HomeError``: `invalidArgument` for a name that the hub does not take, `notFound` when the room is gone.
    @discardableResult
    public func setName(_ name: String) async throws -> Room {
        let renamed = try await link.call(.renameRoom(record.id, to: name))
        return Room(renamed, in: try StructureID(ofApp: structureID, "structure"), link: link)
    }
}
